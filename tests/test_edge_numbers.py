"""Numbers near the ends of floating point: the same decisions, or a refusal in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import reportgen
from reportgen import notation, pipeline
from reportgen.errors import AnalysisError, ExchangeError, ReportgenError
from reportgen.section_runner import check_sizes
from reportgen.stats.aggregation.scores import ratio_profile
from reportgen.stats.blocks.incomplete import fit_incomplete_blocks
from reportgen.stats.blocks.model import fit_block_model, greenhouse_geisser
from reportgen.stats.worths.elo import elo_scores
from tests.schemas import results

Array = NDArray[np.float64]

POWERS = (325, -325, 200, -266)  # near 1e98, 1e-98, 1e60, 1e-80
EQUAL = 1e-9  # the scaled values are not fitted by the same steps of an iteration
BY_ITERATION = (
    1e-4  # relative: predictions of and variances of a model that is maximised numerically
)
QUICK = ("eda", "inference", "preferences", "consensus", "sequential", "frontier", "domain")
NAMES = ("a", "b", "c", "d")


def made(n_datasets: int, n: int, seed: int = 5, gaps: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    level = np.array([0.1, 0.12, 0.2, 0.31]) + rng.normal(0, 0.03, (n_datasets, 1, 4))
    values = (
        level + rng.normal(0, 0.02, (n_datasets, n, 1)) + rng.normal(0, 0.01, (n_datasets, n, 4))
    )
    values.reshape(-1)[rng.choice(values.size, gaps, replace=False)] = np.nan
    return np.asarray(np.abs(values))


CASES = {
    "one": made(1, 30),
    "gaps": made(1, 30, gaps=5),
    "few": made(1, 6),
    "domain": made(8, 12),
    "domain-gaps": made(6, 8, gaps=3),
    "single": made(12, 1),
}


def analysed(values: Array, **keywords: Any) -> dict[str, Any]:
    """Return the sections' part of results.json."""
    study = reportgen.compare(
        values, candidates=NAMES[: values.shape[-1]], measure="loss", better="smaller", **keywords
    )
    report = pipeline.analyse(*study.parts, sections=quick(study), formats=["md"], jobs=1)
    found = results(report)
    return {"sections": found["sections"], "conclusion": found["conclusion"]}


def quick(study: Any) -> list[str]:
    """Return the quick sections that apply."""
    job, warehouse, _ = study.parts
    return [name for name in QUICK if job.sections[name].applies(warehouse)]


def leaves(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(tree, dict | list):
        entries = tree.items() if isinstance(tree, dict) else enumerate(tree)
        for key, value in entries:
            yield from leaves(value, (*path, str(key)))
    else:
        yield path, tree


def is_same(path: tuple[str, ...], x: Any, y: Any, power: int) -> bool:
    """Whether a result is that of the values themselves: a number of theirs, or of their square."""
    if isinstance(x, bool | str) or x is None:
        return bool(x == y)
    if "reml_criterion" in path:
        return isinstance(y, float)  # a logarithm of a density has an offset
    if "variance" in path or "variance_intervals" in path or "covariance" in path:
        square = None if y is None else float(np.ldexp(x, 2 * power))
        return square is not None and bool(np.isclose(y, square, rtol=BY_ITERATION, atol=0))
    if y is None:
        return False
    tolerance = BY_ITERATION if {"blups", "unstructured"} & set(path) else EQUAL
    with np.errstate(all="ignore"):
        at_unit = float(np.ldexp(y, -power))
    return bool(
        np.isclose(x, y, rtol=tolerance, atol=1e-12)
        or np.isclose(x, at_unit, rtol=tolerance, atol=1e-12)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_power_of_two_changes_no_result(name: str) -> None:
    expected = dict(leaves(analysed(CASES[name])))
    for power in POWERS:
        found = dict(leaves(analysed(np.ldexp(CASES[name], power))))
        assert found.keys() == expected.keys()
        other = {
            ".".join(path): (x, found[path])
            for path, x in expected.items()
            if not is_same(path, x, found[path], power)
        }
        assert not other, (power, other)


RANKS = ("friedman", "rank_sums", "rank_pairs", "iman_davenport")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one", "few"])
def test_an_offset_changes_no_rank_and_no_decision(name: str) -> None:
    """Hundredths beside 1e8, where floats are 1.5e-8 apart."""
    values = np.round(CASES[name], 2)
    inferred, shifted = (
        next(iter(analysed(v)["sections"]["inference"].values()))["loss"]
        for v in (values, values + 1e8)
    )
    for key in RANKS:
        assert inferred[key] == shifted[key]
    for mine, other in zip(inferred["pairs"], shifted["pairs"], strict=True):
        same = ("first", "second", "significant", "wins", "ties", "losses")
        assert [mine[k] for k in same] == [other[k] for k in same]
        assert mine["estimate"] == pytest.approx(other["estimate"], abs=1e-7)


@pytest.mark.slow
@settings(suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1), st.integers(0, 5))
def test_odd_values_have_an_answer_or_a_refusal(seed: int, kind: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (rng.integers(1, 4), rng.integers(1, 10), rng.integers(2, 5))
    values = rng.normal(1, 0.2, shape)
    values = (
        np.sign(values) * 10.0 ** rng.uniform(-300, 300, shape),
        values * 10.0 ** rng.uniform(-300, 300, (1, 1, shape[2])),
        values * 10.0 ** rng.uniform(-300, 300, (shape[0], 1, 1)),
        np.round(values, 1) + rng.choice([0.0, 1e8, 1e12]),
        np.where(rng.random(shape) < 0.3, 0.0, values * 10.0 ** rng.choice([-300, 0, 150, 300])),
        np.full(shape, values[0, 0, 0]) + (rng.random(shape) < 0.2) * 1e-13,
    )[kind]
    values = np.where(rng.random(shape) < rng.choice([0, 0.15]), np.nan, values)
    with suppress(ReportgenError):
        assert analysed(values)["sections"]


# ------------------------------------------------------------------- what was found, case by case


@pytest.mark.parametrize("power", POWERS)
def test_the_block_model_has_the_unit_of_the_values(power: int) -> None:
    values = CASES["one"][0]
    expected, found = fit_block_model(values), fit_block_model(np.ldexp(values, power))
    for name in ("statistic", "df1", "df2", "p_value", "log10_p_value"):
        mine, other = (getattr(model.equality, name) for model in (expected, found))
        assert other == pytest.approx(mine, rel=1e-12)
    assert found.icc == pytest.approx(expected.icc, rel=1e-12)
    assert found.standard_error_df == pytest.approx(expected.standard_error_df, rel=1e-12)
    assert np.ldexp(found.standard_error, -power) == pytest.approx(expected.standard_error)
    np.testing.assert_allclose(np.ldexp(found.means, -power), expected.means, rtol=1e-12)
    assert greenhouse_geisser(np.ldexp(values, power)) == pytest.approx(greenhouse_geisser(values))


def test_a_turn_of_the_criterion_may_be_rounding() -> None:
    """Candidates hundreds of powers of ten apart: slopes of a grid and of one place differ."""
    values = [
        [0.6913100992143256, 0.0, np.nan, 5.550799922867311e-175],
        [np.nan, 0.0, 0.0, 3.751836693996578e-175],
        [0.4108857108294629, 0.0, 0.0, 3.458773809926673e-175],
    ]
    found = fit_incomplete_blocks(np.array(values))
    assert found.means[0] == pytest.approx(0.5511, abs=1e-4)


def test_ratios_beyond_floating_point_are_infinite() -> None:
    found = ratio_profile(np.array([[1e-300, 1e300], [1.0, 2.0]]))
    assert found.tolist() == [[1.0, 1.0], [2.0, np.inf]]


def test_scores_whose_variance_is_rounding_have_intervals() -> None:
    near, far = 0.9935093588048124, 0.9935093588047982
    means = np.array([[near + 2.6e-14, near, near], [far, far, far + 2.01e-14]])
    found = elo_scores(means, is_smaller_better=True)
    assert np.isfinite(found.points).all()
    assert found.lower is not None
    assert np.isfinite(found.lower).all()


@pytest.mark.parametrize(("x", "text"), [(1e-305, "1e−305"), (np.inf, "–"), (1.5e307, "1.5e307")])
def test_numbers_of_any_size_are_written(x: float, text: str) -> None:
    assert notation.significant(x) == text


@pytest.mark.parametrize(("factor", "size"), [(1e307, "e\\+306"), (1e-310, "e-311")])
def test_values_that_floats_cannot_hold_with_all_digits_are_refused(
    factor: float, size: str
) -> None:
    allowed = ".*allowed sizes from 1e-100 to 1e\\+100"
    told = rf"data: row data, \d, d, column loss: found .*{size} for the measure loss"
    with pytest.raises(ExchangeError, match=told + allowed):
        analysed(CASES["few"] * factor)
    _, stored, _ = reportgen.compare(CASES["few"], candidates=NAMES, measure="loss").parts
    stored = replace(stored, frame=stored.frame.assign(value=stored.frame["value"] * factor))
    told = rf"data set 'data', measure 'loss': found values of sizes up to .*{size} \(candidate 'd'"
    with pytest.raises(AnalysisError, match=told + allowed):
        check_sizes(stored)


def test_values_that_are_as_good_as_0_beside_others_are_not_refused() -> None:
    values = CASES["few"].copy()
    values[0, 0, 0] = 1e-320
    assert analysed(values)["sections"]
    assert analysed(np.zeros((1, 6, 3)))["sections"]
