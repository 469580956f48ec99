"""Claims about pairs of candidates, held against the verdicts of a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from reportgen.conclusion.verdict import target_of
from reportgen.errors import StudyError
from reportgen.study.claims import (
    ALLOWED,
    Claim,
    Names,
    Place,
    bounds_of,
    claim_fault,
    place_of_pair,
    read_claim,
)
from reportgen.study.errors import shown
from reportgen.study.target import Asked

if TYPE_CHECKING:
    import pandas as pd

    from reportgen.stats.pair_table import PairTable

VerdictOf = Callable[[Claim], tuple[Any, str | None]]

Outcome = Literal["holds", "fails", "undecided"]
OUTCOMES: dict[Place, Outcome] = {"inside": "holds", "outside": "fails", "undecided": "undecided"}
OF_GATES = "; gate() takes this claim"
BEYOND = "what holds for new data is not known: declare `resampling`, or say 'in this experiment'"


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
    target : str
        What the outcome speaks of.
    is_of_experiment_alone : bool
        Whether it is undecided as nothing is known beyond this experiment.
    is_undone_by_gaps : bool
        Whether the interval would decide, and does not with gaps counted against who has them.
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
    target: str = ""
    is_of_experiment_alone: bool = False
    is_undone_by_gaps: bool = False

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
        if self.is_of_experiment_alone:
            numbers += f"; {BEYOND}"
        if self.is_undone_by_gaps:
            numbers += "; gaps might explain it"
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


def check(
    claims: Sequence[str], verdict_of: VerdictOf, names: Names, asked: Asked = "auto"
) -> Checks:
    """Hold claims against verdicts.

    Parameters
    ----------
    claims : sequence of str
    verdict_of : callable
        Returns the verdict of a measure, and its data set, as a claim names them.
    names : Names
        What claims can name.
    asked : {"auto", "experiment"}
        The study's `analysis.target`.

    Raises
    ------
    StudyError
        If there is no claim, one cannot be read, or names what is not there.
    """
    if not claims:
        raise StudyError(f"check: found no claim; allowed {ALLOWED}")
    found = []
    for text in claims:
        claim = read_claim(text, names, where="check")
        if not claim.is_of_pairs:
            allowed = "a claim that compares candidates"
            raise StudyError(f"check: found {shown(text)}; allowed {allowed}{OF_GATES}")
        found.append(_check(_asked(claim, asked), *verdict_of(claim)))
    return Checks(tuple(found))


def _asked(claim: Claim, asked: Asked) -> Claim:
    """Return a claim that is about the experiment where the study is."""
    return replace(claim, is_of_experiment=claim.is_of_experiment or asked == "experiment")


def _check(claim: Claim, verdict: Any, dataset: str | None) -> Check:
    """Hold a claim against the verdicts on its pairs; of several, that on the nearest rival."""
    if claim.relation != "best":
        return _of_pair(claim, verdict, dataset)
    others = [name for name in verdict.pairs.candidates if name != claim.first]
    if not others or claim.first not in verdict.pairs.candidates:
        return _of_pair(replace(claim, second=claim.first), verdict, dataset)
    each = [_of_pair(replace(claim, second=name), verdict, dataset) for name in others]
    fails = [item for item in each if item.outcome == "fails"]
    open_ = [item for item in each if item.outcome == "undecided"]
    return (fails or open_ or each)[0]


def _of_pair(claim: Claim, verdict: Any, dataset: str | None) -> Check:
    """Hold a claim about a pair against its verdict."""
    target = target_of(verdict)
    table = verdict.pairs
    if claim.is_of_experiment and dataset is not None and target == "new-data":
        table, target = verdict.conditional_pairs, "experiment"
    is_alone = target == "experiment" and not claim.is_of_experiment
    are_there = {claim.first, claim.second} <= set(table.candidates)
    pair = table.between(claim.first, claim.second) if are_there else None
    is_open = pair is not None and bool(table.is_open[_row(table, claim)])
    area = verdict.relevance if table.scale == verdict.pairs.scale else None
    if fault := claim_fault(claim, verdict.measure, table.scale, area):
        raise StudyError(f"check: {shown(claim.text)}: {fault}")
    bounds = bounds_of(claim, verdict.measure, table.scale, area)
    place: Place = "undecided"
    is_undone = False
    if pair is not None and not is_open and not is_alone:
        place, plain = place_of_pair(claim, pair, bounds), replace(pair, extra={})
        is_undone = (
            pair.is_undone_by_gaps
            if claim.relation == "better"
            else (place != place_of_pair(claim, plain, bounds))
        )
    return Check(
        claim.text,
        OUTCOMES[place],
        claim.first,
        claim.second,
        verdict.measure.name,
        dataset,
        None if pair is None else pair.estimate,
        None if pair is None else pair.lower,
        None if pair is None else pair.upper,
        table.scale,
        1 - verdict.alpha,
        is_open,
        target,
        is_alone and not is_open,
        is_undone,
    )


def _row(table: PairTable, claim: Claim) -> int:
    """Return the row of a claim's pair."""
    wanted = {table.candidates.index(claim.first), table.candidates.index(claim.second)}
    both = zip(table.first.tolist(), table.second.tolist(), strict=True)
    return next(row for row, pair in enumerate(both) if {*pair} == wanted)
