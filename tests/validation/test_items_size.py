"""The error rates of comparisons of items: as promised, as the page says, and met again."""

from __future__ import annotations

from dataclasses import astuple, replace
from types import ModuleType

import numpy as np
import pytest

from reportgen.stats.items.comparison import item_pairs
from reportgen.stats.items.tasks import task_means
from tests.conftest import ROOT
from tests.validation.scripts import load_study

FAR = 3.0  # standard errors
CLOSE = 1e-9  # absolute, of intervals: two orders of the same sums
KERNELS = 2  # studies of a cell that another processor may decide otherwise, for its last bits


@pytest.fixture(scope="module")
def study() -> ModuleType:
    """Return the script as a module."""
    return load_study("items")


def test_the_page_is_written_from_the_counts(study: ModuleType) -> None:
    assert (ROOT / "docs" / "items-size.md").read_text(encoding="utf-8") == study.page()


def test_files_have_every_setting(study: ModuleType) -> None:
    for part in study.PARTS:
        assert [*study.read(part)] == [setting for setting, _ in study.settings(part)]
        for (_, runs), counts in zip(study.settings(part), study.read(part).values(), strict=True):
            assert counts.runs == runs >= study.FEWEST_RUNS


def test_exceptions_are_those_that_the_page_names(study: ModuleType) -> None:
    """Unlike models err more often with few clusters; no symmetric ones do anywhere."""
    unlike = {
        s: c for s, c in study.misses(study.read("clusters")).items() if s.truth == "one unlike"
    }
    assert max(c.errors / c.runs for c in unlike.values()) > 0.08
    n_settings = 0
    for part in study.PARTS:
        rows, failed = study.read(part), study.misses(study.read(part))
        n_settings += len(rows) - len(failed)
        for setting, counts in failed.items():
            is_too_short = setting.n_clusters >= study.MANY and study.is_too_short(counts)
            assert setting in unlike or is_too_short, (part, setting, counts)
    assert n_settings > 700


def test_intervals_of_all_cover_however_few_items_differ(study: ModuleType) -> None:
    for setting, counts in study.read("score").items():
        assert counts.given == counts.runs
        assert counts.covered >= study.LEAST * counts.runs, setting


def test_two_equal_models_on_three_tasks_have_seldom_a_verdict(study: ModuleType) -> None:
    for setting, counts in study.read("tasks").items():
        if (setting.n_models, setting.truth) == (2, "equal"):
            spread = FAR * (study.MOST * (1 - study.MOST) * counts.runs) ** 0.5
            assert counts.errors <= study.MOST * counts.runs + spread, setting
    rates = {
        (s.n, s.icc): c.naive / c.runs
        for s, c in study.read("tasks").items()
        if (s.law, s.n_models, s.truth) == ("graded", 2, "equal")
    }
    assert rates[1000, 0.7] > 0.3


def test_other_rules_err(study: ModuleType) -> None:
    rates = {
        (s.n, s.n_clusters, s.sizes, s.icc): c
        for s, c in study.read("clusters").items()
        if (s.law, s.chance, s.n_runs, s.n_models, s.truth) == ("binary", 0.5, 1, 2, "equal")
    }
    naive = rates[300, 20, "equal", 0.7]
    assert naive.naive > 0.3 * naive.runs
    assert naive.unpaired > 0.2 * naive.runs
    assert all(c.usual >= c.errors for c in rates.values())
    runs = {s: c for s, c in study.read("own").items() if s.n_runs == 10 and s.truth == "equal"}
    assert all(c.pooled > 0.2 * c.runs for c in runs.values())


@pytest.mark.parametrize("place", [(300, 20), (100, 10), (300, 60)])
@pytest.mark.parametrize("sizes", ["equal", "unequal"])
@pytest.mark.parametrize("models", [2, 4])
def test_the_rule_is_that_of_comparisons(
    study: ModuleType, place: tuple[int, int], sizes: str, models: int
) -> None:
    for has_clusters in (True, False):
        count = place[1] if has_clusters else place[0]
        icc = 0.5 * has_clusters
        setting = study.Setting("binary", place[0], count, sizes, icc, 0.9, 1, models, "one better")
        values = study.draw(setting, 20, np.random.default_rng(1))[:, :, 0]
        found = study.rule_of(setting)(values)
        codes = np.repeat(np.arange(count), study.cluster_sizes(setting))
        for lower, upper, is_open, own in zip(*astuple(found), values, strict=True):
            table = item_pairs(own, codes, study.ALPHA, np.random.default_rng(1))
            assert table.method == ("cluster-robust" if has_clusters else "score")
            np.testing.assert_array_equal(is_open, table.is_open)
            np.testing.assert_allclose(lower, table.lower, atol=CLOSE)
            np.testing.assert_allclose(upper, table.upper, atol=CLOSE)


def test_tasks_are_those_of_the_kernel(study: ModuleType) -> None:
    setting = study.Setting("graded", 90, 20, "unequal", 0.5, 0.7, 2, 3, "equal")
    values = study.draw(setting, 5, np.random.default_rng(1)).mean(axis=2)
    sizes = study.cluster_sizes(setting)
    found = study.differences(values, sizes)
    for i, own in enumerate(values):
        task = task_means(own, np.repeat(np.arange(20), sizes))
        for name in type(task).__slots__:
            expected = getattr(task, name)
            np.testing.assert_allclose(getattr(found, name)[i], expected, atol=CLOSE)


def test_settings_have_the_means_and_correlations_that_they_say(study: ModuleType) -> None:
    rng = np.random.default_rng(1)
    for law, truth in (
        ("binary", "one better"),
        ("graded", "one better"),
        ("binary", "one unlike"),
    ):
        setting = study.Setting(law, 60, 12, "unequal", 0.5, 0.8, 2, 3, truth)
        scores = study.draw(setting, 2000, rng).mean(axis=(1, 2))
        error = scores.std(axis=0) / 2000**0.5
        assert (np.abs(scores.mean(axis=0) - study.means(setting)) < 4.5 * error).all()
    assert study.cluster_sizes(setting).sum() == 60
    assert study.cluster_sizes(setting).min() >= 1
    assert len(study.cluster_sizes(setting)) == 12


PLACES = [("score", 0), ("score", 5), ("clusters", 11), ("clusters", 41)]
SLOW = [pytest.param(part, place, marks=pytest.mark.slow) for part, place in
        (("own", 0), ("runs", 0), ("tasks", 0))]  # fmt: skip


@pytest.mark.parametrize(("part", "place"), [*PLACES, *SLOW])
def test_a_cell_is_met_again(study: ModuleType, part: str, place: int) -> None:
    """The same seeds give the same counts."""
    setting, runs = study.settings(part)[place]
    again, before = study.simulate(part, setting, runs), study.read(part)[setting]
    for found, written in zip(astuple(again), astuple(before), strict=True):
        assert found == pytest.approx(written, abs=KERNELS, nan_ok=True)


def test_a_cell_is_met_by_other_numbers(study: ModuleType) -> None:
    setting, _ = study.settings("clusters")[11]
    other = replace(setting, icc=setting.icc + 1e-9)  # another seed
    counts = study.simulate("clusters", other, 2000)
    before = study.read("clusters")[setting]
    share = before.errors / before.runs
    assert abs(counts.errors / 2000 - share) < FAR * (share * (1 - share) / 2000) ** 0.5 + 1e-3
