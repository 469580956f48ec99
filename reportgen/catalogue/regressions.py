"""Generators of regression problems: a known signal, and normal noise."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.catalogue.sources import Table, named

Array = NDArray[np.float64]

LARGEST_X = 5.0  # of the linear models


def linear(n: int, rng: Generator, *, b1: float, b2: float, noise: float) -> Table:
    """Draw y = b1 x + b2 x^2 + e with x uniform on [0, 5]: nested linear models.

    References
    ----------
    .. [1] T. Hothorn, F. Leisch, A. Zeileis and K. Hornik (2005), "The design and
       analysis of benchmark experiments", JCGS 14, section 5.1.
    """
    x = rng.uniform(0.0, LARGEST_X, n)
    return named(x[:, None]), _response(b1 * x + b2 * x**2, noise, rng)


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


def friedman1(n: int, rng: Generator, *, noise: float) -> Table:
    """Draw ten uniform inputs, of which five count.

    y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + e.

    References
    ----------
    .. [1] J. H. Friedman (1991), "Multivariate adaptive regression splines",
       Annals of Statistics 19.
    """
    x = rng.uniform(size=(n, 10))
    return named(x), _response(_waves(x), noise, rng)


def friedman2(n: int, rng: Generator, *, noise: float) -> Table:
    """Draw the impedance of a circuit: y = sqrt(x1^2 + (x2 x3 - 1 / (x2 x4))^2) + e.

    References
    ----------
    .. [1] J. H. Friedman (1991), "Multivariate adaptive regression splines",
       Annals of Statistics 19.
    """
    x = _circuits(n, rng)
    return named(x), _response(_impedance(x), noise, rng)


def friedman3(n: int, rng: Generator, *, noise: float) -> Table:
    """Draw the phase of a circuit: y = atan((x2 x3 - 1 / (x2 x4)) / x1) + e.

    References
    ----------
    .. [1] J. H. Friedman (1991), "Multivariate adaptive regression splines",
       Annals of Statistics 19.
    """
    x = _circuits(n, rng)
    return named(x), _response(_phase(x), noise, rng)


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
