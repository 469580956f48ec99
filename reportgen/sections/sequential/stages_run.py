"""How an execution in stages went on a data set."""

from __future__ import annotations

from reportgen.sections.sequential.options import Options
from reportgen.sections.sequential.result import StagesRun
from reportgen.warehouse import Warehouse


def own_rule(warehouse: Warehouse, options: Options) -> Options:
    """Return the options with the rule by which the execution went, where it had one."""
    return options


def stages_run(warehouse: Warehouse, options: Options) -> StagesRun | None:
    """Return what was run; None where the execution did not go by stages."""
    return None
