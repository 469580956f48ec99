"""How archetypes are looked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from reportgen.stats.archetypes.beginnings import BEGINNINGS, BeginningName
from reportgen.stats.archetypes.descent import Limits
from reportgen.stats.archetypes.scaling import SCALINGS, ScalingName

Method = Literal["original", "weighted", "robust"]
Weighting = Literal["residual", "shrink"]

METHODS: tuple[str, ...] = get_args(Method)
WEIGHTINGS: tuple[str, ...] = get_args(Weighting)


@dataclass(frozen=True, slots=True)
class Options:
    """How archetypes are looked for.

    Attributes
    ----------
    method : {"original", "weighted", "robust"}
    weighting : {"residual", "shrink"}
        Weights on squared residuals, or rows shrunk towards the centre by their weight (what R's
        package does, which depends on where the centre is).
    scaling : {"standard", "robust", "none"} or None
        Robust for the robust method and standard else, when none.
    beginning : {"mixed", "furthest_sum", "plus_plus", "random"}
    n_starts : int
    limits : Limits
        When the best descent ends.
    is_polishing_all : bool
        Whether all starts go all the way, not only the best quarter of them.
    """

    method: Method = "original"
    weighting: Weighting = "residual"
    scaling: ScalingName | None = None
    beginning: BeginningName = "mixed"
    n_starts: int = 8
    limits: Limits = field(default_factory=Limits)
    is_polishing_all: bool = False

    def __post_init__(self) -> None:
        allowed = (
            ("method", METHODS),
            ("weighting", WEIGHTINGS),
            ("scaling", (None, *SCALINGS)),
            ("beginning", BEGINNINGS),
        )
        for name, names in allowed:
            if getattr(self, name) not in names:
                raise ValueError(f"{name} must be one of {names}, got {getattr(self, name)!r}")
        if self.n_starts < 1:
            raise ValueError(f"n_starts must be at least 1, got {self.n_starts}")

    @property
    def scaling_name(self) -> ScalingName:
        """The scaling that is used."""
        return self.scaling or ("robust" if self.method == "robust" else "standard")

    @property
    def is_shrinking(self) -> bool:
        """Whether weights shrink the rows."""
        return is_shrinking(self.method, self.weighting)

    @property
    def allows_gaps(self) -> bool:
        """Whether cells may be missing."""
        return allows_gaps(self.method, self.weighting)


def is_shrinking(method: str, weighting: str) -> bool:
    """Whether weights of a method shrink the rows."""
    return method == "weighted" and weighting == "shrink"


def allows_gaps(method: str, weighting: str) -> bool:
    """Whether a method takes rows with missing cells."""
    return method != "robust" and not is_shrinking(method, weighting)
