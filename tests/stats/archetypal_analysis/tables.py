"""Tables for tests of archetypes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


def read(reference: Path, name: str) -> NDArray[np.float64]:
    """Read a table of the reference data."""
    return np.loadtxt(reference / "data" / f"{name}.csv", delimiter=",", skiprows=1)


def mixed(corners: NDArray[np.float64], n: int, rng: Generator) -> NDArray[np.float64]:
    """Draw rows from the simplex of some corners, which come first."""
    shares = rng.dirichlet(np.full(len(corners), 0.7), n)
    return np.vstack([corners, shares @ corners])
