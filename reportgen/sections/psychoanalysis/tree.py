"""The tree of worths with names, and Bradley-Terry models of all comparisons and by data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.sections.datasets import Mapper
from reportgen.sections.psychoanalysis.result import (
    BradleyTerryModels,
    Condition,
    Ending,
    LevelSplit,
    NodeTest,
    NumericSplit,
    TreeNode,
    TreeSupport,
    Worths,
)
from reportgen.sections.psychoanalysis.units import Samples
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import sidak_level
from reportgen.stats.subsamples import FRACTION, SubsampleSupport, subsample_size
from reportgen.stats.worths import tree_stability
from reportgen.stats.worths.bradley_terry import BradleyTerry, fit_finite, goodness_of_fit, scores
from reportgen.stats.worths.instability import InstabilityTest, Kind
from reportgen.stats.worths.tree import Characteristic, Growth, Node, Split
from reportgen.targets import Target


def fit_worths(samples: Samples, reference: int) -> tuple[BradleyTerryModels, tuple[str, ...]]:
    """Fit the worths of all comparisons, and data set by data set.

    Result: and the data sets whose comparisons do not link all candidates.
    Raises ValueError if all comparisons together do not.
    """
    summed = _by_dataset(samples)
    pooled = fit_finite(summed.sum(axis=0), reference)
    datasets, unlinked = {}, []
    for name, counts in zip(samples.datasets, summed, strict=True):
        try:
            datasets[name] = describe_samples(fit_finite(counts, reference), samples.candidates)
        except ValueError:
            unlinked.append(name)
    errors = _cluster_errors(summed, pooled, samples.candidates)
    whole = describe_samples(pooled, samples.candidates, errors, summed.sum(axis=0))
    return BradleyTerryModels(whole, datasets), tuple(unlinked)


def describe_samples(
    model: BradleyTerry,
    candidates: Sequence[str],
    errors: Mapping[str, float] | None = None,
    counts: Array | None = None,
) -> Worths:
    """Name what a model holds; with counts, also how well it fits them."""
    fits = goodness_of_fit(counts, model) if counts is not None else None
    rising, falling = directions(model, candidates)
    free = [name for k, name in enumerate(candidates) if k != model.reference]
    return Worths(
        candidates[model.reference],
        (*free, "log_nu") if model.has_ties else tuple(free),
        name_worths(candidates, model.log_worths),
        name_worths(candidates, model.worths),
        tuple(tuple(row) for row in model.covariance.tolist()),
        model.log_nu,
        model.log_likelihood,
        model.n_comparisons,
        model.separation is not None,
        model.penalised,
        rising,
        falling,
        errors or {},
        fits.deviance if fits and fits.df else None,
        fits.df if fits and fits.df else None,
        fits.deviance_p_value if fits and fits.df else None,
    )


def directions(
    model: BradleyTerry, candidates: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the candidates whose worths go up, and down, without end."""
    if model.separation is None:
        return (), ()
    rising, falling = model.separation.rising, model.separation.falling
    return tuple(candidates[k] for k in rising), tuple(candidates[k] for k in falling)


def name_worths(candidates: Sequence[str], values: Array) -> dict[str, float]:
    """Pair candidates with numbers."""
    return dict(zip(candidates, values.tolist(), strict=True))


def _by_dataset(samples: Samples) -> Array:
    """Return the counts of each data set, shape (M, P, 3)."""
    summed = np.zeros((len(samples.datasets), *samples.counts.shape[1:]))
    np.add.at(summed, samples.numbers, samples.counts)
    return summed


def _cluster_errors(
    summed: Array, model: BradleyTerry, candidates: Sequence[str]
) -> dict[str, float]:
    """Return standard errors that take data sets, not comparisons, for independent."""
    # The sandwich of the inverse information around the outer products of the data sets' scores,
    # times M / (M - 1); empty with no more data sets than parameters, or under a penalty.
    m = len(summed)
    if m <= model.n_parameters + 1 or model.penalised:
        return {}
    psi = scores(summed, model)
    sandwich = model.covariance @ (psi.T @ psi) @ model.covariance * m / (m - 1)
    free = [name for k, name in enumerate(candidates) if k != model.reference]
    return name_worths(free, np.sqrt(np.diag(sandwich))[: len(free)])


FEWEST_UNITS = 6  # below which a rank correlation carries no information
FEWEST_CUTS = 5
ALIKE = 0.8  # absolute rank correlation from which one characteristic may represent another


@dataclass(frozen=True, slots=True)
class Names:
    """The meaning of the numbers of a tree."""

    candidates: tuple[str, ...]
    datasets: tuple[str, ...]
    datasets_of: NDArray[np.intp]  # (n, M); learning samples of each data set in each unit
    characteristics: Sequence[Characteristic]  # values of the units
    levels: Mapping[str, tuple[str, ...]]  # categories by the name of a characteristic
    target: Target  # of the p-values
    alpha: float


def written(node: Node, names: Names, conditions: tuple[Condition, ...] = ()) -> TreeNode:
    """Write a node and what is below it down with names."""
    counted = names.datasets_of[node.units].sum(axis=0)
    model = node.model
    rising, falling = directions(model, names.candidates)
    split = None if node.split is None else _split(node, node.split, names)
    return TreeNode(
        number=node.number,
        n=len(node.units),
        n_samples=int(counted.sum()),
        datasets={d: int(c) for d, c in zip(names.datasets, counted, strict=True) if c},
        conditions=conditions,
        split=split,
        worths=name_worths(names.candidates, model.worths),
        log_worths=name_worths(names.candidates, model.log_worths),
        log_nu=model.log_nu,
        log_likelihood=model.log_likelihood,
        order=tuple(names.candidates[k] for k in np.argsort(-model.worths, kind="stable")),
        is_separated=model.separation is not None,
        rising=rising,
        falling=falling,
        ending=None if node.ending is None else cast("Ending", node.ending.replace(" ", "-")),
        tests=_tests(node, names),
        children=tuple(
            written(child, names, _add_condition(conditions, split, which))
            for which, child in enumerate(node.children)
            if split is not None
        ),
    )


def divides_only_datasets(node: Node, names: Names) -> bool:
    """Whether the division of a node puts all learning samples of every data set on one side."""
    if not node.children or names.datasets_of.sum(axis=1).max() > 1:
        return False
    sides = [names.datasets_of[child.units].sum(axis=0) for child in node.children]
    return bool((np.minimum(*sides) == 0).all())


def resample_tree(
    counts: Array,
    names: Names,
    growth: Growth,
    root: Node,
    n_trees: int,
    *,
    mapper: Mapper,
) -> TreeSupport | None:
    """Grow trees of subsamples of the data sets; None where these have too few for a test."""
    least = max(2 * growth.min_size, root.model.n_parameters + 2)
    if not n_trees or not names.characteristics or _fewest_units(names) < least:
        return None
    found = tree_stability.tree_support(
        counts,
        names.characteristics,
        growth,
        n_trees=n_trees,
        datasets=names.datasets_of.argmax(axis=1),
        reference=root.model.reference,
        mapper=mapper,
    )
    if not found.n_trees:
        return None
    labels = [c.name for c in names.characteristics]
    leaves, trees = np.unique(found.n_leaves, return_counts=True)
    return TreeSupport(
        found.n_trees,
        found.n_failed,
        FRACTION,
        dict(zip(labels, found.root.tolist(), strict=True)),
        dict(zip(labels, found.anywhere.tolist(), strict=True)),
        dict(zip(leaves.tolist(), trees.tolist(), strict=True)),
        {
            label: (float(np.quantile(cuts, 0.25)), float(np.quantile(cuts, 0.75)))
            for label, cuts in zip(labels, found.root_cuts, strict=True)
            if len(cuts) >= FEWEST_CUTS
        },
    )


def _fewest_units(names: Names) -> int:
    """Return how many units a subsample of the data sets has at least."""
    size = subsample_size(len(names.datasets))
    counts = np.bincount(names.datasets_of.argmax(axis=1), minlength=len(names.datasets))
    return int(np.sort(counts)[:size].sum()) if size > 1 else 0


def recurrence(
    root: TreeNode, found: TreeSupport | None, n_datasets: int
) -> SubsampleSupport | None:
    """Return how often trees of subsamples have the first division's characteristic first."""
    if root.split is None or found is None:
        return None
    n = found.n_trees + found.n_failed
    returns = round(found.root[root.split.characteristic] * found.n_trees)
    return SubsampleSupport(returns / n, n, subsample_size(n_datasets), n_datasets)


# ---------------------------------------------------------------------------------- tests


def _tests(node: Node, names: Names) -> tuple[NodeTest, ...]:
    """Name the tests of a node, the smallest p-value first."""
    level = sidak_level(names.alpha, sum(test is not None for test in node.tests))
    found = [
        NodeTest(
            names.characteristics[i].name,
            test.statistic,
            test.df,
            float(adjusted),
            test.p_value,
            test.n_permutations,
            test.n_units,
            names.target,
            test.critical_value(level),
            _levels(names, names.characteristics[i].name, test.places),
            *(_track(test) if names.characteristics[i].kind is not Kind.CATEGORICAL else ()),
        )
        for i, (test, adjusted) in enumerate(zip(node.tests, node.adjusted, strict=False))
        if test is not None
    ]
    return tuple(sorted(found, key=lambda t: (t.p_value, -t.statistic)))


def _track(test: InstabilityTest) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the places of a test, and its statistic there."""
    return tuple(test.places.tolist()), tuple(test.path.tolist())


def _levels(names: Names, characteristic: str, codes: Array) -> tuple[str, ...]:
    """Name the categories that a test has compared."""
    levels = names.levels.get(characteristic, ())
    return tuple(levels[int(code)] for code in codes) if levels else ()


# --------------------------------------------------------------------------------- splits


def _split(node: Node, split: Split, names: Names) -> NumericSplit | LevelSplit:
    chosen = names.characteristics[split.characteristic]
    p_value = float(node.adjusted[split.characteristic])
    same = _same(node, split, names)
    if split.kind is not Kind.CATEGORICAL:
        alike = tuple(name for name in _alike(node, split, names) if name not in same)
        return NumericSplit(chosen.name, split.cut, p_value, split.missing_first, same, alike)
    levels = names.levels[chosen.name]
    return LevelSplit(
        chosen.name,
        tuple(levels[int(code)] for code in split.first),
        tuple(levels[int(code)] for code in split.second),
        p_value,
        split.missing_first,
        same,
    )


def _same(node: Node, split: Split, names: Names) -> tuple[str, ...]:
    """Name the other characteristics that part the units of a node in the same way."""
    chosen = names.characteristics[split.characteristic]
    first = split.goes_first(chosen.values[node.units])
    return tuple(
        c.name
        for i, c in enumerate(names.characteristics)
        if i != split.characteristic and _parts(c, c.values[node.units], first)
    )


def _alike(node: Node, split: Split, names: Names) -> Iterator[str]:
    """Yield the numeric characteristics that rank the units of a node nearly as the chosen one."""
    from scipy.stats import rankdata

    chosen = names.characteristics[split.characteristic].values[node.units]
    for i, c in enumerate(names.characteristics):
        values = c.values[node.units]
        both = ~np.isnan(values) & ~np.isnan(chosen)
        if i == split.characteristic or c.kind is not Kind.NUMERIC or both.sum() < FEWEST_UNITS:
            continue
        a, b = rankdata(chosen[both]), rankdata(values[both])
        if np.ptp(a) > 0 and np.ptp(b) > 0 and abs(np.corrcoef(a, b)[0, 1]) >= ALIKE:
            yield c.name


def _parts(characteristic: Characteristic, values: Array, first: NDArray[np.bool_]) -> bool:
    """Whether a characteristic has a division that puts these units first, or these last."""
    if np.isnan(values).any():
        return False
    low, high = values[first], values[~first]
    if characteristic.kind is Kind.CATEGORICAL:
        return not set(low) & set(high)
    return bool(low.max() < high.min() or high.max() < low.min())


def _add_condition(
    conditions: tuple[Condition, ...], split: NumericSplit | LevelSplit | None, which: int
) -> tuple[Condition, ...]:
    """Add the condition of a division to those of the parent."""
    if split is None:
        return conditions
    place = next(
        (i for i, c in enumerate(conditions) if c.characteristic == split.characteristic), None
    )
    known = Condition(split.characteristic) if place is None else conditions[place]
    if isinstance(split, LevelSplit):
        new = replace(known, levels=(split.levels, split.other_levels)[which])
    elif which == 0:
        new = replace(known, up_to=split.cutpoint)
    else:
        new = replace(known, above=split.cutpoint)
    if place is None:
        return (*conditions, new)
    return (*conditions[:place], new, *conditions[place + 1 :])
