"""Archetypal analysis: extreme points that all rows of a table are mixtures of.

`fit` is the entrance, with `options`. `checks` states the `problem`, of which `hull` says how many
archetypes it can have; `scaling` and `beginnings` prepare a start; `descent` alternates between the
exact least squares of `simplex`, with the leaps of `acceleration`, under a loss of `losses`;
`robust` reweights; `choice` says how many archetypes to take, `recurrence` whether they come back.
"""

# A further archetype counts when it explains at least this much of what one point leaves. With
# 0.07 the numbers are those that Eugster (2011) reads off his screes: 3 of the toy data, 3 of the
# skeletal measures, 4 of the domain.
LEAST_GAIN = 0.07
