"""Archetypes of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from reportgen.stats.archetypal_analysis import LEAST_GAIN
from reportgen.stats.archetypal_analysis.choice import ArchetypesFit, choose_fit
from reportgen.stats.archetypal_analysis.fit import (
    Method,
    Options,
    Weighting,
    checked,
    checked_weights,
    most_archetypes,
)
from reportgen.stats.archetypal_analysis.initialisation import SCALINGS, ScalingName
from reportgen.stats.arguments import (
    SEED,
    Names,
    check_choice,
    check_count,
    check_level,
    generator_of,
    names_of,
    numbers_of,
    refuse,
)


def archetypes(
    values: ArrayLike,
    k: int | None = None,
    names: Names = None,
    *,
    fit: Method = "original",
    weights: Weighting = "residual",
    row_weights: ArrayLike | None = None,
    scaling: ScalingName | None = None,
    most: int = 8,
    least_gain: float = LEAST_GAIN,
    starts: int = 4,
    rng: Generator | int = SEED,
) -> ArchetypesFit:
    r"""Find the archetypes of a table: extreme points that all rows are mixtures of.

    Parameters
    ----------
    values : array-like of shape (n, m)
        The table, in any units; NaN for gaps, which the robust fit and weights that
        shrink rows refuse.
    k : int, optional
        Number of archetypes; left out: by the elbow of the scree.
    names : sequence of str, optional
        Of the columns; those of a data frame, or their places.
    fit : {"original", "weighted", "robust"}
        Plain least squares, with weights of rows, or without outliers.
    weights : {"residual", "shrink"}
        Effect of the weights of a weighted fit: weigh squared residuals, or shrink
        rows towards the centre, as R's package does.
    row_weights : array-like of shape (n,), optional
        For a weighted fit; not negative, not all 0.
    scaling : {"standard", "robust", "none"}, optional
        Of the columns; left out: robust for the robust fit, standard otherwise.
    most : int, default 8
        Up to how many archetypes the scree goes, or fewer where the hull of the
        rows has fewer vertices; from 2.
    least_gain : float
        Elbow: the last archetype must explain so much of what a single point
        leaves; inside (0, 1).
    starts : int, default 4
        Starts of every fit, and fresh ones of the chosen fit.
    rng : Generator or int
        Random numbers, or the seed of theirs.

    Returns
    -------
    ArchetypesFit
        `archetypes` of shape (k, m) in the units of the table, the lowest first;
        `mixtures` of shape (n, k); `scree`; and whether fresh `restarts` agree.

    Raises
    ------
    ValueError
        If the table is no matrix, has infinite values or a row without values, its
        hull has fewer than `k` vertices, or another argument is not what is allowed.

    See Also
    --------
    reportgen.estimators.ArchetypalAnalysis : The same for scikit-learn.

    References
    ----------
    .. [1] A. Cutler and L. Breiman (1994), "Archetypal analysis", Technometrics 36.
    .. [2] M. J. A. Eugster and F. Leisch (2011), "Weighted and robust archetypal
       analysis", Computational Statistics and Data Analysis 55.

    Examples
    --------
    >>> from reportgen import stats
    >>> table = [[0, 0], [4, 0], [0, 4], [1, 1], [2, 2], [1, 2]]
    >>> found = stats.archetypes(table, 3, ["width", "height"])
    >>> (found.archetypes.round(6) + 0.0).tolist()
    [[0.0, 0.0], [0.0, 4.0], [4.0, 0.0]]
    >>> found.to_frame().columns.tolist()
    ['archetype', 'column', 'value']
    """
    check_choice("fit", fit, get_args(Method))
    check_choice("weights", weights, get_args(Weighting))
    if scaling is not None:
        check_choice("scaling", scaling, SCALINGS)
    check_count("most", most, 2)
    check_count("starts", starts)
    check_level(least_gain, "least_gain")
    if k is not None:
        check_count("k", k)
    rows = numbers_of(values)
    options = Options(fit, weights, scaling, n_starts=int(starts))
    checked(rows, options)
    columns = names_of(names, values, rows.shape[1], "column")
    given = None if row_weights is None else numbers_of(row_weights, "row_weights")
    checked_weights(rows, given, options)
    possible = most_archetypes(rows, max(most, k or 0), given, options)
    if k is not None and k > possible:
        raise refuse("k", str(k), f"1 to {possible}, as the hull of the rows has no more vertices")
    first, _, third = generator_of(rng).spawn(3)  # as the section does, with the second for samples
    found = choose_fit(
        np.ascontiguousarray(rows),
        possible,
        (first, third),
        weights=given,
        options=options,
        least_gain=float(least_gain),
        n_archetypes=k,
    )
    return replace(found, columns=columns)
