"""Designs with known effects, and the section's report of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.performance_measure import Measure
from reportgen.report import SectionContent
from reportgen.sections.inference.analysis import analyse as infer
from reportgen.sections.preferences import Options as PreferenceOptions
from reportgen.sections.preferences.analysis import analyse as prefer
from reportgen.sections.sensitivity.analysis import SensitivityResult, analyse
from reportgen.sections.sensitivity.figures import number_name, tabulate
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import placeholder, report_with, warehouse_of
from tests.sections.reading import ERROR, Said, blocks, read

Made = tuple[Mapping[str, Any], Sequence[float]]
"""Levels by factor, and the candidates' means."""


def design(
    made: Sequence[Made],
    names: Sequence[str] = ("anna", "bert", "cara"),
    *,
    measure: Measure = ERROR,
    n_blocks: int | Sequence[int] = 12,
    sd: float | Sequence[float] = 0.02,
    base: str = "line",
    more: Sequence[str] = (),
) -> Warehouse:
    """Return a data set in several settings, and further ones that are not varied."""
    values, facts = dict[str, Any](), dict[str, Any]()
    sizes = [n_blocks] * len(made) if isinstance(n_blocks, int) else n_blocks
    sds = [sd] * len(made) if isinstance(sd, float) else sd
    for i, (levels, means) in enumerate(made):
        name = f"{base} ({', '.join(map(str, levels.values()))})"
        values[name] = blocks(means, sizes[i], sds[i], 0.03) if sizes[i] > 1 else np.array([means])
        own: dict[str, Any] = {"setting": {"base": base, "factors": dict(levels)}}
        if "resampling" in levels:
            scheme = "repeated-k-fold" if "fold" in levels["resampling"] else "bootstrap"
            own |= {"resampling": {"scheme": scheme}, "n_observations": 100}
        facts[name] = own
    values |= {name: blocks(made[0][1], 12) for name in more}
    warehouse = warehouse_of({measure: values}, names, facts=facts)
    by_folds = warehouse.frame["dataset"].str.contains("fold").to_numpy(bool)
    return replace(
        warehouse, frame=warehouse.frame.assign(n_distinct=np.where(by_folds, 90.0, 63.0))
    )


def find(warehouse: Warehouse) -> SensitivityResult:
    """Analyse a design, with the sections that this one requires."""
    rng = np.random.default_rng(1)
    inference, preferences = {}, {}
    for name in warehouse.datasets:
        own = warehouse.only(name)
        inference[name] = infer(own, AnalysisOptions(), rng)
        preferences[name] = prefer(own, PreferenceOptions(), rng, inference=inference[name])
    return analyse(warehouse, AnalysisOptions(), rng, inference=inference, preferences=preferences)


def tell(warehouse: Warehouse) -> tuple[Said, SensitivityResult]:
    """Write the section's report without drawing, and read it."""
    result = find(warehouse)
    main, parts = next(iter(result.items()))
    figures = tuple(
        placeholder(number_name("estimates", i), main)
        for i, part in enumerate(parts.values())
        if part.shown
    )
    content = SectionContent(
        "sensitivity", None, result, AnalysisOptions(), figures, tabulate(result)
    )
    return read(report_with(warehouse, content)), result


TURNING = [
    ({"b2": b2, "n": n}, (0.2, 0.2 + gap, 0.5))
    for b2, gap in ((0.0, 0.1), (0.1, 0.0), (1.0, -0.1))
    for n in (150, 50)
]
"""Bert is worse than anna at b2 = 0, as good at 0.1, and better at 1; cara is the worst."""

SCHEMES = [
    ({"resampling": "bootstrap"}, (0.20, 0.24, 0.50)),
    ({"resampling": "5 × 10-fold"}, (0.18, 0.18, 0.46)),
    ({"resampling": "hold-out"}, (0.19, 0.21, 0.45)),
]
