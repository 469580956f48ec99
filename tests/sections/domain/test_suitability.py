"""Losses to the best, affinities, who is first without a data set: by hand and brute force."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.sections.domain.analysis import find_interaction, find_regret, first_without
from reportgen.sections.domain.data import DatasetMeans
from reportgen.sections.domain.suitability import Interaction, Regret
from reportgen.stats.blocks.gaps import fill_gaps
from reportgen.study.comparison import DomainScale
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed, draw_values
from tests.sections.reading import ACCURACY, COST, ERROR, TIME

NAN = np.nan
ROUNDING = 1e-12  # of sums of a few numbers


def means(rows: list[list[float]], scale: str = "difference") -> DatasetMeans:
    values = np.array(rows)
    values = np.log(values) if scale == "ratio" else values
    datasets = tuple(f"d{m}" for m in range(len(values)))
    names = tuple("abc"[: values.shape[1]])
    filled, nothing = fill_gaps(values, is_smaller_better=True), np.zeros(values.shape, dtype=bool)
    choice = DomainScale(scale, "given")  # type: ignore[arg-type]
    return DatasetMeans(
        candidates=names,
        values=values,
        scale=choice.scale,
        missing_by_design=nothing,
        rows=tuple(values[:, None]),
        datasets=datasets,
        missing_datasets=(),
        filled=filled,
        choice=choice,
    )


def losses(found: Regret | None) -> dict[str, tuple[float, float, str]]:
    assert found is not None
    return {name: (own.mean, own.worst, own.dataset) for name, own in found.candidates.items()}


def test_losses_by_hand() -> None:
    found = find_regret(means([[1, 2, 4], [3, 2, 2], [5, 5, 9]]), is_smaller_better=True)
    assert losses(found) == {
        "a": (pytest.approx(1 / 3), 1.0, "d1"),
        "b": (pytest.approx(1 / 3), 1.0, "d0"),
        "c": (pytest.approx(7 / 3), 4.0, "d2"),
    }
    assert found is not None
    assert found.candidates["c"].datasets == {"d0": 3.0, "d1": 0.0, "d2": 4.0}
    assert (found.n_datasets, found.safest, found.riskiest) == (3, "a", "c")
    assert [own.where for own in found.candidates.values()] == ["d1", "d0", "d2"]
    alike = find_regret(means([[1, 2], [2, 3]]), is_smaller_better=True)
    assert alike is not None
    assert alike.candidates["b"].where == "several"
    assert found.is_whole
    assert not found.has_safest  # two share the smallest worst loss
    assert found.free_choice is None


def test_losses_of_a_larger_better_measure() -> None:
    found = find_regret(means([[1, 2, 4], [3, 2, 2]]), is_smaller_better=False)
    assert losses(found) == {
        "c": (0.5, 1.0, "d1"),
        "b": (1.5, 2.0, "d0"),
        "a": (1.5, 3.0, "d0"),
    }
    assert found is not None
    assert found.has_safest


def test_losses_with_gaps() -> None:
    rows = [[1, NAN, 4], [3, 2, 2], [5, NAN, NAN]]
    found = find_regret(means(rows), is_smaller_better=True)
    assert losses(found) == {
        "b": (0.0, 0.0, "d1"),
        "a": (0.5, 1.0, "d1"),
        "c": (1.5, 3.0, "d0"),
    }
    assert found is not None
    assert found.n_datasets == 2  # on d2 there is nothing to choose
    assert not found.is_whole
    assert not found.has_safest
    assert found.free_choice is None  # b has a value on one data set only
    assert found.complete == ("a", "c")
    assert find_regret(means([[1, NAN], [NAN, 2]]), is_smaller_better=True) is None


def test_losses_by_ratio() -> None:
    found = find_regret(means([[1, 4, 8], [2, 1, 2]], "ratio"), is_smaller_better=True)
    assert found is not None
    assert {n: own.worst for n, own in found.candidates.items()} == pytest.approx(
        {"a": 2.0, "b": 4.0, "c": 8.0}
    )
    assert found.candidates["a"].mean == pytest.approx(2**0.5)
    assert found.candidates["c"].mean == pytest.approx(4.0)
    free = find_regret(means([[1, 4], [2, 2]], "ratio"), is_smaller_better=True)
    assert free is not None
    assert free.free_choice == "a"
    assert not free.is_level


def test_a_choice_that_costs_nothing() -> None:
    free = find_regret(means([[1, 2], [1, 1]]), is_smaller_better=True)
    level = find_regret(means([[1, 1], [2, 2]]), is_smaller_better=True)
    assert free is not None
    assert level is not None
    assert (free.free_choice, free.is_level) == ("a", False)
    assert (level.free_choice, level.is_level) == ("a", True)


def departures(found: Interaction | None) -> list[float]:
    assert found is not None
    return [x for own in found.departures.values() for x in own.values()]


def test_affinity_by_hand() -> None:
    found = find_interaction(means([[1, 3], [2, 4], [3, 11]]), is_smaller_better=True)
    assert found is not None
    assert found.levels == {"d0": 2.0, "d1": 3.0, "d2": 7.0}
    # Candidates' means are 2 and 6 around 4: expected on d2 are 5 and 9.
    assert found.departures["d2"] == pytest.approx({"a": -2.0, "b": 2.0})
    assert found.departures["d0"] == pytest.approx({"a": 1.0, "b": -1.0})
    assert found.peak[0] == "d2"
    assert found.peaks == (("d2", "a"), ("d2", "b"))  # two candidates depart alike
    assert found.largest == pytest.approx(2.0)
    assert (found.easiest, found.hardest) == ("d0", "d2")
    assert found.is_better(found.departures["d2"]["a"])
    assert found.most_departing(1) == ("d2",)
    turned = find_interaction(means([[1, 3], [2, 4], [3, 11]]), is_smaller_better=False)
    assert turned is not None
    assert list(turned.levels) == ["d2", "d1", "d0"]
    assert turned.is_better(turned.departures["d2"]["b"])


def test_affinity_leaves_nothing_of_additive_means() -> None:
    rows = np.add.outer([0.1, 0.25, 0.7], [0.3, 0.1, 0.6])
    found = find_interaction(means(rows.tolist()), is_smaller_better=True)
    assert set(departures(found)) == {0.0}
    assert found is not None
    assert found.largest == 0.0
    rows[1, 2] = NAN
    gaps = find_interaction(means(rows.tolist()), is_smaller_better=True)
    assert gaps is not None
    assert "c" not in gaps.departures["d1"]


def test_affinity_with_gaps_departs_from_the_levels_of_what_is_filled() -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(6, 3))
    rows[0, 1] = rows[3, 2] = NAN
    found = find_interaction(means(rows.tolist()), is_smaller_better=True)
    filled = np.where(np.isnan(rows), np.nanmax(rows, axis=1, keepdims=True), rows)
    left = filled - filled.mean(axis=1, keepdims=True) - filled.mean(axis=0) + filled.mean()
    assert found is not None
    for m, k in np.argwhere(np.isfinite(rows)).tolist():
        departure = found.departures[f"d{m}"]["abc"[k]]
        assert departure == pytest.approx(left[m, k], abs=ROUNDING)


def test_affinity_by_ratio_is_symmetric() -> None:
    found = find_interaction(means([[1, 1], [1, 16]], "ratio"), is_smaller_better=True)
    assert found is not None
    assert found.departures["d1"] == pytest.approx({"a": 0.5, "b": 2.0})
    assert found.size(0.5) == pytest.approx(found.size(2.0)) == pytest.approx(np.log(2))
    assert found.levels == pytest.approx({"d0": 1.0, "d1": 4.0})


@pytest.mark.parametrize("seed", range(3))
def test_first_without_a_data_set_by_brute_force(seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(5, 3))
    found = first_without(means(rows.tolist()), is_smaller_better=True)
    left = [np.delete(rows, m, axis=0).mean(axis=0).argmin() for m in range(5)]
    assert found == tuple(name for k, name in enumerate("abc") if k in left)


@pytest.mark.parametrize("measure", [ERROR, ACCURACY, TIME, COST])
@pytest.mark.parametrize("size", [1.0, 1e-90, 1e90])
def test_sections_have_them_in_the_unit_of_the_measure(measure, size) -> None:
    if measure in (ERROR, ACCURACY) and size != 1.0:
        pytest.skip("a share has its size")
    rng = np.random.default_rng(3)
    rows = (0.3 + rng.uniform(0, 0.3, (7, 3))).tolist()
    values = {d: v * size for d, v in draw_values(1, rows, 5).items()}
    result = analysed(warehouse_of({measure: values}, "abc"))
    verdict = result.verdict[measure.name]
    every = np.array([v.mean(axis=0) for v in values.values()])
    if verdict.is_ratio:
        every = np.exp([np.log(v).mean(axis=0) for v in values.values()])
    best = every.min(axis=1) if measure.is_smaller_better else every.max(axis=1)
    apart = every / best[:, None] if verdict.is_ratio else np.abs(every - best[:, None])
    for k, name in enumerate("abc"):
        own = result.regret.candidates[name]
        assert own.worst == pytest.approx(apart[:, k].max())
        assert list(own.datasets.values()) == pytest.approx(apart[:, k].tolist())
    assert result.regret.scale == result.interaction.scale == verdict.pairs.scale
    assert len(result.interaction.levels) == 7
