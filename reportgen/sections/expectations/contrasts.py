"""Own intervals of the distinct contrasts of a study's claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isnan, log, nan

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.data import domain_values
from reportgen.sections.domain.verdict import means_of
from reportgen.sections.expectations.result import Contrast, Outcome, Unit, natural
from reportgen.sections.inference.generalisation import Evidence, evidence_of, target_of
from reportgen.stats.items.comparison import compare_items
from reportgen.stats.pair_table import Scale
from reportgen.stats.pairs.new_data import new_data_pairs
from reportgen.stats.pairs.own_variances import compare_own_variances
from reportgen.stats.pairs.skewness import safe_limits
from reportgen.stats.samples.comparison import compare_samples
from reportgen.study.claims import Place, place_of
from reportgen.study.comparison import comparison_scale, comparison_values
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
    """

    measure: Measure
    candidates: tuple[str, ...]
    values: Array
    scale: Scale
    unit: Unit
    target: DecidingTarget
    evidence: Evidence | None = None
    kind: Kind = "replication"
    clusters: NDArray[np.int64] | None = None

    def column(self, candidate: str) -> Array:
        """Return the values of a candidate; NaN of one that has none."""
        if candidate not in self.candidates:
            return np.full(len(self.values), nan)
        return self.values[:, self.candidates.index(candidate)]


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
        means = means_of(of_domain, options)
        target = deciding_target(n_datasets=max(2, len(means.values)))
        return Values(own, means.candidates, means.values, means.scale, "dataset", target)
    found = warehouse.performances(dataset, measure)
    scale = comparison_scale(own, found.values, options.relevance.get(measure))
    evidence = evidence_of(warehouse, found)
    shared = evidence.shared
    return Values(
        own,
        found.candidates,
        comparison_values(found.values, scale),
        scale,
        "replication",
        target_of(warehouse, found, shared, options),
        None if shared.ratio is None or shared.source == "independent" else evidence,
        warehouse.unit,
        found.clusters,
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
        Without the report's verdict. A difference that is 0 in all units has an interval, the
        point, where the claim's bounds are not 0 and the chance that all n units are on one side
        of a bound, :math:`2^{1-n}` times the number of comparisons, is at most alpha: the rule of
        `compare_own_variances` for other constants.
    """
    origin = 0.0
    if second is None:
        origin = log(limit) if values.scale == "ratio" else limit
    a = values.column(first)
    b = np.full(len(a), origin) if second is None else values.column(second)
    both = np.column_stack([a, b])
    is_apart = values.kind == "sample" and second is not None
    rows = np.isfinite(both)
    kept = rows.any(axis=1) if is_apart else rows.all(axis=1)
    both = both[kept]
    n = int(np.isfinite(both).sum(axis=0).min())
    empty = Contrast(
        first,
        second,
        values.scale,
        estimate=None,
        lower=None,
        upper=None,
        deviation=None,
        n=n,
        is_open=True,
        is_constant=False,
        bounds=_natural_bounds(bounds, values.scale, origin),
        outcome="undecided",
        verdict=None,
        target="experiment" if is_of_experiment and values.target in APPROXIMATE else values.target,
    )
    if not n:
        return empty
    if empty.target == "new-data" and values.evidence is not None:
        return _for_new_data(empty, both, values, bounds, alpha / n_comparisons, origin)
    rng = np.random.default_rng(0)  # draws nothing: Bonferroni's inequality holds the family
    if is_apart:
        table = compare_samples(both, alpha, scale="difference", n_comparisons=n_comparisons)
    elif values.kind == "item":
        clusters = None if values.clusters is None else values.clusters[kept]
        table = compare_items(both, clusters, alpha, rng, n_comparisons=n_comparisons)
    else:
        table = compare_own_variances(both, alpha, rng, n_comparisons=n_comparisons)
    estimate, low, high = (float(x[0]) for x in (table.estimate, table.lower, table.upper))
    if table.method.startswith("own-variance") and np.isfinite(low) and table.standard_error[0] > 0:
        below, above = safe_limits(
            table.critical_value, table.extra["skewness"], table.extra["n"], n_comparisons
        )
        low = estimate - float(above[0] * table.standard_error[0])
        high = estimate + float(below[0] * table.standard_error[0])
    is_constant = bool(table.extra["is_constant"][0])
    chance = n_comparisons * 2.0 ** (1 - min(n, 1000))
    if is_constant and estimate == 0 and chance <= alpha and 0.0 not in bounds:
        low = high = 0.0
    if second is None and values.scale == "difference":
        low, high = _inside(low, high, origin, values.measure)
    is_open = bool(table.is_open[0])
    is_beyond = empty.target == "experiment" and not is_of_experiment and second is not None
    place: Place = "undecided" if is_open or is_beyond else place_of(low, high, bounds)
    return replace(
        empty,
        estimate=natural(estimate, values.scale, origin),
        lower=natural(low, values.scale, origin),
        upper=natural(high, values.scale, origin),
        deviation=natural(float(table.standard_error[0]) * n**0.5, "difference"),
        is_open=is_open,
        is_constant=is_constant,
        is_beyond=is_beyond,
        outcome=OUTCOMES[place],
    )


def _for_new_data(
    empty: Contrast,
    both: Array,
    values: Values,
    bounds: tuple[float, float],
    alpha: float,
    origin: float,
) -> Contrast:
    """Compare two candidates, or one with a limit, for new data of the source."""
    evidence = values.evidence
    if evidence is None or evidence.shared.ratio is None:
        return empty
    shared, is_plain = evidence.shared, values.scale == "difference"
    cells = evidence.cells_of(empty.first, empty.second, origin, is_logarithm=not is_plain)
    table = new_data_pairs(
        both if cells is None else cells,
        evidence.shared.ratio,
        alpha,
        losses=evidence.losses_between(empty.first, empty.second, origin) if is_plain else None,
        test_share=shared.test_share,
        n_observations=shared.n_observations,
    )
    estimate, low, high = (float(x[0]) for x in (table.estimate, table.lower, table.upper))
    if empty.second is None and values.scale == "difference":
        low, high = _inside(low, high, origin, values.measure)
    is_open = bool(table.is_open[0])
    place: Place = "undecided" if is_open else place_of(low, high, bounds)
    return replace(
        empty,
        estimate=natural(estimate, values.scale, origin),
        lower=natural(low, values.scale, origin),
        upper=natural(high, values.scale, origin),
        deviation=natural(float(table.extra["deviation"][0]), "difference"),
        is_open=is_open,
        is_constant=float(table.extra["deviation"][0]) == 0,
        outcome=OUTCOMES[place],
    )


def _natural_bounds(
    bounds: tuple[float, float], scale: Scale, origin: float
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
