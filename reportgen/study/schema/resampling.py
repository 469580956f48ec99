"""The schema of resampling: schemes, and replications in stages with their tests."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    WithJsonSchema,
    model_validator,
)

from reportgen.methods import CombinationName, Multiplicity, RuleName, Stop, TestName
from reportgen.study.errors import KIND, fault, measure_name, shown
from reportgen.study.schema.options import Strict
from reportgen.study.schema.value_types import FILLED, Count, Name, Several

NamedScheme = Literal[
    "bootstrap",
    "subsampling",
    "k-fold",
    "repeated-k-fold",
    "hold-out",
    "bayesian-bootstrap",
    "parametric-bootstrap",
    "given",
    "time-series",
]
"""Schemes that a manifest may name."""
Assessment = Literal[
    "out-of-bag", "merged", "cross-validation", "fixed", "fresh", "learning", "bootstrap"
]
OF_MEANS = "t or permutation, which test means: signed ranks and signs show no means to be equal"


def _two_names(found: Any) -> tuple[str, str]:
    """Accept two different names."""
    allowed = "two names of candidates, such as [svm, rpart]"
    is_pair = isinstance(found, list | tuple) and len(found) == 2
    if not is_pair or not all(isinstance(name, str) and name for name in found):
        raise fault(shown(found), allowed)
    if found[0] == found[1]:
        raise fault(f"{shown(found[0])} twice", allowed)
    return str(found[0]), str(found[1])


Pair = Annotated[
    tuple[str, str],
    PlainValidator(_two_names),
    WithJsonSchema({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}),
]
"""Two candidates; their difference is first - second."""


def each_once(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Accept pairs that differ."""
    met = [frozenset(pair) for pair in pairs]
    for pair in pairs:
        if met.count(frozenset(pair)) > 1:
            raise fault(f"the pair {', '.join(pair)} twice", "each pair once")
    return pairs


class StagesEntry(Strict):
    """Replications that come in stages, until the comparisons are decided."""

    test: TestName = "t"
    """Of the mean difference: t with Hall's correction for skewness, or t by permutation; of the
    pseudo-median of the differences Wilcoxon's signed ranks, of their median signs."""
    rule: RuleName = "obrien-fleming"
    """Boundaries of the stages: by a spending function, or those of Eugster (2011), sections 6.3.2
    (constant) and 6.4 (narrowing)."""
    combination: CombinationName = "fisher"
    """The combination of the p-values of the stages."""
    multiplicity: Multiplicity = "holm"
    """Over all pairs."""
    pairs: Annotated[tuple[Pair, ...], *FILLED, AfterValidator(each_once)] | None = None
    """The comparisons that are requested, first - second; all when left out."""
    stop: Stop = "decided"
    """When a comparison is settled: when a difference is shown, or equivalence within the area of
    `relevance`; or when there is an answer to both questions, so that a difference that is shown
    goes on until it is known whether it is inside the area, and the other way round."""
    max: Count
    """Replications of a data set at most."""
    stage: Count = 50
    """Replications of a stage. A data set is done when all comparisons, or those of `pairs`, are
    settled by the rule `stop`."""
    drop: Literal["beaten", "decided"] | None = None
    """Candidates that are no longer measured: those than which another one is better, whose other
    comparisons may then stay open; or only those all of whose comparisons are settled."""
    measure: Annotated[Name, AfterValidator(measure_name)] | None = None
    """By which is decided; the main one when left out."""
    alpha: Annotated[float, Field(ge=1e-10, lt=1)] | None = None
    """Family-wise level; that of the analysis when left out."""

    @model_validator(mode="after")
    def _keys_fit(self) -> StagesEntry:
        if self.multiplicity == "closed" and self.pairs is not None:
            allowed = "closed without pairs, or holm, bonferroni"
            raise fault("closed with pairs", allowed, at="multiplicity")
        if self.stop == "both" and self.test in ("wilcoxon", "sign"):
            raise fault(f"{self.test} with stop: both", OF_MEANS, at="test")
        if self.stage > self.max:
            allowed = f"at most max, {self.max}"
            raise fault(str(self.stage), allowed, at="stage")
        if self.multiplicity == "closed" and self.drop:
            allowed = "holm or bonferroni where candidates are dropped"
            raise fault("closed with drop", allowed, at="multiplicity")
        return self


def _stage_kind(found: Any) -> str:
    return f"{KIND}stages" if isinstance(found, dict | StagesEntry) else f"{KIND}count"


Replications = Annotated[
    Annotated[Count, Tag(f"{KIND}count")] | Annotated[StagesEntry, Tag(f"{KIND}stages")],
    Discriminator(_stage_kind),
]
"""A number of replications, or stages of them."""


REPLICATIONS = 100
FOLDS = 10
PERIODS = 10

FOLDED: tuple[NamedScheme, ...] = ("k-fold", "repeated-k-fold")
OWNERS = {
    "fraction": ("subsampling", "hold-out"),
    "repeats": ("repeated-k-fold",),
    "file": ("given",),
    "overlap": ("given",),
    "time": ("time-series",),
    "gap": ("time-series",),
    "test_size": ("time-series",),
    "window": ("time-series",),
}
"""Keys, and the schemes with which they have a meaning."""


class ResamplingEntry(Strict):
    """The resampling of learning and test samples."""

    scheme: NamedScheme | None = None
    """Scheme of the learning samples, the bootstrap when left out; simulations draw them anew."""
    replications: Replications | None = None
    """Number of learning samples of each data set, 100 when left out, 5 of time-series, or stages
    until the comparisons are decided; folds determine it."""
    fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Of subsampling and hold-out: the learning sample's share of all observations, 2/3 when left
    out."""
    folds: Several | None = None
    """Of k-fold schemes, or of cross-validation inside each sample; 10 when left out."""
    repeats: Several | None = None
    """Of repeated-k-fold: how often all is divided anew, 10 when left out."""
    assessment: Assessment | None = None
    """The test sample: what was not drawn, the same of learning and test sample merged, folds
    inside the sample, the data set's test sample, or a new one each time (simulations); or what
    was learnt from: the learning sample itself (apparent performance), or a bootstrap sample of all
    observations."""
    stratify: bool = False
    """Whether every class keeps its share in the learning samples."""
    file: str | None = None
    """Of given samples: a CSV file with the columns dataset, replication, sample (learn or test)
    and observation, numbered from 1."""

    overlap: bool | None = None
    """Of given samples: whether what is learnt from may be tested on, too; not when left out."""
    splitter: str | None = None
    """In place of a scheme: the import path of a splitter by the convention of scikit-learn: a
    class, a function that returns one, an object, or pairs of learning and test rows."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Of a splitter: arguments of its class or function."""
    time: str | None = None
    """Of time-series: the column of the time, which is no input; the order of the rows when left
    out."""
    gap: Annotated[int, Field(ge=0)] | None = None
    """Of time-series: times between a learning sample and its period; none when left out."""
    test_size: Count | None = None
    """Of time-series: times of a period; equal shares when left out."""
    window: Count | None = None
    """Of time-series: times that a learning sample has at most; all before when left out."""

    @model_validator(mode="after")
    def _splitter_stands_alone(self) -> ResamplingEntry:
        if self.splitter is None and self.options:
            raise fault("options without splitter", "options with splitter only", at="options")
        for key in sorted(self.model_fields_set - {"splitter", "options"}):
            if self.splitter is not None and (key, self.scheme) != ("scheme", "given"):
                allowed = "splitter and options alone: the splitter has the rest"
                raise fault(f"{key} with splitter", allowed, at=key)
        return self

    @model_validator(mode="after")
    def _keys_have_a_use(self) -> ResamplingEntry:
        if self.splitter is not None:
            return self
        scheme = self.scheme or "bootstrap"
        for key, owners in OWNERS.items():
            if getattr(self, key) is not None and scheme not in owners:
                raise fault(f"{key} with {scheme}", f"{key} with {' or '.join(owners)}", at=key)
        if self.replications is not None and scheme in (*FOLDED, "hold-out", "given"):
            raise fault(
                f"replications with {scheme}",
                {"k-fold": "folds", "repeated-k-fold": "folds and repeats"}.get(
                    scheme, "no replications with it"
                ),
                at="replications",
            )
        has_folds = scheme in FOLDED or self.assessment == "cross-validation"
        if self.folds is not None and not has_folds:
            raise fault(
                f"folds with {scheme}",
                "folds with k-fold, repeated-k-fold or assessment: cross-validation",
                at="folds",
            )
        if self.assessment == "cross-validation" and scheme != "bootstrap":
            raise fault(
                f"cross-validation inside samples of {scheme}",
                "assessment: cross-validation with the bootstrap",
                at="assessment",
            )
        if scheme == "given" and self.file is None:
            raise fault("given without file", "a CSV file of samples as file, or a splitter")
        if scheme == "time-series" and isinstance(self.replications, StagesEntry):
            raise fault("stages of time-series", "a number of periods", at="replications")
        return self

    @property
    def n_replications(self) -> int:
        """Number B of learning samples, where the given ones do not determine it."""
        n_folds = self.folds or FOLDS
        if self.scheme == "k-fold":
            return n_folds
        if self.scheme == "repeated-k-fold":
            return n_folds * (self.repeats or 10)
        if isinstance(self.replications, StagesEntry):
            return self.replications.max
        usual = PERIODS if self.scheme == "time-series" else REPLICATIONS
        return 1 if self.scheme == "hold-out" else self.replications or usual


def _kind(found: Any) -> str:
    return f"{KIND}several" if isinstance(found, list | tuple) else f"{KIND}one"


Resamplings = Annotated[
    Annotated[ResamplingEntry, Tag(f"{KIND}one")]
    | Annotated[tuple[ResamplingEntry, ...], *FILLED, Tag(f"{KIND}several")],
    Discriminator(_kind),
]
"""One way to draw samples, or several that are compared."""
