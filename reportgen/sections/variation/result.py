"""Where values and differences vary from: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from reportgen.json_text import HIDDEN
from reportgen.stats.blocks.crossed_factors import OUTER, Term
from reportgen.warehouse import Measure

SPLIT = "split"
MOST_OF = 0.5  # share of a variance from which one source is named as the largest part


@dataclass(frozen=True, slots=True)
class SourcePart:
    """What one source adds to the variance.

    Attributes
    ----------
    source : str
        "dataset", "split", "seed", "tuning", another name of the file, two of them that interact
        ("split x seed"), or "rest".
    deviation : float
        Standard deviation.
    lower, upper : float or None
        Interval of it, by itself; None where there is none.
    share : float
        Of the variance of one value.
    """

    source: str
    deviation: float
    lower: float | None
    upper: float | None
    share: float


@dataclass(frozen=True, slots=True)
class Subject:
    """A candidate, or the difference of two.

    Attributes
    ----------
    candidates : tuple of str
        One, or the two whose difference (first - second; of ratios, of logarithms) it is.
    method : {"mean-squares", "reml"}
        The closed form of a complete layout, or restricted maximum likelihood.
    n : int
        Values.
    parts : tuple of SourcePart
        The rest is last.
    is_ratio : bool
        Whether values are logarithms.
    """

    candidates: tuple[str, ...]
    method: str
    n: int
    parts: tuple[SourcePart, ...]
    is_ratio: bool = False

    @property
    def is_pair(self) -> bool:
        """Whether it is a difference."""
        return len(self.candidates) == 2

    @property
    def largest(self) -> SourcePart:
        """The source with the largest part."""
        return max(self.parts, key=lambda part: part.share)


@dataclass(frozen=True, slots=True)
class Halving:
    """What more levels of one source do to the interval of the two best means.

    Attributes
    ----------
    source : str
    n : int
        Levels that there are, on each data set.
    share : float
        Of the variance of the mean difference, what more levels of this source alone take away.
    n_to_halve : int or None
        Levels with which, all else kept, the interval is half as wide; None where none are enough.
    """

    source: str
    n: int
    share: float
    n_to_halve: int | None


@dataclass(frozen=True)
class Variation:
    """Sources of variation of one measure.

    Attributes
    ----------
    measure : Measure
    alpha : float
        1 - alpha is the level of every interval.
    n_datasets : int
        Data sets that the components are means over.
    counts : mapping of str to int
        Levels of every source; of splits and runs, on a data set.
    subjects : tuple of Subject
        Candidates, best mean first; then the pairs.
    lead : tuple of two str, or None
        The two with the best means.
    halving : tuple of Halving
        Of the difference of these.
    target : {"domain", "sources", "new-data", "runs", "independent"}
        Whose error is halved: over data sets like these, these data sets, new data of one, other
        runs on one split, or splits taken for independent as their scheme is not known.
    split_factor : float or None
        The variance of a mean over splits to that of one split, where splits share data.
    n_nested : int
        Data sets whose runs are other ones in each split.
    """

    measure: Measure
    alpha: float
    n_datasets: int
    counts: Mapping[str, int]
    subjects: tuple[Subject, ...]
    lead: tuple[str, str] | None
    halving: tuple[Halving, ...]
    target: str
    split_factor: float | None = None
    n_nested: int = 0
    components: Mapping[Term, float] = field(default_factory=dict, metadata=HIDDEN)

    @cached_property
    def of_lead(self) -> Subject | None:
        """The components of the difference of the two best."""
        return next((s for s in self.subjects if s.candidates == self.lead), None)

    @property
    def of_candidates(self) -> tuple[Subject, ...]:
        """The candidates, best mean first."""
        return tuple(s for s in self.subjects if not s.is_pair)

    @property
    def pairs(self) -> tuple[Subject, ...]:
        """The differences."""
        return tuple(s for s in self.subjects if s.is_pair)

    @property
    def sources(self) -> tuple[str, ...]:
        """All sources, the rest last."""
        found = dict.fromkeys(part.source for s in self.subjects for part in s.parts)
        return (*(name for name in found if name != "rest"), "rest")

    @property
    def helping(self) -> tuple[Halving, ...]:
        """Sources of which enough levels halve the interval."""
        return tuple(h for h in self.halving if h.n_to_halve is not None)

    @property
    def idle(self) -> tuple[Halving, ...]:
        """Sources of which no number of levels does that."""
        return tuple(h for h in self.halving if h.n_to_halve is None)

    @property
    def is_fitted(self) -> bool:
        """Whether any components are estimated by restricted maximum likelihood."""
        return any(s.method == "reml" for s in self.subjects)

    @property
    def has_datasets(self) -> bool:
        """Whether data sets are a source."""
        return OUTER in self.counts


VariationResult = dict[str, Variation]
