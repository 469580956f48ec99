"""How an execution in stages went on a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from reportgen.sections.sequential.options import Options
from reportgen.sections.sequential.result import StagesRun
from reportgen.study.stages import stages_of
from reportgen.warehouse import Performances, Warehouse


def own_rule(warehouse: Warehouse, options: Options) -> Options:
    """Return the options with the rule by which the execution went, where it had one."""
    stages = stages_of(warehouse)
    if stages is None:
        return options
    rule: dict[str, Any] = {
        "measures": (stages.measure,),
        "pairs": stages.pairs,
        "test": stages.test,
        "rule": stages.rule,
        "combination": stages.combination,
        "multiplicity": stages.multiplicity,
        "stop": stages.stop,
        "alternative": "two-sided",
        "law": "default",
        "zeros": "pratt",
        "final": "exhaust",
        "alpha": stages.alpha,
        "stage": stages.size,
        "relevance": {} if stages.area is None else {stages.measure: stages.area},
    }
    return options.model_copy(update=rule)


def stages_run(warehouse: Warehouse, cube: Performances) -> StagesRun | None:
    """Return what was run; None where the execution did not go by stages.

    Parameters
    ----------
    warehouse : Warehouse
        Of one data set.
    cube : Performances
        Of the measure that decides.
    """
    stages = stages_of(warehouse)
    if stages is None:
        return None
    rows = warehouse.frame[warehouse.frame["measure"] == cube.measure.name]
    ends_of = rows.groupby("candidate", observed=True)["replication"].max()
    last = {name: int(ends_of.get(name, 0)) for name in cube.candidates}
    n = max(last.values())
    ends = tuple(end for end in stages.ends if end <= n)
    begins = (0, *ends)
    measured = tuple(
        tuple(name for name in cube.candidates if last[name] > begin)
        for begin in begins[: len(ends)]
    )
    dropped = {name: end for name, end in last.items() if end < n}
    seconds, seconds_fixed = _seconds(warehouse, cube, last, stages.most)
    return StagesRun(
        ends,
        stages.most,
        measured,
        sum(last.values()),
        stages.most * len(last),
        is_decided=n < stages.most,
        drop=stages.drop,
        dropped=dict(sorted(dropped.items(), key=lambda item: item[1])),
        seconds=seconds,
        seconds_fixed=seconds_fixed,
        is_equivalence_of_ranks=stages.area is not None and stages.plan.quantity != "mean",
    )


def _seconds(
    warehouse: Warehouse, cube: Performances, counts: Mapping[str, int], most: int
) -> tuple[float | None, float | None]:
    """Return the processor time of the fits, and about that of a fixed design."""
    means = warehouse.facts.get(cube.dataset, {}).get("fit_seconds")
    if not isinstance(means, Mapping) or set(means) != set(counts):
        return None, None
    each = np.array([float(means[name]) for name in counts])
    return float(each @ np.array(list(counts.values()))), float(each.sum() * most)
