"""One adjustment over the measures of a domain."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from reportgen.stats.multiplicity import holm
from tests.sections.domain.making import draw_values, tell
from tests.sections.reading import ACCURACY, ERROR

EXACT = 1e-9  # relative: closed forms
THREE = ("anna", "bert", "cara")


def test_pairs_are_adjusted_over_measures_and_the_report_says_so() -> None:
    means = np.random.default_rng(2).normal(0.2, 0.03, (7, 1)) + np.array([0.0, 0.0, 0.02])
    error = draw_values(1, means + 0.012 * np.random.default_rng(3).normal(size=(7, 3)))
    accuracy = {d: 1 - v for d, v in draw_values(5, means).items()}
    cubes = {ERROR: error, ACCURACY: accuracy}
    said, found = tell(cubes, THREE, family="study")
    for structure in ("interaction", "unstructured"):
        fits = [found.mixed_model[m][structure] for m in ("misclassification", "accuracy")]
        pairs = [p for fit in fits for p in fit.pairs]
        own = np.array([2 * t.sf(abs(p.statistic), p.df) for p in pairs])
        np.testing.assert_allclose([p.p_value for p in pairs], holm(own), rtol=EXACT)
        for fit in fits:
            value = t.isf(0.05 / 12, fit.pairs[0].df)
            assert fit.critical_value == pytest.approx(value, rel=EXACT)
            assert fit.family is not None
            assert (fit.family.n_pairs, fit.family.n_measures) == (6, 2)
    assert "adjusted over all measures together" in "\n".join(said.sections.values())


def test_one_measure_keeps_its_joint_law() -> None:
    values = draw_values(1, [[0.1, 0.12, 0.2], [0.2, 0.21, 0.3], [0.1, 0.15, 0.2]])
    said, found = tell(values, THREE, family="study")
    assert found.mixed_model["misclassification"]["interaction"].pairs[0].method == "tukey"
    assert "over all measures" not in "\n".join(said.sections.values())
