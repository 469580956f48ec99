"""Where tests on ranks speak against a relation: at once, or with failures counted."""

from __future__ import annotations

from reportgen.sections.inference.result import MeasureInference
from reportgen.sections.preferences.tested import Better, preferred


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
    complete = preferred(found.rank_pairs)
    counted = preferred(found.failed_last.rank_pairs)
    return tuple(pair for pair in better if pair in complete and pair not in counted)


def turned_by_ranks(better: Better, found: MeasureInference) -> Better:
    """Return the preferences that rank tests have the other way round.

    Parameters
    ----------
    better : tuple of (str, str)
        All preferences of a relation, the better candidate first.
    found : MeasureInference
    """
    ranked = preferred(found.rank_pairs)
    return tuple((i, j) for i, j in better if (j, i) in ranked)
