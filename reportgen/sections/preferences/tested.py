"""Who is better by tests of all pairs."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.sections.inference.rank_results import RankPair
from reportgen.sections.inference.result import MeasureInference
from reportgen.sections.preferences.result import By, Relevant

Better = tuple[tuple[str, str], ...]


def better_by_tests(by: By, relevant: Relevant | None, found: MeasureInference) -> Better | None:
    """Return the pairs that are told apart.

    Parameters
    ----------
    by : {"mixed-model", "friedman"}
        Tests on means or on ranks.
    relevant : {"better", "not-equivalent"} or None
        Which significant differences count, of means.
    found : MeasureInference

    Returns
    -------
    tuple of (str, str), or None
        The better candidate first; None without a test.
    """
    if by == "mixed-model":
        return _by_means(found, relevant) if found.pairs else None
    if not found.rank_pairs:
        return None
    return tuple(sorted(preferred_by_ranks(found.rank_pairs, found.alpha)))


def _by_means(found: MeasureInference, relevant: Relevant | None) -> Better:
    """Return who is significantly better than whom, and relevantly so where that is asked."""
    pairs = []
    for pair in found.pairs:
        if not pair.primary or pair.favoured is None:
            continue
        counts = {
            None: True,
            "better": pair.decision in ("better-relevant", "worse-relevant"),
            "not-equivalent": pair.decision != "equivalent",
        }
        if counts[relevant]:
            pairs.append((pair.favoured, ({pair.first, pair.second} - {pair.favoured}).pop()))
    return tuple(pairs)


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
