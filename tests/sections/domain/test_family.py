"""One adjustment over the measures of a domain."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from tests.sections.domain.making import draw_values, tell
from tests.sections.reading import ACCURACY, ERROR, faults

EXACT = 1e-9  # relative: closed forms
THREE = ("anna", "bert", "cara")


@pytest.mark.slow
def test_pairs_are_adjusted_over_measures_and_the_report_says_so() -> None:
    means = np.random.default_rng(2).normal(0.2, 0.03, (7, 1)) + np.array([0.0, 0.0, 0.02])
    error = draw_values(1, means + 0.012 * np.random.default_rng(3).normal(size=(7, 3)))
    accuracy = {d: 1 - v for d, v in draw_values(5, means).items()}
    cubes = {ERROR: error, ACCURACY: accuracy}
    said, found = tell(cubes, THREE, family="study")
    alone = tell(cubes, THREE)[1]
    for measure in ("misclassification", "accuracy"):
        verdict, own = found.verdict[measure], alone.verdict[measure]
        adjusted = verdict.pairs.adjusted_p_value
        p = 2 * t.sf(np.abs(verdict.pairs.statistic), 6)
        np.testing.assert_allclose(adjusted, np.minimum(1, 6 * p), rtol=EXACT)
        assert (verdict.family.n_pairs, verdict.family.n_measures) == (6, 2)
        assert verdict.family.n_alone == own.pairs.n_significant
        np.testing.assert_allclose(verdict.critical_value, t.isf(0.05 / 12, 6), rtol=EXACT)
        assert ((adjusted <= 0.05) == verdict.pairs.significant).all()
        for one, two in zip(
            found.fits(measure).values(), alone.fits(measure).values(), strict=True
        ):
            assert one.pairs == two.pairs  # other methods are not adjusted over measures
    assert "adjusted over all measures together" in "\n".join(said.sections.values())


def test_one_measure_keeps_its_own_family() -> None:
    values = draw_values(1, [[0.1, 0.12, 0.2], [0.2, 0.21, 0.3], [0.1, 0.15, 0.2]] * 2)
    said, found = tell(values, THREE, family="study")
    assert found.verdict["misclassification"].family is None
    assert "over all measures" not in "\n".join(said.sections.values())


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["interaction", "unstructured"])
@pytest.mark.parametrize("df", ["exact", "asymptotic"])
def test_models_that_decide_are_adjusted_too(structure: str, df: str) -> None:
    means = np.random.default_rng(2).normal(0.2, 0.03, (7, 3))
    cubes = {
        ERROR: draw_values(1, means),
        ACCURACY: {d: 1 - v for d, v in draw_values(5, means).items()},
    }
    said, found = tell(cubes, THREE, family="study", structure=structure, df=df)
    for measure in ("misclassification", "accuracy"):
        verdict = found.verdict[measure]
        assert verdict.method == structure
        alone = found.fits(measure)[structure].pairs
        expected = np.minimum(1, 6 * alone.p_value)
        np.testing.assert_allclose(verdict.pairs.adjusted_p_value, expected, rtol=EXACT)
        assert (verdict.pairs.lower < alone.lower).all()
    assert faults(said.whole) == []
