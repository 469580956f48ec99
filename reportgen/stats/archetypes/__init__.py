"""Archetypal analysis: extreme points that all rows of a table are mixtures of.

`fit` is the entrance. `scaling` and `beginnings` prepare a start; `descent` alternates between the
exact least squares of `simplex`, with the leaps of `acceleration`, under a loss of `losses`;
`robust` reweights; `hull` says how many archetypes there can be; `choice` says how many to take.
"""

from reportgen.stats.archetypes.choice import (
    Scree,
    Stability,
    agreement_of_starts,
    elbow,
    matched,
    scree,
    stability,
)
from reportgen.stats.archetypes.descent import Limits
from reportgen.stats.archetypes.fit import Archetypes, Options, Start, archetypes

__all__ = [
    "Archetypes",
    "Limits",
    "Options",
    "Scree",
    "Stability",
    "Start",
    "agreement_of_starts",
    "archetypes",
    "elbow",
    "matched",
    "scree",
    "stability",
]
