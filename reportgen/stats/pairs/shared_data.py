"""What replications on one data set share: test and learning observations, by resampling scheme.

Their numbers say by how much the variance of a mean over replications is enlarged when it
speaks of new data of the same source (`reportgen.stats.pairs.new_data`).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import floor
from types import MappingProxyType
from typing import Literal, cast

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Problem
from reportgen.stats.arrays import Array

Scheme = Literal[
    "bootstrap", "subsampling", "k-fold", "repeated-k-fold", "hold-out", "given", "time-series"
]
Assessment = Literal[
    "out-of-bag", "cross-validation", "merged", "fresh", "fixed", "learning", "bootstrap"
]
Crossing = Literal["crossed", "nested", "partial"]
"""How the levels of two factors, such as splits and seeds, meet."""
Source = Literal["sizes", "expected-sizes", "folds", "independent"]
Reason = Literal[
    "fixed-test-sample",
    "cross-validated-bootstrap",
    "merged-samples",
    "learnt-observations",
    "hold-out",
    "given-samples",
    "time-series",
    "processes",
    "scheme-unknown",
    "folds-unknown",
    "sizes-unknown",
]

FOLDS: tuple[Scheme, ...] = ("k-fold", "repeated-k-fold")
NO_RATIO: Mapping[Assessment, Reason] = MappingProxyType(
    {
        "fixed": "fixed-test-sample",
        "cross-validation": "cross-validated-bootstrap",
        "merged": "merged-samples",
        "learning": "learnt-observations",
        "bootstrap": "learnt-observations",
    }
)
NO_VARIANCE: Mapping[Scheme, Reason] = MappingProxyType(
    {"hold-out": "hold-out", "given": "given-samples", "time-series": "time-series"}
)
LEARNT: Reason = "learnt-observations"
SLACK = 1e-9  # of fraction times n, whose rounding must not lose an observation


@dataclass(frozen=True, slots=True)
class SharedData:
    """The ratio by which the variance of a mean is enlarged for new data, or why there is none."""

    # mean over the replications of the number of test observations over the number of distinct
    # learning observations; 0 where replications are independent
    ratio: float | None
    # "sizes": counted in every replication; "expected-sizes": from the number of observations and
    # the scheme; "folds": 1 / (k - 1); "independent": every replication has fresh samples
    source: Source | None = None
    # why the ratio does not apply or is not known: "fixed-test-sample" (competition),
    # "cross-validated-bootstrap", "merged-samples" (out-of-bag on learning and test sample
    # together), "learnt-observations" (test samples hold what was learnt from), "hold-out" (one
    # split), "given-samples" (of the user's own making), "time-series" (later learning samples
    # contain earlier ones), "processes" (values are means of several), "scheme-unknown",
    # "folds-unknown", "sizes-unknown"
    reason: Reason | None = None
    # mean share of the observations that a replication is tested on
    test_share: float | None = None
    # observations of the data set, or groups where groups are drawn
    n_observations: float | None = None

    @property
    def learnt_share(self) -> float | None:
        """Share of the observations that a replication learns from, copies counted once."""
        if not self.ratio or self.test_share is None:
            return None
        return 1 - self.test_share


def holds_learnt(resampling: Mapping[str, object]) -> bool:
    """Whether test samples that are drawn so hold what was learnt from.

    Examples
    --------
    >>> holds_learnt({"scheme": "bootstrap", "assessment": "learning"}), holds_learnt({})
    (True, False)
    """
    is_apparent = NO_RATIO.get(cast("Assessment", resampling.get("assessment"))) == LEARNT
    return is_apparent or bool(resampling.get("overlap"))


def shared_data(
    problem: Problem | None,
    scheme: Scheme | None,
    *,
    assessment: Assessment | None = None,
    n_distinct: Array | None = None,
    n_test: Array | None = None,
    n_observations: int | None = None,
    fraction: float | None = None,
    n_folds: int | None = None,
    has_overlap: bool = False,
) -> SharedData:
    r"""Return what inference for new data needs to know of a resampling scheme.

    Parameters
    ----------
    problem : {"simulation", "competition", "real-world"} or None
        None when it is unknown.
    scheme : {"bootstrap", "subsampling", "k-fold", "repeated-k-fold", "hold-out", "given", \
"time-series"} or None
        How learning samples are drawn; of no importance for simulations.
    assessment : {"out-of-bag", "cross-validation", "merged", "fresh", "fixed", "learning", \
"bootstrap"}, optional
        What replications are tested on. When left out: a fresh sample in
        simulations, the fixed test sample in competitions, else what was not
        drawn. "cross-validation": folds inside a bootstrap sample; "merged":
        out-of-bag on learning and test sample merged into one; "learning" and
        "bootstrap": the learning sample itself, or a bootstrap sample of all.
    n_distinct, n_test : ndarray of shape (B,), optional
        Distinct learning observations and test observations of each
        replication, or groups where groups are resampled; NaN where unknown.
    n_observations : int, optional
        Size N of the data set, for expected sizes where the others are unknown.
    fraction : float, optional
        Of subsampling; 2/3 when left out.
    n_folds : int, optional
        Number k of folds; every value is that of one fold.
    has_overlap : bool
        Whether test samples hold what was learnt from, as given samples may.

    Returns
    -------
    SharedData

    Raises
    ------
    ValueError
        If a replication has no learning observation, N < 2, the fraction does
        not lie inside (0, 1) or k < 2.

    Notes
    -----
    A bootstrap sample teaches by its distinct observations,
    :math:`N (1 - (1 - 1/N)^N)` on average: the ratio is about .368 / .632 =
    .582, not .368. Subsampling of a fraction f: (1 - f) / f.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003), "Inference for the generalization
       error", Machine Learning 52.
    .. [2] R. R. Bouckaert and E. Frank (2004), "Evaluating the replicability of
       significance tests for comparing learning algorithms", PAKDD.

    Examples
    --------
    >>> shared_data("real-world", "bootstrap", n_observations=2).ratio  # .5 / 1.5
    0.333...
    >>> found = shared_data("real-world", "repeated-k-fold", n_folds=10)
    >>> found.ratio, found.test_share
    (0.111..., 0.1)
    >>> shared_data("competition", "bootstrap").reason
    'fixed-test-sample'
    """
    if has_overlap:
        return SharedData(None, reason=LEARNT)
    tested_on = assessment or _usual_assessment(problem)
    if tested_on in NO_RATIO:
        return SharedData(None, reason=NO_RATIO[tested_on])
    if tested_on == "fresh":
        return SharedData(0.0, "independent", test_share=0.0)
    if scheme is not None and scheme in NO_VARIANCE:
        return SharedData(None, reason=NO_VARIANCE[scheme])
    counted = _count(n_distinct, n_test)
    n = n_observations if counted is None else counted.n_observations
    if scheme in FOLDS and n_folds is not None:
        share = 1 / _at_least_two("folds", n_folds)
        return SharedData(1 / (n_folds - 1), "folds", None, share, n)
    if scheme is None and problem is None:
        return SharedData(None, reason="scheme-unknown")
    return counted or _expected_overlap(scheme, n_observations, fraction)


def _usual_assessment(problem: Problem | None) -> Assessment:
    """Return what a problem tests on by default."""
    if problem == "simulation":
        return "fresh"
    return "fixed" if problem == "competition" else "out-of-bag"


def _count(n_distinct: Array | None, n_test: Array | None) -> SharedData | None:
    """Average over the replications whose sizes are known; none is both learnt and tested."""
    if n_distinct is None or n_test is None:
        return None
    is_known = np.isfinite(n_distinct) & np.isfinite(n_test)
    if not is_known.any():
        return None
    if (n_distinct[is_known] <= 0).any():
        raise ValueError("a replication has no learning observation")
    tested, learnt = n_test[is_known], n_distinct[is_known]
    return SharedData(
        float((tested / learnt).mean()),
        "sizes",
        None,
        float((tested / (tested + learnt)).mean()),
        float((tested + learnt).max()),
    )


def _expected_overlap(scheme: Scheme | None, n: int | None, fraction: float | None) -> SharedData:
    """Return the ratio of the sizes that a scheme gives on average."""
    if scheme is None:
        return SharedData(None, reason="scheme-unknown")
    if scheme in FOLDS:
        return SharedData(None, reason="folds-unknown")
    if n is None:
        return SharedData(None, reason="sizes-unknown")
    distinct = _expected_distinct(scheme, _at_least_two("observations", n), fraction)
    return SharedData((n - distinct) / distinct, "expected-sizes", None, 1 - distinct / n, n)


def _expected_distinct(scheme: Scheme, n: int, fraction: float | None) -> float:
    """Return the expected number of distinct learning observations."""
    if scheme == "bootstrap":
        return n * (1 - (1 - 1 / n) ** n)
    share = 2 / 3 if fraction is None else fraction
    if not 0 < share < 1 or floor(share * n + SLACK) < 1:
        raise ValueError(f"a fraction inside (0, 1) that draws an observation, got {share} of {n}")
    return float(floor(share * n + SLACK))


def _at_least_two(what: str, number: int) -> int:
    """Return the number; raise an error where it is too small."""
    if number < 2:
        raise ValueError(f"at least two {what}, got {number}")
    return number
