"""Generators of data: MONK's problems, Breiman's and Friedman's, and linear regression."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import field
from itertools import product

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.catalogue.datasets.bundled import Table
from reportgen.data_classes import dataclass
from reportgen.measures import Task
from reportgen.stats.arrays import Array

Rule = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
MONK_LEVELS = (3, 3, 2, 3, 4, 2)
MONK_NOISE = 0.05
LARGEST_X = 5.0  # of the linear models


@dataclass(frozen=True, slots=True)
class GeneratedData:
    """A generator of any number of observations."""

    # Takes n, a random generator and the options; returns inputs and target.
    draw: Callable[..., Table]
    origin: str  # where the definition stands
    options: Mapping[str, float] = field(default_factory=dict)  # every option with its default
    n: int = 300  # default number of observations
    task: Task = "classification"
    # Takes inputs, target and the options; returns those options that are estimated.
    estimate: Callable[..., dict[str, float]] | None = None
    # How an observation arises, in words a report may print; {options} by their names.
    formula: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A generator with the options of one data set."""

    definition: GeneratedData
    options: Mapping[str, float]  # all of them

    def formula(self, named: Collection[str] = ()) -> str:
        """Return how an observation arises, some options by their names, all others as numbers."""
        shown = {k: k if k in named else f"{x:g}" for k, x in self.options.items()}
        text = self.definition.formula.format(**shown).replace("x1, …, x2 are", "x1 and x2 are")
        return text.replace("x1, …, x1 are", "x1 is").removesuffix(TURNED.format(noise=0))

    def draw(self, n: int, rng: Generator) -> Table:
        """Draw n observations."""
        return self.definition.draw(n, rng, **self.options)

    def estimated(self, inputs: pd.DataFrame, target: pd.Series) -> Source:
        """Return the generator with estimated parameters."""
        if self.definition.estimate is None:
            raise ValueError("no parameters of this generator are estimated")
        found = self.definition.estimate(inputs, target, **self.options)
        return Source(self.definition, {**self.options, **found})


def name_columns(points: NDArray[np.float64]) -> pd.DataFrame:
    """Name columns x1, x2 and so on."""
    return pd.DataFrame(points, columns=[f"x{j + 1}" for j in range(points.shape[1])])


def monks(rule: Rule, n_learning: int, noise: float, rng: Generator) -> Table:
    """Return all 432 combinations of a MONK's problem, and a learning part.

    `rule`: takes the six attributes, coded from 1, one row an observation; returns the class.
    `n_learning`: rows of the learning part, drawn from the combinations without replacement, which
    follow the combinations.
    `noise`: share of the learning part whose class is turned over.

    References
    ----------
    .. [1] S. B. Thrun et al. (1991), The MONK's Problems: a Performance
       Comparison of Different Learning Algorithms, CMU-CS-91-197.
    """
    space = np.array(list(product(*(range(1, size + 1) for size in MONK_LEVELS))))
    rows = rng.choice(len(space), size=n_learning, replace=False)
    is_wrong = np.zeros(n_learning, dtype=np.bool_)
    is_wrong[rng.choice(n_learning, size=round(noise * n_learning), replace=False)] = True
    attributes = np.concatenate([space, space[rows]])
    classes = np.concatenate([rule(space), rule(space[rows]) ^ is_wrong])
    inputs = pd.DataFrame(
        {
            f"a{j + 1}": pd.Categorical.from_codes(
                attributes[:, j] - 1, pd.Index([str(level + 1) for level in range(size)])
            )
            for j, size in enumerate(MONK_LEVELS)
        }
    )
    return inputs, _classes(classes, ("0", "1"))


def monk1(a: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Head and body have the same shape, or the jacket is red."""
    return np.asarray((a[:, 0] == a[:, 1]) | (a[:, 4] == 1))


def monk2(a: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Exactly two of the six attributes have their first value."""
    return np.asarray((a == 1).sum(axis=1) == 2)


def monk3(a: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Jacket green and a sword held, or jacket not blue and body not octagonal."""
    return np.asarray(((a[:, 4] == 3) & (a[:, 3] == 1)) | ((a[:, 4] != 4) & (a[:, 1] != 3)))


def spirals(n: int, rng: Generator, *, cycles: float, sd: float) -> Table:
    """Draw two spirals that wind around each other.

    A spiral runs through r(w) (cos 2 pi w, sin 2 pi w) with r(w) = (2 w + 1) / 3
    and w from 0 to `cycles`; the other one is its mirror image at the origin.
    Normal noise with standard deviation `sd` is added at right angles to it.

    References
    ----------
    .. [1] F. Leisch and E. Dimitriadou, mlbench: machine learning benchmark
       problems, R package.
    """
    is_second = np.zeros(n, dtype=np.bool_)
    is_second[rng.choice(n, size=n // 2, replace=False)] = True
    points = np.empty((n, 2))
    points[~is_second] = _spiral(n - n // 2, cycles, sd, rng)
    points[is_second] = -_spiral(n // 2, cycles, sd, rng)
    return name_columns(points), _classes(is_second, ("1", "2"))


def _spiral(n: int, cycles: float, sd: float, rng: Generator) -> NDArray[np.float64]:
    w = np.arange(n) * cycles / n
    angle, radius = 2 * np.pi * w, 2 * w + 1
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]) / 3
    along = np.column_stack(
        [
            np.cos(angle) - np.pi * radius * np.sin(angle),
            np.sin(angle) + np.pi * radius * np.cos(angle),
        ]
    )
    normal = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(
        along, axis=1, keepdims=True
    )
    return np.asarray(points + sd * rng.standard_normal((n, 1)) * normal)


def twonorm(n: int, rng: Generator, *, d: float) -> Table:
    """Draw from two normal distributions of unit covariance in d dimensions.

    Their means are (a, …, a) and (-a, …, -a) with a = 2 / sqrt(d), so that the
    least possible error is Phi(-2) = 2.28%, whatever d.

    References
    ----------
    .. [1] L. Breiman (1998), "Arcing classifiers", Annals of Statistics 26.
    """
    dimensions = int(d)
    is_second = np.zeros(n, dtype=np.bool_)
    is_second[rng.choice(n, size=n // 2, replace=False)] = True
    mean = np.where(is_second, -1.0, 1.0) * 2.0 / np.sqrt(dimensions)
    points = mean[:, None] + rng.standard_normal((n, dimensions))
    return name_columns(points), _classes(is_second, ("1", "2"))


def circle(n: int, rng: Generator, *, d: float) -> Table:
    """Draw uniformly from a cube; the second class is outside a ball of half its volume.

    In more than three dimensions a part of the ball is outside the cube.

    References
    ----------
    .. [1] F. Leisch and E. Dimitriadou, mlbench: machine learning benchmark
       problems, R package.
    """
    from scipy.special import gammaln

    dimensions = int(d)
    points = rng.uniform(-1.0, 1.0, (n, dimensions))
    log_volume = (dimensions - 1) * np.log(2.0)
    log_unit_ball = dimensions / 2 * np.log(np.pi) - gammaln(1 + dimensions / 2)
    radius = np.exp((log_volume - log_unit_ball) / dimensions)
    return name_columns(points), _classes((points**2).sum(axis=1) > radius**2, ("1", "2"))


def hyperplane(n: int, rng: Generator, *, d: float, noise: float) -> Table:
    """Draw uniformly from a cube that a plane through its centre cuts into two classes.

    The inputs have the law of `circle`, but the classes are linearly separable:
    the second is where the first input is positive. `noise` is the probability
    that an observation's class is turned over.
    """
    points = rng.uniform(-1.0, 1.0, (n, int(d)))
    is_wrong = rng.random(n) < noise
    return name_columns(points), _classes((points[:, 0] > 0) ^ is_wrong, ("1", "2"))


def threenorm(n: int, rng: Generator, *, d: float) -> Table:
    """Draw the first class from two normal distributions and the second from one.

    The means are (a, …, a), (-a, …, -a) and (a, -a, a, …) with a = 2 / sqrt(d);
    the least possible error in 20 dimensions is about 10.5%.

    References
    ----------
    .. [1] L. Breiman (1998), "Arcing classifiers", Annals of Statistics 26.
    """
    dimensions = int(d)
    is_second = _half(n, rng)
    side = rng.choice([-1.0, 1.0], size=n)[:, None]
    alternating = np.where(np.arange(dimensions) % 2 == 0, 1.0, -1.0)
    signs = np.where(is_second[:, None], alternating, side)
    points = signs * 2.0 / np.sqrt(dimensions) + rng.standard_normal((n, dimensions))
    return name_columns(points), _classes(is_second, ("1", "2"))


def ringnorm(n: int, rng: Generator, *, d: float) -> Table:
    """Draw the first class with mean 0 and covariance 4 I, the second around it.

    The second class has mean (a, …, a) with a = 2 / sqrt(d) and unit
    covariance; the least possible error in 20 dimensions is about 1.3%.

    References
    ----------
    .. [1] L. Breiman (1998), "Arcing classifiers", Annals of Statistics 26.
    """
    dimensions = int(d)
    is_second = _half(n, rng)[:, None]
    noise = rng.standard_normal((n, dimensions))
    points = np.where(is_second, 2.0 / np.sqrt(dimensions) + noise, 2.0 * noise)
    return name_columns(points), _classes(is_second[:, 0], ("1", "2"))


def _half(n: int, rng: Generator) -> NDArray[np.bool_]:
    """Put half of the observations, at random, into the second class."""
    is_second = np.zeros(n, dtype=np.bool_)
    is_second[rng.choice(n, size=n // 2, replace=False)] = True
    return is_second


def _classes(is_second: NDArray[np.bool_], labels: tuple[str, str]) -> pd.Series:
    codes = is_second.astype(np.int8)
    return pd.Series(pd.Categorical.from_codes(codes, pd.Index(labels)), name="class")


def linear(n: int, rng: Generator, *, b1: float, b2: float, noise: float) -> Table:
    """Draw y = b1 x + b2 x^2 + e with x uniform on [0, 5]: nested linear models.

    References
    ----------
    .. [1] T. Hothorn, F. Leisch, A. Zeileis and K. Hornik (2005), "The design and
       analysis of benchmark experiments", JCGS 14, section 5.1.
    """
    x = rng.uniform(0.0, LARGEST_X, n)
    return name_columns(x[:, None]), _response(b1 * x + b2 * x**2, noise, rng)


def estimate_linear(
    inputs: pd.DataFrame, target: pd.Series, *, b1: float, b2: float, noise: float
) -> dict[str, float]:
    """Estimate both slopes by least squares, and the noise by the residuals."""
    x = inputs.to_numpy()[:, 0]
    design = np.column_stack([x, x**2])
    y = target.to_numpy(np.float64)
    slopes = np.linalg.lstsq(design, y, rcond=None)[0]
    residuals = y - design @ slopes
    spread = float(np.sqrt(residuals @ residuals / max(1, len(y) - 2)))
    return {"b1": float(slopes[0]), "b2": float(slopes[1]), "noise": spread}


NORMAL = "e is normal with standard deviation {noise}"
CIRCUIT = "x1, …, x4 are uniform on [0, 100], [40π, 560π], [0, 1] and [1, 11], " + NORMAL
TURNED = ", and a class is turned over with probability {noise}"
FORMULAS: Mapping[str, str] = {
    "circle": "x1, …, x{d} are uniform on [−1, 1]; class 2 is outside a ball of half the cube’s "
    "volume",
    "hyperplane": "x1, …, x{d} are uniform on [−1, 1]; class 2 is where x1 > 0" + TURNED,
    "spirals": "two spirals around each other, turns: {cycles}, with normal noise of "
    "standard deviation {sd} at right angles",
    "twonorm": "two classes, normal in {d} dimensions with unit covariance and means ±(a, …, a), "
    "a = 2/√{d}",
    "threenorm": "normal in {d} dimensions with unit covariance; class 1 has the means ±(a, …, a), "
    "each in half of its cases, class 2 (a, −a, a, …), a = 2/√{d}",
    "ringnorm": "normal in {d} dimensions; class 1 has mean 0 and covariance 4I, class 2 mean "
    "(a, …, a) and covariance I, a = 2/√{d}",
    "linear": "y = {b1} x + {b2} x² + e; x is uniform on [0, 5], " + NORMAL,
    "friedman1": "y = 10 sin(π x1 x2) + 20 (x3 − 0.5)² + 10 x4 + 5 x5 + e; x1, …, x10 are uniform "
    "on [0, 1], " + NORMAL,
    "friedman2": "y = √(x1² + (x2 x3 − 1/(x2 x4))²) + e; " + CIRCUIT,
    "friedman3": "y = arctan((x2 x3 − 1/(x2 x4)) / x1) + e; " + CIRCUIT,
}
"""How an observation of each generator arises; options in braces."""


def friedman1(n: int, rng: Generator, *, noise: float) -> Table:
    """Draw ten uniform inputs, of which five count.

    y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + e.

    References
    ----------
    .. [1] J. H. Friedman (1991), "Multivariate adaptive regression splines",
       Annals of Statistics 19.
    """
    x = rng.uniform(size=(n, 10))
    return name_columns(x), _response(_waves(x), noise, rng)


def friedman2(n: int, rng: Generator, *, noise: float) -> Table:
    """Draw the impedance of a circuit: y = sqrt(x1^2 + (x2 x3 - 1 / (x2 x4))^2) + e.

    References
    ----------
    .. [1] J. H. Friedman (1991), "Multivariate adaptive regression splines",
       Annals of Statistics 19.
    """
    x = _circuits(n, rng)
    return name_columns(x), _response(_impedance(x), noise, rng)


def friedman3(n: int, rng: Generator, *, noise: float) -> Table:
    """Draw the phase of a circuit: y = atan((x2 x3 - 1 / (x2 x4)) / x1) + e.

    References
    ----------
    .. [1] J. H. Friedman (1991), "Multivariate adaptive regression splines",
       Annals of Statistics 19.
    """
    x = _circuits(n, rng)
    return name_columns(x), _response(_phase(x), noise, rng)


def estimate_friedman1(
    inputs: pd.DataFrame, target: pd.Series, *, noise: float
) -> dict[str, float]:
    """Estimate the noise: the signal is known."""
    return _estimated_noise(_waves(inputs.to_numpy()), target)


def estimate_friedman2(
    inputs: pd.DataFrame, target: pd.Series, *, noise: float
) -> dict[str, float]:
    """Estimate the noise: the signal is known."""
    return _estimated_noise(_impedance(inputs.to_numpy()), target)


def estimate_friedman3(
    inputs: pd.DataFrame, target: pd.Series, *, noise: float
) -> dict[str, float]:
    """Estimate the noise: the signal is known."""
    return _estimated_noise(_phase(inputs.to_numpy()), target)


def _estimated_noise(signal: Array, target: pd.Series) -> dict[str, float]:
    errors = target.to_numpy(np.float64) - signal
    return {"noise": float(np.sqrt(np.mean(errors**2)))}


def _waves(x: Array) -> Array:
    return np.asarray(
        10 * np.sin(np.pi * x[:, 0] * x[:, 1])
        + 20 * (x[:, 2] - 0.5) ** 2
        + 10 * x[:, 3]
        + 5 * x[:, 4]
    )


def _impedance(x: Array) -> Array:
    return np.asarray(np.hypot(x[:, 0], _reactance(x)))


def _phase(x: Array) -> Array:
    return np.asarray(np.arctan(_reactance(x) / x[:, 0]))


def _circuits(n: int, rng: Generator) -> Array:
    lower = np.array([0.0, 40 * np.pi, 0.0, 1.0])
    upper = np.array([100.0, 560 * np.pi, 1.0, 11.0])
    return rng.uniform(lower, upper, (n, 4))


def _reactance(x: Array) -> Array:
    return np.asarray(x[:, 1] * x[:, 2] - 1.0 / (x[:, 1] * x[:, 3]))


def _response(signal: Array, noise: float, rng: Generator) -> pd.Series:
    return pd.Series(signal + noise * rng.standard_normal(len(signal)), name="y")
