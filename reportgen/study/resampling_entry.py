"""What a manifest says of learning and test samples."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from reportgen.study.faults import fault
from reportgen.study.kinds import FILLED
from reportgen.study.options import Strict
from reportgen.study.staged_entry import Replications, StagesEntry

REPLICATIONS = 100
FOLDS = 10

FOLDED = ("k-fold", "repeated-k-fold")
OWNERS = {
    "fraction": ("subsampling", "hold-out"),
    "repeats": ("repeated-k-fold",),
    "file": ("given",),
    "overlap": ("given",),
}
"""Keys, and the schemes beside which they have a meaning."""


class ResamplingEntry(Strict):
    """How learning and test samples are drawn."""

    scheme: (
        Literal[
            "bootstrap",
            "subsampling",
            "k-fold",
            "repeated-k-fold",
            "hold-out",
            "bayesian-bootstrap",
            "parametric-bootstrap",
            "given",
        ]
        | None
    ) = None
    """How learning samples are drawn, the bootstrap when left out; simulations draw them anew."""
    replications: Replications | None = None
    """Number of learning samples of each data set, 100 when left out, or stages until the
    comparisons are decided; folds say it themselves."""
    fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Of subsampling and hold-out: the learning sample's share of all observations, 2/3 when left
    out."""
    folds: Annotated[int, Field(ge=2)] | None = None
    """Of k-fold schemes, or of cross-validation inside each sample; 10 when left out."""
    repeats: Annotated[int, Field(ge=2)] | None = None
    """Of repeated-k-fold: how often all is divided anew, 10 when left out."""
    assessment: Literal["out-of-bag", "merged", "cross-validation", "fixed", "fresh"] | None = None
    """What is tested on: what was not drawn, the same of learning and test sample merged, folds
    inside the sample, the data set's test sample, or a new one each time (simulations)."""
    stratify: bool = False
    """Whether every class keeps its share in the learning samples."""
    file: str | None = None
    """Of given samples: a CSV file with the columns dataset, replication, sample (learn or test)
    and observation, numbered from 1."""

    overlap: bool | None = None
    """Of given samples: whether what is learnt from may be tested on, too; not when left out."""

    @model_validator(mode="after")
    def _keys_have_a_use(self) -> ResamplingEntry:
        scheme = self.scheme or "bootstrap"
        for key, owners in OWNERS.items():
            if getattr(self, key) is not None and scheme not in owners:
                raise fault(f"{key} with {scheme}", f"{key} with {' or '.join(owners)}", at=key)
        if self.replications is not None and scheme in (*FOLDED, "hold-out", "given"):
            raise fault(
                f"replications with {scheme}",
                {"k-fold": "folds", "repeated-k-fold": "folds and repeats"}.get(
                    scheme, "no replications beside it"
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
            raise fault("given without file", "a CSV file of samples as file")
        return self

    @property
    def n_replications(self) -> int:
        """Number B of learning samples, where the given ones do not say it."""
        n_folds = self.folds or FOLDS
        if self.scheme == "k-fold":
            return n_folds
        if self.scheme == "repeated-k-fold":
            return n_folds * (self.repeats or 10)
        if isinstance(self.replications, StagesEntry):
            return self.replications.max
        return 1 if self.scheme == "hold-out" else self.replications or REPLICATIONS


def _kind(found: Any) -> str:
    return "|several" if isinstance(found, list | tuple) else "|one"


Resamplings = Annotated[
    Annotated[ResamplingEntry, Tag("|one")]
    | Annotated[tuple[ResamplingEntry, ...], *FILLED, Tag("|several")],
    Discriminator(_kind),
]
"""One way to draw samples, or several that are compared."""
