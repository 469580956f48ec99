"""Tracks in random orders: the same as following every order."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.sequential.orders import OrderFree, order_free, order_looks
from reportgen.stats.sequential.paired_paths import signed_rank_path
from reportgen.stats.sequential.stages import PATHS

SAME = 1e-9  # sums of halves are exact; the normal law is not

LOOKS = order_looks(100, 50, 6)  # fewer may be tested by the exact law


@pytest.mark.parametrize("decimals", [1, 8])
def test_signed_ranks_by_counts_follow_every_order(decimals: int) -> None:
    d = np.round(np.random.default_rng(3).normal(0.2, 1, 100), decimals)
    d[7] = 0.0
    (found,) = order_free(d[None], LOOKS, "wilcoxon", np.random.default_rng(4), 9)
    orders = np.random.default_rng(4).permuted(np.tile(np.arange(100), (9, 1)), axis=1)
    path = signed_rank_path(d[orders], 50)
    np.testing.assert_allclose(found.p_values, path.p_values[:, LOOKS - 50], atol=SAME)


@pytest.mark.parametrize("test", ["t", "sign"])
def test_other_tests_follow_the_orders(test: str) -> None:
    d = np.random.default_rng(5).normal(0.3, 1, 100)
    (found,) = order_free(d[None], LOOKS, test, np.random.default_rng(6), 5)
    whole = PATHS[test](d, 5)
    np.testing.assert_allclose(found.p_values[:, -1], whole.p_values[-1], rtol=1e-9)
    assert len({tuple(row) for row in found.p_values.round(9).tolist()}) == 5


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon"])
def test_pairs_together_are_the_pairs_alone(test: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in parts of two pairs."""
    d = np.random.default_rng(5).normal(0.3, 1, (3, 100))
    rng = np.random.default_rng(6)
    alone = [next(order_free(row[None], LOOKS, test, rng, 7)).p_values for row in d]
    monkeypatch.setattr("reportgen.stats.sequential.orders.TOGETHER", 1400)
    together = order_free(d, LOOKS, test, np.random.default_rng(6), 7)
    for own, found in zip(alone, together, strict=True):
        np.testing.assert_allclose(found.p_values, own, rtol=1e-12)


def test_stable_when_most_orders_stay() -> None:
    p = np.array([[0.01, 0.2, 0.01, 0.01], [0.2, 0.01, 0.01, 0.01], [0.2, 0.2, 0.2, 0.01]])
    found = OrderFree(np.array([10, 20, 30, 40]), p)
    assert found.stable_from(0.05) == 40
    assert found.stable_from(0.05, share=0.6) == 30
    assert found.stable_from(0.05, share=0.3) == 20
    assert found.stable_from(0.001) is None
    assert found.share_significant(0.05).tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 1])
