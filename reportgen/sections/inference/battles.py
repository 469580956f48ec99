"""All pairs by the worths that battles of two candidates each have estimated."""

from __future__ import annotations

from collections.abc import Callable

from numpy.random import Generator

from reportgen.sections.inference.result import Method
from reportgen.stats.worths.battles import Battles, battle_pairs, fit_battles
from reportgen.study.comparison import Area, area_on
from reportgen.warehouse import Performances


def by_worths(
    blocks: Performances,
    alpha: float,
    area: Area | None,
    stream: Callable[[], Generator],
    _reference: str | None = None,
) -> Method:
    """Compare all pairs by the difference of their worths, in points of Elo's scale.

    `blocks`: of two or more candidates that battles link; two values in each row.
    `area`: the study's area of equivalence.
    `stream`: makes, each time anew, the generator that draws from the joint law.
    """
    battles = Battles.of_values(blocks.values, blocks.clusters)
    fitted = fit_battles(battles)
    table = battle_pairs(battles, fitted, alpha, stream())
    lower, upper = (own.tolist() for own in fitted.intervals(alpha))
    pairs = table.named(blocks.candidates, blocks.target, blocks.measure.is_smaller_better)
    return Method(
        "worths",
        "strong",
        "max-t" if fitted.has_joint_law else "t",
        None,
        len(battles),
        pairs.decided(area_on("difference", area)),
        means=dict(zip(blocks.candidates, fitted.points.tolist(), strict=True)),
        mean_intervals=dict(zip(blocks.candidates, zip(lower, upper, strict=True), strict=True)),
    )
