"""What goes into a model of the domain: which values of which data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.basis import DomainBasis, Groups, Unavailable
from reportgen.sections.domain.cube import Cube
from reportgen.sections.domain.options import Options
from reportgen.stats.blocks.cross_products import components
from reportgen.stats.blocks.incomplete import has_residual_variance as varies_with_gaps
from reportgen.stats.blocks.incomplete import residual_df
from reportgen.stats.blocks.model import greenhouse_geisser, has_residual_variance
from reportgen.stats.domain.missing_candidates import FEWEST_SHARED, shared_datasets
from reportgen.stats.domain.strata import differs_over_datasets, has_variation_within
from reportgen.stats.domain.sums import column_means
from reportgen.stats.pair_table import Scale
from reportgen.stats.ranks.ranks import levelled
from reportgen.study.comparison import area_on

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Taken:
    """The values that go into the model, and what is left out.

    Attributes
    ----------
    values : tuple of ndarray of shape (B_m, K)
        By data set.
    basis : DomainBasis
    """

    values: tuple[Array, ...]
    basis: DomainBasis

    @property
    def is_balanced(self) -> bool:
        """Whether no value lacks, and all data sets have the same replications."""
        return len({v.shape for v in self.values}) == 1 and all(
            np.isfinite(v).all() for v in self.values
        )

    @property
    def means(self) -> Array:
        """Shape (M, K): means of the values by data set, NaN for a candidate that it lacks."""
        return _means(self.values)

    @property
    def lacks(self) -> bool:
        """Whether some data set lacks a candidate."""
        return bool(np.isnan(self.means).any())


def take(cube: Cube, options: Options) -> Taken:
    """Keep the values that the options ask for, of data sets with two replications of them.

    Parameters
    ----------
    cube : Cube
    options : Options
    """
    names = np.array(cube.candidates, dtype=object)
    is_present = present_candidates(cube)
    kept = used_replications(cube, options, fewest=2)
    used = tuple(kept)
    values = tuple(_rows(cube, d, kept[d])[:, is_present] for d in used)
    n_all = sum(len(cube.replications[d]) for d in used)
    n_kept = sum(map(len, kept.values()))
    has_gaps = n_kept < n_all or not all(np.isfinite(v).all() for v in values)
    present = tuple(names[is_present])
    basis = DomainBasis(
        measure=cube.measure,
        model="mixed-model",
        alpha=options.alpha,
        relevance=area_on("difference", options.relevance.get(cube.measure.name)),
        unavailable=_unavailable(values, len(present), cube),
        datasets=used,
        left_out=tuple(d for d in cube.values if d not in used),
        candidates=present,
        absent=tuple(names[~is_present]),
        lacking=_lacking(used, values, present),
        parts=_parts(values, present),
        strangers=_strangers(values, present),
        missing=options.missing if has_gaps else "complete",
        n_replications={d: len(kept[d]) for d in used},
        n_dropped=n_all - n_kept,
        n_values=int(sum(np.isfinite(v).sum() for v in values)),
        sphericity=_sphericity(values),
        target=cube.target,
    )
    return Taken(values, basis)


def present_candidates(cube: Cube) -> NDArray[np.bool_]:
    """Return which candidates have a value on some data set, shape (K,)."""
    has_value = [np.isfinite(v).any(axis=0) for v in cube.values.values()]
    return np.asarray(np.logical_or.reduce(has_value))


def used_replications(cube: Cube, options: Options, fewest: int) -> dict[str, NDArray[np.int64]]:
    """Return the replications that the options ask for, by data set.

    Parameters
    ----------
    cube : Cube
    options : Options
    fewest : int
        Data sets with fewer of them are left out.
    """
    is_present = present_candidates(cube)
    counted = np.any if options.missing == "available" else np.all
    complete = {
        d: cube.replications[d][counted(np.isfinite(v[:, is_present]), axis=1)]
        for d, v in cube.values.items()
    }
    kept = {d: numbers for d, numbers in complete.items() if len(numbers) >= fewest}
    if options.missing == "complete-domain":
        return dict.fromkeys(kept, _common(list(kept.values())))
    return kept


def dataset_means(
    cube: Cube, options: Options, scale: Scale
) -> tuple[tuple[str, ...], tuple[str, ...], Array]:
    """Return the means of the replications that are asked for, a row a data set.

    Parameters
    ----------
    cube : Cube
    options : Options
    scale : {"difference", "ratio"}
        Of ratios these are means of logarithms.

    Returns
    -------
    datasets : tuple of str
    candidates : tuple of str
        Those with a value on some data set.
    means : ndarray of shape (M, K)
        NaN where a data set lacks a candidate.
    """
    is_present = present_candidates(cube)
    kept = used_replications(cube, options, fewest=1)
    rows = {d: _rows(cube, d, numbers)[:, is_present] for d, numbers in kept.items()}
    rows = {d: values for d, values in rows.items() if np.isfinite(values).any()}
    names = tuple(np.array(cube.candidates, dtype=object)[is_present])
    means = [column_means(np.log(v) if scale == "ratio" else v) for v in rows.values()]
    return tuple(rows), names, levelled(np.array(means).reshape(len(rows), len(names)))


def take_means(cube: Cube, basis: DomainBasis, options: Options) -> Taken | None:
    """Keep one value a data set and candidate, their means: where asked for, of complete ones.

    Parameters
    ----------
    cube : Cube
    basis : DomainBasis
        Of the model of all replications, which is not there.
    options : Options

    Returns
    -------
    Taken or None
        One row a data set; None where there is nothing to compare.
    """
    means = np.array(list(cube.means().values()))
    is_present = np.isfinite(means).any(axis=0)
    rows = means[:, is_present]
    counted = np.any if options.missing == "available" else np.all
    is_used: NDArray[np.bool_] = counted(np.isfinite(rows), axis=1)
    rows = rows[is_used]
    if len(rows) < 2 or rows.shape[1] < 2 or not _differ(rows):
        return None
    names = np.array(cube.candidates, dtype=object)
    datasets = np.array(list(cube.values), dtype=object)
    used, present = tuple(datasets[is_used]), tuple(names[is_present])
    values = tuple(row[None] for row in rows)
    has_gaps = not all(np.isfinite(cube.values[d][:, is_present]).all() for d in used)
    found = replace(
        basis,
        model="block-model",
        datasets=used,
        left_out=tuple(datasets[~is_used]),
        candidates=present,
        absent=tuple(names[~is_present]),
        lacking=_lacking(used, values, present),
        parts=_parts(values, present),
        strangers=_strangers(values, present),
        missing="available" if has_gaps else "complete",
        n_replications={d: len(cube.replications[d]) for d in used},
        n_dropped=0,
        n_values=int(sum(np.isfinite(cube.values[d]).sum() for d in used)),
        sphericity=_sphericity(values),
    )
    return Taken(values, found)


def _differ(means: Array) -> bool:
    """Whether candidates differ otherwise on one data set than on another, beyond rounding."""
    observed = np.isfinite(means)
    if observed.all():
        return has_residual_variance(means)
    return residual_df(observed) > 0 and varies_with_gaps(means)


def _means(values: Sequence[Array]) -> Array:
    return np.array([column_means(v) for v in values])


def _lacking(
    datasets: Sequence[str], values: Sequence[Array], names: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the candidates without a value by data set, where there are some."""
    found = {
        d: tuple(n for n, x in zip(names, column_means(v), strict=True) if np.isnan(x))
        for d, v in zip(datasets, values, strict=True)
    }
    return {d: lacks for d, lacks in found.items() if lacks}


def _parts(values: Sequence[Array], names: Sequence[str]) -> Groups:
    """Return the candidates, parted where no data set links them."""
    if not values:
        return ()
    labels = components(np.isfinite(_means(values)))
    return tuple(
        tuple(n for n, label in zip(names, labels, strict=True) if label == part)
        for part in np.unique(labels)
    )


def _strangers(values: Sequence[Array], names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of candidates that share too few data sets."""
    if not values:
        return ()
    shared = shared_datasets(np.isfinite(_means(values)))
    pairs = combinations(range(len(names)), 2)
    return tuple((names[i], names[j]) for i, j in pairs if shared[i, j] < FEWEST_SHARED)


def _common(numbers: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the replications that all data sets have."""
    if not numbers:
        return np.empty(0, dtype=np.int64)
    found = numbers[0]
    for others in numbers[1:]:
        found = np.intersect1d(found, others)
    return found


def _rows(cube: Cube, dataset: str, numbers: NDArray[np.int64]) -> Array:
    """Return some replications of one data set."""
    rows: Array = cube.values[dataset][np.searchsorted(cube.replications[dataset], numbers)]
    return rows


def _unavailable(values: Sequence[Array], n_candidates: int, cube: Cube) -> Unavailable | None:
    """Return why there is no model."""
    if n_candidates < 2:
        return "one-candidate"
    if all(len(numbers) < 2 for numbers in cube.replications.values()):
        return "too-few-replications"
    if len(values) < 2:
        return "too-few-datasets"
    if min(len(v) for v in values) < 2:
        return "too-few-replications"
    if not any(_varies_within(v) for v in values):
        return "no-variation"
    means = _means(values)
    if np.isfinite(means).all():
        return None if differs_over_datasets(means[:, None]) else "no-differences"
    return None if _differ(means) else "no-differences"


def _varies_within(values: Array) -> bool:
    """Whether differences of the candidates of one data set vary over its replications."""
    own = values[:, np.isfinite(values).any(axis=0)]
    complete = own[np.isfinite(own).all(axis=1)]
    return min(complete.shape) > 1 and has_variation_within(complete[None])


def _sphericity(values: Sequence[Array]) -> float | None:
    """Return the Greenhouse-Geisser epsilon of the means of complete data sets."""
    if len(values) < 3 or values[0].shape[1] < 2 or min(map(len, values)) < 1:
        return None
    means = _means(values)
    rows = means[np.isfinite(means).all(axis=1)]
    epsilon = greenhouse_geisser(rows) if len(rows) > 2 else nan
    return None if isnan(epsilon) else epsilon
