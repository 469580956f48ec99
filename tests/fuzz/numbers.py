"""Numbers of every size: ties, gaps, constants, offsets, and the ends of floating point."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Array = NDArray[np.float64]

EDGES = (
    *(0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 1e-300, -1e-300, 1e300, -1e300, 1e8, 1e8 + 1.5e-8),
    *(5e-324, 2.2e-308, 1.7e308, 1e-12, 1e150, 1e-160, 2.0**53, 1 / 3),
)
KINDS = (
    *("usual", "rounded", "constant", "offset", "sizes", "candidates", "datasets", "zeros"),
    *("binary", "nearly", "levels", "edges", "worlds", "failures", "apart"),
)
IN_UNIT = (
    *("usual", "rounded", "constant", "zeros", "binary", "levels", "small", "failures", "apart"),
)


@st.composite
def cubes(
    draw: st.DrawFn, shape: tuple[int, int, int], *, in_unit: bool = False, with_gaps: bool = True
) -> Array:
    """Draw values of data sets, replications and candidates, NaN for gaps.

    With `in_unit` all are shares, from 0 to 1.
    """
    kind = draw(st.sampled_from(IN_UNIT if in_unit else KINDS))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = values_of(kind, rng, shape)
    if in_unit:
        values = np.clip(np.abs(values), 0, 1)
    gaps = draw(st.sampled_from(("none", "none", "some", "most", "candidate", "dataset", "row")))
    if with_gaps and gaps != "none":
        lost = rng.random(shape) < {"some": 0.15, "most": 0.8}.get(gaps, 0)
        lost[:, :, -1] |= gaps == "candidate"
        lost[-1, :, 0] |= gaps == "dataset"
        lost[:, -1, :] |= gaps == "row"
        values = np.where(lost, np.nan, values)
    return values


def values_of(kind: str, rng: np.random.Generator, shape: tuple[int, int, int]) -> Array:
    """Return values of one kind."""
    m, _, k = shape
    usual = 0.3 + 0.05 * rng.normal(size=shape) + 0.02 * np.arange(k)
    if kind == "edges":
        return rng.choice(rng.choice(EDGES, rng.integers(1, 5)), shape)
    if kind == "worlds":
        return np.sign(usual) * 10.0 ** rng.uniform(-300, 300, shape)
    if kind in ("candidates", "datasets"):
        factors = (1, 1, k) if kind == "candidates" else (m, 1, 1)
        return usual * 10.0 ** rng.uniform(-90, 90, factors)
    of_kind = {
        "rounded": np.round(usual, 1),
        "constant": np.full(shape, usual[0, 0, 0]),
        "offset": np.round(usual, 2) + rng.choice([1e8, -1e8, 1e12]),
        "sizes": usual * 10.0 ** rng.choice([-95, -80, -40, 40, 80, 95]),
        "small": usual * 10.0 ** rng.choice([-95, -80, -40]),
        "zeros": np.where(rng.random(shape) < 0.5, 0.0, usual),
        "binary": np.round(rng.random(shape)),
        "failures": usual + (np.arange(k) == 0) * (rng.random((m, shape[1], 1)) < 0.1),
        "apart": usual + 0.05 * np.arange(k),
        "nearly": usual[0, 0, 0] + (rng.random(shape) < 0.2) * 1e-13,
        "levels": np.broadcast_to(usual[:, :1, :], shape).copy(),
    }
    return of_kind.get(kind, usual)
