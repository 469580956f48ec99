"""What is examined: every test and every family of intervals of `reportgen.stats`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from judges import (
    aligned,
    all_aligned_ranks,
    block_f,
    closed_performances,
    closed_ranks,
    domain_intervals,
    domain_test,
    gaps_f,
    gaps_max_t,
    generating_process,
    holm_over_families,
    intervals_over_families,
    joint,
    own_variances,
    paired,
    pairwise_holm,
    permuted_performances,
    pooled,
    rank_gaps,
    rank_pairs,
    sampled,
    sign_flips,
    signed_ranks,
    to_reference,
    verdict,
    verdict_with_gaps,
    within_ranks,
)
from numpy.random import Generator

from reportgen.stats.pairs.paired_max_t import JOINT_UNITS, UNITS_PER_CANDIDATE
from reportgen.stats.pairs.promise import promise_for

Claim = Literal["exact", "at most", "nearly", "at most 6%", "none", ""]
Kind = Literal["test", "intervals"]

CANDIDATES = (2, 3, 6, 12)
UNITS = (10, 50, 250)
OF_VERDICTS = (2, 5, 12, 50)  # candidates
UNITS_OF_VERDICTS = (6, 8, 12, 20, 30, 50, 100, 250)
OF_LAWS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "partly": (3, 12),
        "real": (2, 5),  # candidates of the benchmark
    }
)  # the fewest and the most that a law is examined with


@dataclass(frozen=True, slots=True)
class Procedure:
    """One computation with its rows of the table.

    Attributes
    ----------
    rows : mapping of str to str
        What each row promises where nothing else is said: errors in "exact"ly
        5%, "at most" or "nearly" so many.
    kind : {"test", "intervals"}
    run : callable
        From a law's name, units, candidates and a generator to the errors, one a row.
    laws : mapping of str to str
        The laws under which it is examined: "" for the promise of the row,
        "none" where what it assumes does not hold.
    candidates, units : tuple of int
    n_least, per_candidate : int
        Smallest number of units, and of units a candidate.
    share : callable
        From n and K to the runs, as a share of the usual number: below 1 where
        a run is long.
    promises : callable
        Whether anything is promised of a law with n units and K candidates.
    """

    rows: Mapping[str, Claim]
    kind: Kind
    run: Callable[[str, int, int, Generator], list[bool]]
    laws: Mapping[str, Claim]
    candidates: tuple[int, ...] = CANDIDATES
    units: tuple[int, ...] = UNITS
    n_least: int = 2
    per_candidate: int = 0
    share: Callable[[int, int], float] = lambda _n, _k: 1.0
    promises: Callable[[str, int, int], bool] = lambda _law, _n, _k: True

    def applies(self, law: str, n: int, k: int) -> bool:
        """Whether the procedure is examined there."""
        fewest, most = OF_LAWS.get(law, (2, max(self.candidates)))
        is_possible = law in self.laws and fewest <= k <= most
        is_large = n >= max(self.n_least, self.per_candidate * k)
        return is_possible and k in self.candidates and n in self.units and is_large

    def claim(self, row: str, law: str, n: int, k: int) -> Claim:
        """Return what the row promises."""
        return (self.laws[law] or self.rows[row]) if self.promises(law, n, k) else "none"


def _seldom(*steps: tuple[int, int, float]) -> Callable[[int, int], float]:
    """Return the share of the last step (n, K, share) whose n and K are reached."""

    def share(n: int, k: int) -> float:
        return next(
            (s for least_n, least_k, s in reversed(steps) if n >= least_n and k >= least_k), 1.0
        )

    return share


ALIKE: Mapping[str, Claim] = MappingProxyType({"normal": "", "unequal": "none", "tied": ""})
STRONG: Mapping[str, Claim] = MappingProxyType({**ALIKE, "partly": "at most"})
SYMMETRIC: Mapping[str, Claim] = MappingProxyType({**STRONG, "unequal": ""})
NORMAL: Mapping[str, Claim] = MappingProxyType({"normal": "", "unequal": "none", "tied": "nearly"})
SKEWNESS: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(("normal", "one bad", "tied"), 0.0),
        "skewness 1": 1.0,
        "skewness 1.75": 1.75,
        "skewness 2": 2.0,
        "skewness 6.2": 6.2,
    }
)
"""Of the smooth laws of verdicts: that of the candidate that varies most."""

PROMISED_FROM: Mapping[str, int] = MappingProxyType({"two values": 10, "failures": 50, "real": 100})
"""Units, for other laws: of failures so many that nearly every sample has one."""

LAWS_OF_VERDICTS = (*SKEWNESS, *PROMISED_FROM)
VERDICT = "own variances, corrected for skewness"
GAPS = "own variances, 15% gaps"
SHARED = 0.6  # of the units, by the pair that shares least where 15% of the cells are missing
OWN: Mapping[str, Claim] = MappingProxyType({"normal": "", "unequal": "", "tied": "nearly"})


def _is_promised(law: str, n: int, k: int) -> bool:
    """Whether a report says of a verdict that it is wrong with about 5% at most."""
    if law in PROMISED_FROM:
        return n >= PROMISED_FROM[law]
    return promise_for(n, SKEWNESS[law], n_pairs=k * (k - 1) // 2).is_kept


PROCEDURES: Mapping[str, Procedure] = MappingProxyType(
    {
        "ranks": Procedure(
            {
                "Friedman, chi-squared": "nearly",
                "Friedman, permutation": "at most",
                "Iman-Davenport F": "nearly",
                "W-N-M-T pairs, range of normals": "nearly",
                "W-N-M-T pairs, permutation": "at most",
                "N-W-W-M with a reference, normal": "nearly",
                "N-W-W-M with a reference, permutation": "at most",
            },
            "test",
            sampled(within_ranks),
            ALIKE,
        ),
        "rank pairs": Procedure(
            {"W-N-M-T pairs, range of normals": "nearly"},
            "test",
            sampled(rank_pairs),
            {"partly": "none"},
        ),
        "closed ranks": Procedure(
            {"closed re-ranking, range of normals": "nearly"},
            "test",
            sampled(closed_ranks("asymptotic")),
            STRONG,
            candidates=(2, 3, 6),
            share=_seldom((10, 6, 0.25)),
        ),
        "closed ranks permuted": Procedure(
            {"closed re-ranking, permutation": "at most"},
            "test",
            sampled(closed_ranks("permutation")),
            STRONG,
            candidates=(2, 3),
            share=_seldom((50, 2, 0.25), (250, 2, 0.1)),
        ),
        "signed ranks": Procedure(
            {"signed ranks, Holm": "at most"},
            "test",
            sampled(signed_ranks),
            SYMMETRIC,
            share=_seldom((10, 6, 0.5), (250, 6, 0.2)),
        ),
        "aligned ranks": Procedure(
            {
                "aligned ranks, chi-squared": "nearly",
                "aligned ranks, permutation": "at most",
                "aligned rank pairs, range of normals": "nearly",
                "aligned rank pairs, permutation": "at most",
            },
            "test",
            sampled(all_aligned_ranks),
            ALIKE,
            share=_seldom((10, 2, 0.5), (250, 2, 0.25)),
        ),
        "Skillings-Mack": Procedure(
            {"Skillings-Mack, 15% gaps": "nearly"}, "test", sampled(rank_gaps), ALIKE
        ),
        "paired": Procedure(
            {"paired t": "exact", "paired t, permutation": "at most"},
            "test",
            sampled(paired),
            OWN,
            candidates=(2,),
        ),
        "block F": Procedure({"block F": "exact"}, "test", sampled(block_f), NORMAL),
        "performances": Procedure(
            {"block F (t*), permutation": "at most", "all pairs, permutation": "at most"},
            "test",
            sampled(permuted_performances),
            ALIKE,
            share=_seldom((10, 3, 0.25), (50, 2, 0.5), (250, 2, 0.25)),
        ),
        "closed t*": Procedure(
            {"closed t*": "at most"},
            "test",
            sampled(closed_performances),
            STRONG,
            candidates=(2, 3),
            share=_seldom((10, 3, 0.25)),
        ),
        "sign flips": Procedure(
            {"sign flips, largest |t|": "at most", "sign flips, step-down": "at most"},
            "test",
            sampled(sign_flips),
            SYMMETRIC,
        ),
        "pairwise t": Procedure(
            {"paired t of all pairs, Holm": "at most"},
            "test",
            sampled(pairwise_holm),
            {**OWN, "partly": "at most"},
        ),
        "gaps F": Procedure(
            {"block model, 15% gaps: F": "nearly"},
            "test",
            sampled(gaps_f),
            NORMAL,
            share=_seldom((10, 2, 0.5)),
        ),
        "Tukey": Procedure(
            {"Tukey, pooled variance": "exact"},
            "intervals",
            sampled(pooled),
            NORMAL,
            share=_seldom((10, 2, 0.5)),
        ),
        "families": Procedure(
            {"four data sets, pooled variances, Holm": "at most"},
            "test",
            holm_over_families,
            {**NORMAL, "partly": "at most"},
            share=_seldom((10, 2, 0.5)),
        ),
        "families' intervals": Procedure(
            {"four data sets, pooled variances, Bonferroni": "at most"},
            "intervals",
            intervals_over_families,
            NORMAL,
            share=_seldom((10, 2, 0.5)),
        ),
        "aligned": Procedure(
            {"aligned performances": "exact"},
            "intervals",
            sampled(aligned),
            {"normal": ""},
            share=_seldom((10, 2, 0.5)),
        ),
        "Dunnett": Procedure(
            {"Dunnett, pooled variance": "exact"},
            "intervals",
            sampled(to_reference),
            NORMAL,
            share=_seldom((10, 2, 0.25)),
        ),
        "Bonferroni": Procedure(
            {"own variances, Bonferroni": "at most"}, "intervals", sampled(own_variances), OWN
        ),
        "joint": Procedure(
            {"own variances, largest |t|": "nearly"},
            "intervals",
            sampled(joint),
            OWN,
            n_least=JOINT_UNITS,
            per_candidate=UNITS_PER_CANDIDATE,
            share=_seldom((50, 2, 0.25)),
        ),
        "verdict": Procedure(
            {VERDICT: "at most 6%"},
            "intervals",
            sampled(verdict),
            dict.fromkeys(LAWS_OF_VERDICTS, ""),
            candidates=OF_VERDICTS,
            units=UNITS_OF_VERDICTS,
            share=_seldom((2, 2, 2.0), (50, 12, 1.0), (2, 50, 0.4), (250, 50, 0.2)),
            promises=_is_promised,
        ),
        "verdict, gaps": Procedure(
            {GAPS: "at most 6%"},
            "intervals",
            sampled(verdict_with_gaps),
            {"normal": "", "skewness 2": ""},
            candidates=(5,),
            units=(12, 20, 50, 100, 250),
            share=_seldom((2, 2, 2.0)),
            promises=lambda law, n, k: _is_promised(law, round(SHARED * n), k),
        ),
        "gaps max t": Procedure(
            {"block model, 15% gaps: largest |t|": "nearly"},
            "intervals",
            sampled(gaps_max_t),
            NORMAL,
            share=_seldom((10, 2, 0.25)),
        ),
        "generating process": Procedure(
            {"new data, Bonferroni": "nearly"},
            "intervals",
            generating_process,
            {"process": ""},
        ),
        "domain F": Procedure(
            {"interaction, F": "exact"},
            "test",
            domain_test("interaction"),
            {"domain": "", "domain, unequal": "none"},
        ),
        "domain Hotelling": Procedure(
            {"unstructured, Hotelling": "exact"},
            "test",
            domain_test("unstructured"),
            {"domain": "", "domain, unequal": ""},
            per_candidate=1,
        ),
        "domain Tukey": Procedure(
            {"interaction, Tukey": "exact"},
            "intervals",
            domain_intervals("interaction"),
            {"domain": "", "domain, unequal": "none"},
            share=_seldom((10, 2, 0.5)),
        ),
        "domain Bonferroni": Procedure(
            {"unstructured, Bonferroni": "at most"},
            "intervals",
            domain_intervals("unstructured"),
            {"domain": "", "domain, unequal": ""},
        ),
    }
)
