r"""Several sequential tests at once: Bonferroni and Holm, closed testing, fixed order.

Everything rests on decisions of one sequential test at a given level: recursive,
group sequential or anytime-valid. Each partial hypothesis has such a test, and the
closure of them controls the family-wise error at whatever stage one stops; nothing
is assumed of how the decisions at different levels agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from reportgen.stats.multiplicity import MOST_CLOSED, Subset, partitions
from reportgen.stats.sequential.recursive import Decision


def bonferroni(
    n_hypotheses: int, decide: Callable[[int, float], Decision], alpha: float = 0.05
) -> tuple[Decision, ...]:
    """Decide on each hypothesis at its share of the level.

    Examples
    --------
    >>> p = [0.01, 0.02, 0.04]
    >>> bonferroni(3, lambda i, level: "reject" if p[i] <= level else "accept")
    ('reject', 'accept', 'accept')
    """
    return tuple(decide(i, alpha / n_hypotheses) for i in range(n_hypotheses))


def holm_decisions(
    n_hypotheses: int, decide: Callable[[int, float], Decision], alpha: float = 0.05
) -> tuple[Decision, ...]:
    r"""Decide by the closure of Bonferroni tests, which is Holm's for fixed samples.

    Parameters
    ----------
    n_hypotheses : int
        P: pairs, or pairs of each measure.
    decide : callable
        Decision of the sequential test of a hypothesis (from 0) at a level.
    alpha : float, default 0.05
        Family-wise.

    Returns
    -------
    tuple of {"reject", "accept", "go on", "undecided"}

    Raises
    ------
    ValueError
        If there is no hypothesis.

    Notes
    -----
    k hypotheses together are rejected when a test of one of them rejects at
    alpha / k. So i is rejected when for each k = 1, ..., P its own test at
    alpha / k rejects, or fewer than k tests do not; and it is accepted when for
    some k its own and at least k - 1 other tests accept.

    Examples
    --------
    >>> p = [0.01, 0.02, 0.04]
    >>> holm_decisions(3, lambda i, level: "reject" if p[i] <= level else "accept")
    ('reject', 'reject', 'reject')
    """
    if n_hypotheses < 1:
        raise ValueError("there is no hypothesis")
    every = range(n_hypotheses)
    table = [[decide(i, alpha / k) for i in every] for k in range(1, n_hypotheses + 1)]
    return tuple(_by_levels(table, i) for i in every)


def closed_pair_decisions(
    n_candidates: int, decide: Callable[[Subset, float], Decision], alpha: float = 0.05
) -> tuple[Decision, ...]:
    """Decide on all pairs of candidates by the closure of all partial hypotheses.

    Parameters
    ----------
    n_candidates : int
        K, from 2 to 8.
    decide : callable
        Decision of the sequential test at a level that two or more candidates
        (ascending) are alike, whatever the others are.
    alpha : float, default 0.05
        Family-wise.

    Returns
    -------
    tuple of {"reject", "accept", "go on", "undecided"}
        Of the pairs in lexical order.

    Raises
    ------
    ValueError
        If there are too few candidates or too many.

    Notes
    -----
    A partition of the candidates into r groups of two or more is rejected when
    the test of a group rejects at alpha / r, and accepted when all accept. A
    pair is rejected when all partitions with both in one group are, and
    accepted when one is.

    References
    ----------
    .. [1] R. Marcus, E. Peritz and K. R. Gabriel (1976), "On closed testing
       procedures with special reference to ordered analysis of variance",
       Biometrika 63.

    Examples
    --------
    >>> p = {(0, 1): 0.01, (0, 2): 0.04, (1, 2): 0.3, (0, 1, 2): 0.02}
    >>> closed_pair_decisions(3, lambda s, level: "reject" if p[s] <= level else "accept")
    ('reject', 'reject', 'accept')
    """
    if not 2 <= n_candidates <= MOST_CLOSED:
        raise ValueError(f"closed testing is for 2 to {MOST_CLOSED} candidates")
    found: dict[Subset, list[Decision]] = {
        pair: [] for pair in combinations(range(n_candidates), 2)
    }
    for groups in partitions(tuple(range(n_candidates))):
        large = [group for group in groups if len(group) > 1]
        together = any_rejects([decide(group, alpha / len(large)) for group in large])
        for pair in (pair for group in large for pair in combinations(group, 2)):
            found[pair].append(together)
    return tuple(all_reject(decisions) for decisions in found.values())


def hierarchical(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Decide in an order fixed beforehand, each hypothesis at the full level.

    Parameters
    ----------
    decisions : sequence of {"reject", "accept", "go on", "undecided"}
        Of the tests at level alpha, the most important hypothesis first.

    Returns
    -------
    tuple of {"reject", "accept", "go on", "undecided"}
        A hypothesis is rejected when its test and all before reject; after one
        that is not, it waits or is accepted with it.

    References
    ----------
    .. [1] W. Maurer, L. A. Hothorn and W. Lehmacher (1995), "Multiple comparisons
       in drug clinical trials and preclinical assays: a-priori ordered
       hypotheses", Biometrie in der chemisch-pharmazeutischen Industrie 6.

    Examples
    --------
    >>> hierarchical(["reject", "go on", "reject", "accept", "reject"])
    ('reject', 'go on', 'go on', 'accept', 'accept')
    """
    return tuple(all_reject(decisions[: place + 1]) for place in range(len(decisions)))


def all_reject(decisions: Iterable[Decision]) -> Decision:
    """Reject when all do, accept when one does.

    Examples
    --------
    >>> all_reject(["reject", "go on"]), all_reject(["go on", "accept"])
    ('go on', 'accept')
    """
    found = set(decisions)
    if "accept" in found:
        return "accept"
    return "reject" if found <= {"reject"} else _open(found)


def any_rejects(decisions: Iterable[Decision]) -> Decision:
    """Reject when one does, accept when all do.

    Examples
    --------
    >>> any_rejects(["reject", "go on"]), any_rejects(["undecided", "accept"])
    ('reject', 'undecided')
    """
    found = set(decisions)
    if "reject" in found:
        return "reject"
    return "accept" if found <= {"accept"} else _open(found)


def _by_levels(table: Sequence[Sequence[Decision]], i: int) -> Decision:
    """Return the decision on hypothesis i; row k - 1 of the table is at alpha / k."""
    partial: list[Decision] = []
    for k, row in enumerate(table, 1):
        if row[i] == "reject" or len(row) - row.count("reject") < k:
            partial.append("reject")
        elif row[i] == "accept" and row.count("accept") >= k:
            partial.append("accept")
        else:
            partial.append(_open({*row}))
    return all_reject(partial)


def _open(found: set[Decision]) -> Decision:
    """Return whether more stages can decide."""
    return "go on" if "go on" in found else "undecided"
