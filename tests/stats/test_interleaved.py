"""Two variants in alternation: by hand, by brute force, and on noise."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, sqrt

import numpy as np
import pytest

from reportgen.stats.interleaved import (
    Interleaved,
    block_effects,
    compare_interleaved,
    look_at,
    looks_of,
    order_of,
)
from reportgen.stats.pairs.paired_max_t import difference_intervals

CLOSE = 1e-9  # relative: logarithms and back
FAR = 4.5  # Monte Carlo standard errors


def runner(seed: int, slower: float = 1.0, noise: float = 0.05) -> Callable[[str], float]:
    rng = np.random.default_rng(seed)
    return lambda who: float(exp(noise * rng.normal()) * (slower if who == "B" else 1.0))


def scripted(times: list[float]) -> tuple[Callable[[str], float], list[str]]:
    told: list[str] = []
    left = iter(times)

    def run(who: str) -> float:
        told.append(who)
        return next(left)

    return run, told


def test_a_block_is_the_mean_log_of_b_less_that_of_a() -> None:
    seconds = np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
    first = (log(2) + log(3)) / 2 - (log(1) + log(4)) / 2  # A B B A
    assert block_effects(seconds) == pytest.approx([first, -first], rel=CLOSE)  # B A A B
    assert [order_of(k) for k in range(3)] == ["ABBA", "BAAB", "ABBA"]


@pytest.mark.parametrize("drift", [0.9, 1.0, 1.3])
def test_a_drift_by_a_factor_a_run_falls_out(drift: float) -> None:
    seconds = drift ** np.arange(32.0).reshape(8, 4)
    assert block_effects(seconds) == pytest.approx(np.zeros(8), abs=1e-12)


def test_looks_double_until_the_last() -> None:
    assert looks_of(6) == (6,)
    assert looks_of(7) == (6, 7)
    assert looks_of(24) == (6, 12, 24)


def test_a_look_is_the_interval_of_the_mean_of_blocks() -> None:
    seconds = np.exp(np.random.default_rng(2).normal(size=(9, 4)) * 0.1)
    look = look_at(seconds, 0.02)
    d = block_effects(seconds)
    low, high = difference_intervals(d[:, None], 0.02)
    assert log(look.ratio) == pytest.approx(d.mean(), rel=CLOSE)
    assert (log(look.lower), log(look.upper)) == pytest.approx((low[0], high[0]), rel=CLOSE)


def test_variants_run_in_blocks_and_an_alarm_is_run_anew() -> None:
    blocks = [[1.0, 2.0, 2.0, 1.0], [2.1, 1.0, 1.0, 2.0]] * 6
    run, told = scripted([x for block in blocks for x in block])
    found = compare_interleaved(run, most=6)
    assert "".join(told) == "ABBABAAB" * 6
    assert found.outcome == "slower"
    assert found.look.n == found.confirmation.n == 6
    assert found.seconds.shape == (12, 4)


def test_an_alarm_that_does_not_return_is_none() -> None:
    alike = np.random.default_rng(1).uniform(0.9, 1.1, 24).tolist()
    slow = [x for block in [[1.0, 2.0, 2.1, 1.0], [2.0, 1.0, 1.0, 2.1]] * 3 for x in block]
    run, _ = scripted([*slow, *alike])
    found = compare_interleaved(run, most=6)
    assert found.outcome == "not-confirmed"
    run, told = scripted(slow)
    assert compare_interleaved(run, most=6, confirms=False).outcome == "slower"
    assert len(told) == 24


def test_a_budget_ends_it() -> None:
    left = iter([True] * 8 + [False] * 9)
    found = compare_interleaved(runner(1), most=24, has_time=lambda: next(left))
    assert (found.outcome, found.look.n, found.is_in_time) == ("open", 6, False)
    assert len(found.seconds) == 8
    none = compare_interleaved(runner(1), has_time=lambda: False)
    assert (none.look.n, none.seconds.shape) == (0, (0, 4))


def test_what_does_not_matter_is_alike_and_no_alarm() -> None:
    assert compare_interleaved(runner(3, 1.02, 0.003), area=1.05).outcome == "alike"
    assert compare_interleaved(runner(3, 1.02, 0.003)).outcome == "slower"
    assert compare_interleaved(runner(3, 0.8, 0.003), area=1.05).outcome == "faster"
    assert compare_interleaved(runner(3, 1.02, 0.003), area=1.02).outcome in ("open", "alike")


@pytest.mark.parametrize("more", [{"most": 5}, {"alpha": 0.0}, {"area": 0.9}])
def test_wrong_arguments_are_refused(more: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="allowed"):
        compare_interleaved(runner(1), **more)


def test_times_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        compare_interleaved(lambda _who: 0.0)


def test_on_noise_either_is_decided_as_often_as_alpha_and_alarms_hardly_ever() -> None:
    runs, decided, alarms = 600, 0, 0
    for seed in range(runs):
        found: Interleaved = compare_interleaved(runner(seed))
        decided += found.outcome in ("slower", "faster", "not-confirmed")
        alarms += found.outcome == "slower"
    assert decided / runs < 0.05 + FAR * sqrt(0.05 * 0.95 / runs)
    assert alarms / runs < 0.015


def test_constant_times_are_decided_by_their_signs() -> None:
    found = compare_interleaved(lambda who: 2.0 if who == "B" else 1.0)
    assert found.outcome in ("slower", "open")
    assert compare_interleaved(lambda _who: 1.0).outcome == "open"
