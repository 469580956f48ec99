r"""Trees of battles: for which categories, languages, lengths or judges the order is another one.

Battles are divided by what is known of them, by the tests of instability and the divisions of
`tree`. Where battles belong together (of one judge, on one prompt) and a covariate is the same in
each cluster, clusters are the units, as raters are in R's psychotree. Where it varies inside them,
the sums of scores by level and cluster,

.. math:: u_{gc} = s_{gc} - H_c H^{-1} s_g

with the informations H of all battles and :math:`H_c` of those of a level, are compared with what
they are when each cluster's sign is drawn at random: clusters are independent, and nothing else is
supposed.

References
----------
.. [1] C. Strobl, F. Wickelmaier, A. Zeileis (2011), "Accounting for individual differences in
   Bradley-Terry models by means of recursive partitioning", Journal of Educational and Behavioral
   Statistics 36.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import sidak
from reportgen.stats.worths.battles import BattleModel, Battles, Fitted, fit_battles, rows_of
from reportgen.stats.worths.bradley_terry import statistics
from reportgen.stats.worths.comparisons import connected_groups
from reportgen.stats.worths.instability import Kind, instability_test
from reportgen.stats.worths.tree import Split, best_split

N_FLIPS = 999  # signs of clusters that are drawn
MOST_PERMUTED = 100_000  # scores up to which p-values are of permutations, else asymptotic
N_PERMUTED = 499
MOST_TRIED = 30  # candidates up to which all divisions of categories are tried
MOST_LEVELS = 12  # of a category; the rarest are one, "others"
FEWEST_OF_LEVEL = 20  # battles
N_BINS = 10  # of numbers, by quantiles
OTHERS = "others"
SINGULAR = 1e-10  # share of the largest eigenvalue below which a direction is none


@dataclass(frozen=True, slots=True)
class Covariate:
    """What is known of every battle."""

    name: str
    values: Array  # (n,); codes of the levels; not a number where missing
    levels: tuple[str, ...]  # what the codes are; of numbers the ranges that they lie in
    kind: Kind = Kind.CATEGORICAL  # categorical, or ordinal
    # whether it names the clusters themselves: then battles are its units
    is_of_cluster: bool = False


@dataclass(frozen=True, slots=True)
class CovariateTest:
    """Whether worths are the same along a covariate."""

    covariate: str
    # statistic, p_value: p-value by itself
    statistic: float
    p_value: float
    adjusted: float  # for the covariates tested at this node (Šidák)
    # {"battle", "cluster", "flips"}; battles, clusters, or battles with the signs of clusters drawn
    unit: str


@dataclass(frozen=True, slots=True)
class BattleNode:
    """A node and what is below it."""

    number: int  # 1 for the root, then the first child and all below it before the second
    # the covariate of the parent's division, then the levels that come here; empty of the root
    condition: tuple[str, ...]
    n: int  # battles
    model: BattleModel
    tests: tuple[CovariateTest, ...]  # smallest p-value first; empty where nothing was tested
    children: tuple[BattleNode, ...] = ()

    def walk(self) -> Iterator[BattleNode]:
        """Yield this node and all below it, in the order of their numbers."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> Iterator[BattleNode]:
        """Yield the nodes without children."""
        return (node for node in self.walk() if not node.children)


def covariate_of(
    name: str, values: Sequence[object] | Array, *, is_of_cluster: bool = False
) -> Covariate | None:
    """Return the levels of a covariate; None where it has fewer than two.

    `values`: words, None where missing; or numbers, which are divided into ten groups of like size.

    Examples
    --------
    >>> found = covariate_of("language", ["en"] * 40 + ["de"] * 30 + ["fr"])
    >>> found.levels, covariate_of("length", np.arange(100.0)).levels[:2]
    (('en', 'de', 'others'), ('0 to 9', '10 to 19'))
    """
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return _binned(name, values)
    words = [None if v is None or v != v else str(v) for v in values]
    counted: dict[str, int] = {}
    for word in words:
        if word is not None:
            counted[word] = counted.get(word, 0) + 1
    common = sorted(counted, key=lambda w: (-counted[w], w))
    kept = [w for w in common[: MOST_LEVELS - 1] if counted[w] >= FEWEST_OF_LEVEL]
    if len(common) == MOST_LEVELS and counted[common[-1]] >= FEWEST_OF_LEVEL:
        kept = common
    levels = (*kept, OTHERS) if len(kept) < len(common) else tuple(kept)
    if len(kept) < 1 or len(levels) < 2:
        return None
    place = {w: float(k) for k, w in enumerate(kept)}
    codes = [np.nan if w is None else place.get(w, float(len(kept))) for w in words]
    return Covariate(name, np.array(codes), levels, is_of_cluster=is_of_cluster)


def _binned(name: str, values: Array) -> Covariate | None:
    """Divide numbers into groups of like size, or by themselves where there are few."""
    known = values[np.isfinite(values)]
    distinct = np.unique(known)
    if len(distinct) < 2:
        return None
    ends = distinct
    if len(distinct) > N_BINS:
        ends = np.unique(np.quantile(known, np.arange(1, N_BINS + 1) / N_BINS, method="lower"))
    codes = np.full(len(values), np.nan)
    codes[np.isfinite(values)] = np.searchsorted(ends, known)
    levels = []
    for k in range(len(ends)):
        own = known[np.searchsorted(ends, known) == k]
        low, high = float(own.min()), float(own.max())
        levels.append(f"{low:g}" if low == high else f"{low:g} to {high:g}")
    return Covariate(name, codes, tuple(levels), Kind.ORDINAL)


def grow_battles(
    battles: Battles,
    covariates: Sequence[Covariate],
    *,
    alpha: float = 0.05,
    min_size: int | None = None,
    max_depth: int = 3,
    seed: int = 0,
) -> BattleNode:
    """Divide battles where the worths are others.

    `alpha`: largest p-value, adjusted for the number of covariates, that divides.
    `min_size`: battles in a node, at least; ten times as many as candidates, and 30, when left out.
    `seed`: of permutations and signs.
    Result: the root.
    """
    size = max(30, 10 * battles.n_candidates) if min_size is None else min_size
    return _grown(battles, tuple(covariates), alpha, size, max_depth, seed, (), (), 1)


def _grown(
    battles: Battles,
    covariates: tuple[Covariate, ...],
    alpha: float,
    min_size: int,
    depth: int,
    seed: int,
    path: tuple[int, ...],
    condition: tuple[str, ...],
    number: int,
) -> BattleNode:
    """Grow a node, and what is below it."""
    model = fit_battles(battles)
    node = BattleNode(number, condition, len(battles), model, ())
    if model.model.penalised or not depth or len(battles) < 2 * min_size or not covariates:
        return node
    tests = _tests(battles, model, covariates, min_size, [seed, len(path), *path])
    node = replace(node, tests=tuple(sorted(tests, key=lambda t: (t.p_value, -t.statistic))))
    by_name = {c.name: c for c in covariates}
    for test in node.tests:
        if test.adjusted > alpha:
            break
        own = by_name[test.covariate]
        goes = _division(battles, model, own, min_size)
        if goes is None:
            continue
        children = []
        following = number + 1
        for which, side in enumerate((goes, ~goes)):
            there = np.unique(own.values[side & np.isfinite(own.values)]).astype(int)
            child = _grown(
                subset(battles, side),
                tuple(replace(c, values=c.values[side]) for c in covariates),
                alpha,
                min_size,
                depth - 1,
                seed,
                (*path, which),
                (own.name, *(own.levels[k] for k in there)),
                following,
            )
            following += sum(1 for _ in child.walk())
            children.append(child)
        return replace(node, children=tuple(children))
    return node


def subset(battles: Battles, chosen: NDArray[np.bool_]) -> Battles:
    """Return some of the battles, of all candidates.

    `chosen`: (n,).
    """
    clusters = battles.clusters
    if clusters is not None:
        clusters = np.unique(clusters[chosen], return_inverse=True)[1]
    return Battles(
        battles.first[chosen],
        battles.second[chosen],
        battles.outcome[chosen],
        battles.n_candidates,
        clusters,
    )


# ------------------------------------------------------------------------------------- tests


def _tests(
    battles: Battles,
    model: BattleModel,
    covariates: tuple[Covariate, ...],
    min_size: int,
    seed: list[int],
) -> list[CovariateTest]:
    """Test every covariate that has two levels here."""
    own = model.model
    theta = np.append(np.delete(own.log_worths, own.reference), own.log_nu)
    fitted = Fitted(rows_of(battles, has_order=False), theta, has_ties=own.has_ties)
    scores = fitted.single_scores()
    found: list[tuple[str, float, float, str]] = []
    for place, c in enumerate(covariates):
        rng = np.random.default_rng([*seed, place])
        units, values = _units(battles, c)
        if values is None:
            result = _by_flips(battles, fitted, scores, c, min_size, rng)
            unit = "flips"
        else:
            psi = scores if units is None else _sums(scores, units)
            n_permuted = N_PERMUTED if psi.size <= MOST_PERMUTED else 0
            least = min_size if units is None else 2
            test = instability_test(
                psi, values, c.kind, min_size=least, n_permutations=n_permuted, rng=rng
            )
            result = None if test is None else (test.statistic, test.p_value)
            unit = "battle" if units is None else "cluster"
        if result is not None:
            found.append((c.name, *result, unit))
    adjusted = sidak(np.array([p for _, _, p, _ in found], np.float64)) if found else np.zeros(0)
    return [
        CovariateTest(name, float(statistic), float(p), float(q), unit)
        for (name, statistic, p, unit), q in zip(found, adjusted, strict=True)
    ]


def _units(battles: Battles, c: Covariate) -> tuple[NDArray[np.integer] | None, Array | None]:
    """Return the clusters that are units, None for battles, and their values."""
    # No values where a covariate varies inside clusters.
    clusters = battles.clusters
    if clusters is None or c.is_of_cluster:
        return None, c.values
    n = int(clusters.max()) + 1
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    known = np.isfinite(c.values)
    np.minimum.at(low, clusters[known], c.values[known])
    np.maximum.at(high, clusters[known], c.values[known])
    if (high > low).any():
        return clusters, None
    return clusters, np.where(np.isfinite(low), low, np.nan)


def _sums(scores: Array, clusters: NDArray[np.integer]) -> Array:
    """Return the sums of scores by cluster."""
    found = np.zeros((int(clusters.max()) + 1, scores.shape[1]))
    np.add.at(found, clusters, scores)
    return found


def _by_flips(
    battles: Battles,
    fitted: Fitted,
    scores: Array,
    c: Covariate,
    min_size: int,
    rng: np.random.Generator,
) -> tuple[float, float] | None:
    """Test a covariate that varies inside clusters."""
    assert battles.clusters is not None
    known = np.isfinite(c.values)
    codes = np.unique(c.values[known])
    if c.kind is Kind.CATEGORICAL:
        parts = [known & (c.values == code) for code in codes]
    else:
        parts = [known & (c.values <= code) for code in codes[:-1]]
        parts = [own for own in parts if min_size <= own.sum() <= known.sum() - min_size]
    if len(codes) < 2 or not parts:
        return None
    whole = _sums(scores * known[:, None], battles.clusters)
    information = fitted.information_among(known)
    inverse = np.linalg.pinv(information, rcond=SINGULAR, hermitian=True)
    n_clusters = len(whole)
    signs = np.where(rng.random((N_FLIPS, n_clusters)) < 0.5, -1.0, 1.0)
    paths = []
    for part in parts:
        own = fitted.information_among(part)
        sums = _sums(scores * part[:, None], battles.clusters)
        apart = sums - whole @ (own @ inverse).T
        spread = np.linalg.pinv(own - own @ inverse @ own, rcond=SINGULAR, hermitian=True)
        drawn = np.vstack([apart.sum(axis=0), signs @ apart])
        paths.append(np.einsum("dq,qr,dr->d", drawn, spread, drawn))
    combine = np.sum if c.kind is Kind.CATEGORICAL else np.max
    statistics_ = combine(np.array(paths), axis=0)
    reached = int((statistics_[1:] >= statistics_[0] * (1 - 1e-9)).sum())
    return float(statistics_[0]), (1 + reached) / (1 + N_FLIPS)


# ---------------------------------------------------------------------------------- divisions


def _division(
    battles: Battles, model: BattleModel, c: Covariate, min_size: int
) -> NDArray[np.bool_] | None:
    """Return which battles go to the first child; None where no division is allowed."""
    codes = np.unique(c.values[np.isfinite(c.values)])
    own = [subset(battles, c.values == code) for code in codes]
    tables = np.array([part.counts for part in own])
    sizes = np.array([float(len(part)) for part in own])
    k = battles.n_candidates
    features = statistics(k, model.model.reference, ties=model.model.has_ties)
    split: Split | None = best_split(
        tables,
        codes,
        c.kind,
        features,
        model.model.parameters,
        min_size=min_size,
        sizes=sizes,
        **({"most_categories": 2} if k > MOST_TRIED else {}),
    )
    if split is None:
        return None
    goes = split.goes_first(c.values)
    parts = [subset(battles, side) for side in (goes, ~goes)]
    return None if any(connected_groups(part.counts).any() for part in parts) else goes
