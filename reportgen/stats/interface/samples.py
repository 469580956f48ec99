"""All pairs of independent samples: by Welch's t, a rank test, and the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reportgen.performance_measure import Better
from reportgen.stats.interface.arguments import (
    SEED,
    Area,
    Names,
    area_of,
    check_choice,
    check_level,
    generator_of,
    is_smaller_better,
    matrix_of,
    names_of,
    numbers_of,
    refuse,
)
from reportgen.stats.pair_table import PairTable, Scale
from reportgen.stats.samples import comparison
from reportgen.stats.samples.bootstrap_ratio import Center, bootstrap_ratios
from reportgen.stats.samples.brunner_munzel import brunner_munzel_pairs

Array = NDArray[np.float64]
Samples = Sequence[ArrayLike] | Mapping[str, ArrayLike] | ArrayLike


def compare_samples(
    samples: Samples,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    scale: Scale = "difference",
) -> PairTable:
    r"""Compare all pairs of independent samples by Welch's t, corrected for skewness.

    Timings of two programs are such samples: a first time of one has nothing to do with a first
    time of the other. Where both were measured in the same replications, `compare_pairs` finds
    more.

    Parameters
    ----------
    samples : sequence or mapping of array-likes of shape (n_k,), or array-like of shape (n, K)
        A list has one sample a candidate, of any numbers of values; a mapping has their names, too.
        A matrix or data frame has one column a candidate; its rows mean nothing. NaN where there
        is no value.
    names, better
        As of `signed_rank`.
    alpha : float, default 0.05
        Family-wise error probability; the intervals hold simultaneously with
        probability 1 - alpha.
    relevance : tuple of two floats, or float, optional
        As of `compare_pairs`.
    scale : {"difference", "ratio"}
        Differences of means, or ratios of geometric means, for times and sizes;
        all values above 0 then.

    Returns
    -------
    PairTable
        Estimates, simultaneous intervals, p-values and decisions, as of `compare_pairs`. A pair
        with fewer than 6 values of one of the two is undecided. `extra` has `n_first` and
        `n_second` (values), `n` (of the smaller sample), `skewness` (of the difference of means),
        `is_constant`, and with `relevance` the limits `tost_lower` and `tost_upper`.

    Raises
    ------
    ValueError
        If `samples` are not two or more of numbers, a value is infinite, or another argument is
        not what is allowed.

    Notes
    -----
    Two variances and Satterthwaite's degrees of freedom [1]_, the correction of `compare_pairs` for
    the skewness of two samples [2]_, and Bonferroni's inequality over the pairs.

    References
    ----------
    .. [1] B. L. Welch (1947), "The generalization of 'Student's' problem when several different
       population variances are involved", Biometrika 34.
    .. [2] X.-H. Zhou and P. Dinh (2005), "Nonparametric confidence intervals for the one- and
       two-sample problems", Biostatistics 6, section 3.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> old, new = rng.lognormal(0.0, 0.1, size=30), rng.lognormal(-0.2, 0.1, size=20)
    >>> seconds = {"old": old, "new": new}
    >>> stats.compare_samples(seconds, scale="ratio", relevance=1.1)
    PairTable: welch, 1 pair, alpha = 0.05
    first  second  estimate  lower  upper    p_value  adjusted_p_value  decision
    old    new        1.212  1.142   1.28  5.624e-06         5.624e-06  worse-relevant
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    area = area_of(relevance, scale)
    matrix, candidates = _columns(samples, names)
    if scale == "ratio":
        _check_positive(matrix)
    table = comparison.compare_samples(matrix, alpha, scale=scale)
    if area is not None and 2 * alpha < 1:
        lenient = comparison.compare_samples(matrix, 2 * alpha, scale=scale)
        table = table.with_columns(tost_lower=lenient.lower, tost_upper=lenient.upper)
    return table.named(candidates, "", smaller).decided(area)


def brunner_munzel(
    samples: Samples, names: Names = None, *, better: Better = "smaller", alpha: float = 0.05
) -> PairTable:
    """Compare all pairs of independent samples by Brunner and Munzel's test, adjusted by Holm.

    Parameters
    ----------
    samples, names, better
        As of `compare_samples`.
    alpha : float, default 0.05
        Family-wise error probability, controlled whichever candidates are alike.

    Returns
    -------
    PairTable
        Without intervals. The estimate is Cliff's delta: the share of pairs of values in which the
        first's is larger less that in which it is smaller. A pair with fewer than 6 values of one
        of the two is undecided. `extra` has `n`, `n_first`, `n_second`, and `is_exact`: whether the
        law is that over all partitions [2]_, as of 8 and 8 values or fewer, and not t [1]_.

    Raises
    ------
    ValueError
        As of `compare_samples`.

    References
    ----------
    .. [1] E. Brunner and U. Munzel (2000), "The nonparametric Behrens-Fisher problem: asymptotic
       theory and a small-sample approximation", Biometrical Journal 42.
    .. [2] K. Neubert and E. Brunner (2007), "A studentized permutation test for the
       non-parametric Behrens-Fisher problem", Computational Statistics and Data Analysis 51.

    Examples
    --------
    >>> from reportgen import stats
    >>> stats.brunner_munzel({"old": [5, 6, 7, 8, 9, 10], "new": [1, 2, 3, 4, 5, 6]})
    PairTable: brunner-munzel, 1 pair, alpha = 0.05
    first  second  estimate  p_value  adjusted_p_value  decision
    old    new       0.8889  0.01082           0.01082  worse
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    matrix, candidates = _columns(samples, names)
    return brunner_munzel_pairs(matrix, alpha).named(candidates, "", smaller).decided()


def bootstrap_ratio(
    samples: Samples,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    center: Center = "mean",
    rng: Generator | int = SEED,
) -> PairTable:
    """Compare all pairs of independent samples by the ratio of their means or medians.

    Parameters
    ----------
    samples, names, better
        As of `compare_samples`; all values above 0.
    alpha : float, default 0.05
        Family-wise error probability; the intervals hold simultaneously with
        probability 1 - alpha.
    relevance : tuple of two floats, or float, optional
        (1/r, r), or r.
    center : {"mean", "median"}
        Of which the ratio is taken.
    rng : Generator or int
        Random numbers, or the seed of theirs, for 9,999 draws.

    Returns
    -------
    PairTable
        Of scale "ratio". A pair with fewer than 6 values of one of the two is undecided. `extra`
        has `n`, `n_first`, `n_second`, `is_constant`, and with `relevance` the limits `tost_lower`
        and `tost_upper`.

    Raises
    ------
    ValueError
        As of `compare_samples`.

    References
    ----------
    .. [1] T. Kalibera and R. Jones (2013), "Rigorous benchmarking in reasonable time", ISMM,
       section 7.
    .. [2] P. Hall (1988), "On symmetric bootstrap confidence intervals", Journal of the Royal
       Statistical Society B 50.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> old, new = rng.lognormal(0.0, 0.1, size=30), rng.lognormal(-0.2, 0.1, size=20)
    >>> seconds = {"old": old, "new": new}
    >>> stats.bootstrap_ratio(seconds, relevance=1.1)
    PairTable: bootstrap-ratio, 1 pair, alpha = 0.05
    first  second  estimate  lower  upper  p_value  adjusted_p_value  decision
    old    new        1.211  1.145   1.28   0.0001            0.0001  worse-relevant
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    check_choice("center", center, get_args(Center))
    area = area_of(relevance, "ratio")
    matrix, candidates = _columns(samples, names)
    _check_positive(matrix)
    draws = generator_of(rng)
    again = deepcopy(draws)
    table = bootstrap_ratios(matrix, alpha, draws, center=center)
    if area is not None and 2 * alpha < 1:
        lenient = bootstrap_ratios(matrix, 2 * alpha, again, center=center)
        table = table.with_columns(tost_lower=lenient.lower, tost_upper=lenient.upper)
    return table.named(candidates, "", smaller).decided(area)


def _columns(samples: Samples, names: Names) -> tuple[Array, tuple[str, ...]]:
    """Return samples as columns, NaN below the shorter ones, and the names of the candidates."""
    given = getattr(samples, "columns", None)
    if isinstance(samples, Mapping):
        names = tuple(map(str, samples)) if names is None else names
        samples = tuple(samples.values())
    if not isinstance(samples, list | tuple):
        matrix: Any = samples
        return matrix_of(matrix, names, has_gaps=True, rows="row")
    parts = [numbers_of(sample, "samples") for sample in samples]
    shape = next((part.shape for part in parts if part.ndim != 1), None)
    if shape is not None:
        raise refuse("samples", f"one of shape {shape}", "a list of samples (n_k,), or a matrix")
    columns = np.full((max(map(len, parts), default=0), len(parts)), np.nan)
    for k, part in enumerate(parts):
        columns[: len(part), k] = part
    if len(parts) < 2:
        raise refuse("samples", f"{len(parts)} samples", "at least 2, one a candidate")
    candidates = names_of(names, given, len(parts))
    if np.isinf(columns).any():
        place = int(np.isinf(columns).any(axis=0).argmax())
        raise refuse("samples", f"an infinite value of {candidates[place]!r}", "finite numbers")
    return columns, candidates


def _check_positive(matrix: Array) -> None:
    """Refuse values that have no ratio."""
    if not (matrix[np.isfinite(matrix)] > 0).all():
        raise refuse("samples", repr(float(np.nanmin(matrix))), "numbers above 0 for ratios")
