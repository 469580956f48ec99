"""Bradley-Terry models of all comparisons and of each data set's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.psychoanalysis.result import BradleyTerryModels, Worths
from reportgen.sections.psychoanalysis.units import Samples
from reportgen.stats.worths.bradley_terry import BradleyTerry, fit, goodness_of_fit, scores

Array = NDArray[np.float64]


def fit_worths(samples: Samples, reference: int) -> tuple[BradleyTerryModels, tuple[str, ...]]:
    """Fit the worths of all comparisons, and data set by data set.

    Returns
    -------
    BradleyTerryModels, tuple of str
        And the data sets whose comparisons do not link all candidates.

    Raises
    ------
    ValueError
        If all comparisons together do not.
    """
    summed = _by_dataset(samples)
    pooled = model_of(summed.sum(axis=0), reference)
    datasets, unlinked = {}, []
    for name, counts in zip(samples.datasets, summed, strict=True):
        try:
            datasets[name] = described(model_of(counts, reference), samples.candidates)
        except ValueError:
            unlinked.append(name)
    errors = _clustered(summed, pooled, samples.candidates)
    whole = described(pooled, samples.candidates, errors, summed.sum(axis=0))
    return BradleyTerryModels(whole, datasets), tuple(unlinked)


def model_of(counts: Array, reference: int) -> BradleyTerry:
    """Fit by maximum likelihood; with a penalty where that has no finite estimate."""
    model = fit(counts, reference=reference)
    return model if model.separation is None else fit(counts, reference=reference, penalised=True)


def described(
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
        named(candidates, model.log_worths),
        named(candidates, model.worths),
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


def named(candidates: Sequence[str], values: Array) -> dict[str, float]:
    """Pair candidates with numbers."""
    return dict(zip(candidates, values.tolist(), strict=True))


def _by_dataset(samples: Samples) -> Array:
    """Return the counts of each data set, shape (M, P, 3)."""
    summed = np.zeros((len(samples.datasets), *samples.counts.shape[1:]))
    np.add.at(summed, samples.numbers, samples.counts)
    return summed


def _clustered(summed: Array, model: BradleyTerry, candidates: Sequence[str]) -> dict[str, float]:
    """Return standard errors that take data sets, not comparisons, for independent.

    The sandwich of the inverse information around the outer products of the data sets' scores,
    times M / (M - 1); empty with no more data sets than parameters, or under a penalty.
    """
    m = len(summed)
    if m <= model.n_parameters + 1 or model.penalised:
        return {}
    psi = scores(summed, model)
    sandwich = model.covariance @ (psi.T @ psi) @ model.covariance * m / (m - 1)
    free = [name for k, name in enumerate(candidates) if k != model.reference]
    return named(free, np.sqrt(np.diag(sandwich))[: len(free)])
