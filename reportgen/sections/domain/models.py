"""The domain mixed model of one measure: what goes in, the fits, and their decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isinf, isnan

import numpy as np
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
from reportgen.sections.inference.result import Pair
from reportgen.stats.bonferroni import bonferroni
from reportgen.stats.domain_model import DomainModel, fit_domain_model
from reportgen.stats.domain_strata import differs_over_datasets, has_variation_within
from reportgen.stats.relations import chain, unbeaten
from reportgen.stats.relevance import decide, equivalence_bound, is_significant
from reportgen.stats.simultaneous import Comparisons, all_pairs, tukey
from reportgen.stats.sphericity import greenhouse_geisser

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Balanced:
    """The values that go into the model, and what is left out.

    Attributes
    ----------
    values : ndarray of shape (M, B, K)
    basis : DomainBasis
    """

    values: Array
    basis: DomainBasis


def fit_domain(cube: Cube, options: Options) -> tuple[DomainBasis, dict[str, DomainFit]]:
    """Fit both structures to one measure.

    Parameters
    ----------
    cube : Cube
    options : Options

    Returns
    -------
    DomainBasis
    dict of str to DomainFit
        By structure; empty where there is no model.
    """
    balanced = _balanced(cube, options)
    if balanced.basis.unavailable:
        return balanced.basis, {}
    fits: dict[str, DomainFit] = {s: _fit(balanced, s, options) for s in STRUCTURES}
    return balanced.basis, fits


# ---------------------------------------------------------------------------- what goes in


def _balanced(cube: Cube, options: Options) -> Balanced:
    """Keep what the model can use: replications that are complete on all data sets."""
    names = np.array(cube.candidates, dtype=object)
    has_value = {d: np.isfinite(v) for d, v in cube.values.items()}
    is_present = np.logical_or.reduce([h.any(axis=0) for h in has_value.values()])
    complete = {d: h[:, is_present].all(axis=1) for d, h in has_value.items()}
    used = tuple(d for d, c in complete.items() if c.sum() >= 2)
    common = _common([cube.replications[d][complete[d]] for d in used])
    blocks = [_rows(cube, d, common)[:, is_present] for d in used]
    n_all = {len(cube.replications[d]) for d in used}
    is_whole = n_all == {len(common)}
    values = np.stack(blocks) if blocks else np.empty((0, 0, int(is_present.sum())))
    basis = DomainBasis(
        measure=cube.measure,
        alpha=options.alpha,
        relevance=options.relevance.get(cube.measure.name),
        structure=options.structure,
        unavailable=_unavailable(values),
        datasets=used,
        left_out=tuple(d for d in cube.values if d not in used),
        candidates=tuple(names[is_present]),
        absent=tuple(names[~is_present]),
        missing="complete" if is_whole else "complete-domain",
        n_replications={d: len(common) for d in used},
        n_dropped=sum(len(cube.replications[d]) - len(common) for d in used),
        n_values=values.size,
        sphericity=_sphericity(values),
    )
    return Balanced(values, basis)


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


def _unavailable(values: Array) -> Unavailable | None:
    """Return why there is no model."""
    n_datasets, n_replications, n_candidates = values.shape
    if n_candidates < 2:
        return "one-candidate"
    if n_datasets < 2:
        return "too-few-datasets"
    if n_replications < 2:
        return "too-few-replications"
    if not has_variation_within(values):
        return "no-variation"
    return None if differs_over_datasets(values) else "no-differences"


def _sphericity(values: Array) -> float | None:
    """Return the Greenhouse-Geisser epsilon of the data sets' means, where it is defined."""
    if min(values.shape) < 2 or values.shape[0] < 3:
        return None
    epsilon = greenhouse_geisser(values.mean(axis=1))
    return None if isnan(epsilon) else epsilon


# --------------------------------------------------------------------------------- one fit


def _fit(balanced: Balanced, structure: Structure, options: Options) -> DomainFit:
    """Fit one structure and decide on every pair."""
    model, basis = fit_domain_model(balanced.values, structure), balanced.basis
    names, smaller = basis.candidates, basis.measure.is_smaller_better
    compared = _compared(model, options)
    pairs = _pairs(compared, balanced, structure)
    incidence = _significantly_better(pairs, names)
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


def _compared(model: DomainModel, options: Options) -> Comparisons:
    """Compare all pairs: pooled by the studentized range, else each by its own variance."""
    estimates = model.estimates
    if options.df == "asymptotic":
        estimates = replace(estimates, df=inf)
    if model.structure == "interaction":
        return tukey(estimates, options.alpha)
    return bonferroni(estimates, options.alpha)


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


def _pairs(compared: Comparisons, balanced: Balanced, structure: Structure) -> tuple[Pair, ...]:
    """Decide on every pair of candidates."""
    indices = all_pairs(len(balanced.basis.candidates)).tolist()
    return tuple(
        _pair(compared, row, (i, j), balanced, structure) for row, (i, j) in enumerate(indices)
    )


def _pair(
    compared: Comparisons,
    row: int,
    pair: tuple[int, int],
    balanced: Balanced,
    structure: Structure,
) -> Pair:
    """Put together what is known of two candidates; wins are data sets."""
    basis = balanced.basis
    names = tuple(basis.candidates[k] for k in pair)
    smaller = basis.measure.is_smaller_better
    estimate, lower, upper = (
        float(bound[row]) for bound in (compared.estimates, compared.lower, compared.upper)
    )
    significant = is_significant(lower, upper)
    favoured = names[0] if (estimate < 0) is smaller else names[1]
    wins, ties, losses = _win_tie_loss(balanced.values[:, :, list(pair)].mean(axis=1), smaller)
    return Pair(
        first=names[0],
        second=names[1],
        estimate=estimate,
        standard_error=float(compared.standard_errors[row]),
        statistic=float(compared.statistics[row]),
        lower=lower,
        upper=upper,
        p_value=float(compared.p_values[row]),
        df=None if isinf(compared.df) else compared.df,
        method="tukey" if structure == "interaction" else "bonferroni",
        variance="pooled" if structure == "interaction" else "pairwise",
        target="domain",
        significant=significant,
        decision=decide(lower, upper, basis.relevance, smaller),
        primary=structure == basis.structure,
        wins=wins,
        ties=ties,
        losses=losses,
        equivalence_bound=equivalence_bound(lower, upper),
        favoured=favoured if significant else None,
    )


def _win_tie_loss(means: Array, is_smaller_better: bool) -> tuple[int, int, int]:
    """Count the data sets on which the first mean is better, equal and worse."""
    smaller, larger = (means[:, 0] < means[:, 1]).sum(), (means[:, 0] > means[:, 1]).sum()
    wins, losses = (smaller, larger) if is_smaller_better else (larger, smaller)
    return int(wins), int(len(means) - wins - losses), int(losses)


def _significantly_better(pairs: tuple[Pair, ...], names: tuple[str, ...]) -> Flags:
    """Return the relation of the significant pairs, shape (K, K)."""
    place = {name: k for k, name in enumerate(names)}
    incidence = np.zeros((len(names), len(names)), dtype=np.bool_)
    for pair in pairs:
        if pair.favoured is not None:
            beaten = pair.second if pair.favoured == pair.first else pair.first
            incidence[place[pair.favoured], place[beaten]] = True
    return incidence


def _named(members: Sequence[int], place: Sequence[int], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of some candidates, best mean first."""
    return tuple(names[k] for k in place if k in members)


def _by_name(names: tuple[str, ...], values: Array) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def _tuples(matrix: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())
