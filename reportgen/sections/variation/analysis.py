"""Components of variance of candidates and of their differences, and what halves an interval.

Values of every run go in: data sets, splits of each, and what varies on one split.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import Measure
from reportgen.sections.inference.generalisation import shared_of
from reportgen.stats.arrays import Array
from reportgen.stats.blocks.crossed_factors import (
    OUTER,
    SPLIT,
    CrossedComponents,
    Term,
    components_of,
    count_to_halve,
    mean_variance,
)
from reportgen.stats.domain.sources import MOST_SOURCES
from reportgen.stats.ranking import best_first
from reportgen.study.comparison import comparison_scale
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse

MOST_PAIRS = 45  # of whose differences components are estimated
MOST_CANDIDATES = 10


@dataclass(frozen=True, slots=True)
class RunValues:
    """Values of one measure, a row a run of any data set, with the level of each source."""

    candidates: tuple[str, ...]
    values: Array  # (n, K); NaN where there is none
    dataset: NDArray[np.intp]  # (n,)
    codes: Mapping[str, NDArray[np.intp]]  # (n,) each; split, seed and the like
    n_nested: int  # data sets whose runs have nothing in common over splits
    factors: tuple[float | None, ...]  # of splits, by data set: `Variation.split_factor`

    @property
    def n_datasets(self) -> int:
        """Data sets with values."""
        return len(np.unique(self.dataset))


def analyse(warehouse: Warehouse, options: AnalysisOptions, rng: Generator) -> VariationResult:
    """Estimate the components of every measure that candidates are compared by.

    `rng`: for intervals of components.
    """
    found = {}
    for measure in warehouse.compared:
        values = values_of(warehouse, measure.name)
        if values is None:
            continue
        own = _variation(measure, values, options, rng)
        if own is not None:
            found[measure.name] = own
    return found


def values_of(warehouse: Warehouse, measure: str) -> RunValues | None:
    """Return the values of every run; None where no source of variation is known."""
    parts: list[Array] = []
    datasets: list[NDArray[np.intp]] = []
    levels: list[dict[str, NDArray[np.intp]]] = []
    factors: list[float | None] = []
    n_nested = 0
    for m, dataset in enumerate(warehouse.datasets):
        sources: Any = warehouse.facts.get(dataset, {}).get("sources")
        if not isinstance(sources, Mapping):
            continue
        performances = warehouse.performances(dataset, measure)
        cells = warehouse.run_values(dataset, measure)
        if not np.isfinite(performances.values).any():
            continue
        if sources["split"] and cells is not None:
            n_splits, n_runs, _ = cells.shape
            own = {SPLIT: np.repeat(np.arange(n_splits), n_runs)}
            if not sources["levels"]:
                n_nested += 1
            for name, each in sources["levels"].items():
                own[name] = np.tile(np.array(each, np.intp)[:n_runs], n_splits)
            values = cells.reshape(n_splits * n_runs, -1)
            shared = shared_of(warehouse, performances)
            share = shared.test_share or 0.0
            is_known = shared.ratio is not None and shared.source != "independent"
            factors.append(
                max(1 / n_splits + (shared.ratio or 0.0), 2 * share) if is_known else None
            )
        else:
            values = performances.values
            own = {n: np.array(x, np.intp)[: len(values)] for n, x in sources["levels"].items()}
            factors.append(None)
        parts.append(values)
        datasets.append(np.full(len(values), m, np.intp))
        levels.append(own)
    if not parts:
        return None
    names = dict.fromkeys(name for own in levels for name in own)
    codes = {
        name: np.concatenate(
            [own.get(name, np.zeros(len(x), np.intp)) for own, x in zip(levels, parts, strict=True)]
        )
        for name in names
    }
    values = np.vstack(parts)
    return RunValues(
        warehouse.candidates, values, np.concatenate(datasets), codes, n_nested, tuple(factors)
    )


def _variation(
    measure: Measure, found: RunValues, options: AnalysisOptions, rng: Generator
) -> Variation | None:
    """Estimate the components of candidates and pairs, and what halves the interval of the lead."""
    values = found.values
    scale = comparison_scale(measure, values, options.relevance.get(measure.name))
    order = _by_mean(values, found.dataset, is_smaller_better=measure.is_smaller_better)
    if not order:
        return None
    compared = np.log(values) if scale == "ratio" else values
    subjects: list[Subject] = []
    for k in order[:MOST_CANDIDATES]:
        own = _components(values[:, k], found, options.alpha, rng)
        if own is not None:
            subjects.append(_subject((found.candidates[k],), own, is_ratio=False))
    lead: CrossedComponents | None = None
    for i, j in list(combinations(order, 2))[:MOST_PAIRS]:
        own = _components(compared[:, i] - compared[:, j], found, options.alpha, rng)
        if own is None:
            continue
        if (i, j) == tuple(order[:2]):
            lead = own
        names = found.candidates[i], found.candidates[j]
        subjects.append(_subject(names, own, is_ratio=scale == "ratio"))
    if not subjects:
        return None
    first = lead or _components(values[:, order[0]], found, options.alpha, rng)
    target, factor = _target(found)
    counts = {} if first is None else dict(first.counts)
    return Variation(
        measure,
        options.alpha,
        found.n_datasets,
        counts,
        tuple(subjects),
        None if lead is None else (found.candidates[order[0]], found.candidates[order[1]]),
        () if lead is None else tuple(_halving(lead, target, factor)),
        target,
        factor,
        found.n_nested,
        {} if lead is None else dict(lead.variances),
    )


def _by_mean(values: Array, dataset: NDArray[np.intp], *, is_smaller_better: bool) -> list[int]:
    """Return the candidates with values by the mean of their means over data sets, best first."""
    means = []
    for k in range(values.shape[1]):
        own = [values[(dataset == m) & np.isfinite(values[:, k]), k] for m in np.unique(dataset)]
        known = [float(x.mean()) for x in own if len(x)]
        means.append(float(np.mean(known)) if known else np.nan)
    order = best_first(means, is_smaller_better=is_smaller_better)
    return [k for k in order if np.isfinite(means[k])]


def _components(
    y: Array, found: RunValues, alpha: float, rng: Generator
) -> CrossedComponents | None:
    """Split the variance of a candidate, or of a difference."""
    return components_of(y, found.codes, alpha, rng, found.dataset)


def _subject(names: tuple[str, ...], own: CrossedComponents, *, is_ratio: bool) -> Subject:
    total = own.total
    parts = tuple(
        SourcePart(
            name_of(c.term),
            c.deviation,
            sqrt(c.lower) if np.isfinite(c.lower) else None,
            sqrt(c.upper) if np.isfinite(c.upper) else None,
            c.variance / total if total > 0 else 0.0,
        )
        for c in own.components
    )
    return Subject(names, own.method, own.n, parts, is_ratio)


def name_of(term: Term) -> str:
    """Return the name of a term.

    Examples
    --------
    >>> name_of(("split", "seed")), name_of(())
    ('split x seed', 'rest')
    """
    return " x ".join(term) or "rest"


def _target(found: RunValues) -> tuple[str, float | None]:
    """Return whose error is halved, and the factor of splits that share data."""
    known = [factor for factor in found.factors if factor is not None]
    is_known = len(known) == len(found.factors)
    factor = float(np.mean(known)) if is_known else None
    if found.n_datasets > MOST_SOURCES:
        return "domain", None
    if SPLIT not in found.codes:
        return "runs", None
    if found.n_datasets > 1:
        return "sources", factor
    return ("new-data", factor) if is_known else ("independent", None)


def _halving(lead: CrossedComponents, target: str, factor: float | None) -> list[Halving]:
    """Return what more levels of every source do to the interval of a difference."""
    variances = dict(lead.variances)
    counts = dict(lead.counts)
    if target != "domain" and OUTER in counts:  # these data sets, and no others
        del counts[OUTER]
        variances.pop((OUTER,), None)
    if not variances:
        return []
    now = mean_variance(variances, counts, factor=factor)
    if not now > 0:
        return []
    found = []
    for name, n in counts.items():
        n_needed = count_to_halve(variances, counts, name, factor=factor)
        more: dict[str, float] = {**counts, name: np.inf}
        kept = now if name == SPLIT and factor is not None else mean_variance(
            variances, more, factor=factor
        )  # fmt: skip
        found.append(Halving(name, n, 1 - kept / now, n_needed))
    return found


@dataclass(frozen=True, slots=True)
class SourcePart:
    """What one source adds to the variance.

    Attributes
    ----------
    source : str
        "dataset", "split", "seed", "tuning", another name of the file, two of them that interact
        ("split x seed"), or "rest".
    deviation : float
        Standard deviation.
    lower, upper : float or None
        Interval of it, by itself; None where there is none.
    share : float
        Of the variance of one value.
    """

    source: str
    deviation: float
    lower: float | None
    upper: float | None
    share: float


@dataclass(frozen=True, slots=True)
class Subject:
    """A candidate, or the difference of two.

    Attributes
    ----------
    candidates : tuple of str
        One, or the two whose difference (first - second; of ratios, of logarithms) it is.
    method : {"mean-squares", "reml"}
        The closed form of a complete layout, or restricted maximum likelihood.
    n : int
        Values.
    parts : tuple of SourcePart
        The rest is last.
    is_ratio : bool
        Whether values are logarithms.
    """

    candidates: tuple[str, ...]
    method: str
    n: int
    parts: tuple[SourcePart, ...]
    is_ratio: bool = False

    @property
    def is_pair(self) -> bool:
        """Whether it is a difference."""
        return len(self.candidates) == 2

    @property
    def largest(self) -> SourcePart:
        """The source with the largest part."""
        return max(self.parts, key=lambda part: part.share)


@dataclass(frozen=True, slots=True)
class Halving:
    """What more levels of one source do to the interval of the two best means.

    Attributes
    ----------
    source : str
    n : int
        Levels that there are, on each data set.
    share : float
        Of the variance of the mean difference, what more levels of this source alone take away.
    n_to_halve : int or None
        Levels with which, all else kept, the interval is half as wide; None where none are enough.
    """

    source: str
    n: int
    share: float
    n_to_halve: int | None


@dataclass(frozen=True)
class Variation:
    """Sources of variation of one measure.

    Attributes
    ----------
    measure : Measure
    alpha : float
        1 - alpha is the level of every interval.
    n_datasets : int
        Data sets that the components are means over.
    counts : mapping of str to int
        Levels of every source; of splits and runs, on a data set.
    subjects : tuple of Subject
        Candidates, best mean first; then the pairs.
    lead : tuple of two str, or None
        The two with the best means.
    halving : tuple of Halving
        Of the difference of these.
    target : {"domain", "sources", "new-data", "runs", "independent"}
        Whose error is halved: over data sets like these, these data sets, new data of one, other
        runs on one split, or splits taken for independent as their scheme is not known.
    split_factor : float or None
        The variance of a mean over splits to that of one split, where splits share data.
    n_nested : int
        Data sets whose runs are other ones in each split.
    """

    measure: Measure
    alpha: float
    n_datasets: int
    counts: Mapping[str, int]
    subjects: tuple[Subject, ...]
    lead: tuple[str, str] | None
    halving: tuple[Halving, ...]
    target: str
    split_factor: float | None = None
    n_nested: int = 0
    components: Mapping[Term, float] = field(default_factory=dict, metadata=HIDDEN)

    @cached_property
    def of_lead(self) -> Subject | None:
        """The components of the difference of the two best."""
        return next((s for s in self.subjects if s.candidates == self.lead), None)

    @property
    def of_candidates(self) -> tuple[Subject, ...]:
        """The candidates, best mean first."""
        return tuple(s for s in self.subjects if not s.is_pair)

    @property
    def pairs(self) -> tuple[Subject, ...]:
        """The differences."""
        return tuple(s for s in self.subjects if s.is_pair)

    @property
    def sources(self) -> tuple[str, ...]:
        """All sources, the rest last."""
        found = dict.fromkeys(part.source for s in self.subjects for part in s.parts)
        return (*(name for name in found if name != "rest"), "rest")

    @property
    def helping(self) -> tuple[Halving, ...]:
        """Sources of which enough levels halve the interval."""
        return tuple(h for h in self.halving if h.n_to_halve is not None)

    @property
    def idle(self) -> tuple[Halving, ...]:
        """Sources of which no number of levels does that."""
        return tuple(h for h in self.halving if h.n_to_halve is None)

    @property
    def is_fitted(self) -> bool:
        """Whether any components are estimated by restricted maximum likelihood."""
        return any(s.method == "reml" for s in self.subjects)

    @property
    def has_datasets(self) -> bool:
        """Whether data sets are a source."""
        return OUTER in self.counts


VariationResult = dict[str, Variation]
