"""The domain mixed model of one measure: what goes in, the fits, and their decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isinf, isnan

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import t as student

from reportgen.sections.domain.cube import Cube
from reportgen.sections.domain.options import Options
from reportgen.sections.domain.result import (
    STRUCTURES,
    DomainBasis,
    DomainEquality,
    DomainFit,
    Effects,
    Structure,
    Unavailable,
)
from reportgen.sections.inference.pairs import Family, decide_pairs, significantly_better
from reportgen.sections.inference.result import Pair
from reportgen.stats.bonferroni import bonferroni
from reportgen.stats.domain_incomplete import fit_incomplete_domain
from reportgen.stats.domain_model import DomainModel, fit_domain_model
from reportgen.stats.domain_strata import differs_over_datasets, has_variation_within
from reportgen.stats.relations import chain, unbeaten
from reportgen.stats.simultaneous import Comparisons, max_t, tukey
from reportgen.stats.sphericity import greenhouse_geisser

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


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


def fit_domain(
    cube: Cube, options: Options, rng: Generator
) -> tuple[DomainBasis, dict[str, DomainFit]]:
    """Fit both structures to one measure.

    Parameters
    ----------
    cube : Cube
    options : Options
    rng : Generator
        For the law of all pairs, where there are gaps.

    Returns
    -------
    DomainBasis
    dict of str to DomainFit
        By structure; empty where there is no model.
    """
    taken = _taken(cube, options)
    if taken.basis.unavailable:
        return taken.basis, {}
    try:
        fits: dict[str, DomainFit] = {s: _fit(taken, s, options, rng) for s in STRUCTURES}
    except ValueError:  # gaps of this kind: no closed form says so beforehand
        return replace(taken.basis, unavailable="not-identified"), {}
    return taken.basis, fits


# ---------------------------------------------------------------------------- what goes in


def _taken(cube: Cube, options: Options) -> Taken:
    """Keep the values that the options ask for, of data sets that have every candidate."""
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
        alpha=options.alpha,
        relevance=options.relevance.get(cube.measure.name),
        structure=options.structure,
        unavailable=_unavailable(values, int(is_present.sum())),
        datasets=used,
        left_out=tuple(d for d in cube.values if d not in used),
        candidates=tuple(names[is_present]),
        absent=tuple(names[~is_present]),
        missing=options.missing if has_gaps else "complete",
        n_replications={d: len(kept[d]) for d in used},
        n_dropped=n_all - n_kept,
        n_values=int(sum(np.isfinite(v).sum() for v in values)),
        sphericity=_sphericity(values),
    )
    return Taken(values, basis)


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


def _unavailable(values: Sequence[Array], n_candidates: int) -> Unavailable | None:
    """Return why there is no model."""
    if n_candidates < 2:
        return "one-candidate"
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


# --------------------------------------------------------------------------------- one fit


def _fit(taken: Taken, structure: Structure, options: Options, rng: Generator) -> DomainFit:
    """Fit one structure and decide on every pair."""
    basis = taken.basis
    if taken.is_balanced:
        model = fit_domain_model(np.stack(taken.values), structure)
    else:
        model = fit_incomplete_domain(taken.values, structure)
    names, smaller = basis.candidates, basis.measure.is_smaller_better
    compared = _compared(model, options, rng, is_balanced=taken.is_balanced)
    pairs = _pairs(compared, taken, structure)
    incidence = significantly_better(pairs, names)
    place = sorted(range(len(names)), key=lambda k: model.means[k] * (1 if smaller else -1))
    groups = chain(incidence)
    return DomainFit(
        structure=structure,
        coefficients=_by_name(names, model.means),
        standard_errors=_by_name(names, model.standard_errors),
        intervals=_intervals(model, names, options),
        variance=_variance(model),
        covariance=None if model.covariance is None else _tuples(model.covariance),
        sigma_rank=model.sigma_rank,
        zeros=model.zeros,
        blups=_effects(model, basis),
        reml_criterion=model.reml_criterion,
        equality_test=_equality(model),
        critical_value=compared.critical_value,
        pairs=pairs,
        order=tuple(names[k] for k in place),
        leaders=_named(unbeaten(incidence), place, names),
        groups=None if groups is None else tuple(_named(g, place, names) for g in groups),
    )


def _compared(
    model: DomainModel, options: Options, rng: Generator, *, is_balanced: bool
) -> Comparisons:
    """Compare all pairs: with one variance by their joint law, else each by its own variance."""
    estimates = model.asymptotic if options.df == "asymptotic" else model.estimates
    if model.structure == "unstructured":
        if options.df == "asymptotic":
            estimates = replace(model.estimates, df=inf)
        return bonferroni(estimates, options.alpha)
    if is_balanced:
        return tukey(estimates, options.alpha)
    return max_t(estimates, options.alpha, rng)


def _intervals(
    model: DomainModel, names: tuple[str, ...], options: Options
) -> dict[str, tuple[float, float]]:
    """Return the interval of every kappa alone."""
    df = np.full(len(names), inf) if options.df == "asymptotic" else model.standard_error_df
    half = student.isf(options.alpha / 2, df) * model.standard_errors
    bounds = zip(model.means - half, model.means + half, strict=True)
    return {n: (float(a), float(b)) for n, (a, b) in zip(names, bounds, strict=True)}


def _variance(model: DomainModel) -> dict[str, float]:
    """Name the variance components that the structure has."""
    named = {
        "dataset": model.dataset_variance,
        "interaction": model.interaction_variance,
        "replication": model.replication_variance,
        "residual": model.variance,
    }
    return {name: value for name, value in named.items() if value is not None}


def _effects(model: DomainModel, basis: DomainBasis) -> Effects:
    rows = dict(zip(basis.datasets, model.interaction_effects, strict=True))
    return Effects(
        _by_name(basis.datasets, model.dataset_effects),
        {dataset: _by_name(basis.candidates, row) for dataset, row in rows.items()},
    )


def _equality(model: DomainModel) -> DomainEquality | None:
    test = model.equality
    if test is None:
        return None
    return DomainEquality(
        test.statistic, test.df1, test.df2, test.p_value, test.log10_p_value, model.method
    )


def _pairs(compared: Comparisons, taken: Taken, structure: Structure) -> tuple[Pair, ...]:
    """Decide on every pair of candidates; what is counted are data sets."""
    basis = taken.basis
    family = Family(
        basis.measure,
        basis.candidates,
        basis.relevance,
        "domain",
        variance="pooled" if structure == "interaction" else "pairwise",
        primary=structure == basis.structure,
    )
    df = None if isinf(compared.df) else compared.df
    return decide_pairs(compared, (df,) * len(compared.estimates), taken.means, family)


def _named(members: Sequence[int], place: Sequence[int], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of some candidates, best mean first."""
    return tuple(names[k] for k in place if k in members)


def _by_name(names: tuple[str, ...], values: Array) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def _tuples(matrix: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())
