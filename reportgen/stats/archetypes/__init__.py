"""Archetypal analysis: extreme points that all rows of a table are mixtures of.

`fit` checks the options, states the `problem` and fits it: `initialisation` scales the columns and
chooses first archetypes; `descent` alternates between exact least squares of `simplex`, with
quasi-Newton steps of `acceleration`; `robust` reweights. `choice` draws the scree, and `stability`
fits again from other starts and on subsamples.
"""

from reportgen.stats.archetypes.choice import (
    LEAST_GAIN,
    Scree,
    elbow,
    replace_fit,
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
    "replace_fit",
    "restarts",
    "scree",
    "stability",
]
