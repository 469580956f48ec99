"""How pairs are tested in stages: what `sequential` and the stages of an execution may say."""

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

from reportgen.study.faults import fault, shown
from reportgen.study.kinds import FILLED, Count, Name
from reportgen.study.names import measure_name
from reportgen.study.options import Strict

Rule = Literal["obrien-fleming", "pocock", "constant", "narrowing"]
Test = Literal["t", "permutation", "wilcoxon", "sign"]
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


def _each_once(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Accept pairs that differ."""
    met = [frozenset(pair) for pair in pairs]
    for pair in pairs:
        if met.count(frozenset(pair)) > 1:
            raise fault(f"the pair {', '.join(pair)} twice", "each pair once")
    return pairs


class StagedTest(Strict):
    """A test of pairs on one stage of replications after the other."""

    test: Test = "t"
    """Of the mean difference: t with Hall's correction for skewness, or t by permutation; of the
    pseudo-median of the differences Wilcoxon's signed ranks, of their median signs."""
    rule: Rule = "obrien-fleming"
    """Boundaries of the stages: by a spending function, or those of Eugster (2011), sections 6.3.2
    (constant) and 6.4 (narrowing)."""
    combination: Literal["fisher", "inverse-normal"] = "fisher"
    """How the p-values of the stages are combined."""
    multiplicity: Literal["holm", "bonferroni", "hierarchical", "closed"] = "holm"
    """Over all pairs, and over the measures where several are named; hierarchical: in the order of
    `measures` and `pairs`."""
    pairs: Annotated[tuple[Pair, ...], *FILLED, AfterValidator(_each_once)] | None = None
    """The comparisons that are asked for, first - second; all when left out."""
    stop: Literal["decided", "both"] = "decided"
    """When a comparison is settled: when a difference is shown, or equivalence within the area of
    `relevance`; or when there is an answer to both questions, so that a difference that is shown
    goes on until it is known whether it is inside the area, and the other way round."""

    @model_validator(mode="after")
    def _closure_has_all(self) -> StagedTest:
        if self.multiplicity == "closed" and self.pairs is not None:
            allowed = "closed without pairs, or holm, bonferroni, hierarchical"
            raise fault("closed with pairs", allowed, at="multiplicity")
        return self

    @model_validator(mode="after")
    def _equivalence_is_of_means(self) -> StagedTest:
        if self.stop == "both" and self.test in ("wilcoxon", "sign"):
            raise fault(f"{self.test} with stop: both", OF_MEANS, at="test")
        return self


class StagesEntry(StagedTest):
    """Replications that come in stages, until the comparisons are decided."""

    max: Count
    """Replications of a data set at most."""
    stage: Count = 50
    """Replications of a stage. A data set is done when all comparisons, or those of `pairs`, are
    settled as `stop` says."""
    drop: Literal["beaten", "decided"] | None = None
    """Candidates that are no longer measured: those than which another one is better, whose other
    comparisons may then stay open; or only those all of whose comparisons are settled."""
    measure: Annotated[Name, AfterValidator(measure_name)] | None = None
    """By which is decided; the main one when left out."""
    alpha: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Family-wise level; that of the analysis when left out."""

    @model_validator(mode="after")
    def _keys_fit(self) -> StagesEntry:
        if self.stage > self.max:
            allowed = f"at most max, {self.max}"
            raise fault(str(self.stage), allowed, at="stage")
        if self.multiplicity == "closed" and self.drop:
            allowed = "holm, bonferroni or hierarchical where candidates are dropped"
            raise fault("closed with drop", allowed, at="multiplicity")
        return self


def _kind(found: Any) -> str:
    return "|stages" if isinstance(found, dict | StagesEntry) else "|count"


Replications = Annotated[
    Annotated[Count, Tag("|count")] | Annotated[StagesEntry, Tag("|stages")],
    Discriminator(_kind),
]
"""A number of replications, or stages of them."""
