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
from null_laws import Sample
from numpy.random import Generator

from reportgen.stats.pairs.own_variances import JOINT_UNITS, UNITS_PER_CANDIDATE

Claim = Literal["exact", "at most", "nearly", "at most 6%", "none", ""]
Kind = Literal["test", "intervals"]

CANDIDATES = (2, 3, 6, 12)
UNITS = (10, 50, 250)
OF_VERDICTS = (2, 6, 12, 50)  # candidates
OF_LAWS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "partly": (3, 12),
        "real": (6, 6),  # candidates of the benchmark
        "neighbours": (2, 12),
        "tied": (2, 12),
        "unequal": (2, 12),
        "skewness 1": (2, 12),
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
    least_promised : int
        The number of units from which on anything is promised.
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
    least_promised: int = 0

    def applies(self, law: str, n: int, k: int) -> bool:
        """Whether the procedure is examined there."""
        fewest, most = OF_LAWS.get(law, (2, max(self.candidates)))
        is_possible = law in self.laws and fewest <= k <= most
        is_large = n >= max(self.n_least, self.per_candidate * k)
        return is_possible and k in self.candidates and n in self.units and is_large

    def claim(self, row: str, law: str, n: int) -> Claim:
        """Return what the row promises."""
        return "none" if n < self.least_promised else self.laws[law] or self.rows[row]


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
SYMMETRIC_LAWS = ("normal", "unequal", "one bad", "neighbours", "tied")
SKEWED_LAWS = ("skewness 1", "skewness 2", "skewness 4", "real")
GAPS_PROMISED = 200  # units, of which pairs share more than 100
OF_GAPS = ("normal", "skewness 2", "real")
VERDICT = "own variances, corrected for skewness"
POOLED = "one pooled variance, Tukey"
GAPS = "own variances, 15% gaps"
OWN: Mapping[str, Claim] = MappingProxyType({"normal": "", "unequal": "", "tied": "nearly"})


def _verdicts(
    name: str, rows: Mapping[str, Claim], judge: Callable[[Sample, Generator], list[bool]]
) -> dict[str, Procedure]:
    """Return a rule of verdicts where it promises its level, and where it does not."""
    long = _seldom((2, 2, 2.5), (50, 6, 2.0), (50, 12, 1.5), (2, 50, 0.3), (250, 50, 0.2))
    has_gaps = GAPS in rows
    cases: dict[str, tuple[tuple[int, ...], dict[str, Claim]]] = {
        name: ((6, 10, 20, 50, 100, 250), dict.fromkeys(SYMMETRIC_LAWS, "")),
        f"{name}, skewed": ((100, 250), dict.fromkeys(SKEWED_LAWS, "")),
        f"{name}, skewed, few units": ((6, 10, 20, 50), dict.fromkeys(SKEWED_LAWS, "none")),
        f"{name}, two values": ((6, 10, 20, 50, 100, 250), {"two values": "none"}),
    }
    cases = {
        title: (
            units,
            {law: claim for law, claim in laws.items() if not has_gaps or law in OF_GAPS},
        )
        for title, (units, laws) in cases.items()
    }
    return {
        title: Procedure(
            rows,
            "intervals",
            sampled(judge),
            laws,
            candidates=OF_VERDICTS,
            units=units,
            n_least=10 if has_gaps else 6,
            share=long,
            least_promised=GAPS_PROMISED if has_gaps and title.endswith("skewed") else 0,
        )
        for title, (units, laws) in cases.items()
        if laws
    }


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
            {"signed ranks, Holm": "at most", "signed ranks, Shaffer": "at most"},
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
        **_verdicts("verdict", {VERDICT: "at most 6%", POOLED: "none"}, verdict),
        **_verdicts("verdict, gaps", {GAPS: "at most 6%"}, verdict_with_gaps),
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
