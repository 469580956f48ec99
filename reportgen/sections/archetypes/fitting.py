"""The fits: a scree, and fresh starts for the number of archetypes that is taken."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.archetypes.options import Options
from reportgen.sections.archetypes.view import View
from reportgen.sections.base import Mapper
from reportgen.stats.archetypes import Archetypes, Restarts, Scree, restarts, retaken, scree
from reportgen.stats.archetypes import Options as FitOptions

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Archetypes of some rows.

    Attributes
    ----------
    scree : Scree
        What `fit` was chosen from; it is there in the order of its first column.
    restarts : Restarts or None
        Fresh starts; none for a single archetype.
    fit : Archetypes
        The one that is taken, the archetypes with the lowest percentiles first.
    """

    scree: Scree
    restarts: Restarts | None
    fit: Archetypes


def fitted(
    view: View,
    weights: Array | None,
    options: Options,
    most: int,
    generators: tuple[Generator, Generator],
    mapper: Mapper,
) -> Fitted:
    """Fit 1 to `most` archetypes, and begin anew with as many as are taken.

    Parameters
    ----------
    view : View
    weights : ndarray of shape (n,) or None
    options : Options
    most : int
        As many as the rows can have, or fewer.
    generators : pair of Generator
        Of the scree, and of the fresh starts.
    mapper : callable
        Does the fresh starts, in turn or side by side.
    """
    found = scree(
        view.values,
        most,
        generators[0],
        weights=weights,
        options=fit_options(options),
        least_gain=options.least_gain,
        taken=options.k,
    )
    if found.taken == 1:
        return Fitted(found, None, found.chosen)
    again = restarts(
        view.values,
        found.chosen,
        options.starts,
        generators[1],
        weights=weights,
        mapper=mapper,
    )
    if again.is_better:
        found = retaken(found, again.fit, options.least_gain)
    return Fitted(found, again, _sorted(found.chosen, view))


def fit_options(options: Options) -> FitOptions:
    """Return how archetypes are looked for."""
    return FitOptions(options.fit, options.weights, options.scaling, n_starts=options.starts)


def percentiles_of(view: View, archetypes: Array) -> Array:
    """Return the share of each column's values below archetypes (k, m), ties counting half."""
    values = view.values[None]
    with np.errstate(invalid="ignore"):
        # archetypes that are rows differ from them by rounding
        near = np.isclose(values, archetypes[:, None], rtol=1e-9, atol=0)
        below = ((values < archetypes[:, None]) & ~near).sum(axis=1) + 0.5 * near.sum(axis=1)
    return np.asarray(below / np.isfinite(view.values).sum(axis=0))


def _sorted(fit: Archetypes, view: View) -> Archetypes:
    """Put the archetypes with the lowest percentiles first."""
    order = np.argsort(percentiles_of(view, fit.archetypes).mean(axis=1), kind="stable")
    return replace(
        fit,
        archetypes=fit.archetypes[order],
        scaled=fit.scaled[order],
        mixtures=fit.mixtures[:, order],
        shares=fit.shares[order],
    )
