r"""The Bradley-Terry model with ties: worths of candidates from paired comparisons.

Davidson's form, which Critchlow and Fligner use, is

.. math:: P(i) : P(tie) : P(j) = \pi_i : \nu \sqrt{\pi_i \pi_j} : \pi_j .

With log worths and log nu as parameters the model is an exponential family: the log likelihood is
concave, its gradient observed minus expected statistics, its information their covariance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, xlogy

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    Names,
    check_not_negative,
    domain_of,
    is_smaller_better,
    reference_place,
)
from reportgen.stats.arrays import Array
from reportgen.stats.frame import Columns, Tabular
from reportgen.stats.worths.comparisons import (
    Separation,
    compare,
    connected_groups,
    count,
    n_candidates_of,
    pairs,
    separation,
)

MOST_NEWTON_STEPS = 100
MOST_HALVINGS = 40
RISING = 1.79  # x where (exp(x) - x - 1) / x^2 is 1, rounded down
CONVERGED = 1e-17  # Newton decrement: the squared distance to the maximum in standard errors


@dataclass(frozen=True, slots=True)
class Statistics:
    """The sufficient statistics of the three outcomes of every pair.

    Of a pair that is: first preferred, 1 for the first; tie, 1/2 for both and 1 for nu; second
    preferred, 1 for the second. Matrices of them would grow with the cube of the candidates.
    """

    # first, second: (P,); candidates of the pairs, as of `pairs`
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    n_candidates: int
    reference: int  # the candidate whose log worth is no parameter
    has_ties: bool  # whether log nu is the last parameter

    @property
    def n_parameters(self) -> int:
        """Free parameters, q."""
        return self.n_candidates - 1 + self.has_ties

    @property
    def is_free(self) -> NDArray[np.bool_]:
        """Shape (K + 1,): which of the log worths and log nu are parameters."""
        free = np.ones(self.n_candidates + 1, dtype=np.bool_)
        free[self.reference], free[-1] = False, self.has_ties
        return free

    def whole(self, theta: Array) -> Array:
        """Return log worths and log nu of parameters, 0 where it is none; shape (..., K + 1)."""
        found = np.zeros((*theta.shape[:-1], self.n_candidates + 1))
        found[..., self.is_free] = theta
        return found

    def sums(self, of_first: Array, of_second: Array, of_tie: Array) -> Array:
        """Return the sums over pairs of what the first, the second, the tie is given; (..., q).

        `of_first`, `of_second`, `of_tie`: (..., P).
        """
        rows = np.zeros((*of_first.shape[:-1], self.n_candidates, self.n_candidates))
        rows[..., self.first, self.second] = of_first
        rows[..., self.second, self.first] = of_second
        found = np.concatenate([rows.sum(axis=-1), of_tie.sum(axis=-1)[..., None]], axis=-1)
        return np.asarray(found[..., self.is_free])


def statistics(n_candidates: int, reference: int, *, ties: bool) -> Statistics:
    """Return the sufficient statistics of all pairs of candidates."""
    first, second = pairs(n_candidates).T
    return Statistics(first, second, n_candidates, reference, ties)


def probabilities(features: Statistics, theta: Array) -> Array:
    """Return the probabilities of the outcomes.

    `theta`: (..., q).
    Result: (..., P, 3).
    """
    whole = features.whole(theta)
    first, second = whole[..., features.first], whole[..., features.second]
    found = np.zeros((*first.shape, 3))
    highest = np.maximum(first, second)
    if features.has_ties:
        tie = (first + second) / 2 + whole[..., -1:]
        highest = np.maximum(highest, tie)
        np.exp(tie - highest, out=found[..., 1])
    np.exp(first - highest, out=found[..., 0])  # numpy's reductions of three take longer
    np.exp(second - highest, out=found[..., 2])
    found /= _over_outcomes(found)[..., None]
    return found


def _over_outcomes(found: Array) -> Array:
    """Return the sums over the three outcomes."""
    return np.asarray(found[..., 0] + found[..., 1] + found[..., 2])


def log_likelihoods(counts: Array, features: Statistics, theta: Array) -> Array:
    """Return the log likelihood of every table of counts at its own parameters.

    `counts`: (C, P, 3).
    `theta`: (C, q).
    Result: (C,).
    """
    return _log_likelihoods(counts, probabilities(features, theta))


def _log_likelihoods(counts: Array, expected: Array) -> Array:
    """Return the log likelihoods of outcomes with these probabilities."""
    return np.asarray(xlogy(counts, expected).sum(axis=(1, 2)))


def residual_statistics(counts: Array, features: Statistics, theta: Array) -> Array:
    """Return observed minus expected statistics; shapes as in `log_likelihoods`, (C, q)."""
    return _residuals(counts, features, probabilities(features, theta))


def _residuals(counts: Array, features: Statistics, expected: Array) -> Array:
    """Return observed minus expected statistics at outcomes with these probabilities."""
    won, tied, lost = np.moveaxis(counts - _over_outcomes(counts)[..., None] * expected, -1, 0)
    return features.sums(won + tied / 2, lost + tied / 2, tied)


def maximise(
    counts: Array, features: Statistics, start: Array | None = None, *, tolerance: float = CONVERGED
) -> Array:
    """Maximise the likelihoods of many tables of counts at once, by Newton's method.

    `counts`: (C, P, 3).
    `start`: (q,); zeros when omitted.
    `tolerance`: Newton decrement at which to stop.
    Result: (C, q); where a likelihood has no maximum: a point at which it is as good as its
    supremum.

    Notes
    -----
    Steps are halved until the likelihood does not fall. The Newton decrement is the criterion of
    convergence; along a direction without end it halves or better in every step.
    """
    size = features.n_parameters
    theta = np.tile(np.zeros(size) if start is None else start, (len(counts), 1))
    expected = probabilities(features, theta)
    reached = _log_likelihoods(counts, expected)
    active, tables, shares = np.arange(len(counts)), counts, expected
    for _ in range(MOST_NEWTON_STEPS):
        gradient = _residuals(tables, features, shares)
        step = _newton_steps(_information(tables, features, shares), gradient)
        decrement = (gradient * step).sum(axis=1)
        going = decrement > tolerance
        if not going.any():
            break
        active = active[going]
        _walk(counts, features, theta, reached, expected, active, step[going])
        is_whole = len(active) == len(counts)  # spares copies
        tables, shares = (counts, expected) if is_whole else (counts[active], expected[active])
    return theta


def information(counts: Array, features: Statistics, theta: Array) -> Array:
    """Return the information matrices, the covariances of the statistics; (C, q, q).

    What the second of a pair is given is 1 less what the first is, so that a pair has three
    numbers: the variance of that of the first, its covariance with the tie, the tie's variance.
    """
    return _information(counts, features, probabilities(features, theta))


def _information(counts: Array, features: Statistics, expected: Array) -> Array:
    """Return the information matrices at outcomes with these probabilities."""
    won, tied, lost = np.moveaxis(expected, -1, 0)
    n = _over_outcomes(counts)
    k, i, j = features.n_candidates, features.first, features.second
    found = np.zeros((len(counts), k + 1, k + 1))
    variance = won * lost
    if features.has_ties:
        variance += tied * (won + lost) / 4
        with_tie = n * tied * (lost - won) / 2
        found[:, i, j] = with_tie
        found[:, j, i] = -with_tie
        found[:, :k, k] = found[:, k, :k] = found[:, :k, :k].sum(axis=2)
        found[:, k, k] = (n * tied * (1 - tied)).sum(axis=1)
    found[:, i, j] = found[:, j, i] = -(n * variance)
    own = np.arange(k)
    found[:, own, own] = -found[:, :k, :k].sum(axis=2)
    free = np.flatnonzero(features.is_free)
    return np.asarray(found[:, free[:, None], free])


def _newton_steps(matrices: Array, gradient: Array) -> Array:
    """Solve the Newton equations, with a trace of a ridge where they are singular."""
    largest = np.trace(matrices, axis1=1, axis2=2) + 1e-300
    ridge = 1e-14 * largest[:, None, None] * np.eye(gradient.shape[1])
    return np.asarray(np.linalg.solve(matrices + ridge, gradient[..., None])[..., 0])


def _walk(
    counts: Array,
    features: Statistics,
    theta: Array,
    reached: Array,
    expected: Array,
    active: NDArray[np.intp],
    step: Array,
) -> None:
    """Move the active parameters uphill in place, halving steps that overshoot."""
    # What is reached there, and the probabilities of the outcomes, are written with them.
    length = np.minimum(1.0, 5.0 / np.maximum(np.abs(step).max(axis=1), 1e-300))
    for _ in range(MOST_HALVINGS):
        proposed = theta[active] + length[:, None] * step
        shares = probabilities(features, proposed)
        value = _log_likelihoods(counts[active], shares)
        worse = value < reached[active] - 1e-12 * np.abs(reached[active])
        good = active[~worse]
        theta[good], reached[good], expected[good] = proposed[~worse], value[~worse], shares[~worse]
        if not worse.any():
            return
        active, step, length = active[worse], step[worse], length[worse] / 2


MOST_STEPS = 1000  # of the penalised fit
MOST_COUNTS = 2**20  # of units whose estimating functions are found at a time
SINGLE = np.array([1.0, 0.0, 0.0])  # one comparison, whatever its outcome
OF_FIRST = np.array([1.0, 0.5, 0.0])  # what the first of a pair is given by the outcomes
OF_TIE = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, slots=True)
class GoodnessOfFit:
    """Observed counts of outcomes against those the model expects."""

    # deviance, pearson: against the model with free probabilities in every pair
    deviance: float
    pearson: float
    df: int  # free probabilities less parameters; 0 when the model is saturated
    # deviance_p_value, pearson_p_value: chi-squared; not a number at `df` 0. They take comparisons
    # for independent.
    deviance_p_value: float
    pearson_p_value: float
    expected: Array  # (P, 3)


@dataclass(frozen=True, slots=True, repr=False)
class BradleyTerry(Tabular):
    """Worths estimated from paired comparisons.

    Attributes
    ----------
    log_worths : ndarray of shape (K,)
        0 for the reference; not a number without finite estimate.
    log_nu : float
        Minus infinity when there is not one tie: nu is 0 and no parameter.
    covariance : ndarray of shape (q, q)
        Of the free parameters: log worths without the reference, then log nu if it is free.
        Inverse information; it takes comparisons for independent.
    log_likelihood : float
        At the estimate; its supremum when there is no finite maximum.
    reference : int
    n_comparisons : int
        Outcomes counted.
    separation : Separation or None
        Why the estimate by maximum likelihood is not finite.
    penalised : bool
        Whether the estimate maximises the likelihood with Jeffreys's penalty (Firth's bias
        reduction): finite under separation, drawn towards equal worths.
    candidates : tuple of str
        Empty as long as they have no names.
    """

    log_worths: Array
    log_nu: float
    covariance: Array
    log_likelihood: float
    reference: int
    n_comparisons: int
    separation: Separation | None
    penalised: bool
    candidates: tuple[str, ...] = ()

    def to_columns(self) -> Columns:
        """Return the columns of the candidates.

        Returns
        -------
        dict
            `candidate`, `worth` (of sum 1), `log_worth`, `standard_error` of the log worth; 0 for
            the reference.
        """
        k = len(self.log_worths)
        errors = np.insert(self.standard_errors[: k - 1], self.reference, 0.0)
        return {
            "candidate": self.candidates or tuple(map(str, range(k))),
            "worth": self.worths,
            "log_worth": self.log_worths,
            "standard_error": errors,
        }

    def _heading(self) -> str:
        how = "penalised likelihood" if self.penalised else "maximum likelihood"
        return f"{how}, {self.n_comparisons} comparisons, nu = {self.nu:.4g}"

    @property
    def has_ties(self) -> bool:
        """Whether nu is a parameter."""
        return bool(self.log_nu != -np.inf)

    @property
    def n_parameters(self) -> int:
        """Free parameters, q."""
        return len(self.log_worths) - 1 + self.has_ties

    @property
    def parameters(self) -> Array:
        """Log worths without the reference, then log nu if it is free; shape (q,)."""
        free = np.delete(self.log_worths, self.reference)
        return np.append(free, self.log_nu) if self.has_ties else free

    @property
    def nu(self) -> float:
        """Strength of ties; 0 without any."""
        return exp(self.log_nu)

    @property
    def worths(self) -> Array:
        """Worths, of sum 1; shape (K,)."""
        powers = np.exp(self.log_worths - self.log_worths.max())
        return np.asarray(powers / powers.sum())

    @property
    def standard_errors(self) -> Array:
        """Standard errors of `parameters`; shape (q,)."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))


def fit(counts: Array, *, reference: int = -1, penalised: bool = False) -> BradleyTerry:
    """Estimate worths from counts of outcomes.

    `counts`: (P, 3); first preferred, tie, second preferred, of the pairs of
    `paired_comparisons.pairs`.
    `reference`: candidate with log worth 0; the last by default.
    `penalised`: whether to maximise the likelihood with Jeffreys's penalty, which is finite under
    separation.
    Result: without penalty and under separation the parameters are not numbers, `separation` shows
    why, and the log likelihood is its supremum.
    Raises ValueError if a count is negative or no number, the candidates are not linked by
    comparisons, or the reference is none of them.

    References
    ----------
    .. [1] R. R. Davidson (1970), "On extending the Bradley-Terry model to accommodate ties in
       paired comparison experiments", Journal of the American Statistical Association 65.
    .. [2] D. E. Critchlow and M. A. Fligner (1991), "Paired comparison, triple comparison, and
       ranking experiments as generalized linear models", Psychometrika 56.
    .. [3] D. Firth (1993), "Bias reduction of maximum likelihood estimates", Biometrika 80.

    Examples
    --------
    >>> model = fit(np.array([[30.0, 0.0, 10.0]]))
    >>> model.worths.round(6)
    array([0.75, 0.25])
    """
    n_candidates = _check(counts)
    reference = range(n_candidates)[reference]
    ties = bool(counts[:, 1].any())
    features = statistics(n_candidates, reference, ties=ties)
    found = separation(counts)
    if penalised:
        maximum = _maximum_at(counts, features, _penalise(counts, features))
    elif ties:
        maximum = _maximum_at(counts, features, maximise(counts[None], features)[0])
    else:
        maximum = _maximum_without_ties(counts, features, is_finite=found is None)
    theta, size = maximum.theta, features.n_parameters
    if found is not None and not penalised:
        theta, covariance = np.full(size, nan), np.full((size, size), nan)
    else:
        covariance = np.asarray(np.linalg.inv(maximum.information))
    log_worths = np.zeros(n_candidates)
    log_worths[features.is_free[:-1]] = theta[: n_candidates - 1]
    return BradleyTerry(
        log_worths,
        float(theta[-1]) if ties else -np.inf,
        covariance,
        maximum.log_likelihood,
        reference,
        round(float(counts.sum())),
        found,
        penalised,
    )


def fit_finite(counts: Array, reference: int = -1) -> BradleyTerry:
    """Fit by maximum likelihood; with the penalty where that has no finite estimate.

    `counts`, `reference`: as of `fit`.

    Examples
    --------
    >>> model = fit_finite(np.array([[30.0, 0.0, 0.0]]))
    >>> model.penalised, model.worths.round(3)
    (True, array([0.984, 0.016]))
    """
    model = fit(counts, reference=reference)
    return model if model.separation is None else fit(counts, reference=reference, penalised=True)


def scores(counts: Array, model: BradleyTerry) -> Array:
    """Return the estimating functions: the gradient of each unit's log likelihood.

    `counts`: (N, P, 3); outcomes of each unit: of one learning sample, or summed over a data set.
    Result: (N, q); they sum to 0 at the maximum of the likelihood of all units.
    """
    features = statistics(len(model.log_worths), model.reference, ties=model.has_ties)
    at_once = max(1, MOST_COUNTS // max(1, counts[0].size if len(counts) else 1))
    parts = (counts[begin : begin + at_once] for begin in range(0, len(counts), at_once))
    found = [residual_statistics(part, features, model.parameters) for part in parts]
    return np.concatenate([np.zeros((0, features.n_parameters)), *found])


def goodness_of_fit(counts: Array, model: BradleyTerry) -> GoodnessOfFit:
    """Compare observed with expected counts.

    `counts`: (P, 3); those the model was fitted to.
    Raises ValueError if the model has no finite estimate.
    """
    if np.isnan(model.log_worths).any():
        raise ValueError("the model has no finite estimate, so that no counts are expected")
    features = statistics(len(model.log_worths), model.reference, ties=model.has_ties)
    seen = counts.sum(axis=1, keepdims=True)
    expected = seen * probabilities(features, model.parameters)
    positive = expected > 0
    deviance = 2 * float((xlogy(counts, counts) - xlogy(counts, expected))[positive].sum())
    pearson = float(((counts - expected)[positive] ** 2 / expected[positive]).sum())
    df = int((seen > 0).sum()) * (2 if model.has_ties else 1) - model.n_parameters
    p_values = [float(chdtrc(df, x)) if df > 0 else nan for x in (deviance, pearson)]
    return GoodnessOfFit(max(deviance, 0.0), pearson, df, p_values[0], p_values[1], expected)


def _check(counts: Array) -> int:
    """Return the number of candidates; raise an error where the counts are invalid."""
    if counts.ndim != 2 or counts.shape[1] != 3:
        raise ValueError(f"counts must have shape (P, 3), got {counts.shape}")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise ValueError("counts must be numbers that are not negative")
    n_candidates = n_candidates_of(len(counts))
    groups = connected_groups(counts)
    if groups.any():
        raise ValueError(
            f"the candidates fall into {groups.max() + 1} groups never compared with each other; "
            "worths need comparisons that link them all"
        )
    return n_candidates


@dataclass(frozen=True, slots=True)
class _Maximum:
    """Parameters, and the log likelihood and the information at them."""

    theta: Array  # (q,)
    log_likelihood: float
    information: Array  # (q, q)


def _maximum_at(counts: Array, features: Statistics, theta: Array) -> _Maximum:
    """Return what belongs to parameters of one table."""
    expected = probabilities(features, theta[None])
    own = float(_log_likelihoods(counts[None], expected)[0])
    return _Maximum(theta, own, _information(counts[None], features, expected)[0])


class _Wins:
    """One table without ties as matrices of the candidates: each pair stands there twice.

    Newton's method on them needs no places of pairs. Numbers are added in the order of the tables.
    """

    def __init__(self, counts: Array, features: Statistics) -> None:
        k, i, j = features.n_candidates, features.first, features.second
        self._upper, self._lower = i * k + j, j * k + i
        self._counts = counts
        self.shape = (k, k)
        self._won = np.zeros(self.shape)
        self._won.ravel()[self._upper] = counts[:, 0]
        self._won.ravel()[self._lower] = counts[:, 2]
        self._n = self._won + self._won.T
        self._free = np.flatnonzero(features.is_free[:-1])

    def shares(self, log_worths: Array) -> Array:
        """Return the probability that the first of a pair, a row, is preferred; (K, K)."""
        gains = log_worths[:, None] - log_worths
        powers = np.exp(np.minimum(gains, 0.0, out=gains), out=gains)
        return np.asarray(powers / (powers + powers.T))

    def gradient(self, shares: Array) -> Array:
        """Return observed minus expected wins of free candidates."""
        return np.asarray((self._won - self._n * shares).sum(axis=1)[self._free])

    def information(self, shares: Array) -> Array:
        """Return the information matrix of free candidates."""
        found = shares * shares.T
        found *= self._n
        np.negative(found, out=found)
        found.ravel()[:: len(found) + 1] = 0.0
        found.ravel()[:: len(found) + 1] = -found.sum(axis=1)
        return found.take(self._free, axis=0).take(self._free, axis=1)

    def log_likelihood(self, shares: Array) -> float:
        """Return the log likelihood, as of `log_likelihoods`."""
        flat, parts = shares.ravel(), np.zeros((1, *self._counts.shape))
        parts[0, :, 0] = xlogy(self._counts[:, 0], flat[self._upper])
        parts[0, :, 2] = xlogy(self._counts[:, 2], flat[self._lower])
        return float(parts.sum(axis=(1, 2))[0])


def _maximum_without_ties(counts: Array, features: Statistics, *, is_finite: bool) -> _Maximum:
    """Maximise the likelihood of one table without ties, in the steps of `maximise`.

    Along a step on which log worths move apart by x the information changes by a factor of at most
    exp(x) (Bach, 2010, "Self-concordant analysis for logistic regression", Electronic Journal of
    Statistics 4). The likelihood rises where (exp(x) - x - 1) / x^2 is at most 1, and after a
    whole step with x <= 0.1 the Newton decrement is at most 0.3 x^2 times what it was: the
    likelihood is reckoned after longer steps only, the last decrement where it may be too large,
    or there is no finite maximum.
    """
    wins, free = _Wins(counts, features), features.is_free[:-1]
    log_worths = np.zeros(features.n_candidates)
    shares = np.full(wins.shape, 0.5)
    for _ in range(MOST_NEWTON_STEPS):
        gradient, information = wins.gradient(shares), wins.information(shares)
        step = _newton_step(information, gradient)
        decrement = float((gradient * step).sum())
        if not decrement > CONVERGED:
            return _Maximum(log_worths[free], wins.log_likelihood(shares), information)
        most, least = max(float(step.max()), 0.0), min(float(step.min()), 0.0)
        length, apart = min(1.0, 5.0 / max(most, -least, 1e-300)), most - least
        for _ in range(MOST_HALVINGS):
            moved = log_worths.copy()
            moved[free] += length * step
            ahead = wins.shares(moved)
            if length * apart <= RISING or _is_as_high(wins, ahead, shares):
                log_worths, shares = moved, ahead
                break
            length /= 2
        is_near = is_finite and length == 1 and apart <= 0.1
        if is_near and 0.3 * apart**2 * decrement <= CONVERGED:
            break
    own = wins.log_likelihood(shares)
    return _Maximum(log_worths[free], own, wins.information(shares))


def _is_as_high(wins: _Wins, ahead: Array, shares: Array) -> bool:
    """Whether the likelihood has not fallen, but for rounding."""
    reached = wins.log_likelihood(shares)
    return wins.log_likelihood(ahead) >= reached - 1e-12 * abs(reached)


def _newton_step(matrix: Array, gradient: Array) -> Array:
    """Solve the Newton equations of one table, as `_newton_steps` does."""
    ridged = matrix.copy()
    ridged.ravel()[:: len(matrix) + 1] += 1e-14 * (np.trace(matrix) + 1e-300)
    return np.asarray(np.linalg.solve(ridged, gradient))


def _penalise(counts: Array, features: Statistics) -> Array:
    """Maximise the log likelihood plus half the log determinant of the information."""
    # The penalty works like further comparisons of a pair, as many as its share of the parameters;
    # steps that forget them never end where there are hardly more comparisons than parameters.
    theta = np.zeros(features.n_parameters)
    reached = _penalised_value(counts, features, theta)
    for _ in range(MOST_STEPS):
        gradient, further = _penalised_gradient(counts, features, theta)
        with_further = counts + further[:, None] * SINGLE
        step = np.linalg.solve(information(with_further[None], features, theta[None])[0], gradient)
        if gradient @ step <= CONVERGED:
            return theta
        length = 1.0
        for _ in range(MOST_HALVINGS):
            value = _penalised_value(counts, features, theta + length * step)
            if value >= reached - 1e-12 * abs(reached):
                break
            length /= 2
        theta, reached = theta + length * step, value
    raise RuntimeError("the penalised fit of the worths did not converge")


def _penalised_value(counts: Array, features: Statistics, theta: Array) -> float:
    _, log_determinant = np.linalg.slogdet(information(counts[None], features, theta[None])[0])
    likelihood = log_likelihoods(counts[None], features, theta[None])[0]
    return float(likelihood + log_determinant / 2)


def _penalised_gradient(counts: Array, features: Statistics, theta: Array) -> tuple[Array, Array]:
    """Add half the trace of inverse information times third central moments to the gradient."""
    # Also returned: how many comparisons of each pair the penalty stands for.
    free = np.flatnonzero(features.is_free)
    inverse = np.zeros((features.n_candidates + 1, features.n_candidates + 1))
    inverse[free[:, None], free] = np.linalg.inv(
        information(counts[None], features, theta[None])[0]
    )
    shares = probabilities(features, theta)
    first = OF_FIRST - (shares @ OF_FIRST)[:, None]
    tie = OF_TIE - shares[:, [1]]
    i, j, own = features.first, features.second, np.diag(inverse)
    between = (own[i] + own[j] - 2 * inverse[i, j])[:, None]
    with_tie = (inverse[i, -1] - inverse[j, -1])[:, None]
    distance = first**2 * between + 2 * first * tie * with_tie + tie**2 * own[-1]
    leverage = counts.sum(axis=1)[:, None] * shares * distance
    gradient = residual_statistics(counts[None], features, theta)[0]
    of_first, of_tie = (leverage * first).sum(axis=1), (leverage * tie).sum(axis=1)
    further = features.sums(of_first, -of_first, of_tie)
    return gradient + further / 2, leverage.sum(axis=1)


def bradley_terry(
    values: ArrayLike | Sequence[ArrayLike],
    names: Names = None,
    *,
    better: Better = "smaller",
    epsilon: float = 0.0,
    reference: str | None = None,
) -> BradleyTerry:
    r"""Estimate worths of the candidates from their comparisons in pairs.

    Parameters
    ----------
    values : array-like of shape (B, K) or (M, B, K), or sequence of M matrices (B_m, K)
        Performances, a column a candidate: on every learning sample all pairs are
        compared that have values (not NaN) there.
    names : sequence of str, optional
        Of the candidates; those of the columns of a data frame, or their places.
    better : {"smaller", "larger"}
        Which values are better.
    epsilon : float, default 0
        Two values that differ by no more are a tie; in the unit of the values.
    reference : str, optional
        The candidate with log worth 0; the last one when left out.

    Returns
    -------
    BradleyTerry
        By maximum likelihood, or with Jeffreys's penalty where that is not finite
        (`separation` shows why). Standard errors take comparisons for independent.

    Raises
    ------
    ValueError
        If `values` has another shape, infinite values or a candidate without a
        value, the comparisons do not link all candidates, or another argument is
        not what is allowed.

    Notes
    -----
    Davidson's model with ties:
    :math:`P(i) : P(tie) : P(j) = \pi_i : \nu \sqrt{\pi_i \pi_j} : \pi_j`.

    References
    ----------
    .. [1] R. R. Davidson (1970), "On extending the Bradley-Terry model to
       accommodate ties in paired comparison experiments", Journal of the American
       Statistical Association 65.
    .. [2] D. Firth (1993), "Bias reduction of maximum likelihood estimates",
       Biometrika 80.

    Examples
    --------
    >>> from reportgen import stats
    >>> values = [[0.1, 0.2], [0.1, 0.3], [0.2, 0.4], [0.3, 0.1]]
    >>> stats.bradley_terry(values, ["lda", "svm"])
    BradleyTerry: maximum likelihood, 4 comparisons, nu = 0
    candidate  worth  log_worth  standard_error
    lda         0.75      1.099           1.155
    svm         0.25          0               0
    """
    smaller = is_smaller_better(better)
    check_not_negative("epsilon", epsilon)
    parts, candidates = domain_of(values, names, is_matrix_one=True)
    place = -1 if reference is None else reference_place(reference, candidates)
    counts = np.sum([_counts(part, smaller, float(epsilon)) for part in parts], axis=0)
    return replace(fit_finite(counts, place), candidates=candidates)


def outcome_counts(parts: Sequence[Array], is_smaller_better: bool, epsilon: float) -> Array:
    """Return the outcomes of every pair by data set, shape (M, P, 3), of all that have values."""
    return np.array([_counts(part, is_smaller_better, epsilon) for part in parts])


def _counts(values: Array, is_smaller_better: bool, epsilon: float) -> Array:
    """Count the outcomes of every pair, of few rows at a time."""
    k = values.shape[1]
    at_once = max(1, MOST_COUNTS // (k * k))
    found = np.zeros((k * (k - 1) // 2, 3))
    for begin in range(0, len(values), at_once):
        rows = values[begin : begin + at_once]
        found += count(compare(rows, smaller_is_better=is_smaller_better, epsilon=epsilon))
    return found
