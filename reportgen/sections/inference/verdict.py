"""Decisions that are not of each pair by its own variance alone.

Those of the stages of an execution, of the block model, and without a replication whose value is an
outlier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from reportgen.sections.inference.model import BlockModelFit, unavailable
from reportgen.sections.inference.result import Method, Outlier
from reportgen.stats.arrays import Area, Array
from reportgen.stats.decisions import OPPOSITE
from reportgen.stats.descriptive import FACTOR, gross_outliers
from reportgen.stats.pair_table import PairTable
from reportgen.study.comparison import area_on
from reportgen.study.stages import Stages, final_answers
from reportgen.warehouse import Performances


def by_stages(own: Method, performances: Performances, stages: Stages) -> Method:
    """Take the decisions of the stages by which the execution went.

    A test at a stopping time that does not know of the stages errs more: what
    they have decided is the verdict. Pairs that they do not compare stay open, and gaps count as in
    any other verdict; what the stages themselves leave out counts against nobody.

    `own`: the same pairs by their own variances, whose estimates stand.
    """
    measure, table = performances.measure, own.pairs
    is_held = "adverse_first" in table.extra
    unused = ("tost",) if is_held else ("tost", "adverse")
    kept = {k: v for k, v in table.extra.items() if not k.startswith(unused)}
    table = replace(table, adverse=table.adverse if is_held else None, extra=kept)
    if is_held:
        table = table.with_columns(**_with_own_gaps(table, performances))
    answers = final_answers(performances.values, performances.candidates, measure, stages)
    found = {
        names: (own.decision(measure.is_smaller_better), own.way(measure.is_smaller_better))
        for names, own in answers.items()
    }
    found |= {(j, i): (OPPOSITE[decision], -way) for (i, j), (decision, way) in found.items()}
    names = [
        (table.candidates[i], table.candidates[j])
        for i, j in zip(table.first, table.second, strict=True)
    ]
    decided = [found.get(pair) for pair in names]
    ways = np.array([d[1] if d else 0 for d in decided], dtype=np.int_)
    given = replace(table, given_direction=ways, is_open=np.array([d is None for d in decided]))
    nothing = np.full(len(table), np.nan)
    pairs = replace(
        given,
        lower=nothing,
        upper=nothing,
        p_value=nothing,
        adjusted_p_value=nothing,
        critical_value=nothing,
        method="stages",
        decision=tuple(
            d[0] if d and (d[0] == "equivalent" or not is_undone) else "undecided"
            for d, is_undone in zip(decided, given.undone_by_gaps.tolist(), strict=True)
        ),
    )
    return Method("stages", "strong", own.law, None, own.n_units, pairs)


def _with_own_gaps(table: PairTable, performances: Performances) -> dict[str, Array]:
    """Return the limits with gaps; of who has none in a pair the estimate, which undoes nothing."""
    at = [performances.candidates.index(name) for name in table.candidates]
    there = np.isfinite(performances.values[:, at])
    by_design = performances.missing_by_design
    is_known = there if by_design is None else there | by_design[:, at]
    sides = {"first": (table.first, table.second), "second": (table.second, table.first)}
    found = {}
    for name, (own, other) in sides.items():
        has_gap = (there[:, other] & ~is_known[:, own]).any(axis=0)
        found[f"adverse_{name}"] = np.where(has_gap, table.extra[f"adverse_{name}"], table.estimate)
    return found


def pooled_variance(blocks: Performances, modelled: BlockModelFit, area: Area | None) -> Method:
    """Take the comparisons of the block model: one variance for all pairs.

    It is the published model, which takes gaps for chance and holds no claim against them.

    `area`: the study's area of equivalence.
    """
    table, smaller = modelled.pairs, blocks.measure.is_smaller_better
    is_normal = bool(np.isnan(table.df).all())
    named = table.counted(blocks.values, smaller).named(blocks.candidates, blocks.target, smaller)
    observed = blocks.observed
    n = (observed[:, table.first] & observed[:, table.second]).sum(axis=0)
    return Method(
        "block-model",
        "strong-if-alike",
        "asymptotic" if is_normal else "studentized-range" if table.method == "tukey" else "max-t",
        None,
        len(blocks.used),
        named.with_columns(n=n).inside(blocks.measure.bounds).decided(area_on("difference", area)),
    )


def outlier_of(
    blocks: Performances, verdict: Callable[[Performances], PairTable | None]
) -> Outlier | None:
    """Return the value that dwarfs all others, where there is one.

    `verdict`: decides on the pairs of fewer replications.
    """
    rows = gross_outliers(blocks.values)
    if not len(rows):
        return None
    sizes = np.where(blocks.observed, np.abs(blocks.values), 0.0)
    others = float(np.delete(sizes, rows, axis=0).max())
    row, column = np.unravel_index(int(sizes.argmax()), sizes.shape)
    replications = tuple(blocks.replications[rows].tolist())
    rest = blocks.drop_replications(replications)
    with np.errstate(over="ignore"):
        ratio = float(sizes[row, column] / others)
    return Outlier(
        replications=replications,
        candidates=blocks.named(np.flatnonzero((sizes[rows] > FACTOR * others).any(axis=0))),
        candidate=blocks.candidates[column],
        value=float(blocks.values[row, column]),
        ratio=ratio,
        means={
            name: float(column[np.isfinite(column)].mean())
            for name, column in zip(rest.candidates, rest.values.T, strict=True)
            if np.isfinite(column).any()
        },
        pairs=None if unavailable(rest) else verdict(rest),
    )


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
    from reportgen.stats.worths.battles import Battles, battle_pairs, fit_battles

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
