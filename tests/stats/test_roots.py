"""Roots are SciPy's own, to the last bit, after as many values of the function."""

from __future__ import annotations

from collections.abc import Callable
from math import atan, exp, log1p, nan

import numpy as np
import pytest
from scipy.optimize import brentq as scipys

from reportgen.stats.roots import RTOL, XTOL, brentq

FUNCTIONS: dict[str, Callable[[float, float], float]] = {
    "line": lambda x, a: x - a,
    "cubic": lambda x, a: x**3 - a,
    "flat": lambda x, a: (x - a) ** 9,
    "steep": lambda x, a: atan(1e6 * (x - a)),
    "jump": lambda x, a: 1.0 if x > a else -1.0,
    "exponential": lambda x, a: exp(-x) - exp(-a),
    "tiny": lambda x, a: 1e-300 * (x - a),
    "huge": lambda x, a: 1e200 * (x - a) ** 3,
    "levels": lambda x, a: round(4 * (x - a)) + 0.5,
    "logarithm": lambda x, a: log1p(x * x) * (x - a),
}


def followed(
    solve: Callable[..., float], function: Callable[[float], float], **settings: float
) -> tuple[float, list[float]]:
    """Return a root, and where the function was asked for."""
    places: list[float] = []

    def noted(x: float) -> float:
        places.append(x)
        return function(x)

    return solve(noted, -1.25, 3.5, **settings), places


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(("xtol", "rtol"), [(XTOL, RTOL), (1e-13, 1e-14), (0.01, 1e-12)])
def test_a_root_is_scipys(name: str, xtol: float, rtol: float):
    for a in [0.0, 1.0, 3.5, *np.random.default_rng(1).uniform(-1, 3, 30).tolist()]:
        settings = {"xtol": xtol, "rtol": rtol}
        try:
            expected = followed(scipys, lambda x, a=a: FUNCTIONS[name](x, a), **settings)
        except (ValueError, RuntimeError) as error:
            with pytest.raises(type(error)):
                brentq(lambda x, a=a: FUNCTIONS[name](x, a), -1.25, 3.5, **settings)
            continue
        assert followed(brentq, lambda x, a=a: FUNCTIONS[name](x, a), **settings) == expected


def test_what_has_no_root_is_an_error():
    with pytest.raises(ValueError, match=r"^the function must change its sign from 1\.0 to 2\.0$"):
        brentq(lambda x: x, 1.0, 2.0)
    with pytest.raises(ValueError, match=r"^the function is not a number at 1\.0$"):
        brentq(lambda x: nan if x == 1 else x - 1.5, 1.0, 2.0)
    with pytest.raises(RuntimeError, match=r"^no root was found from -1\.0 to 2\.0 in 100 steps$"):
        brentq(lambda x: 1.0 if x > 0 else -1.0, -1.0, 2.0, xtol=0.0)
