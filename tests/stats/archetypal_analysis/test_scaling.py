"""Archetypes of a table in any unit are those of the table."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.archetypal_analysis.fit import Options, fit_archetypes
from reportgen.stats.archetypal_analysis.initialisation import FARTHEST, SCALINGS, scaling_of


@pytest.mark.parametrize("name", SCALINGS)
@pytest.mark.parametrize("exponent", [300, -300])
def test_a_unit_changes_no_mixture(name: str, exponent: int) -> None:
    rows = np.random.default_rng(2).normal(size=(30, 4)) + 5
    options = Options(scaling=name)
    usual, found = (
        fit_archetypes(table, 3, np.random.default_rng(1), options=options)
        for table in (rows, np.ldexp(rows, exponent))
    )
    np.testing.assert_allclose(found.mixtures, usual.mixtures, atol=1e-6)
    np.testing.assert_allclose(np.ldexp(found.archetypes, -exponent), usual.archetypes, rtol=1e-6)


def test_columns_of_different_units_have_their_own_scales() -> None:
    rows = np.random.default_rng(2).normal(size=(30, 3))
    usual = scaling_of(rows).scale
    found = scaling_of(np.ldexp(rows, [0, 500, -500])).scale
    np.testing.assert_allclose(np.ldexp(found, [0, -500, 500]), usual, rtol=1e-12)


def test_scaled_values_can_be_squared() -> None:
    rows = np.arange(40.0).reshape(10, 4)
    rows[3, 2] = 1e300
    assert scaling_of(rows, "robust").scaled(rows).max() == FARTHEST
