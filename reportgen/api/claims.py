"""Claims about pairs of candidates, held against the verdicts of a study."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from reportgen.errors import StudyError
from reportgen.study.errors import describe_unknown, shown

if TYPE_CHECKING:
    import pandas as pd

    from reportgen.stats.pair_table import Pair

Outcome = Literal["holds", "fails", "undecided"]
Relation = Literal["better", "within", "not-worse"]

AMOUNT = r"(?P<amount>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
FORMS: tuple[tuple[Relation, re.Pattern[str]], ...] = (
    ("better", re.compile(r"(?P<first>.+?) (?:is )?better than (?P<second>.+)")),
    ("within", re.compile(rf"(?P<first>.+?) (?:is )?within {AMOUNT} of (?P<second>.+)")),
    (
        "not-worse",
        re.compile(rf"(?P<first>.+?) (?:is )?not worse than (?P<second>.+) by {AMOUNT}"),
    ),
)
ALLOWED = "'A better than B', 'A within 0.01 of B' or 'A not worse than B by 0.02'"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that was read.

    Attributes
    ----------
    text : str
    relation : {"better", "within", "not-worse"}
    first, second : str
    amount : float or None
        A difference, or of ratios a factor; None of "better".
    """

    text: str
    relation: Relation
    first: str
    second: str
    amount: float | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """A claim and its outcome.

    Attributes
    ----------
    claim : str
    outcome : {"holds", "fails", "undecided"}
    first, second : str
    measure : str
    dataset : str or None
        None over all data sets.
    estimate, lower, upper : float or None
        Of the better or first one against the second: the difference, or the ratio, with the
        interval that holds for all pairs at once.
    scale : {"difference", "ratio"}
    level : float
        Of the intervals.
    is_open : bool
        Whether there are too few values to decide on the pair, whatever its interval.
    """

    claim: str
    outcome: Outcome
    first: str
    second: str
    measure: str
    dataset: str | None
    estimate: float | None
    lower: float | None
    upper: float | None
    scale: Literal["difference", "ratio"]
    level: float
    is_open: bool = False

    def __bool__(self) -> bool:
        """Whether the claim holds."""
        return self.outcome == "holds"

    def __str__(self) -> str:
        """Write the outcome with the interval that it rests on."""
        sign = "/" if self.scale == "ratio" else "-"
        where = "over the data sets" if self.dataset is None else f"on {self.dataset}"
        if self.estimate is None:
            numbers = "no value in common"
        elif self.lower is None:
            numbers = f"{self.estimate:.4g}, no interval"
        else:
            interval = f"{100 * self.level:g}% interval {self.lower:.4g} to {self.upper:.4g}"
            numbers = f"{self.estimate:.4g}, {interval}"
        if self.is_open:
            units = "data sets" if self.dataset is None else "replications"
            numbers += f", too few {units} to decide"
        return (
            f"{self.outcome}: {self.claim} ({self.measure} {where}: "
            f"{self.first} {sign} {self.second} = {numbers})"
        )


@dataclass(frozen=True, slots=True, repr=False)
class Checks(Sequence[Check]):
    """Claims and their outcomes; true where all hold.

    Attributes
    ----------
    items : tuple of Check
    """

    items: tuple[Check, ...]

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self.items)

    def __getitem__(self, place: Any) -> Any:
        """Return an outcome, or some."""
        return self.items[place]

    def __bool__(self) -> bool:
        """Whether all claims hold."""
        return all(self.items)

    def __repr__(self) -> str:
        """Write a line a claim, as an assertion that fails shows it."""
        return "\n".join(map(str, self.items))

    def to_frame(self) -> pd.DataFrame:
        """Return a row a claim, with the attributes of `Check` as columns."""
        from reportgen.api.frames import records

        return records(
            [[getattr(item, name) for name in Check.__slots__] for item in self.items],
            Check.__slots__,
        )


def check(claims: Sequence[str], verdict: Any, dataset: str | None) -> Checks:
    """Hold claims against a verdict.

    Parameters
    ----------
    claims : sequence of str
    verdict : MeasureInference or DomainVerdict
    dataset : str or None

    Raises
    ------
    StudyError
        If there is no claim, one cannot be read, or names a candidate that is not there.
    """
    if not claims:
        raise StudyError(f"check: found no claim; allowed {ALLOWED}")
    names = verdict.pairs.candidates or tuple(verdict.means)
    return Checks(tuple(_check(read_claim(text, names), verdict, dataset) for text in claims))


def read_claim(text: str, candidates: Sequence[str]) -> Claim:
    """Read a claim.

    Examples
    --------
    >>> read_claim("rf within 0.01 of svm", ["rf", "svm"])
    Claim(text='rf within 0.01 of svm', relation='within', first='rf', second='svm', amount=0.01)
    """
    if not isinstance(text, str):
        raise StudyError(f"check: found {shown(text)}; allowed texts, one a claim: {ALLOWED}")
    matches = [
        (relation, found) for relation, form in FORMS if (found := form.fullmatch(text.strip()))
    ]
    if not matches:
        raise StudyError(f"check: found {shown(text)}; allowed {ALLOWED}")
    known = [m for m in matches if {m[1]["first"], m[1]["second"]} <= set(candidates)]
    relation, found = (known or matches)[0]
    first, second = found["first"], found["second"]
    for name in (first, second):
        if name not in candidates:
            unknown = describe_unknown("candidate", name, candidates)
            raise StudyError(f"check: {shown(text)}: {unknown}")
    if first == second:
        raise StudyError(f"check: found {shown(text)}; allowed two candidates")
    amount = None if relation == "better" else float(found["amount"])
    return Claim(text.strip(), relation, first, second, amount)


def _check(claim: Claim, verdict: Any, dataset: str | None) -> Check:
    """Hold one claim against the verdict on its pair."""
    pair = verdict.pairs.between(claim.first, claim.second)
    is_open = pair is not None and bool(verdict.pairs.is_open[_place(verdict, claim)])
    is_ratio = verdict.pairs.scale == "ratio"
    if is_ratio and claim.amount is not None and claim.amount <= 1:
        raise StudyError(
            f"check: {shown(claim.text)}: found {claim.amount:g}; allowed a factor above 1, as "
            f"{verdict.measure.name} is compared by ratio"
        )
    return Check(
        claim.text,
        "undecided"
        if pair is None or is_open
        else _outcome(claim, pair, verdict, is_ratio=is_ratio),
        claim.first,
        claim.second,
        verdict.measure.name,
        dataset,
        None if pair is None else pair.estimate,
        None if pair is None else pair.lower,
        None if pair is None else pair.upper,
        verdict.pairs.scale,
        1 - verdict.alpha,
        is_open,
    )


def _outcome(claim: Claim, pair: Pair, verdict: Any, *, is_ratio: bool) -> Outcome:
    """Return whether a claim holds, by the decision or the simultaneous interval."""
    if claim.relation == "better":
        if not pair.significant:
            return "undecided"
        return "holds" if pair.favoured == claim.first else "fails"
    if pair.lower is None or pair.upper is None or claim.amount is None:
        return "undecided"
    low, high = pair.lower, pair.upper
    least, most = (1 / claim.amount, claim.amount) if is_ratio else (-claim.amount, claim.amount)
    if claim.relation == "within":
        if least < low and high < most:
            return "holds"
        return "fails" if high < least or low > most else "undecided"
    if verdict.measure.is_smaller_better:
        return "holds" if high < most else "fails" if low > most else "undecided"
    return "holds" if low > least else "fails" if high < least else "undecided"


def _place(verdict: Any, claim: Claim) -> int:
    """Return the row of a claim's pair."""
    names = verdict.pairs.candidates
    wanted = {names.index(claim.first), names.index(claim.second)}
    both = zip(verdict.pairs.first.tolist(), verdict.pairs.second.tolist(), strict=True)
    return next(row for row, pair in enumerate(both) if {*pair} == wanted)
