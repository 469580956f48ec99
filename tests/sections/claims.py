"""Claims of what a report says of two candidates, and how they are read from words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.stats.pair_table import PairTable

Kind = Literal[
    "better", "relevant", "slight", "equivalent", "undecided", "level", "not-better"
]  # fmt: skip
Key = tuple[str, str, str]
"""Data set, empty for all of them; measure; target, or the relation that is not a verdict's."""

WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
NUMBER = rf"(?:\d[\d,]*|{'|'.join(WORDS)}|none|no|all|once)"


@dataclass(frozen=True)
class Claim:
    """What is said of two candidates, and where.

    `kind` is "better" (first than second), "relevant" (better by a relevant
    amount), "slight" (better, and equivalent), "equivalent", "undecided",
    "level" (neither is said to be better) or "not-better" (first than second).
    """

    key: Key
    first: str
    second: str
    kind: Kind
    where: str


@dataclass(frozen=True)
class Count:
    """How many of something a report says there are, and how many there are."""

    said: object
    true: object
    where: str


@dataclass(frozen=True)
class Judged:
    """What is decided of one candidate against another."""

    decision: str
    favoured: str | None


@dataclass(frozen=True)
class Relation:
    """Who is put before whom by what is no table of pairs."""

    candidates: tuple[str, ...]
    judged: Mapping[tuple[str, str], Judged]

    def between(self, first: str, second: str) -> Judged | None:
        """Return what is said of first against second."""
        return self.judged.get((first, second))

    @staticmethod
    def of(names: Sequence[str], incidence: Sequence[Sequence[int]]) -> Relation:
        """Take a relation from its matrix: [i][j] is 1 where i is better than j."""
        judged = {
            (a, b): Judged("better", a)
            if incidence[i][j]
            else Judged("worse", b)
            if incidence[j][i]
            else Judged("undecided", None)
            for i, a in enumerate(names)
            for j, b in enumerate(names)
            if i != j
        }
        return Relation(tuple(names), judged)

    @staticmethod
    def of_chain(groups: Sequence[Sequence[str]]) -> Relation:
        """Take a relation from its groups, the best first."""
        place = {name: i for i, group in enumerate(groups) for name in group}
        return Relation.of(tuple(place), [[a < b for b in place.values()] for a in place.values()])


Truth = Mapping[Key, PairTable | Relation]


def agrees(found: PairTable | Relation, claim: Claim) -> bool:
    """Whether a claim says what was decided; of pairs that were not compared all may be said."""
    if not {claim.first, claim.second} <= set(found.candidates):
        return True
    pair = found.between(claim.first, claim.second)
    if pair is None:
        return True
    is_better = pair.favoured == claim.first
    return {
        "better": is_better,
        "relevant": is_better and pair.decision == "better-relevant",
        "slight": is_better and pair.decision == "equivalent",
        "equivalent": pair.decision == "equivalent",
        "undecided": pair.decision == "undecided",
        "level": pair.favoured is None,
        "not-better": not is_better,
    }[claim.kind]


def of_decision(key: Key, first: str, second: str, decision: str, where: str) -> Claim:
    """Return what a decision of first against second claims."""
    if decision.startswith("worse"):
        first, second, decision = second, first, decision.replace("worse", "better")
    kinds: dict[str, Kind] = {"better": "better", "better-relevant": "relevant"}
    kinds |= {"better, relevant": "relevant", "better, not relevant": "slight"}
    kinds |= {"equivalent": "equivalent"}
    kinds |= dict.fromkeys(("undecided", "not significant", "not tested"), "undecided")
    return Claim(key, first, second, kinds[decision], where)


def of_chain(groups: Iterable[Sequence[str]], key: Key, where: str) -> Iterator[Claim]:
    """Return what groups claim, the best first."""
    before: list[str] = []
    for group in groups:
        for i, name in enumerate(group):
            yield from (Claim(key, other, name, "better", where) for other in before)
            yield from (Claim(key, other, name, "level", where) for other in group[:i])
        before += group


def of_relation(
    better: Iterable[tuple[str, str]], names: Sequence[str], key: Key, where: str
) -> Iterator[Claim]:
    """Return what all pairs (better, worse) of a relation claim, and all that it leaves out."""
    there = set(better)
    for a in names:
        for b in names:
            if a != b:
                yield Claim(key, a, b, "better" if (a, b) in there else "not-better", where)


def of_unbeaten(
    leaders: Iterable[str], names: Iterable[str], key: Key, where: str
) -> Iterator[Claim]:
    """Return what is claimed where no candidate is better than some."""
    every = tuple(names)
    for leader in leaders:
        for other in every:
            if other != leader:
                yield Claim(key, other, leader, "not-better", where)


def chain_in(text: str, names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the groups of an order that is written with its signs."""
    text = without_p_values(text)
    order = text.partition(": ")[2] if ": " in text.partition(" > ")[0] else text
    pattern = any_of(names)
    return [tuple(re.findall(pattern, part)) for part in order.split(" > ")]


def without_p_values(text: str) -> str:
    """Return a text without "p > 0.999", whose sign is none between candidates."""
    return re.sub(r"\bp > [\d.]+", "", text)


def any_of(names: Iterable[str]) -> str:
    """Return a pattern that finds each of some names, as a whole word."""
    ordered = sorted(names, key=len, reverse=True)
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)"


def number(word: str | None, every: int = -1) -> int:
    """Read a count, in words or digits; "all" is every one of them."""
    text = (word or "none").lower().replace(",", "")
    if text in ("none", "no"):
        return 0
    if text in ("once", "the"):
        return 1
    if text == "all":
        return every
    return WORDS.index(text) if text in WORDS else int(text)


def plain_markdown(text: str) -> str:
    """Take marks out of a line of Markdown."""
    return re.sub(r"<[^>]+>|[*`\\]|\[|\]\([^)]*\)", "", text)
