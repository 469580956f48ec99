"""Samples go into tables and come back."""

from __future__ import annotations

import numpy as np

from reportgen.warehouse.samples import Samples, samples_of, tables_of


def _samples(dataset: str, n: int, names: tuple[str, ...]) -> Samples:
    rng = np.random.default_rng(n)
    values = rng.normal(size=(n, 2))
    values[0, 0] = np.nan
    times = rng.multinomial(n, np.full(n, 1 / n), size=3).astype(float)
    grid = np.linspace(0, 1, 5) if names else np.empty(0)
    curves = {name: rng.normal(size=(3, 5)) for name in names}
    if names:
        curves[names[0]][1, 2] = np.nan
    return Samples(dataset, ("x", "y"), values, np.array([2, 3, 7]), times, grid, curves)


def test_tables_hold_samples() -> None:
    given = (_samples("a", 6, ("k", "l")), _samples("b", 4, ()))
    found = samples_of(tables_of(given))
    for one, other in zip(given, found, strict=True):
        assert (one.dataset, one.variables, one.n) == (other.dataset, other.variables, other.n)
        for name in ("values", "replications", "times", "grid"):
            assert np.array_equal(
                getattr(one, name), getattr(other, name), equal_nan=name == "values"
            )
        assert list(one.curves) == list(other.curves)
        for name, curve in one.curves.items():
            assert np.array_equal(curve, other.curves[name], equal_nan=True)


def test_nothing_is_nothing() -> None:
    assert tables_of(()) == {}
    assert samples_of({}) == ()
