"""Domains for the tests: made-up values, and all sections that the domain rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

import numpy as np

from reportgen.performance_measure import Measure
from reportgen.report import Figure, Report, SectionContent
from reportgen.sections.consensus import analysis as consensus
from reportgen.sections.domain import analysis as domain
from reportgen.sections.domain import clusters as subdomains
from reportgen.sections.domain import tables
from reportgen.sections.domain.data import DomainValues, select_model_data
from reportgen.sections.domain.result import DomainResult
from reportgen.sections.inference import analysis as inference
from reportgen.sections.inference import applies
from reportgen.sections.preferences import analysis as preferences
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import placeholder, report_with, warehouse_of
from tests.sections.reading import ERROR, Said, by_verdict_alone, read

FEW = 12  # resamples

Cubes = Mapping[Measure, Mapping[str, np.ndarray]]


def draw_values(
    seed: int,
    means: Sequence[Sequence[float]],
    n_replications: int = 12,
    sd: float = 0.01,
) -> dict[str, np.ndarray]:
    """Return values of data sets d0, d1, … with these candidates' means, shape (B, K) each."""
    rng = np.random.default_rng(seed)
    return {
        f"d{m}": np.asarray(row) + sd * rng.normal(size=(n_replications, len(row)))
        for m, row in enumerate(means)
    }


def analysed(warehouse: Warehouse, **options: Any) -> DomainResult:
    """Analyse a warehouse as the pipeline does, all sections under the same common options."""
    shared = {k: v for k, v in options.items() if k in AnalysisOptions.model_fields}
    rng = np.random.default_rng(7)
    views = {d: warehouse.only(d) for d in warehouse.datasets}
    tests = {
        d: _tested(v, AnalysisOptions(**shared), rng)
        for d, v in (views.items() if applies(warehouse) else ())
    }
    liked = {
        d: preferences.analyse(v, preferences.Options(**shared), rng, inference=tests.get(d, {}))
        for d, v in views.items()
    }
    agreed = {  # with one measure nobody asks for them
        d: consensus.analyse(v, consensus.Options(**shared), rng, preferences=liked[d])
        for d, v in (views.items() if len(warehouse.measures) > 1 else ())
    }
    chosen = domain.Options(**options)
    with patch.object(subdomains, "N_RESAMPLES", FEW):
        return domain.analyse(
            warehouse, chosen, rng, inference=tests, preferences=liked, consensus=agreed
        )


def judged(warehouse: Warehouse, *, is_modelled: bool = True, **options: Any) -> DomainResult:
    """Analyse a warehouse by what asks no other section: verdicts, models and ranks.

    `is_modelled`: with the models, which the verdict by each data set's own mean asks nothing of.
    """
    with nullcontext() if is_modelled else patch.object(domain, "_models", _unmodelled):
        return domain.analyse(
            warehouse,
            domain.Options(**options),
            np.random.default_rng(7),
            inference={},
            preferences={},
            consensus={},
            density="compact",
        )


def _unmodelled(all_values: DomainValues, options: domain.Options, _: Any) -> tuple[Any, Any]:
    return select_model_data(all_values, options)[1], {}


def _tested(view: Warehouse, options: AnalysisOptions, rng: np.random.Generator) -> Any:
    """Compare the candidates of one data set; other methods, which take long, are left out."""
    with by_verdict_alone():
        return inference.analyse(view, options, rng)


def report_of(
    result: DomainResult, warehouse: Warehouse, figures: tuple[Figure, ...] = (), **options: Any
) -> Report:
    """Return a report with nothing but the domain."""
    chosen = domain.Options(**options)
    content = SectionContent(
        "domain", None, result, chosen, figures or blanks(result), tables.tabulate(result)
    )
    return report_with(warehouse, content, relevance=options.get("relevance", {}))


def blanks(result: DomainResult) -> tuple[Figure, ...]:
    """Return empty drawings of the figures that there would be."""
    names = ["bsplot"]
    if result.verdict:
        names.append("pairs")
    across = result.across.get(result.main)
    if result.is_once and across is not None and across.pairs is not None:
        names.append("ranks")
    if result.interaction is not None and result.interaction.largest:
        names.append("interaction")
    if result.regret is not None and result.regret.free_choice is None:
        names.append("regret")
    return tuple(placeholder(name, result.main) for name in names)


def tell(
    values: Mapping[str, np.ndarray] | Cubes, names: Sequence[str], **options: Any
) -> tuple[Said, DomainResult]:
    """Analyse made-up values, write the domain, and read it."""
    is_one = all(isinstance(key, str) for key in values)
    cubes: Any = {ERROR: values} if is_one else values
    warehouse = warehouse_of(cubes, names)
    result = analysed(warehouse, **options)
    return read(report_of(result, warehouse, **options)), result
