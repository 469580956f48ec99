"""What the `analysis:` block says, and every section of a manifest may say anew."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from reportgen.study.faults import fault

ASYMMETRIC = (
    "an area that is symmetric about 0, [-d, d] (it applies to the difference first - second, "
    "so that an asymmetric one would make the relation depend on the order of the names)"
)


class Strict(BaseModel):
    """Base of everything a manifest can hold: unknown keys and other types are errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


def _symmetric(area: tuple[float, float]) -> tuple[float, float]:
    """Accept an area of equivalence only if it treats both of a pair alike."""
    lower, upper = area
    if not lower < 0 < upper:
        raise fault(f"[{lower:g}, {upper:g}]", "two numbers [-d, d] with d > 0")
    if lower != -upper:
        raise fault(f"[{lower:g}, {upper:g}]", ASYMMETRIC)
    return area


Area = Annotated[tuple[float, float], AfterValidator(_symmetric)]
"""Area of equivalence (-d, d): differences inside it are too small to matter."""


class AnalysisOptions(Strict):
    """Options that hold for every section; each section's own add to them.

    Examples
    --------
    >>> AnalysisOptions().alpha
    0.05
    """

    alpha: float = Field(0.05, gt=0, lt=1)
    """Level of the tests; intervals hold with probability 1 - alpha."""
    relevance: dict[str, Area] = Field(default_factory=dict)
    """Area of equivalence [-d, d] of a measure, by the measure's name."""
    reference: str | None = None
    """The candidate that all others are compared with."""
    df: Literal["exact", "asymptotic"] = "exact"
    """Degrees of freedom: exact, or none (normal law, as multcomp)."""
    family: Literal["dataset-measure", "study"] = "dataset-measure"
    """What one adjustment for multiplicity covers."""
    variance: Literal["pooled", "pairwise"] = "pooled"
    """Standard errors from all candidates, or from the two of a pair."""
    missing: Literal["available", "complete-dataset", "complete-domain"] = "available"
    """What happens to replications in which a candidate has no value."""
