"""The schema of options: the `analysis` block, which each section may overrule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from threading import RLock
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    PrivateAttr,
    WithJsonSchema,
    field_validator,
)

from reportgen.data_classes import dataclass
from reportgen.study.errors import Fault, fault, listed, nearest, shown

ASYMMETRIC = (
    "an area that is symmetric about 0, [-d, d] (it applies to the difference first - second, "
    "so that an asymmetric one would make the relation depend on the order of the names)"
)
RECIPROCAL = 0.01  # of 1: so close must the product of [0.91, 1.1] be
_BUILDING = RLock()


class Strict(BaseModel):
    """Base of everything a manifest can hold: unknown keys and other types are errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True
    )

    @classmethod
    def model_rebuild(cls, **options: Any) -> bool | None:
        """Build a model, one at a time: pydantic before 2.14 lets threads undo each other's."""
        with _BUILDING:
            return super().model_rebuild(**options)


def two_numbers(found: Any, allowed: str) -> tuple[Any, Any]:
    """Accept a list of two finite numbers or nulls; `allowed` is what was expected."""
    if isinstance(found, list | tuple) and len(found) == 2 and all(map(_is_number, found)):
        return (found[0], found[1])
    written = f"[{', '.join(map(shown, found))}]" if isinstance(found, list) else shown(found)
    raise fault(written, allowed)


def _is_number(value: Any) -> bool:
    return value is None or _is_finite(value)


def _is_finite(value: Any) -> bool:
    """Return whether a value is a number that double precision holds."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return isfinite(value)
    except OverflowError:  # a whole number beyond them
        return False


def _symmetric(found: Any) -> tuple[float, float]:
    """Accept an area of equivalence only if it treats both of a pair alike."""
    allowed = (
        "two numbers [-d, d] with d > 0, or d alone up to 1; or of ratios [1/r, r], or r alone, "
        "with r > 1"
    )
    if _is_finite(found) and found > 0:
        return (1 / found, float(found)) if found > 1 else (-float(found), float(found))
    lower, upper = two_numbers(found, allowed)
    is_area = (
        lower is not None and upper is not None and (lower < 0 < upper or 0 < lower < 1 < upper)
    )
    if not is_area:
        raise fault(f"[{shown(lower)}, {shown(upper)}]", allowed)
    if lower > 0 and abs(lower * upper - 1) <= RECIPROCAL:
        return 1 / upper, float(upper)
    if lower != -upper:
        raise fault(f"[{lower}, {upper}]", ASYMMETRIC)
    return float(lower), float(upper)


Area = Annotated[
    tuple[float, float],
    PlainValidator(_symmetric),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
                {"type": "number", "exclusiveMinimum": 0},
            ]
        }
    ),
]
"""Area of equivalence, (-d, d) of differences or (1/r, r) of ratios: what does not matter."""


Undecided = Literal["warn", "fail"]


class Expectation(Strict):
    """A claim that the results are held against."""

    claim: Annotated[str, Field(min_length=1)]
    """Such as 'svm better than lda', 'new not worse than main by 0.02', 'no failures'."""
    measure: str | None = None
    """By which; the main one when left out."""
    dataset: str | None = None
    """On which; the only one, or all together, when left out."""
    on_undecided: Undecided | None = None
    """What an undecided outcome of this claim does."""


class PlanEntry(Strict):
    """What a further study is to detect: how much is enough is planned from this one's results."""

    detect: str | float
    """The difference: 0.5pp of shares, 5% of ratios, or a number in the measure's unit."""
    power: float = Field(0.8, gt=0, lt=1)
    """With which probability it is to be detected."""
    pair: tuple[str, str] | None = None
    """The candidates, or two levels of a factor; the two best when left out."""
    dataset: str | None = None
    """On which; the only one, or all together, when left out."""
    costs: dict[Literal["fit", "unit"], Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """Of a fit of one candidate, and of a unit (a data set, an item) besides; the mean seconds of a
    fit, or 1, when left out."""


Scheme = Literal["bootstrap", "subsampling"]


@dataclass(frozen=True, slots=True)
class WantedCharacteristics:
    """The characteristics of every learning sample that a section needs."""

    names: tuple[str, ...] | None = None  # characteristics; None for the usual ones
    # Further resampling schemes, with their fractions, whose learning samples are described in
    # addition to the study's own.
    schemes: tuple[tuple[Scheme, float | None], ...] = ()


class AnalysisOptions(Strict):
    """Options that hold for every section; each section's own add to them."""

    _overall: float | None = PrivateAttr(None)  # the level of all looks, of options of one of them

    alpha: float = Field(0.05, ge=1e-10, lt=1)
    """Level of the tests; intervals hold with probability 1 - alpha."""
    relevance: dict[str, Area] = Field(default_factory=dict)
    """Area of equivalence of a measure, by its name: [-d, d], or of ratios [1/r, r]; without a name
    that of the main measure."""
    reference: str | None = None
    """The candidate that all others are compared with."""
    comparisons: Literal["all", "reference"] = "all"
    """Pairs that are decided on: all, or those with the reference alone, which are fewer, so that
    each is decided more easily; of the others nothing is said then."""
    plan: PlanEntry | None = None
    """How much is enough to detect a difference: adds the section `plan`."""
    df: Literal["exact", "asymptotic"] = "exact"
    """Degrees of freedom: exact, or none (normal law, as multcomp)."""
    family: Literal["dataset-measure", "study"] = "dataset-measure"
    """Family of one adjustment for multiplicity: the pairs of a data set and measure, or all."""
    variance: Literal["own", "pooled"] = "own"
    """Variance that decides on one data set's pairs: each pair's own, or one of all candidates."""
    target: Literal["auto", "experiment"] = "auto"
    """What decisions speak of: what the design allows, or this experiment alone, by the tests on
    its replications, as in reproductions of studies that did so."""
    costs: tuple[str, ...] | None = None
    """Measures of what a candidate costs, by which a recommendation chooses among those that are
    not shown to be worse; the first time when left out."""
    missing_by_design: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Data sets that a candidate lacks by design, by its name: it is compared on those that it has
    in common with another, and nothing is counted against it."""
    missing: Literal["available", "complete-dataset", "complete-domain"] = "available"
    """Replications in which a candidate has no value: use what is there, drop them on their data
    set, or drop their number on every data set."""

    @field_validator("relevance", mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        """Refuse an area without a measure: where the manifest lists measures it has one."""
        if isinstance(value, int | float | list) and not isinstance(value, bool):
            allowed = "a mapping of measures to areas, or measures in the manifest: its first one"
            raise fault(f"{shown(value)} without measures", allowed)
        return value

    def at_look(self, alpha: float) -> AnalysisOptions:
        """Return the options of one look of several, at its share of their level."""
        found = self.model_copy(update={"alpha": alpha})
        found._overall = self.alpha
        return found

    @property
    def overall_alpha(self) -> float:
        """The level of all looks together; that of the tests where there is but one."""
        return self.alpha if self._overall is None else self._overall

    @property
    def deciding(self) -> str | None:
        """The candidate whose pairs alone are decided on; None where all pairs are."""
        return self.reference if self.comparisons == "reference" else None

    @property
    def wanted_characteristics(self) -> WantedCharacteristics | None:
        """Characteristics of learning samples that the section is about; None for none."""
        return None

    @property
    def required_sections(self) -> tuple[str, ...]:
        """Sections whose results the section takes, too, where they apply."""
        return ()

    def faults_among(self, measures: Sequence[str]) -> list[Fault]:
        """Return what does not fit the measures of a study.

        Sections whose own options name measures add to it.

        `measures`: the measures of the setup or the results.
        Result: their places begin at the options' own keys.
        """
        return [
            Fault(("relevance", name), shown(name), listed(measures), nearest(name, measures))
            for name in self.relevance
            if name not in measures
        ] + [
            Fault(("costs", i), shown(name), listed(measures), nearest(name, measures))
            for i, name in enumerate(self.costs or ())
            if name not in measures
        ]

    def cross_check(
        self, others: Mapping[str, AnalysisOptions], measures: Sequence[str]
    ) -> list[Fault]:
        """Return what does not fit the options of the other sections.

        `others`: of every section that the manifest chooses, by its name.
        `measures`: the measures of the setup or the results.
        """
        return []
