"""Archetypal analysis: extreme points that all rows of a table are mixtures of.

`fit` checks the options, states the `problem` and fits it: `initialisation` scales the columns and
chooses first archetypes; `descent` alternates between exact least squares of `simplex`, with
quasi-Newton steps of `acceleration`; `robust` reweights. `choice` draws the scree, and `stability`
fits again from other starts and on subsamples.
"""

# A further archetype counts when it explains at least this much of what one point leaves. With
# 0.07 the numbers are those that Eugster (2011) reads off his screes: 3 of the toy data, 3 of the
# skeletal measures, 4 of the domain.
LEAST_GAIN = 0.07
