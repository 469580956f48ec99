"""Own intervals of the distinct contrasts of a study's claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, log, nan

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.data import dataset_means, domain_values, used_rows
from reportgen.sections.domain.sources import (
    errors_between,
    evidence_of_sources,
    target_of_few,
)
from reportgen.sections.expectations.result import Contrast, Outcome, Unit, natural
from reportgen.sections.inference.generalisation import (
    Evidence,
    beside_limit,
    compare_by_evidence,
    evidence_of,
    target_of,
)
from reportgen.stats.domain.sources import (
    MOST_SOURCES,
    compare_sources,
    hold_sources_against_gaps,
)
from reportgen.stats.items.comparison import item_pairs
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairScale, PairTable
from reportgen.stats.pairs.own_variances import (
    compare_own_variances,
    equal_signs,
    hold_against_gaps,
)
from reportgen.stats.pairs.wins import compare_wins
from reportgen.stats.samples.comparison import welch_pairs
from reportgen.study.claims import Place, place_of
from reportgen.study.comparison import comparison_scale, comparison_values, filled_values
from reportgen.study.manifest import AnalysisOptions
from reportgen.study.target import APPROXIMATE, DecidingTarget, deciding_target
from reportgen.warehouse import Measure, Warehouse
from reportgen.warehouse import Unit as Kind

Array = NDArray[np.float64]
OUTCOMES: Mapping[Place, Outcome] = {"inside": "pass", "outside": "fail", "undecided": "undecided"}
Key = tuple[str, str | None, frozenset[str]]
"""A contrast: measure, data set (None over all), and one candidate or two."""


@dataclass(frozen=True, slots=True)
class Values:
    """The units of contrasts: one value a unit and candidate, on the scale of comparison.

    Attributes
    ----------
    measure : Measure
    candidates : tuple of str
        The K columns.
    values : ndarray of shape (n, K)
        Of ratios logarithms; NaN where there is none.
    scale : {"difference", "ratio"}
    unit : {"replication", "dataset"}
    target : str
        What decides on them.
    evidence : Evidence or None
        Of new data; None where it is not known or not needed.
    kind : {"replication", "item", "sample"}
        What the rows of one data set are.
    clusters : ndarray of shape (n,), int, or None
        Of items.
    filled : ndarray of shape (n, K), or None
        With gaps counted as the worst of their unit: what means are of. None where nothing is
        filled.
    absent : ndarray of shape (n, K), bool, or None
        Gaps by design.
    sources : tuple of ndarray of shape (B_m, K)
        The replications of two to five data sets, on the scale of comparison.
    evidence_of_sources : tuple of (Evidence or None)
        Of each of these.
    """

    measure: Measure
    candidates: tuple[str, ...]
    values: Array
    scale: PairScale
    unit: Unit
    target: DecidingTarget
    evidence: Evidence | None = None
    kind: Kind = "replication"
    clusters: NDArray[np.int64] | None = None
    filled: Array | None = None
    absent: NDArray[np.bool_] | None = None
    sources: tuple[Array, ...] = ()
    evidence_of_sources: tuple[Evidence | None, ...] = ()

    def column(self, candidate: str, *, is_filled: bool = False) -> Array:
        """Return the values of a candidate; NaN of one that has none."""
        if candidate not in self.candidates:
            return np.full(len(self.values), nan)
        values = self.filled if is_filled and self.filled is not None else self.values
        return values[:, self.candidates.index(candidate)]

    def absences(self, names: Sequence[str | None]) -> NDArray[np.bool_]:
        """Return the gaps by design of some candidates, shape (n, len(names))."""
        found = np.zeros((len(self.values), len(names)), dtype=np.bool_)
        for k, name in enumerate(names):
            if self.absent is not None and name in self.candidates:
                found[:, k] = self.absent[:, self.candidates.index(name)]
        return found


def values_of(
    warehouse: Warehouse, measure: str, dataset: str | None, options: AnalysisOptions
) -> Values:
    """Take the units of a measure: replications of a data set, or means of all data sets.

    Parameters
    ----------
    warehouse : Warehouse
    measure : str
    dataset : str or None
        None over all.
    options : AnalysisOptions
    """
    own = warehouse.measure(measure)
    if dataset is None:
        of_domain = domain_values(warehouse, own)
        means = dataset_means(of_domain, options)
        is_few = of_domain.unit == "replication" and len(means.datasets) <= MOST_SOURCES
        is_new = is_few and target_of_few(of_domain, means, options) == "these-sources"
        return Values(
            own,
            means.candidates,
            means.values,
            means.scale,
            "dataset",
            deciding_target(
                n_datasets=max(2, len(means.values)),
                unit=of_domain.unit,
                has_new_data_error=is_new,
                asked=options.target,
            ),
            filled=means.filled,
            absent=means.absent,
            sources=tuple(used_rows(of_domain, means, options)) if is_few else (),
            evidence_of_sources=tuple(evidence_of_sources(of_domain, means, options))
            if is_few
            else (),
        )
    found = warehouse.performances(dataset, measure)
    scale = comparison_scale(own, found.values, options.relevance.get(measure))
    evidence = evidence_of(warehouse, found)
    shared = evidence.shared
    values = comparison_values(found.values, scale)
    return Values(
        own,
        found.candidates,
        values,
        scale,
        "replication",
        target_of(warehouse, found, shared, options),
        None if shared.ratio is None or shared.source == "independent" else evidence.on(scale),
        warehouse.unit,
        found.clusters,
        filled_values(values, scale, own) if warehouse.unit == "replication" else None,
    )


def contrast_of(
    values: Values,
    first: str,
    second: str | None,
    limit: float,
    bounds: tuple[float, float],
    alpha: float,
    n_comparisons: int,
    *,
    is_of_experiment: bool = False,
) -> Contrast:
    """Compare two candidates, or the mean of one with a limit, by the variance of the differences.

    Parameters
    ----------
    values : Values
    first : str
    second : str or None
        None for a mean.
    limit : float
        Of the mean, in the measure's unit.
    bounds : tuple of two floats
        Of the claim, on the scale of comparison.
    alpha : float
    n_comparisons : int
        All that hold together with this one.
    is_of_experiment : bool
        Whether the claim is about this experiment alone.

    Returns
    -------
    Contrast
        Without the report's verdict. A difference that is 0 in all units has no interval; it is
        decided where the claim's bounds are not 0 and the chance that all n units are on one side
        of a bound, :math:`2^{1-n}` times the number of comparisons, is at most alpha: the rule of
        `compare_own_variances` for other constants.
    """
    origin = 0.0
    if second is None:
        origin = log(limit) if values.scale == "ratio" else limit
    scale: PairScale = "difference" if second is None and values.scale == "wins" else values.scale
    a = values.column(first, is_filled=second is None)
    b = np.full(len(a), origin) if second is None else values.column(second)
    every = np.column_stack([a, b])
    is_apart = values.kind == "sample" and second is not None
    rows = np.isfinite(every)
    kept = rows.any(axis=1) if is_apart else rows.all(axis=1)
    both = every[kept]
    n = int(np.isfinite(both).sum(axis=0).min())
    empty = Contrast(
        first,
        second,
        scale,
        estimate=None,
        lower=None,
        upper=None,
        deviation=None,
        n=n,
        is_open=True,
        is_constant=False,
        skewness=None,
        bounds=_natural_bounds(bounds, scale, origin),
        outcome="undecided",
        verdict=None,
        target="experiment" if is_of_experiment and values.target in APPROXIMATE else values.target,
    )
    if not n:
        return empty
    if empty.target == "new-data" and values.evidence is not None:
        return _for_new_data(empty, values, bounds, alpha / n_comparisons, origin)
    rng = np.random.default_rng(0)  # draws nothing: Bonferroni's inequality holds the family
    smaller = values.measure.is_smaller_better
    absent = values.absences((first, second))
    if scale == "wins":
        table = compare_wins(every, alpha, smaller, n_comparisons=n_comparisons, absent=absent)
    elif values.sources:
        evidence = [_between(own, first, second, origin) for own in values.evidence_of_sources]
        errors = errors_between(_source_rows(values, first, second, origin), evidence)
        table = compare_sources(errors, all_pairs(2), alpha, n_comparisons=n_comparisons)
        table = hold_sources_against_gaps(table, errors, rows, smaller, absent)
    elif is_apart:
        table = welch_pairs(both, alpha, scale="difference", n_comparisons=n_comparisons)
    elif values.kind == "item":
        clusters = None if values.clusters is None else values.clusters[kept]
        table = item_pairs(both, clusters, alpha, rng, n_comparisons=n_comparisons)
    else:
        table = compare_own_variances(both, alpha, rng, n_comparisons=n_comparisons)
        table = hold_against_gaps(table, every, smaller, absent)
    if second is not None and scale == "difference":
        table = table.inside(values.measure.bounds)
    estimate, low, high = (float(x[0]) for x in (table.estimate, table.lower, table.upper))
    is_constant = bool(table.extra.get("is_constant", np.zeros(1))[0])
    if second is None and scale == "difference":
        low, high = _inside(low, high, origin, values.measure)
    is_open = bool(table.is_open[0])
    is_beyond = empty.target == "experiment" and not is_of_experiment and second is not None
    place: Place = "undecided" if is_open or is_beyond else place_of(low, high, bounds)
    is_equal = is_constant and estimate == 0 and isnan(low) and not (is_open or is_beyond)
    if is_equal and n_comparisons * equal_signs(np.array(n)) <= alpha and 0.0 not in bounds:
        place = place_of(0.0, 0.0, bounds)
    gaps = _gaps(values, first, second)
    is_undone = place != "undecided" and second is not None and _is_undone(table, bounds, place)
    if place != "undecided" and second is None and first in gaps:
        own = replace(values, filled=None)
        alone = contrast_of(own, first, None, limit, bounds, alpha, n_comparisons)
        is_undone = alone.outcome != OUTCOMES[place]
    return replace(
        empty,
        gaps=gaps,
        is_undone_by_gaps=is_undone,
        estimate=natural(estimate, scale, origin),
        lower=natural(low, scale, origin),
        upper=natural(high, scale, origin),
        deviation=natural(float(table.standard_error[0]) * n**0.5, "difference"),
        is_open=is_open,
        is_constant=is_constant,
        skewness=float(table.extra["skewness"][0]) if "skewness" in table.extra else None,
        is_beyond=is_beyond,
        outcome="undecided" if is_undone else OUTCOMES[place],
    )


def _for_new_data(
    empty: Contrast,
    values: Values,
    bounds: tuple[float, float],
    alpha: float,
    origin: float,
) -> Contrast:
    """Compare two candidates, or one with a limit, for new data of the source."""
    evidence = _between(values.evidence, empty.first, empty.second, origin)
    if evidence is None:
        return empty
    own = values.column(empty.first, is_filled=empty.second is None)[:, None]
    smaller, is_plain = values.measure.is_smaller_better, values.scale == "difference"
    if empty.second is None:
        table = compare_by_evidence(
            beside_limit(own, origin), evidence, alpha, is_smaller_better=smaller
        )
    else:
        table = compare_by_evidence(
            np.column_stack([own, values.column(empty.second)]),
            evidence,
            alpha,
            is_smaller_better=smaller,
            bounds=values.measure.bounds if is_plain else (None, None),
        )
    estimate, low, high = (float(x[0]) for x in (table.estimate, table.lower, table.upper))
    if empty.second is None and values.scale == "difference":
        low, high = _inside(low, high, origin, values.measure)
    is_open = bool(table.is_open[0])
    place: Place = "undecided" if is_open else place_of(low, high, bounds)
    gaps = _gaps(values, empty.first, empty.second)
    is_undone = place != "undecided" and _is_undone(table, bounds, place)
    if place != "undecided" and empty.second is None and empty.first in gaps:
        alone = compare_by_evidence(
            beside_limit(values.column(empty.first)[:, None], origin),
            replace(evidence, cells=None, losses=None),
            alpha,
            is_smaller_better=smaller,
        )
        ends = float(alone.lower[0]), float(alone.upper[0])
        is_undone = bool(alone.is_open[0]) or place_of(*ends, bounds) != place
    return replace(
        empty,
        gaps=gaps,
        is_undone_by_gaps=is_undone,
        estimate=natural(estimate, values.scale, origin),
        lower=natural(low, values.scale, origin),
        upper=natural(high, values.scale, origin),
        deviation=natural(float(table.extra["deviation"][0]), "difference"),
        is_open=is_open,
        is_constant=float(table.extra["deviation"][0]) == 0,
        outcome="undecided" if is_undone else OUTCOMES[place],
    )


def _is_undone(table: PairTable, bounds: tuple[float, float], place: Place) -> bool:
    """Whether gaps, counted against who has them, put a pair elsewhere."""
    if "adverse_first" not in table.extra:
        return False
    ends = [float(table.extra[name][0]) for name in ("adverse_first", "adverse_second")]
    return place_of(min(ends), max(ends), bounds) != place


def _between(
    evidence: Evidence | None, first: str, second: str | None, origin: float
) -> Evidence | None:
    """Return what is known of two candidates, or of one and its limit."""
    if evidence is None:
        return None
    return evidence.of([first]).against(origin) if second is None else evidence.of([first, second])


def _source_rows(values: Values, first: str, second: str | None, origin: float) -> list[Array]:
    """Return the replications of two candidates, or of one and its limit, by data set."""
    places = [values.candidates.index(name) for name in (first, second) if name is not None]
    rows = [own[:, places] for own in values.sources]
    if second is not None:
        return rows
    return [np.column_stack([own[:, 0], np.full(len(own), origin)]) for own in rows]


def _gaps(values: Values, first: str, second: str | None) -> dict[str, tuple[int, int]]:
    """Return the units that have a value, and all units, of candidates with gaps."""
    n_units = int(np.isfinite(values.values).any(axis=1).sum())
    names = [name for name in (first, second) if name is not None]
    counts = {name: int(np.isfinite(values.column(name)).sum()) for name in names}
    is_filled = values.filled is not None
    return {name: (n, n_units) for name, n in counts.items() if n < n_units and is_filled}


def _natural_bounds(
    bounds: tuple[float, float], scale: PairScale, origin: float
) -> tuple[float | None, float | None]:
    low, high = (natural(x, scale, origin) for x in bounds)
    return low, high


def _inside(low: float, high: float, origin: float, measure: Measure) -> tuple[float, float]:
    """Cut the interval of a mean, given from its limit, to the measure's bounds."""
    least, most = (
        x if bound is None else bound - origin
        for x, bound in zip((-inf, inf), measure.bounds, strict=True)
    )
    if isnan(low) or isnan(high):
        return low, high
    return min(max(low, least), most), max(min(high, most), least)
