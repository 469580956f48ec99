"""Who is better by the verdicts, or by another test of all pairs."""

from __future__ import annotations

from reportgen.sections.inference.result import MeasureInference
from reportgen.sections.preferences.result import By, Relevant
from reportgen.stats.pair_table import Pair, PairTable

Better = tuple[tuple[str, str], ...]


def pairs_behind(by: By, found: MeasureInference) -> PairTable | None:
    """Return the comparisons that a relation is read from; None where there are none.

    Parameters
    ----------
    by : {"verdict", "mixed-model", "friedman"}
        The verdicts, the block model with its pooled variance as published, or
        rank sums.
    found : MeasureInference
    """
    if by == "friedman":
        return found.rank_pairs
    if by == "mixed-model" and not found.is_pooled:
        model = found.methods.get("block-model")
        return model.pairs if model else None
    return found.pairs or None


def better_by_tests(by: By, relevant: Relevant | None, found: MeasureInference) -> Better | None:
    """Return the pairs that are decided.

    Parameters
    ----------
    by : {"verdict", "mixed-model", "friedman"}
    relevant : {"better", "not-equivalent"} or None
        Which decided differences count, of means.
    found : MeasureInference

    Returns
    -------
    tuple of (str, str), or None
        The better candidate first; None without a test.
    """
    pairs = pairs_behind(by, found)
    if not pairs:
        return None
    if by == "friedman":
        return tuple(sorted(preferred(pairs)))
    return preferred(pairs, relevant)


def preferred(pairs: PairTable | None, relevant: Relevant | None = None) -> Better:
    """Return who is decided to be better than whom, and relevantly so where that is asked.

    Parameters
    ----------
    pairs : PairTable or None
    relevant : {"better", "not-equivalent"} or None
    """
    return tuple(
        (pair.favoured, pair.second if pair.favoured == pair.first else pair.first)
        for pair in pairs or ()
        if pair.favoured is not None and _counts(pair, relevant)
    )


def _counts(pair: Pair, relevant: Relevant | None) -> bool:
    """Whether a decided difference counts."""
    if relevant == "better":
        return pair.decision in ("better-relevant", "worse-relevant")
    return relevant is None or pair.decision != "equivalent"
