"""All candidates against the reference that the study names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isinf
from typing import cast

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.inference.beside import OtherPair
from reportgen.sections.inference.blocks import Blocks
from reportgen.sections.inference.further import AgainstReference, ReferencePair
from reportgen.stats.block_asymptotics import asymptotic_reference
from reportgen.stats.block_model import fit_block_model, has_residual_variance
from reportgen.stats.block_permutation import permuted_reference
from reportgen.stats.many_to_one import ReferenceComparisons, dunnett
from reportgen.stats.ranks import within_block_ranks
from reportgen.stats.relevance import OPPOSITE, decide
from reportgen.stats.sum_law import SumLaw
from reportgen.study.manifest import AnalysisOptions

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Against:
    """What is found against a reference.

    Attributes
    ----------
    table : AgainstReference
    rows : tuple of OtherPair
        For the list of pairs, first before second in the study's order.
    """

    table: AgainstReference
    rows: tuple[OtherPair, ...]


def against(blocks: Blocks, options: AnalysisOptions, law: SumLaw) -> Against | None:
    """Compare every candidate with the reference, on complete replications.

    Parameters
    ----------
    blocks : Blocks
        With one or more complete replications.
    options : AnalysisOptions
    law : SumLaw
        Of the rank sums.

    Returns
    -------
    Against or None
        None where no reference is asked for, or it has no value here.
    """
    if options.reference is None or options.reference not in blocks.candidates:
        return None
    column = blocks.candidates.index(options.reference)
    compared = _compared(blocks.complete, column, options)
    ranks = within_block_ranks(blocks.complete, blocks.measure.is_smaller_better)
    limit, permuted = asymptotic_reference(ranks, column), permuted_reference(ranks, law, column)
    pairs = tuple(
        replace(
            _pair(compared, place, blocks, options),
            candidate=blocks.candidates[int(k)],
            rank_difference=float(limit.differences[place]),
            p_value_ranks=float(limit.p_values[place]),
            p_value_permutation=float(permuted.p_values[place]),
            permutation_error=float(permuted.standard_errors[place]),
        )
        for place, k in enumerate(limit.first)
    )
    table = AgainstReference(
        reference=options.reference,
        n_blocks=len(blocks.complete),
        critical_value=compared.critical_value if compared else None,
        df=None if compared is None or isinf(compared.df) else compared.df,
        law=law.method,
        n_draws=law.n_draws,
        pairs=pairs,
        target=blocks.target,
    )
    return Against(table, _rows(table, compared, blocks) if compared else ())


def _compared(values: Array, column: int, options: AnalysisOptions) -> ReferenceComparisons | None:
    """Compare the means by Dunnett's intervals, where there is a residual variance."""
    if len(values) < 2 or not has_residual_variance(values):
        return None
    estimates = fit_block_model(values).estimates
    if options.df == "asymptotic":
        estimates = replace(estimates, df=inf)
    return dunnett(estimates, column, options.alpha)


def _pair(
    compared: ReferenceComparisons | None, place: int, blocks: Blocks, options: AnalysisOptions
) -> ReferencePair:
    """Return a candidate's difference in means; what ranks say is put in later."""
    blank = ReferencePair("", None, None, None, None, None, False, 0.0, 1.0, 1.0, 0.0)
    if compared is None:
        return blank
    lower, upper = float(compared.lower[place]), float(compared.upper[place])
    area = options.relevance.get(blocks.measure.name)
    return replace(
        blank,
        estimate=float(compared.estimates[place]),
        lower=lower,
        upper=upper,
        p_value=float(compared.p_values[place]),
        decision=decide(lower, upper, area, blocks.measure.is_smaller_better),
        significant=lower > 0 or upper < 0,
    )


def _rows(
    table: AgainstReference, compared: ReferenceComparisons, blocks: Blocks
) -> tuple[OtherPair, ...]:
    """List the comparisons, each with the study's first candidate first."""
    return tuple(
        _row(pair, float(compared.statistics[place]), table, blocks)
        for place, pair in enumerate(table.pairs)
    )


def _row(
    pair: ReferencePair, statistic: float, table: AgainstReference, blocks: Blocks
) -> OtherPair:
    estimate, lower, upper = (cast("float", x) for x in (pair.estimate, pair.lower, pair.upper))
    decision = pair.decision or "undecided"
    row = OtherPair(
        first=pair.candidate,
        second=table.reference,
        estimate=estimate,
        statistic=statistic,
        lower=lower,
        upper=upper,
        p_value=cast("float", pair.p_value),
        df=table.df,
        method="dunnett",
        variance="pooled",
        target=table.target,
        significant=pair.significant,
        decision=decision,
    )
    place = blocks.candidates.index
    if place(pair.candidate) < place(table.reference):
        return row
    return replace(
        row,
        first=table.reference,
        second=pair.candidate,
        estimate=-estimate,
        statistic=-statistic,
        lower=-upper,
        upper=-lower,
        decision=OPPOSITE[decision],
    )
