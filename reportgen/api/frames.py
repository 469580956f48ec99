"""Results as data frames, with the names that `results.json` has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from reportgen.stats.pair_table import PairTable
from reportgen.stats.ranking import levelled, within_block_ranks

if TYPE_CHECKING:
    from reportgen.performance_measure import Measure
    from reportgen.sections.consensus.analysis import ConsensusResult
    from reportgen.warehouse import Performances

RANKS = ("candidate", "mean_rank", "n_best", "n_best_alone")
RANGES = (
    *("dataset", "measure", "candidate", "mean", "rank_from", "rank_to", "may_be_first"),
    *("level", "target"),
)


def records(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return rows under the names of their columns, also where there are none."""
    return pd.DataFrame(list(rows), columns=list(columns))


def summary(explored: Sequence[tuple[str, Any]]) -> pd.DataFrame:
    """Return the summaries of explorations by data set."""
    from reportgen.sections.eda.analysis import CandidateSummary

    own = [own.name for own in fields(CandidateSummary) if own.type in ("str", "int", "float")]
    return _rows_of_candidates(explored, [name for name in own if name not in RANKS[1:]])


def ranks(explored: Sequence[tuple[str, Any]]) -> pd.DataFrame:
    """Return the ranks of explorations by data set."""
    return _rows_of_candidates(explored, RANKS)


def _rows_of_candidates(explored: Sequence[tuple[str, Any]], names: Sequence[str]) -> pd.DataFrame:
    rows = [
        (dataset, found.measure.name, *(getattr(row, name) for name in names))
        for dataset, found in explored
        for row in found.by_mean
    ]
    return records(rows, ("dataset", "measure", *names))


def ranks_over(
    rows: Sequence[Performances], candidates: Sequence[str], measure: Measure
) -> pd.DataFrame:
    """Return the ranks within data sets that have one value of each candidate."""
    values = np.array([row.values[0] for row in rows if np.isfinite(row.values[0]).all()])
    if not len(values):
        return records((), ("dataset", "measure", *RANKS))
    smaller = measure.is_smaller_better
    levels = within_block_ranks(levelled(values), smaller)
    is_best = levels == levels.min(axis=1, keepdims=True)
    is_alone = is_best & (is_best.sum(axis=1, keepdims=True) == 1)
    columns = (levels.mean(axis=0), is_best.sum(axis=0), is_alone.sum(axis=0))
    found = zip(candidates, *(column.tolist() for column in columns), strict=True)
    ordered = sorted(found, key=lambda row: row[1])
    return records([(None, measure.name, *row) for row in ordered], ("dataset", "measure", *RANKS))


def pairs(inferred: Sequence[tuple[str | None, Any]]) -> pd.DataFrame:
    """Return the deciding verdicts by data set, or over all."""
    parts = [
        found.pairs.to_frame().assign(
            dataset=dataset, measure=found.measure.name, target=found.deciding_target
        )
        for dataset, found in inferred
        if len(found.pairs)
    ]
    return _together(parts, ("dataset", "measure"))


def rank_ranges(inferred: Sequence[tuple[str | None, Any]]) -> pd.DataFrame:
    """Return the ranges of the candidates' ranks by data set, or over all."""
    rows = [
        (dataset, found.measure.name, name, found.means.get(name), low, high, low == 1, *rest)
        for dataset, found in inferred
        if len(found.pairs)
        for rest in [(1 - found.alpha, found.deciding_target)]
        for name, (low, high) in found.rank_ranges.items()
    ]
    return records(rows, RANGES)


def domain(verdicts: Sequence[Any]) -> pd.DataFrame:
    """Return the verdicts over data sets, by measure."""
    parts = [found.pairs.to_frame().assign(measure=found.measure.name) for found in verdicts]
    return _together(parts, ("measure",))


def _together(parts: Sequence[pd.DataFrame], first: Sequence[str]) -> pd.DataFrame:
    """Put frames below one another, some columns first."""
    if not parts:
        nobody = PairTable.of(np.empty((0, 2), np.intp), np.empty(0), "", 0.05)
        return records((), (*first, *nobody.to_columns()))
    frame = pd.concat(parts, ignore_index=True)
    return frame[[*first, *(c for c in frame.columns if c not in first)]]


def consensus(found: ConsensusResult) -> pd.DataFrame:
    """Return the level of each candidate in each optimum."""
    rows = [
        (number, candidate, level)
        for number, order in enumerate(found.relations, start=1)
        for level, group in enumerate(order.chain or order.levels, start=1)
        for candidate in group
    ]
    return records(rows, ("order", "candidate", "level"))


def members(found: ConsensusResult) -> pd.DataFrame:
    """Return the members of a consensus."""
    rows = [
        (m.id, m.weight, m.distance, m.order_class, order_text(m.chain or ()))
        for m in found.members
    ]
    return records(rows, ("member", "weight", "distance", "order_class", "order"))


def order_text(groups: Sequence[Sequence[str]]) -> str:
    """Write an order, best first.

    Examples
    --------
    >>> order_text([("svm",), ("lda", "rf")])
    'svm > lda, rf'
    """
    return " > ".join(", ".join(group) for group in groups)
