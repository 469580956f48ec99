"""Components of variance of crossed random factors: data splits, seeds, tuning and what they share.

Values of one candidate, or differences of two, on one data set. Balanced layouts have closed forms,
from expected mean squares; others are fitted by restricted maximum likelihood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

from reportgen.stats.arguments import check_level, numbers_of, refuse
from reportgen.stats.arrays import Array
from reportgen.stats.frame import Columns, Tabular, count

Term = tuple[str, ...]
Method = Literal["mean-squares", "reml"]

REST: Term = ()
"""What no factor and no pair of factors explains."""
SPLIT = "split"
OUTER = "dataset"
"""The factor in whose levels all others are nested."""
N_DRAWS = 10_000  # of an interval: standard error of a limit's probability .0016
MOST_VALUES = 2_000  # whose covariance is inverted as a whole
MOST_LEVELS = 1_000  # of all factors together, in a fit
LEAST_INFORMATION = 1e-8  # of a component, in proportion: less does not tell it from others
MOST_RATIO = 1e8  # of a component to that of the rest
TOLERANCE = 1e-12  # of the restricted likelihood, where it stops
NEGLIGIBLE = 1e-7  # of the variance of the values: a component that is estimated as 0
REPEATED = 2.0  # times that the levels of two factors meet on average, where cells are lacking
LEAST_DF = 1.0  # of a component: with less an interval says nothing
ROUNDING = 1e-13  # of the largest value, that arithmetic adds


class Component(NamedTuple):
    """One component of variance: of a factor, of two that interact, or of the rest."""

    term: Term
    variance: float
    lower: float  # NaN where there is no interval
    upper: float

    @property
    def deviation(self) -> float:
        """Standard deviation."""
        return sqrt(self.variance)


@dataclass(frozen=True, repr=False)
class CrossedComponents(Tabular):
    """Components of variance of values at the levels of crossed factors.

    Attributes
    ----------
    factors : tuple of str
        Those with two levels or more.
    levels : tuple of int
        How many each has.
    n : int
        Values.
    mean : float
    components : tuple of Component
        Factors, pairs of them, and last the rest; none below 0.
    method : {"mean-squares", "reml"}
        The closed form of a balanced layout, or restricted maximum likelihood.
    alpha : float
        1 - alpha is the level of each interval, by itself.
    """

    factors: tuple[str, ...]
    levels: tuple[int, ...]
    n: int
    mean: float
    components: tuple[Component, ...]
    method: Method
    alpha: float

    @cached_property
    def variances(self) -> Mapping[Term, float]:
        """The components by their terms."""
        return {own.term: own.variance for own in self.components}

    @property
    def total(self) -> float:
        """The variance of one value."""
        return sum(self.variances.values())

    @property
    def counts(self) -> Mapping[str, int]:
        """The levels of every factor."""
        return dict(zip(self.factors, self.levels, strict=True))

    def to_columns(self) -> Columns:
        """Return `term`, `variance`, `lower`, `upper` and `share` of the variance of a value."""
        rows = self.components
        return {
            "term": [" x ".join(own.term) or "rest" for own in rows],
            "variance": [own.variance for own in rows],
            "lower": [own.lower for own in rows],
            "upper": [own.upper for own in rows],
            "share": [own.variance / self.total for own in rows],
        }

    def _heading(self) -> str:
        sizes = " x ".join(
            count(n, name) for name, n in zip(self.factors, self.levels, strict=True)
        )
        return f"{self.n} values, {sizes}, {self.method}"


def crossed_components(
    values: ArrayLike,
    levels: Mapping[str, Sequence[object]],
    *,
    alpha: float = 0.05,
    seed: int = 0,
) -> CrossedComponents:
    r"""Split the variance of values into crossed random factors.

    Parameters
    ----------
    values : array-like of shape (n,)
        Of one candidate, or the differences of two; NaN for a gap.
    levels : mapping of str to sequence
        The level of each factor of every value: the split, the seed, the run of
        a search for hyperparameters.
    alpha : float, default 0.05
        1 - alpha is the level of every interval, by itself.
    seed : int, default 0
        Of the draws from which intervals of balanced layouts follow.

    Returns
    -------
    CrossedComponents

    Raises
    ------
    ValueError
        If fewer than three values are there, a factor has not as many levels as
        there are values, no factor has two levels, or the values are all equal.

    Notes
    -----
    .. math:: y = \mu + \sum_T u_T + \epsilon

    over the factors and the pairs of them whose combinations repeat; interactions
    of three and more belong to the rest. With every combination of levels as
    often, the mean squares have the expectations
    :math:`\sum_{U \supseteq T} (n / n_U) \sigma_U^2 + \sigma^2` [1]_, which are
    solved for the components, and none is less than 0; intervals are generalised
    ones [2]_: the quantiles of what follows from :math:`SS_T / \chi^2`. Else the
    restricted likelihood is maximised under variances from 0 on, and intervals
    take each estimate for a multiple of a chi-squared variable whose degrees of
    freedom follow from the expected information [3]_; with fewer than one of them
    there is no upper limit. The lower one is 0 where the likelihood without the
    component is not smaller by more than its limit.

    References
    ----------
    .. [1] S. R. Searle, G. Casella and C. E. McCulloch (1992), Variance
       Components, chapter 4.
    .. [2] S. Weerahandi (1993), "Generalized confidence intervals", JASA 88.
    .. [3] F. E. Satterthwaite (1946), "An approximate distribution of estimates
       of variance components", Biometrics Bulletin 2.

    Examples
    --------
    >>> from reportgen import stats
    >>> values = [1.0, 2.0, 2.0, 3.0, 6.0, 8.0]
    >>> found = stats.crossed_components(
    ...     values, {"split": [1, 1, 2, 2, 3, 3], "seed": [1, 2, 1, 2, 1, 2]}
    ... )
    >>> [(" x ".join(c.term) or "rest", round(c.variance, 3)) for c in found.components]
    [('split', 8.5), ('seed', 0.833), ('rest', 0.167)]
    """
    check_level(alpha)
    y = numbers_of(values)
    if y.ndim != 1:
        raise refuse("values", f"shape {y.shape}", "one axis")
    if not levels:
        raise refuse("levels", "no factor", "the levels of one factor or more")
    if np.isinf(y).any():
        raise refuse("values", "infinite values", "finite numbers, nan for a gap")
    codes = {}
    for name, own in levels.items():
        if len(own) != len(y):
            raise refuse(f"levels[{name!r}]", f"{len(own)} levels", f"{len(y)}, one a value")
        numbers = {level: i for i, level in enumerate(dict.fromkeys(own))}
        codes[str(name)] = np.array([numbers[level] for level in own], np.intp)
    found = components_of(y, codes, alpha, np.random.default_rng(seed))
    if found is None:
        raise refuse(
            "values",
            "no variation that factors could share",
            "three values or more that differ, and a factor with two levels of them",
        )
    return found


def components_of(
    y: Array,
    codes: Mapping[str, NDArray[np.intp]],
    alpha: float,
    rng: Generator,
    outer: NDArray[np.intp] | None = None,
) -> CrossedComponents | None:
    """Split the variance of values into crossed factors; None where nothing varies.

    `y`: (n,); NaN for a gap.
    `codes`: by factor, (n,); the level of each value.
    `outer`: (n,); the data set of each value, whose levels of the factors are its own: another
    component, and every other one is the mean over the data sets.
    """
    is_there = np.isfinite(y)
    y = y[is_there]
    if outer is not None and len(np.unique(outer[is_there])) > 1:
        inner = {name: levels[is_there] for name, levels in codes.items()}
        return _nested(y, inner, np.unique(outer[is_there], return_inverse=True)[1], alpha, rng)
    layout = _Layout.of_values(codes, is_there)
    if len(y) < 3 or not layout.factors or np.ptp(y) <= ROUNDING * np.abs(y).max():
        return None
    terms = layout.terms
    if not layout.has_rest:
        return None
    if layout.is_balanced:
        components = _solved(_squares(y, layout, terms), alpha, rng)
        method: Method = "mean-squares"
    else:
        components, method = _of_likelihood(y, layout, terms, alpha), "reml"
    return CrossedComponents(
        layout.factors, layout.sizes, len(y), float(y.mean()), components, method, alpha
    )


def _nested(
    y: Array,
    codes: Mapping[str, NDArray[np.intp]],
    outer: NDArray[np.intp],
    alpha: float,
    rng: Generator,
) -> CrossedComponents | None:
    """Split the variance of values on several data sets, each with its own levels."""
    if np.ptp(y) <= ROUNDING * np.abs(y).max():
        return None
    rows = [outer == m for m in range(int(outer.max()) + 1)]
    inside = [_Layout.of_values(codes, own) for own in rows]
    counts = {
        name: max(dict(zip(own.factors, own.sizes, strict=True)).get(name, 1) for own in inside)
        for name in codes
    }
    kept = {name: n for name, n in counts.items() if n > 1}
    factors, sizes = (OUTER, *kept), (len(rows), *kept.values())
    first = inside[0]
    is_alike = all(
        own.is_balanced and (own.factors, own.sizes, own.n) == (first.factors, first.sizes, first.n)
        for own in inside
    )
    if is_alike and kept and first.has_rest:
        parts = [_squares(y[own], lay, lay.terms) for own, lay in zip(rows, inside, strict=True)]
        found = _pooled(parts, np.array([y[own].mean() for own in rows]), first.n)
        components = _solved(found, alpha, rng)
        return CrossedComponents(
            factors, sizes, len(y), float(y.mean()), components, "mean-squares", alpha
        )
    own_levels = {OUTER: outer}
    for name in kept:
        own_levels[name] = np.unique(
            outer * (int(codes[name].max()) + 1) + codes[name], return_inverse=True
        )[1]
    layout = _Layout({k: v.astype(np.intp) for k, v in own_levels.items()}, len(y))
    if not layout.terms or (OUTER,) not in layout.terms:
        return None
    components = _of_likelihood(y, layout, layout.terms, alpha)
    return CrossedComponents(factors, sizes, len(y), float(y.mean()), components, "reml", alpha)


def _pooled(parts: Sequence[Squares], means: Array, n: int) -> Squares:
    """Put sums of squares of alike layouts together, and those between the data sets first."""
    first = parts[0]
    design = np.zeros((len(first.terms) + 1,) * 2)
    design[1:, 1:] = first.design
    design[0, 0] = n
    for j, term in enumerate(first.terms):
        levels = first.levels[j]
        design[0, j + 1] = 1.0 if term == REST else n / levels
    between = n * float(((means - means.mean()) ** 2).sum())
    return Squares(
        ((OUTER,), *first.terms),
        np.array([between, *np.sum([own.squares for own in parts], axis=0)]),
        np.array([len(parts) - 1, *(len(parts) * first.df)]),
        design,
        (len(parts), *first.levels),
    )


class _Layout:
    """Factors, how their levels meet, and the terms that can be told apart."""

    def __init__(self, codes: Mapping[str, NDArray[np.intp]], n: int) -> None:
        self.codes, self.n = codes, n
        self.factors = tuple(codes)
        self.sizes = tuple(int(own.max()) + 1 for own in codes.values())
        cells, counts = np.unique(self.cells(self.factors), return_counts=True)
        is_complete = len(cells) == prod(self.sizes)
        self.is_balanced = bool(is_complete and (counts == counts[0]).all())
        self.n_each = int(counts[0]) if self.is_balanced else 0

    @classmethod
    def of_values(cls, codes: Mapping[str, NDArray[np.intp]], rows: NDArray[np.bool_]) -> _Layout:
        """Return the layout of some of the values: without factors that do not vary there."""
        own: dict[str, NDArray[np.intp]] = {}
        for name, levels in codes.items():
            found, numbers = np.unique(levels[rows], return_inverse=True)
            if len(found) > 1:
                own[name] = numbers.astype(np.intp)
        return cls(own, int(rows.sum()))

    def cells(self, term: Term) -> NDArray[np.intp]:
        """Number the combinations of levels of some factors in every row."""
        key = np.zeros(self.n, np.intp)
        for name in term:
            key = key * (int(self.codes[name].max()) + 1) + self.codes[name]
        return np.asarray(np.unique(key, return_inverse=True)[1], np.intp)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The factors, and the pairs of them whose combinations repeat."""
        singles: list[Term] = [(name,) for name in self.factors]
        pairs: list[Term] = [
            pair
            for pair in combinations(self.factors, 2)
            if int(self.cells(pair).max()) + 1 <= self.n / (1 if self.is_balanced else REPEATED)
            and int(self.cells(pair).max()) + 1 < self.n
        ]
        found = tuple(singles + pairs)
        return found if self.is_balanced else self._identified(found)

    @cached_property
    def has_rest(self) -> bool:
        """Whether something is left for the rest."""
        if self.is_balanced:
            df = sum(prod(s - 1 for s in self.of(term)) for term in self.terms)
            return self.n - 1 - df > 0
        return bool(self.terms)

    def of(self, term: Term) -> tuple[int, ...]:
        """Return how many levels the factors of a term have."""
        counts = dict(zip(self.factors, self.sizes, strict=True))
        return tuple(counts[name] for name in term)

    def _identified(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """Return the terms that an unbalanced layout tells from one another and from the rest."""
        if self.n > MOST_VALUES:
            terms = tuple(term for term in terms if len(term) == 1)
        kept: list[Term] = []
        products = [np.eye(self.n)[:, :0]]
        gram = np.array([[float(self.n - 1)]])  # of the rest: the centred identity
        for term in terms:
            z = _indicators(self.cells(term))
            z -= z.mean(axis=0)
            # inner products of the centred covariances of the terms, as traces
            row = [float((z**2).sum())]
            row += [float(((z.T @ other) ** 2).sum()) for other in products[1:]]
            own = float(((z.T @ z) ** 2).sum())
            larger = np.block(
                [[gram, np.array(row)[:, None]], [np.array([row]), np.array([[own]])]]
            )
            size = np.sqrt(np.diag(larger))
            least = float(np.linalg.eigvalsh(larger / np.outer(size, size))[0])
            if least > LEAST_INFORMATION:
                kept.append(term)
                products.append(z)
                gram = larger
        return tuple(kept)


def _indicators(cells: NDArray[np.intp]) -> Array:
    return np.eye(int(cells.max()) + 1)[cells]


# ------------------------------------------------------------------------------- balanced


@dataclass(frozen=True)
class Squares:
    """Sums of squares of a balanced layout, their degrees of freedom and expectations.

    Attributes
    ----------
    terms : tuple of tuple of str
        The rest is last.
    squares, df : ndarray of shape (T,)
    design : ndarray of shape (T, T)
        Coefficients of the components in the expected mean squares.
    """

    terms: tuple[Term, ...]
    squares: Array
    df: Array
    design: Array
    levels: tuple[int, ...]  # combinations of levels of each term

    @property
    def mean_squares(self) -> Array:
        """Sums of squares over their degrees of freedom."""
        return self.squares / self.df


def _squares(y: Array, layout: _Layout, terms: tuple[Term, ...]) -> Squares:
    """Return the sums of squares of a balanced layout."""
    centred = y - y.mean()
    squares, df = [], []
    of_term: dict[Term, float] = {}
    for term in terms:
        cells = layout.cells(term)
        n = np.bincount(cells)
        between = float((np.bincount(cells, centred) ** 2 / n).sum())
        inside = sum(of_term[other] for other in of_term if set(other) < set(term))
        of_term[term] = max(0.0, between - inside)
        squares.append(of_term[term])
        df.append(prod(s - 1 for s in layout.of(term)))
    rest = float((centred**2).sum()) - sum(squares)
    every = (*terms, REST)
    design = np.zeros((len(every), len(every)))
    design[:, -1] = 1.0
    for i, term in enumerate(terms):
        for j, other in enumerate(terms):
            if set(term) <= set(other):
                design[i, j] = layout.n / prod(layout.of(other))
    return Squares(
        every,
        np.array([*squares, max(0.0, rest)]),
        np.array([*df, layout.n - 1 - sum(df)], np.float64),
        design,
        (*(prod(layout.of(term)) for term in terms), layout.n),
    )


def _solved(found: Squares, alpha: float, rng: Generator) -> tuple[Component, ...]:
    """Solve the expected mean squares for the components; with generalised intervals."""
    inverse = np.linalg.inv(found.design)
    variances = np.maximum(0.0, inverse @ found.mean_squares)
    drawn = found.squares / rng.chisquare(found.df, size=(N_DRAWS, len(found.df)))
    limits = np.quantile(drawn @ inverse.T, (alpha / 2, 1 - alpha / 2), axis=0)
    lower, upper = np.maximum(0.0, limits)
    df = found.df[-1]  # exact for the rest
    lower[-1] = found.squares[-1] / chdtri(df, alpha / 2)
    upper[-1] = found.squares[-1] / chdtri(df, 1 - alpha / 2)
    return tuple(
        Component(term, float(v), float(low), float(high))
        for term, v, low, high in zip(found.terms, variances, lower, upper, strict=True)
    )


# ----------------------------------------------------------------------------- unbalanced


class _Likelihood:
    """The restricted likelihood by the ratios of deviations to that of the rest, as in lme4."""

    def __init__(self, y: Array, layout: _Layout, terms: tuple[Term, ...]) -> None:
        blocks = [_indicators(layout.cells(term)) for term in terms]
        z = np.hstack(blocks)
        self.owner = np.repeat(np.arange(len(terms)), [b.shape[1] for b in blocks])
        self.blocks, self.n = blocks, len(y)
        self.y = y - y.mean()
        self.zz, self.z1, self.zy = z.T @ z, z.sum(axis=0), z.T @ self.y
        self.yy = float(self.y @ self.y)
        self.right = np.column_stack([self.zz, self.z1, self.zy])

    def solve(self, ratios: Array) -> tuple[float, Array, float]:
        """Return -2 log restricted likelihood, its slope, and the variance of the rest."""
        # `ratios`: of the variances to that of the rest. Constants of the likelihood are left out.
        from scipy.linalg import solve_triangular

        scale = np.sqrt(ratios)[self.owner]
        inner = scale[:, None] * self.zz * scale + np.eye(len(scale))
        root = np.linalg.cholesky(inner)
        half = solve_triangular(root, scale[:, None] * self.right, lower=True, check_finite=False)
        left = half[:, :-2]
        w = np.diag(self.zz) - (left**2).sum(axis=0)  # of Z' V^-1 Z
        w1, wy = (self.z1, self.zy) - half[:, -2:].T @ left
        of_ones, of_y = half[:, -2], half[:, -1]
        one_one = self.n - float(of_ones @ of_ones)
        one_y = float(self.y.sum()) - float(of_ones @ of_y)
        square = max(self.yy - float(of_y @ of_y) - one_y**2 / one_one, 1e-300)
        df = self.n - 1
        value = 2 * float(np.log(np.diag(root)).sum()) + np.log(one_one) + df * np.log(square / df)
        residual = wy - w1 * one_y / one_one
        slopes = w - w1**2 / one_one - df * residual**2 / square
        return float(value), np.bincount(self.owner, slopes).astype(np.float64), square / df

    def information(self, variances: Array) -> Array:
        """Return the expected information of the components, the rest last."""
        v = variances[-1] * np.eye(self.n)
        for variance, z in zip(variances, self.blocks, strict=False):
            v += variance * (z @ z.T)
        inverse = np.linalg.inv(v)
        ones = inverse.sum(axis=1)
        p = inverse - np.outer(ones, ones) / ones.sum()
        parts = [*self.blocks, np.eye(self.n)]
        halves = [p @ part for part in parts]
        return np.array(
            [
                [0.5 * float(((parts[s].T @ halves[t]) ** 2).sum()) for t in range(len(parts))]
                for s in range(len(parts))
            ]
        )


def _of_likelihood(
    y: Array, layout: _Layout, terms: tuple[Term, ...], alpha: float
) -> tuple[Component, ...]:
    """Maximise the restricted likelihood; intervals by the expected information."""
    from scipy import optimize

    minimize: Callable[..., Any] = optimize.minimize
    spread = float(y.std())
    if len(terms) > 1 and sum(int(layout.cells(t).max()) + 1 for t in terms) > MOST_LEVELS:
        terms = tuple(term for term in terms if len(term) == 1)
    likelihood = _Likelihood(y / spread, layout, terms)

    def fit(most: Array) -> tuple[float, Array]:
        """Return the least criterion and where it is, ratios being at most these."""
        best: tuple[float, Array] | None = None
        for start in (0.25, 4.0):
            found = minimize(
                lambda ratios: likelihood.solve(ratios)[:2],
                np.minimum(start, most),
                jac=True,
                method="L-BFGS-B",
                bounds=[(0.0, limit) for limit in most],
                options={"ftol": TOLERANCE, "gtol": 1e-9, "maxiter": 500},
            )
            if best is None or found.fun < best[0]:
                best = float(found.fun), np.asarray(found.x)
        return best or (np.inf, most)

    every = np.full(len(terms), MOST_RATIO)
    least, ratios = fit(every)
    rest = likelihood.solve(ratios)[2]
    variances = np.append(ratios * rest, rest)
    variances[variances < NEGLIGIBLE] = 0.0
    errors = np.full(len(variances), np.nan)
    if len(y) <= MOST_VALUES and variances[-1] > 0:
        information = likelihood.information(variances)
        errors = np.sqrt(np.diag(np.linalg.pinv(information, hermitian=True)))
    found = []
    for k, (term, v, e) in enumerate(zip((*terms, REST), variances, errors, strict=True)):
        lower, upper = _interval(v, e, alpha)
        if lower > 0 and term != REST:
            reduced = fit(np.where(np.arange(len(terms)) == k, 0.0, every))[0]
            lower = lower if reduced - least > chdtri(1, alpha) else 0.0
        found.append(Component(term, *(float(x * spread**2) for x in (v, lower, upper))))
    return tuple(found)


def _interval(variance: float, error: float, alpha: float) -> tuple[float, float]:
    """Return the interval of one component, by Satterthwaite's degrees of freedom."""
    if not variance > 0:
        return 0.0, np.nan
    if not error > 0:
        return np.nan, np.nan
    df = 2 * (variance / error) ** 2
    if df < LEAST_DF:
        return 0.0, np.nan
    return (
        df * variance / float(chdtri(df, alpha / 2)),
        df * variance / float(chdtri(df, 1 - alpha / 2)),
    )


# --------------------------------------------------------------------- error of the mean


def mean_variance(
    variances: Mapping[Term, float],
    counts: Mapping[str, float],
    *,
    factor: float | None = None,
) -> float:
    """Return the variance of the mean of a complete layout with so many levels of each factor.

    `variances`: by term; the rest varies with every value. Of data sets all else is nested in one.
    `counts`: levels of every factor.
    `factor`: variance of a mean over splits where that is not one over their number: `max(1 / F +
    r, 2 h)` for F splits of one data set.

    Examples
    --------
    >>> v = {("split",): 4.0, ("seed",): 1.0, (): 2.0}
    >>> mean_variance(v, {"split": 4, "seed": 2})
    1.75
    >>> mean_variance(v, {"split": 4, "seed": 2}, factor=0.5)
    3.0
    """
    share = {name: 1 / n for name, n in counts.items()}
    if factor is not None and SPLIT in share:
        share[SPLIT] = factor
    outside = share.pop(OUTER, 1.0)
    every = prod(share.values())
    inner = {term: v for term, v in variances.items() if term != (OUTER,)}
    within = sum(
        v * (prod(share[name] for name in term if name in share) if term else every)
        for term, v in inner.items()
    )
    return outside * (variances.get((OUTER,), 0.0) + within)


def count_to_halve(
    variances: Mapping[Term, float],
    counts: Mapping[str, int],
    name: str,
    *,
    factor: float | None = None,
) -> int | None:
    """Return how many levels of a factor, all else kept, halve the error; None where none do.

    Splits of one data set with a factor of their own halve nothing.

    Examples
    --------
    >>> v = {("split",): 0.1, ("seed",): 4.0, (): 2.0}
    >>> count_to_halve(v, {"split": 10, "seed": 3}, "seed")
    13
    >>> count_to_halve(v, {"split": 10, "seed": 3}, "split") is None
    True
    """
    if factor is not None and name == SPLIT:
        return None
    now = mean_variance(variances, counts, factor=factor)
    if not now > 0:
        return None
    # linear in one over the number: what is left with infinitely many, and what falls
    kept = mean_variance(variances, {**counts, name: np.inf}, factor=factor)
    falling = (now - kept) * counts[name]
    left = now / 4 - kept
    if left <= 0:
        return None
    return int(np.ceil(falling / left - 1e-9))
