"""What lacking values do to a relation."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.sections.inference.rank_results import RankPair
from reportgen.sections.inference.result import MeasureInference

Better = tuple[tuple[str, str], ...]


def lost_to_failures(better: Better, found: MeasureInference) -> Better:
    """Return the preferences that rank tests confirm, but not with failures as the worst.

    Parameters
    ----------
    better : tuple of (str, str)
        All preferences of a relation, the better candidate first.
    found : MeasureInference
        With rank tests on the replications that are complete, and of all, in
        which failed fits stand behind all values.

    Returns
    -------
    tuple of (str, str)
        Those that hold on complete replications and not where failures count.
        What ranks do not confirm anyhow is not blamed on failures.
    """
    if found.failed_last is None:
        return ()
    complete = preferred_by_ranks(found.rank_pairs, found.alpha)
    counted = preferred_by_ranks(found.failed_last.rank_pairs, found.alpha)
    return tuple(pair for pair in better if pair in complete and pair not in counted)


def preferred_by_ranks(pairs: Iterable[RankPair], alpha: float) -> set[tuple[str, str]]:
    """Return who stands significantly before whom; rank 1 is best, whichever way the measure is.

    Parameters
    ----------
    pairs : iterable of RankPair
    alpha : float
    """
    return {
        (p.first, p.second) if p.difference < 0 else (p.second, p.first)
        for p in pairs
        if p.p_value < alpha
    }
