"""What goes into a model of the domain: which values of which data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.cube import Cube
from reportgen.sections.domain.options import Options
from reportgen.sections.domain.result import DomainBasis, Unavailable
from reportgen.stats.block_model import has_residual_variance
from reportgen.stats.domain_strata import differs_over_datasets, has_variation_within
from reportgen.stats.sphericity import greenhouse_geisser

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
        """Shape (M, K): means of the values by data set."""
        return np.array([np.nanmean(v, axis=0) for v in self.values])


def take(cube: Cube, options: Options) -> Taken:
    """Keep the values that the options ask for, of data sets that have every candidate.

    Parameters
    ----------
    cube : Cube
    options : Options
    """
    names = np.array(cube.candidates, dtype=object)
    has_value = {d: np.isfinite(v) for d, v in cube.values.items()}
    is_present = np.logical_or.reduce([h.any(axis=0) for h in has_value.values()])
    there = {d: h[:, is_present] for d, h in has_value.items()}
    complete = {d: cube.replications[d][h.all(axis=1)] for d, h in there.items()}
    is_lax = options.missing == "available"
    used = tuple(
        d for d, h in there.items() if len(complete[d]) >= (1 if is_lax else 2) and len(h) >= 2
    )
    if options.missing == "complete-domain":
        common = _common([complete[d] for d in used])
        kept = dict.fromkeys(used, common)
    elif options.missing == "complete-dataset":
        kept = {d: complete[d] for d in used}
    else:
        kept = {d: cube.replications[d][there[d].any(axis=1)] for d in used}
    values = tuple(_rows(cube, d, kept[d])[:, is_present] for d in used)
    n_all = sum(len(cube.replications[d]) for d in used)
    n_kept = sum(map(len, kept.values()))
    has_gaps = n_kept < n_all or not all(np.isfinite(v).all() for v in values)
    basis = DomainBasis(
        measure=cube.measure,
        model="mixed-model",
        alpha=options.alpha,
        relevance=options.relevance.get(cube.measure.name),
        structure=options.structure,
        unavailable=_unavailable(values, int(is_present.sum()), cube),
        datasets=used,
        left_out=tuple(d for d in cube.values if d not in used),
        candidates=tuple(names[is_present]),
        absent=tuple(names[~is_present]),
        missing=options.missing if has_gaps else "complete",
        n_replications={d: len(kept[d]) for d in used},
        n_dropped=n_all - n_kept,
        n_values=int(sum(np.isfinite(v).sum() for v in values)),
        sphericity=_sphericity(values),
        target=cube.target,
    )
    return Taken(values, basis)


def take_means(cube: Cube, basis: DomainBasis) -> Taken | None:
    """Keep one value a data set and candidate, their means, of data sets that have all.

    Parameters
    ----------
    cube : Cube
    basis : DomainBasis
        Of the model of all replications, which is not there.

    Returns
    -------
    Taken or None
        One row a data set; None where there is nothing to compare.
    """
    means = np.array(list(cube.means().values()))
    is_present = np.isfinite(means).any(axis=0)
    rows = means[:, is_present]
    is_whole = np.isfinite(rows).all(axis=1)
    rows = rows[is_whole]
    if len(rows) < 2 or rows.shape[1] < 2 or not has_residual_variance(rows):
        return None
    names = np.array(cube.candidates, dtype=object)
    datasets = np.array(list(cube.values), dtype=object)
    used = tuple(datasets[is_whole])
    values = tuple(row[None] for row in rows)
    found = replace(
        basis,
        model="block-model",
        datasets=used,
        left_out=tuple(datasets[~is_whole]),
        candidates=tuple(names[is_present]),
        absent=tuple(names[~is_present]),
        missing="complete" if all(np.isfinite(cube.values[d]).all() for d in used) else "available",
        n_replications={d: len(cube.replications[d]) for d in used},
        n_dropped=0,
        n_values=int(sum(np.isfinite(cube.values[d]).sum() for d in used)),
        sphericity=_sphericity(values),
    )
    return Taken(values, found)


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
    complete = [v[np.isfinite(v).all(axis=1)] for v in values]
    if not any(len(v) > 1 and has_variation_within(v[None]) for v in complete):
        return "no-variation"
    means = np.array([np.nanmean(v, axis=0) for v in values])
    return None if differs_over_datasets(means[:, None]) else "no-differences"


def _sphericity(values: Sequence[Array]) -> float | None:
    """Return the Greenhouse-Geisser epsilon of the data sets' means, where it is defined."""
    if len(values) < 3 or values[0].shape[1] < 2 or min(map(len, values)) < 1:
        return None
    epsilon = greenhouse_geisser(np.array([np.nanmean(v, axis=0) for v in values]))
    return None if isnan(epsilon) else epsilon
