"""All pairs by items that candidates answered, or by samples that no two candidates share.

Such units are no blocks of a resampling: there is no block model and no other data of the source.
The item, or its cluster, is the unit; independent samples are compared by their own means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.methods import MethodName
from reportgen.sections.inference.result import DECIDING, Law, Method
from reportgen.stats.arrays import Area
from reportgen.stats.items.clusters import cluster_sign_flips
from reportgen.stats.items.comparison import item_pairs
from reportgen.stats.multiplicity.adjustment import holm
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import as_ratios
from reportgen.stats.pairs.proportions import mcnemar_tests, paired_counts
from reportgen.stats.samples.bootstrap_ratio import bootstrap_ratios
from reportgen.stats.samples.brunner_munzel import brunner_munzel_pairs
from reportgen.stats.samples.comparison import welch_of, welch_pairs
from reportgen.stats.samples.moments import SampleMoments
from reportgen.study.comparison import area_on, comparison_scale, comparison_values
from reportgen.warehouse import Performances

EXACT: tuple[MethodName, ...] = ("mcnemar", "mcnemar-mid-p")


def by_items(
    blocks: Performances,
    alpha: float,
    area: Area | None,
    stream: Callable[[], Generator],
    reference: str | None = None,
) -> Method:
    """Compare all pairs over the items that both candidates have.

    `blocks`: of two or more candidates; its values are the items' means over runs.
    `area`: the study's area of equivalence.
    `stream`: makes, each time anew, the generator that draws from the joint law.
    `reference`: the candidate whose pairs alone are in a joint law.
    """
    column = blocks.candidates.index(reference) if reference in blocks.candidates else None
    scale = comparison_scale(blocks.measure, blocks.values, area)
    values, smaller = comparison_values(blocks.values, scale), blocks.measure.is_smaller_better
    table = item_pairs(
        values, blocks.clusters, alpha, stream(), is_smaller_better=smaller, reference=column
    )
    table = as_ratios(table) if scale == "ratio" else table
    return _verdict(blocks, table, area)


def by_samples(
    blocks: Performances,
    alpha: float,
    area: Area | None,
    _stream: Callable[[], Generator],
    _reference: str | None = None,
) -> Method:
    """Compare all pairs of independent samples.

    `blocks`: of two or more candidates; its rows mean nothing, or are of summaries.
    `area`: the study's area of equivalence.
    `_stream`: not used: nothing is drawn.
    """
    if blocks.unit.is_summary:
        own = SampleMoments.of_summaries(blocks.values[0], blocks.deviations, blocks.n_values)
        return _verdict(blocks, welch_of(own, alpha), area)
    scale = comparison_scale(blocks.measure, blocks.values, area)
    return _verdict(blocks, welch_pairs(blocks.values, alpha, scale=scale), area)


def _verdict(blocks: Performances, table: PairTable, area: Area | None) -> Method:
    smaller = blocks.measure.is_smaller_better
    pairs = table.named(blocks.candidates, blocks.target, smaller).inside(blocks.measure.bounds)
    name: MethodName = next(own for own in DECIDING if table.method.startswith(own))
    laws: dict[str, Law] = {"own-variance": "max-t", "score": "asymptotic"}
    n = int(table.extra["n"].max(initial=0))
    law = laws.get(table.method, "t")
    return Method(name, "strong", law, None, n, pairs.decided(area_on(table.scale, area)))


def item_sensitivity_analysis(
    blocks: Performances, verdict: Method, alpha: float, stream: Callable[[str], Generator]
) -> Iterator[Method]:
    """Compare all pairs by further methods, which change no verdict.

    `verdict`: of the same pairs.
    `stream`: returns the generator that belongs to a method.
    """
    n, pairs = verdict.n_units, verdict.pairs
    if verdict.name == "score":
        counts = paired_counts(blocks.values)
        for name, p_value in zip(EXACT, mcnemar_tests(counts.first, counts.second), strict=True):
            yield _sensitivity_method(blocks, _tested(pairs, name, holm(p_value)), name, "exact", n)
    if verdict.name == "cluster-robust":
        values = comparison_values(
            blocks.values, "ratio" if pairs.scale == "ratio" else "difference"
        )
        flips = cluster_sign_flips(values, blocks.clusters, stream("cluster-sign-flip"))
        law: Law = "exact" if flips.is_exact.all() else "monte-carlo"
        table = _tested(pairs, "cluster-sign-flip", flips.adjusted_p_value)
        yield _sensitivity_method(blocks, table, "cluster-sign-flip", law, n)


def _tested(verdict: PairTable, name: MethodName, adjusted: NDArray[np.float64]) -> PairTable:
    """Return the pairs of a verdict with the p-values of another test, which gives no interval."""
    pairs = np.column_stack([verdict.first, verdict.second])
    scale = verdict.scale
    return PairTable.of(
        pairs, verdict.estimate, name, verdict.alpha, adjusted_p_value=adjusted, scale=scale
    )


def sample_sensitivity_analysis(
    blocks: Performances, verdict: Method, alpha: float, stream: Callable[[str], Generator]
) -> Iterator[Method]:
    """Compare all pairs of independent samples by further methods, which change no verdict.

    `blocks`, `verdict`, `alpha`, `stream`: as of `item_sensitivity_analysis`.
    """
    n = verdict.n_units
    yield _sensitivity_method(
        blocks, brunner_munzel_pairs(blocks.values, alpha), "brunner-munzel", "asymptotic", n
    )
    if verdict.pairs.scale == "ratio":
        table = bootstrap_ratios(blocks.values, alpha, stream("bootstrap-ratio"))
        yield _sensitivity_method(blocks, table, "bootstrap-ratio", "bootstrap", n)


def _sensitivity_method(
    blocks: Performances, table: PairTable, name: MethodName, law: Law, n: int
) -> Method:
    smaller = blocks.measure.is_smaller_better
    pairs = table.named(blocks.candidates, blocks.target, smaller).decided()
    approximate = name in ("brunner-munzel", "bootstrap-ratio", "mcnemar-mid-p")
    return Method(name, "approximate" if approximate else "strong", law, None, n, pairs)
