"""Verdicts made by hand: decisions and limits of all pairs of candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from reportgen.conclusion.recommendation import Cost
from reportgen.conclusion.verdict import Comparison
from reportgen.performance_measure import Measure
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.verdict import Verdict
from tests.sections.reading import ERROR, TIME

WIDE = 0.03  # half width of an interval that decides nothing here
AREA = (-0.01, 0.01)


def verdict(
    names: str,
    better: Iterable[str] = (),
    *,
    means: Mapping[str, float] | None = None,
    inside: Iterable[str] = (),
    is_open: bool = False,
    measure: Measure = ERROR,
    limits: Mapping[str, tuple[float, float]] | None = None,
    wins: int | None = None,
    **more: Any,
) -> Comparison:
    """Return a verdict on candidates whose names are letters, the best mean first.

    Parameters
    ----------
    names : str
    better : iterable of str
        "ab": a is decided better than b.
    means : mapping of str to float, optional
        .1, .11, ... when left out.
    inside : iterable of str
        Pairs whose interval is narrow, .004 to each side of the difference.
    is_open : bool
        Whether no pair can be decided.
    limits : mapping of str to two floats, optional
        Of the difference first - second, of pairs "ab".
    wins : int, optional
        Of the first of each pair, over data sets.
    """
    known = dict(means or {name: 0.1 + i / 100 for i, name in enumerate(names)})
    pairs = all_pairs(len(names))
    sign = 1 if measure.is_smaller_better else -1
    low, high, estimate = (np.zeros(len(pairs)) for _ in range(3))
    for row, (i, j) in enumerate(pairs.tolist()):
        a, b = names[i], names[j]
        estimate[row] = known[a] - known[b]
        half = 0.004 if {a + b, b + a} & {*inside} else WIDE
        low[row], high[row] = estimate[row] - half, estimate[row] + half
        if a + b in better or b + a in better:
            side = -sign if a + b in better else sign
            estimate[row] = side * 0.02
            low[row], high[row] = sorted((side * 0.001, side * 0.05))
        if limits and a + b in limits:
            low[row], high[row] = limits[a + b]
    nothing = np.full(len(pairs), np.nan)
    table = PairTable.of(
        pairs,
        estimate,
        "own-variance",
        0.05,
        lower=nothing if is_open else low,
        upper=nothing if is_open else high,
        adjusted_p_value=nothing if is_open else np.where((low <= 0) & (high >= 0), 0.5, 0.01),
        is_open=np.full(len(pairs), is_open),
        extra={}
        if wins is None
        else {"wins": np.full(len(pairs), wins), "losses": np.zeros(len(pairs), dtype=int)},
    )
    area, family = more.pop("relevance", None), more.pop("family", None)
    found = Verdict(
        measure=measure,
        alpha=0.05,
        relevance=area,
        target="generating-process",
        method="new-data",
        pairs=table.named(names, "", measure.is_smaller_better).decided(area),
        means=known,
        n_values=more.pop("n_own", {}),
        family=family,
        is_area_given=area is not None,
    )
    usual: dict[str, Any] = {
        "dataset": "d",
        "target": "new-data",
        "basis": "resampling",
        "n_units": 20,
    }
    return Comparison(found, **usual | more)


def cost(means: Mapping[str, float], cheaper: Iterable[str] = (), measure: Measure = TIME) -> Cost:
    """Return what candidates cost; "ab": a is decided cheaper than b."""
    return Cost(measure, means, True, tuple((pair[0], pair[1]) for pair in cheaper))
