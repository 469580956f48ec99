"""The claims of a study under `expect`."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from reportgen.claims.decision import decide
from reportgen.claims.result import ExpectationsResult
from reportgen.sections.expectations import Options
from reportgen.warehouse import Warehouse

__all__ = ["ExpectationsResult", "analyse"]


def analyse(
    warehouse: Warehouse, options: Options, rng: Generator, **sections: Any
) -> ExpectationsResult:
    """Decide on the claims of a study.

    `rng`: not used.
    `sections`: results of the sections that `options.required_sections` names, where they apply.
    Raises StudyError if a claim cannot be read, names what is not there, or has no bounds by its
    measure.
    """
    return decide(warehouse, options.expect, options, sections, options.on_undecided)
