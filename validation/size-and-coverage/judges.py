"""Whether a test or a family of intervals errs on a sample.

A test errs when it rejects at 5% what is true, intervals of 95% when one of them does not cover
its true difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import sqrt
from typing import Literal

import null_laws
import numpy as np
from null_laws import Sample
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import chdtrc, stdtrit

from reportgen.stats.blocks.incomplete import fit_incomplete_blocks
from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.distributions.studentized_range import quantile
from reportgen.stats.domain.model import Structure, fit_domain_model
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.adjustment import (
    holm,
)
from reportgen.stats.multiplicity.closed import closed_performance_tests, closed_rank_tests
from reportgen.stats.multiplicity.many_to_one import dunnett
from reportgen.stats.multiplicity.simultaneous import bonferroni_pairs, max_abs_t_pairs, tukey
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.new_data import new_data_pairs
from reportgen.stats.pairs.paired_max_t import joint_units, paired_max_t
from reportgen.stats.pairs.paired_tests import signed_rank_pairs
from reportgen.stats.permutation.block_sums import SumLaw, standing, sum_law
from reportgen.stats.permutation.block_tests import (
    asymptotic_pairs,
    asymptotic_reference,
    permuted_equality,
    permuted_pairs,
    permuted_reference,
)
from reportgen.stats.permutation.paired import paired_permutation, sign_flip_max_t
from reportgen.stats.ranking import (
    aligned_ranks,
    available_ranks,
    within_block_ranks,
)
from reportgen.stats.ranks.friedman import (
    compare_rank_sums,
    friedman_test,
    iman_davenport,
    skillings_mack,
)

Array = NDArray[np.float64]
Claim = Literal["exact", "at most", "nearly", "none", ""]
Kind = Literal["test", "intervals"]

ALPHA = 0.05
DRAWS = 199  # with the arrangement observed 200, of which 5% is a whole number
GAPS = 0.15  # share of the cells
FAMILIES = 4  # data sets that one adjustment covers
N_LEARNING = 100  # observations of a learning problem
ROUNDING = 1e-12  # of a p-value that equals 5%
STEPS = (1500, 20_000)  # draws from the joint law of a verdict: the more only where p is near 5%
CLEAR = 5.0  # Monte Carlo standard errors


def sampled(
    judge: Callable[[Sample, Generator], list[bool]],
) -> Callable[[str, int, int, Generator], list[bool]]:
    """Turn a judge of samples into one of laws."""
    return lambda law, n, k, rng: judge(null_laws.LAWS[law](rng, n, k), rng)


def _errs(p_values: Array, sample: Sample) -> bool:
    """Whether a pair that is alike is distinguished."""
    return bool((p_values[sample.is_alike] <= ALPHA + ROUNDING).any())


def _rejects(p_value: float) -> bool:
    return p_value <= ALPHA + ROUNDING


def _misses(found: PairTable, sample: Sample) -> bool:
    """Whether an interval does not cover its true difference."""
    return bool(((found.lower > sample.differences) | (sample.differences > found.upper)).any())


# --------------------------------------------------------------------------------- ranks


@cache
def _untied_law(n: int, k: int, seed: int) -> SumLaw:
    return sum_law(np.tile(np.arange(1.0, k + 1), (n, 1)), np.random.default_rng(seed), DRAWS)


def _law(ranks: Array, rng: Generator) -> SumLaw:
    """Return the law of the rank sums; that of ranks without ties is kept when it is exact."""
    n, k = ranks.shape
    is_untied = float((ranks**2).sum()) == n * k * (k + 1) * (2 * k + 1) / 6
    if is_untied and _untied_law(n, k, 0).n_draws is None:
        return _untied_law(n, k, 0)
    return sum_law(ranks, rng, DRAWS)


def within_ranks(sample: Sample, rng: Generator) -> list[bool]:
    ranks = within_block_ranks(sample.values)
    law = _law(ranks, rng)
    return [
        _rejects(friedman_test(ranks).p_value),
        _rejects(permuted_equality(ranks, law).p_value),
        _rejects(iman_davenport(ranks).p_value),
        _errs(compare_rank_sums(ranks).p_values, sample),
        _errs(permuted_pairs(ranks, law).p_values, sample),
        _rejects(float(asymptotic_reference(ranks, reference=0).p_values.min())),
        _rejects(float(permuted_reference(ranks, law, reference=0).p_values.min())),
    ]


def rank_pairs(sample: Sample, rng: Generator) -> list[bool]:
    return [_errs(compare_rank_sums(within_block_ranks(sample.values)).p_values, sample)]


def closed_ranks(law: Literal["asymptotic", "permutation"]) -> Callable[..., list[bool]]:
    def judge(sample: Sample, rng: Generator) -> list[bool]:
        return [_errs(closed_rank_tests(sample.values, rng, law, DRAWS).adjusted, sample)]

    return judge


def signed_ranks(sample: Sample, rng: Generator) -> list[bool]:
    return [_errs(signed_rank_pairs(sample.values).adjusted, sample)]


def all_aligned_ranks(sample: Sample, rng: Generator) -> list[bool]:
    ranks = aligned_ranks(sample.values)
    law = sum_law(ranks, rng, DRAWS)
    return [
        _rejects(float(chdtrc(ranks.shape[1] - 1, standing(ranks).statistic))),
        _rejects(permuted_equality(ranks, law).p_value),
        _errs(asymptotic_pairs(ranks).p_values, sample),
        _errs(permuted_pairs(ranks, law).p_values, sample),
    ]


def rank_gaps(sample: Sample, rng: Generator) -> list[bool]:
    test = skillings_mack(available_ranks(null_laws.with_gaps(sample.values, GAPS, rng)))
    return [test is not None and _rejects(test.p_value)]


# -------------------------------------------------------------------------- performances


def paired(sample: Sample, rng: Generator) -> list[bool]:
    permuted = paired_permutation(sample.values[:, 0] - sample.values[:, 1], rng, n_draws=DRAWS)
    return [
        _rejects(float(new_data_pairs(sample.values, 0.0).p_value[0])),
        _rejects(permuted.p_value),
    ]


def permuted_performances(sample: Sample, rng: Generator) -> list[bool]:
    law = sum_law(sample.values, rng, DRAWS)
    return [
        _rejects(permuted_equality(sample.values, law).p_value),
        _errs(permuted_pairs(sample.values, law).p_values, sample),
    ]


def closed_performances(sample: Sample, rng: Generator) -> list[bool]:
    return [_errs(closed_performance_tests(sample.values, rng, DRAWS).adjusted, sample)]


def sign_flips(sample: Sample, rng: Generator) -> list[bool]:
    found = sign_flip_max_t(sample.values, rng, DRAWS)
    return [_errs(p, sample) for p in (found.single_step, found.step_down)]


def block_f(sample: Sample, rng: Generator) -> list[bool]:
    return [_rejects(fit_block_model(sample.values).equality.p_value)]


def pooled(sample: Sample, rng: Generator) -> list[bool]:
    sample = sample.spread()
    return [_misses(tukey(fit_block_model(sample.values).estimates, ALPHA), sample)]


def aligned_performances(values: Array) -> ParameterEstimates:
    """Return the means of the aligned values, with the covariance of the block model."""
    n_blocks, n_candidates = values.shape
    deviations = values - values.mean(axis=1, keepdims=True)
    means = deviations.mean(axis=0)
    df = (n_blocks - 1) * (n_candidates - 1)
    variance = float(((deviations - means) ** 2).sum()) / df
    centring = np.eye(n_candidates) - 1 / n_candidates
    return ParameterEstimates(means, variance / n_blocks * centring, df)


def aligned(sample: Sample, rng: Generator) -> list[bool]:
    sample = sample.spread()
    return [_misses(tukey(aligned_performances(sample.values), ALPHA), sample)]


def to_reference(sample: Sample, rng: Generator) -> list[bool]:
    sample = sample.spread()
    found = dunnett(fit_block_model(sample.values).estimates, reference=0, alpha=ALPHA)
    true = sample.shifts[found.first] - sample.shifts[0]
    return [not ((found.lower <= true) & (true <= found.upper)).all()]


def _own_estimates(values: Array) -> ParameterEstimates:
    n = len(values)
    return ParameterEstimates(values.mean(axis=0), np.cov(values, rowvar=False) / n, n - 1)


def own_variances(sample: Sample, rng: Generator) -> list[bool]:
    sample = sample.spread()
    return [_misses(bonferroni_pairs(_own_estimates(sample.values), ALPHA), sample)]


def joint(sample: Sample, rng: Generator) -> list[bool]:
    sample = sample.spread()
    is_clear = _clear(_own_estimates(sample.values), sample)
    if is_clear is not None:
        return [is_clear]
    return [_misses(max_abs_t_pairs(_own_estimates(sample.values), ALPHA, rng), sample)]


def _clear(estimates: ParameterEstimates, sample: Sample) -> bool | None:
    """Return whether an interval misses where bounds of the critical value decide it.

    Of the largest |t| it lies between that of one t and Bonferroni's; its law
    takes long to integrate.
    """
    widest = bonferroni_pairs(estimates, ALPHA)
    distances = np.abs(widest.estimate - sample.differences) / widest.standard_error
    if distances.max() > widest.critical_value[0]:
        return True
    return False if distances.max() <= -stdtrit(estimates.df, ALPHA / 2) else None


def pairwise_holm(sample: Sample, rng: Generator) -> list[bool]:
    return [_errs(holm(new_data_pairs(sample.values, 0.0).p_value), sample)]


def gaps_f(sample: Sample, rng: Generator) -> list[bool]:
    model = fit_incomplete_blocks(null_laws.with_gaps(sample.values, GAPS, rng))
    return [model.equality is not None and _rejects(model.equality.p_value)]


def gaps_max_t(sample: Sample, rng: Generator) -> list[bool]:
    sample = sample.spread()
    model = fit_incomplete_blocks(null_laws.with_gaps(sample.values, GAPS, rng))
    is_clear = _clear(model.estimates, sample)
    if is_clear is not None:
        return [is_clear]
    return [_misses(max_abs_t_pairs(model.estimates, ALPHA, rng), sample)]


# --------------------------------------------------------------------------- the verdict


def verdict(sample: Sample, rng: Generator) -> list[bool]:
    return [_verdict_errs(sample.values, rng)]


def verdict_with_gaps(sample: Sample, rng: Generator) -> list[bool]:
    return [_verdict_errs(null_laws.with_gaps(sample.values, GAPS, rng), rng)]


def _verdict_errs(values: Array, rng: Generator) -> bool:
    """Whether an interval of candidates with equal means does not contain 0.

    The critical value of the joint law lies between that of one t and
    Bonferroni's. Where these do not decide it, few draws often do.
    """
    n, k = values.shape
    widest = paired_max_t(values, ALPHA, rng, n_comparisons=k * (k - 1) // 2)
    if n < joint_units(k) and not np.isnan(values).any():
        return bool(widest.significant.any())
    if widest.significant.any() or not (widest.p_value <= ALPHA).any():
        return bool(widest.significant.any())
    for n_draws in STEPS:
        found = paired_max_t(values, ALPHA, rng, n_draws=n_draws)
        error = sqrt(ALPHA * (1 - ALPHA) / n_draws)
        is_joint = found.method == "own-variance"
        if not is_joint or abs(np.nanmin(found.adjusted_p_value) - ALPHA) > CLEAR * error:
            break
    return bool(found.significant.any())


@cache
def pooled_range(k: int, df: int) -> float:
    return quantile(ALPHA, k, df) / sqrt(2)


def pooled_errs(values: Array) -> bool:
    """Whether Tukey's interval with the pooled variance of a pair does not contain 0."""
    n, k = values.shape
    within = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    df = (n - 1) * (k - 1)
    error = sqrt(2 * float((within**2).sum()) / df / n)
    return bool(np.ptp(values.mean(axis=0)) > error * pooled_range(k, df))


# ----------------------------------------------------------- generating process, domain


def generating_process(law: str, n: int, k: int, rng: Generator) -> list[bool]:
    """Compare k candidates that differ on every data set, but not on average over them."""
    features, classes = null_laws.learning_problem(rng, N_LEARNING, k)
    drawn = null_laws.bootstrap(rng, N_LEARNING, n)
    found = new_data_pairs(
        null_laws.out_of_bag_errors(features, classes, drawn), null_laws.sharing(drawn)
    )
    return [not ((found.lower <= 0) & (found.upper >= 0)).all()]


def domain_test(structure: Structure) -> Callable[..., list[bool]]:
    def judge(law: str, n: int, k: int, rng: Generator) -> list[bool]:
        values = null_laws.domain(rng, n, k, is_equal=law == "domain")
        equality = fit_domain_model(values, structure).equality
        return [equality is not None and _rejects(equality.p_value)]

    return judge


def domain_intervals(structure: Structure) -> Callable[..., list[bool]]:
    compare = tukey if structure == "interaction" else bonferroni_pairs

    def judge(law: str, n: int, k: int, rng: Generator) -> list[bool]:
        shifts = null_laws.STEP * np.arange(k)
        values = null_laws.domain(rng, n, k, is_equal=law == "domain") + shifts
        found = compare(fit_domain_model(values, structure).estimates, ALPHA)
        return [_misses(found, Sample(values.mean(axis=1), shifts))]

    return judge


# ------------------------------------------------------------------------------ several families


def _families(law: str, n: int, k: int, rng: Generator) -> tuple[list[Sample], list[PairTable]]:
    """Draw several data sets, and compare the pairs of each."""
    samples = [null_laws.LAWS[law](rng, n, k) for _ in range(FAMILIES)]
    return samples, [bonferroni_pairs(fit_block_model(s.values).estimates, ALPHA) for s in samples]


def holm_over_families(law: str, n: int, k: int, rng: Generator) -> list[bool]:
    samples, found = _families(law, n, k, rng)
    adjusted = holm(np.concatenate([f.p_value for f in found]))
    both = zip(np.split(adjusted, FAMILIES), samples, strict=True)
    return [any(_errs(p_values, sample) for p_values, sample in both)]


def intervals_over_families(law: str, n: int, k: int, rng: Generator) -> list[bool]:
    samples, found = _families(law, n, k, rng)
    critical = -stdtrit(found[0].df[0], ALPHA / (2 * FAMILIES * len(found[0])))
    wider = [
        replace(
            f,
            lower=f.estimate - critical * f.standard_error,
            upper=f.estimate + critical * f.standard_error,
        )
        for f in found
    ]
    return [any(_misses(f, sample) for f, sample in zip(wider, samples, strict=True))]
