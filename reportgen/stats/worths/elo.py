"""Bradley-Terry scores in points of Elo's scale, with intervals over data sets."""

from __future__ import annotations

from functools import reduce
from math import log

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.worths.bradley_terry import fit_finite, scores
from reportgen.stats.worths.comparisons import AT_ONCE, compare, count, indicators

POINTS = 400 / log(10)  # of a unit of log worth: 400 points are odds of 10 to 1


@dataclass(frozen=True, slots=True)
class EloScores:
    """Scores of sum 0."""

    points: Array  # (K,)
    # lower, upper: (K,); each for itself; None with one data set, or where the estimate is
    # penalised
    lower: Array | None
    upper: Array | None
    # whether some candidate wins or loses so often that the maximum of the likelihood is not
    # finite: the points are then drawn towards 0
    is_penalised: bool


def elo_scores(means: Array, *, is_smaller_better: bool, alpha: float = 0.05) -> EloScores:
    r"""Score candidates by who has the better mean on each data set, ties included.

    `means`: (M, K); of every candidate on every data set.

    Notes
    -----
    Davidson's model; the intervals are :math:`\hat\theta \pm t_{M-1} s`, where :math:`s` is from
    :math:`\frac{M}{M-1} H^{-1} \left(\sum_m u_m u_m'\right) H^{-1}` with the scores :math:`u_m` of
    the data sets: the comparisons on one data set are not independent.

    References
    ----------
    .. [1] R. R. Davidson (1970), "On extending the Bradley-Terry model to accommodate ties in
       paired comparison experiments", Journal of the American Statistical Association 65.
    .. [2] K.-Y. Liang, S. L. Zeger (1986), "Longitudinal data analysis using generalized linear
       models", Biometrika 73.

    Examples
    --------
    >>> means = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [2.0, 1.0]])
    >>> found = elo_scores(means, is_smaller_better=True)
    >>> found.points.round(1)  # 3 to 1 are 400 log10(3) = 190.8 points
    array([ 95.4, -95.4])
    """
    n_datasets, k = means.shape
    outcomes = compare(means, smaller_is_better=is_smaller_better)
    at_once = max(1, AT_ONCE // outcomes.shape[1])
    parts = [outcomes[begin : begin + at_once] for begin in range(0, n_datasets, at_once)]
    model = fit_finite(reduce(np.add, map(count, parts)))
    points = POINTS * (model.log_worths - model.log_worths.mean())
    if n_datasets < 2 or model.penalised:
        return EloScores(points, None, None, model.penalised)
    gradients = np.vstack([scores(indicators(part), model) for part in parts])
    own = gradients @ model.covariance
    covariance = n_datasets / (n_datasets - 1) * own.T @ own
    free = np.delete(np.eye(k), model.reference % k, axis=1) - 1 / k
    centred = free @ covariance[: k - 1, : k - 1] @ free.T
    errors = POINTS * np.sqrt(np.maximum(0.0, np.diag(centred)))  # ties alone leave rounding
    half = float(t_quantile(alpha / 2, n_datasets - 1.0)) * errors
    return EloScores(points, points - half, points + half, model.penalised)
