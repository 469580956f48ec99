"""A test that is valid after every replication: the e-process of the sign test."""

from __future__ import annotations

from math import log, pi

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Better
from reportgen.stats.arguments import Names, check_level
from reportgen.stats.arrays import Array
from reportgen.stats.decisions import Decision
from reportgen.stats.multiplicity.adjustment import holm
from reportgen.stats.sequential.paths import looks, running_signs
from reportgen.stats.sequential.sequential_test import SequentialTest, pairs_of


def sequential_e_process(
    values: ArrayLike, names: Names = None, *, better: Better = "smaller", alpha: float = 0.05
) -> SequentialTest:
    """Compare all pairs after every replication, by the e-process of the sign test.

    Parameters
    ----------
    values, names, better
        As of `sequential_combination_test`.
    alpha : float, default 0.05
        Family-wise error probability over all pairs and all replications, however
        many there will be, by Holm's method.

    Returns
    -------
    SequentialTest
        `extra` has `wins` and `losses` (replications in which the first is better,
        and worse), `p_value` and `adjusted_p_value` after all replications.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two rows and columns of numbers, a value
        is infinite, or another argument is not what is allowed.

    Notes
    -----
    The hypothesis is that wins and losses are equally probable; under it the
    e-value is at least 1 / alpha at any time with a probability of at most alpha
    (Ville's inequality), exactly.

    References
    ----------
    .. [1] A. Ramdas, P. Grünwald, V. Vovk and G. Shafer (2023), "Game-theoretic
       statistics and safe anytime-valid inference", Statistical Science 38.

    Examples
    --------
    >>> from reportgen import stats
    >>> values = [[0.1, 0.2]] * 8
    >>> stats.sequential_e_process(values, ["lda", "svm"])
    SequentialTest: sign-e-process, 1 pair, alpha = 0.05
    first  second  n  estimate  decision  decided_at  wins  losses  p_value  adjusted_p_value
    lda    svm     8      -0.1  better             7     8       0  0.01989           0.01989
    """
    pairs = pairs_of(values, names, better)
    check_level(alpha)
    process = sign_process(np.nan_to_num(np.stack(pairs.differences), nan=0.0))
    adjusted = holm(process.p_values)
    found: list[tuple[Decision, float | None]] = [
        ("undecided", None) if at is None else (pairs.decision(lead), at)
        for at, lead in process.first_rejections(adjusted, alpha)
    ]
    ahead, behind = process.wins, process.losses
    if pairs.is_smaller_better:
        ahead, behind = behind, ahead
    extra = {
        "wins": ahead[:, -1],
        "losses": behind[:, -1],
        "p_value": process.p_values[:, -1],
        "adjusted_p_value": adjusted[:, -1],
    }
    return pairs.result("sign-e-process", alpha, found, extra)


@dataclass(frozen=True, slots=True)
class SignProcess:
    """Evidence against wins and losses being equally probable, (..., B)."""

    wins: NDArray[np.intp]  # positive differences so far
    losses: NDArray[np.intp]
    log_e: Array  # natural logarithm of the e-value
    p_values: Array  # 1 / (largest e-value so far), at most 1: never rises, valid at all times

    def first_rejections(self, adjusted: Array, alpha: float) -> list[tuple[int | None, int]]:
        """Return where adjusted p-values first reject, and by how much wins exceed losses there."""
        places = [next(iter(np.flatnonzero(p <= alpha).tolist()), None) for p in adjusted]
        leads = (self.wins - self.losses).tolist()
        return [
            (None, 0) if place is None else (place + 1, lead[place])
            for place, lead in zip(places, leads, strict=True)
        ]

    def decided_at(self, alpha: float = 0.05) -> Array:
        """Return the replication of the first rejection; infinite when there is none.

        >>> float(sign_process(np.ones(20)).decided_at())
        7.0
        """
        is_small = self.p_values <= alpha
        return np.where(is_small.any(axis=-1), is_small.argmax(axis=-1) + 1.0, np.inf)


def sign_process(differences: Array) -> SignProcess:
    r"""Follow the mixture e-process of the sign test of differences (..., B); zeros are dropped.

    With w wins and l losses :math:`E = 2^{w+l} B(w + 1/2, l + 1/2) / B(1/2, 1/2)`,
    the likelihood ratio against equal probabilities averaged over Jeffreys'
    law of the probability of a win. By Ville's inequality :math:`P(\max_b E_b \ge 1/\alpha) \le
    \alpha` for every number of replications, exactly, when wins and losses
    are equally probable given no tie (Ramdas, Grünwald, Vovk and Shafer 2023).

    >>> process = sign_process(np.array([1.0, 1.0, 1.0, 0.0]))
    >>> np.exp(process.log_e), process.p_values
    (array([1. , 1.5, 2.5, 2.5]), array([1.        , 0.66666667, 0.4       , 0.4       ]))
    """
    d, _ = looks(differences, burn_in=1)
    wins, losses = running_signs(d)
    log_beta = np.asarray(betaln(wins + 0.5, losses + 0.5), dtype=np.float64)
    log_e = (wins + losses) * log(2) + log_beta - log(pi)
    largest = np.maximum.accumulate(log_e, axis=-1)
    return SignProcess(wins, losses, log_e, np.exp(-np.maximum(0.0, largest)))
