"""Means over tasks, against sums by hand and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import skew, ttest_ind
from scipy.stats import t as student

from reportgen.stats.items.tasks import adverse_tasks, compare_these_tasks, task_means
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.skewness import reach, t_star

ALPHA = 0.05
CLOSE = 1e-11  # relative: two computations in double precision


def tasks_of(*sizes: int, models: int = 3, seed: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, models)) + np.arange(models) / 4 for n in sizes]


def test_one_task_is_its_mean() -> None:
    values = tasks_of(40)[0]
    found = task_means(values, None)
    difference = values[:, 0] - values[:, 2]
    assert found.estimate[1] == pytest.approx(difference.mean(), rel=CLOSE)
    assert found.standard_error[1] == pytest.approx(difference.std(ddof=1) / 40**0.5, rel=CLOSE)
    assert found.df.tolist() == pytest.approx([39, 39, 39])
    table = compare_these_tasks([found], 3, ALPHA)
    np.testing.assert_allclose(table.estimate, found.estimate)
    own = paired_max_t(values, ALPHA, np.random.default_rng(1))
    for name in ("lower", "upper", "p_value", "adjusted_p_value"):
        np.testing.assert_allclose(getattr(table, name), getattr(own, name), rtol=1e-9)


def test_two_tasks_are_welch() -> None:
    """The sum of two means has the variance of the difference of two: Welch's t."""
    values = [np.concatenate([x, -x]) + np.array([0.3, 0.0]) for x in tasks_of(15, 40, models=2)]
    values[1] *= 3
    table = compare_these_tasks([task_means(x, None) for x in values], 2, ALPHA)
    first, second = (x[:, 0] - x[:, 1] for x in values)
    expected = ttest_ind(first, -second, equal_var=False)
    assert table.p_value[0] == pytest.approx(expected.pvalue, rel=1e-9)
    assert table.df[0] == pytest.approx(expected.df, rel=1e-9)
    assert table.estimate[0] == pytest.approx((first.mean() + second.mean()) / 2, rel=CLOSE)


def test_skewness_of_a_sum_of_means() -> None:
    """Third cumulants of independent means add up, as their variances do."""
    rng = np.random.default_rng(3)
    values = [np.column_stack([rng.exponential(size=n), np.zeros(n)]) for n in (20, 35)]
    values[0][:, 0] *= 3
    table = compare_these_tasks([task_means(x, None) for x in values], 2, ALPHA)
    means = [x[:, 0] for x in values]
    variances = np.array([d.var(ddof=1) / len(d) for d in means]) / 4
    third = [
        float(skew(d, bias=False)) / len(d) ** 0.5 * v**1.5
        for d, v in zip(means, variances, strict=True)
    ]
    total = variances.sum()
    lean = np.array([sum(third) / total**1.5])
    t = np.array([sum(d.mean() for d in means) / 2 / total**0.5])
    assert table.statistic == pytest.approx(t_star(t, lean), rel=1e-9)
    critical = student.ppf(1 - ALPHA / 2, table.df)
    below, above = (side * total**0.5 for side in reach(critical, lean))
    assert table.lower == pytest.approx(table.estimate - below, rel=1e-9)
    assert table.upper == pytest.approx(table.estimate + above, rel=1e-9)


def test_weights_and_clusters() -> None:
    values = tasks_of(30, 24, 40)
    clusters = [None, np.repeat(np.arange(12), 2), np.random.default_rng(1).integers(0, 15, 40)]
    tasks = [task_means(x, c) for x, c in zip(values, clusters, strict=True)]
    table = compare_these_tasks(tasks, 3, ALPHA, weights=np.array([2.0, 1.0, 1.0]))
    w = np.array([0.5, 0.25, 0.25])[:, None]
    errors = np.array([t.standard_error for t in tasks])
    dfs = np.array([t.df for t in tasks])
    variance = (w**2 * errors**2).sum(axis=0)
    np.testing.assert_allclose(table.standard_error, variance**0.5, rtol=CLOSE)
    expected = variance**2 / ((w * errors) ** 4 / dfs).sum(axis=0)
    np.testing.assert_allclose(table.df, expected, rtol=CLOSE)
    np.testing.assert_allclose(table.adjusted_p_value, np.minimum(1, 3 * table.p_value))
    np.testing.assert_array_equal(table.significant, table.adjusted_p_value <= ALPHA)
    missing_items = compare_these_tasks(tasks, 3, ALPHA, weights=np.array([1.0, 0.0, 1.0]))
    assert missing_items == compare_these_tasks([tasks[0], tasks[2]], 3, ALPHA)
    assert missing_items.extra["n_tasks"].tolist() == [2, 2, 2]


def test_pairs_that_a_task_does_not_have() -> None:
    values = tasks_of(30, 30)
    values[1][:, 2] = np.nan
    few = [values[0], values[1].copy()]
    few[1][:5, 2] = 1.0
    for x in (values, few):
        table = compare_these_tasks([task_means(v, None) for v in x], 3, ALPHA)
        assert table.is_open.tolist() == [False, True, True]
        assert np.isnan(table.adjusted_p_value[1:]).all()
        assert table.adjusted_p_value[0] == pytest.approx(table.p_value[0])


def test_a_task_without_any_difference_adds_no_variance() -> None:
    same = np.repeat(tasks_of(30, models=1)[0], 2, axis=1)
    other = tasks_of(30, models=2)[0]
    table = compare_these_tasks([task_means(x, None) for x in (same, other)], 2, ALPHA)
    alone = compare_these_tasks([task_means(other, None)], 2, ALPHA)
    assert not table.is_open.any()
    assert table.lower[0] == pytest.approx(alone.lower[0] / 2, rel=CLOSE)
    assert table.extra["ties"].tolist() == [1]
    both = compare_these_tasks([task_means(same, None)] * 2, 2, ALPHA).decided()
    assert both.extra["is_constant"].tolist() == [True]
    assert both.decision == ("undecided",)
    assert np.isnan(both.lower).all()
    assert both.adjusted_p_value.tolist() == [1.0]


def test_few_differences_have_an_interval() -> None:
    values = [np.tile([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], (15, 1)) for _ in range(3)]
    values[0][0, 0] = 0
    table = compare_these_tasks([task_means(x, None) for x in values], 3, ALPHA)
    assert table.extra["n_nonzero"].tolist()[0] == 1
    assert not table.is_open.any()
    assert table.lower[0] < 0 < table.upper[0]
    np.testing.assert_allclose(table.adjusted_p_value, np.minimum(1, 3 * table.p_value))


def test_without_spread_and_apart_a_pair_is_open() -> None:
    values = [np.tile([[1.0, 0.0]], (15, 1)), np.zeros((15, 2))]
    table = compare_these_tasks([task_means(x, None) for x in values], 2, ALPHA)
    assert table.estimate.tolist() == [0.5]
    assert table.is_open.tolist() == [True]
    assert np.isnan([table.lower[0], table.p_value[0]]).all()


def test_gaps_of_the_one_ahead_may_explain_it() -> None:
    """Whoever fails on the hard items of a task is not shown to be better by the others."""
    rng = np.random.default_rng(4)
    values = [np.clip(rng.normal([0.7, 0.5], 0.1, size=(40, 2)), 0, 1) for _ in range(2)]
    for column, is_undone in ((0, True), (1, False)):
        lost = [x.copy() for x in values]
        lost[0][:25, column] = np.nan
        tasks = [task_means(x, None) for x in lost]
        table = compare_these_tasks(tasks, 2, ALPHA)
        adverse = adverse_tasks(tasks, lost)
        assert adverse is not None
        d = lost[0][25:, 0] - lost[0][25:, 1]
        side = -1 if column == 0 else 1
        hidden = np.concatenate([np.full(25, side * np.abs(d).max()), d])
        means = [hidden.mean(), (values[1][:, 0] - values[1][:, 1]).mean()]
        assert adverse.mean[column, 0] == pytest.approx(np.mean(means), rel=CLOSE)
        errors = [x.std(ddof=1) / 40**0.5 for x in (hidden, values[1][:, 0] - values[1][:, 1])]
        assert adverse.error[column, 0] == pytest.approx(np.hypot(*errors) / 2, rel=CLOSE)
        held = table.held_against(adverse)
        assert table.significant.tolist() == [True]
        assert held.undone_by_gaps.tolist() == [is_undone]
    assert adverse_tasks([task_means(x, None) for x in values], values) is None


def test_direction() -> None:
    tasks = [task_means(x, None) for x in tasks_of(900, 900)]
    larger = compare_these_tasks(tasks, 3, ALPHA)
    smaller = compare_these_tasks(tasks, 3, ALPHA, is_smaller_better=True)
    assert larger.direction.tolist() == [-1, -1, -1]
    assert smaller.direction.tolist() == [1, 1, 1]
    assert larger.extra["losses"].tolist() == smaller.extra["wins"].tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"weights": np.array([1.0])}, "weights"),
        ({"weights": np.array([1.0, -1.0])}, "weights"),
        ({"weights": np.zeros(2)}, "weights"),
        ({"n_candidates": 4}, "pairs"),
        ({"n_candidates": 1}, "pairs"),
        ({"tasks": []}, "pairs"),
        ({"alpha": 0.0}, "alpha"),
    ],
)
def test_what_is_no_comparison(changed: dict, message: str) -> None:
    tasks = [task_means(x, None) for x in tasks_of(30, 30)]
    options = {"tasks": tasks, "n_candidates": 3, "alpha": ALPHA} | changed
    with pytest.raises(ValueError, match=message):
        compare_these_tasks(**options)


@pytest.mark.slow
def test_two_equal_models_on_three_tasks() -> None:
    """Equal models, each task easier for one by chance of its items: seldom a verdict."""
    rng, studies, wrong = np.random.default_rng(7), 1000, 0
    for _ in range(studies):
        tasks = []
        for n, size, chance in ((60, 3, 0.5), (100, 5, 0.8), (80, 2, 0.3)):
            clusters = np.repeat(np.arange(n // size), size)
            own = rng.normal(size=(n // size, 2))[clusters] + rng.normal(size=(n, 2))
            right = own / 2**0.5 < -np.sqrt(2) * (0.5 - chance)
            tasks.append(task_means(right.astype(float), clusters))
        wrong += compare_these_tasks(tasks, 2, ALPHA).n_significant
    assert wrong / studies <= 0.06
