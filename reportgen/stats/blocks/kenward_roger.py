r"""Tests of fixed effects when their covariance is estimated by few components.

A model with variance components :math:`\gamma` gives estimates of parameters
with covariance :math:`\Phi(\gamma)`. Tests treat the estimated covariance as if
it had a chi-squared factor, with the degrees of freedom that give the test
statistic the right first two moments [1]_.

References
----------
.. [1] M. G. Kenward and J. H. Roger (1997), "Small sample inference for fixed
   effects from restricted maximum likelihood", Biometrics 53, 983-997.
"""

from __future__ import annotations

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.simultaneous import pair_contrasts, pair_variances

MANY_MEANS = 60  # means, from which products are taken in turn: sums over four at once take seconds
NEGLIGIBLE = 1e-12  # a difference of moments below it, relative, is rounding
ROUNDING = 1e-9  # about 1 degree of freedom, the fewest, and of what vanishes at 2
SINGULAR = 1e-12  # least eigenvalue of the contrasts' correlations: below it they are singular
CANCELLED = 1e-14  # of what a variance is the sum of: below it there is rounding only
LIMIT = 1e-6  # about 2 degrees of freedom, where the scale is a limit


def around(outer: Array, inner: Array) -> Array:
    """Return A M A' of each of several M: (q, K) and (C, K, K) make (C, q, q)."""
    if len(outer) < MANY_MEANS:
        return np.asarray(np.einsum("pk,ckl,ql->cpq", outer, inner, outer))
    return np.asarray(outer @ inner @ outer.T)


def crossed(outer: Array, inner: Array) -> Array:
    """Return A_i M A_j of all i, j: (C, K, K) and (K, K) make (C, C, K, K)."""
    if len(inner) < MANY_MEANS:
        return np.asarray(np.einsum("ikl,lm,jmn->ijkn", outer, inner, outer))
    return np.asarray((outer @ inner)[:, None] @ outer)


@dataclass(frozen=True, slots=True)
class FixedEffects:
    r"""Estimates of fixed effects, and how well their covariance is known.

    Attributes
    ----------
    coef : ndarray of shape (K,)
    covariance : ndarray of shape (K, K)
        :math:`\Phi` at the estimated components.
    adjusted : ndarray of shape (K, K)
        `covariance` with what the estimation of the components adds to it.
    derivatives : ndarray of shape (C, K, K)
        Of :math:`\Phi` with respect to the components.
    components_covariance : ndarray of shape (C, C)
        Asymptotic covariance of the estimated components.
    """

    coef: Array
    covariance: Array
    adjusted: Array
    derivatives: Array
    components_covariance: Array


@dataclass(frozen=True, slots=True)
class ScaledF:
    """An F test with the degrees of freedom of Kenward and Roger."""

    statistic: float  # scaled
    df1: int
    df2: float


def contrast_df(effects: FixedEffects, contrasts: Array) -> Array:
    r"""Return the denominator degrees of freedom of single contrasts.

    `contrasts`: (P, K).
    Result: (P,); :math:`2 v^2 / (g' W g)` with the variance :math:`v = c'\Phi c`, its gradient g
    and the covariance W of the components: for one contrast Kenward and Roger's degrees of freedom
    are Satterthwaite's.
    """
    variances = np.einsum("pk,kl,pl->p", contrasts, effects.covariance, contrasts)
    gradients = np.einsum("pk,ckl,pl->pc", contrasts, effects.derivatives, contrasts)
    return _df(effects, variances, gradients)


def pair_df(effects: FixedEffects, axes: Array) -> Array:
    """Return the degrees of freedom of the differences of all pairs of means, shape (P,).

    `axes`: (K, k); the means by the effects.
    """
    # Differences are of rows of the axes, the level apart; of many means they are taken of the
    # products, as those of each pair take K times it.
    if len(axes) < MANY_MEANS:
        return contrast_df(effects, pair_contrasts(len(axes)) @ axes)
    centred = axes - axes.mean(axis=0)
    variances, *gradients = (
        pair_variances(centred @ own @ centred.T)
        for own in (effects.covariance, *effects.derivatives)
    )
    return _df(effects, variances, np.column_stack(gradients))


def _df(effects: FixedEffects, variances: Array, gradients: Array) -> Array:
    """Return Satterthwaite's degrees of freedom by variances (P,) and gradients (P, C)."""
    spread = np.einsum("pc,cd,pd->p", gradients, effects.components_covariance, gradients)
    df: Array = 2 * variances**2 / spread
    return np.where(np.abs(df - 1) < ROUNDING, 1.0, df)


def scaled_f(effects: FixedEffects, contrasts: Array) -> ScaledF | None:
    """Test that several contrasts are all zero.

    `contrasts`: (q, K); linearly independent.
    Result: None where the approximation breaks down: its degrees of freedom would be fewer than 1;
    or where the covariance of the contrasts is singular.
    """
    q = len(contrasts)
    covariance = contrasts @ effects.covariance @ contrasts.T
    summands = np.abs(contrasts) @ np.abs(effects.covariance) @ np.abs(contrasts.T)
    if not (covariance.diagonal() > CANCELLED * summands.diagonal()).all():
        return None
    sizes = np.sqrt(covariance.diagonal())
    correlations = covariance / np.outer(sizes, sizes)
    if np.linalg.eigvalsh(correlations)[0] < SINGULAR:
        return None
    inverse = np.linalg.inv(correlations) / np.outer(sizes, sizes)
    slopes = around(contrasts, effects.derivatives) @ inverse
    w = effects.components_covariance
    traces = np.trace(slopes, axis1=1, axis2=2)
    a1 = float(traces @ w @ traces)
    a2 = float((w * np.einsum("cpq,dqp->cd", slopes, slopes)).sum())
    matched = _match(a1, a2, q)
    if matched is None:
        return None
    scale, df2 = matched
    values = contrasts @ effects.coef
    wald = values @ np.linalg.solve(contrasts @ effects.adjusted @ contrasts.T, values) / q
    return ScaledF(scale * float(wald), q, df2)


def _match(a1: float, a2: float, q: int) -> tuple[float, float] | None:
    """Return scale and degrees of freedom; the names are those of the paper's section 3."""
    # With 4 degrees of freedom or fewer an F has no variance, with 2 no mean; the
    # formulas hold on, as they do for designs with an exact F [1]_. At 2 both the
    # numerator and the denominator of the ratio vanish; it is 1 there.
    # .. [1] U. Halekoh and S. Hojsgaard (2014), "A Kenward-Roger approximation and
    #    parametric bootstrap methods for tests in linear mixed models", Journal of
    #    Statistical Software 59.
    if q == 1:  # the limit of what follows, which a2 >= 1 does not reach
        return 1.0, 2 / a2
    b = (a1 + 6 * a2) / (2 * q)
    g = ((q + 1) * a1 - (q + 4) * a2) / ((q + 2) * a2)
    below = 3 * q + 2 * (1 - g)
    c1, c2, c3 = g / below, (q - g) / below, (q + 2 - g) / below
    mean, root, rest = 1 - a2 / q, 1 - c2 * b, 1 - c3 * b
    ratio = 1.0 if max(abs(mean), abs(root)) < ROUNDING else mean / root
    excess = ratio**2 * (1 + c1 * b) - rest
    if abs(excess) < NEGLIGIBLE:
        return None
    df2 = 4 + (q + 2) * rest / excess
    if not df2 >= 1 - ROUNDING:
        return None
    scale = 1.0 if abs(df2 - 2) < LIMIT else df2 * mean / (df2 - 2)
    return (scale, max(df2, 1.0)) if scale > 0 else None
