"""Archetypal analysis: extreme points that all rows of a table are mixtures of.

`fit` is the entrance, with `options`. `checks` states the `problem`, of which `hull` says how many
archetypes it can have; `scaling` and `beginnings` prepare a start; `descent` alternates between the
exact least squares of `simplex`, with the leaps of `acceleration`, under a loss of `losses`;
`robust` reweights; `choice` says how many archetypes to take, `recurrence` whether they come back.
"""

from reportgen.stats.archetypes.choice import (
    LEAST_GAIN,
    Scree,
    elbow,
    retaken,
    scree,
)
from reportgen.stats.archetypes.descent import Limits
from reportgen.stats.archetypes.fit import Archetypes, Options, Start, archetypes, most_archetypes
from reportgen.stats.archetypes.stability import (
    AGREEING,
    LEAST_STARTS,
    RETURNING,
    Restarts,
    Stability,
    matched,
    restarts,
    stability,
)

__all__ = [
    "AGREEING",
    "LEAST_GAIN",
    "LEAST_STARTS",
    "RETURNING",
    "Archetypes",
    "Limits",
    "Options",
    "Restarts",
    "Scree",
    "Stability",
    "Start",
    "archetypes",
    "elbow",
    "matched",
    "most_archetypes",
    "restarts",
    "retaken",
    "scree",
    "stability",
]
