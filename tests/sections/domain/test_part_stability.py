"""Parts that return, and parts that do not."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.sections.domain import clusters as part_stability
from reportgen.sections.domain import result
from reportgen.sections.domain.clusters import choose_cut, returning
from reportgen.stats.relations.clustering import complete_linkage, distances
from reportgen.stats.subsamples import SubsampleSupport, subsample
from tests.sections.domain.making import draw_values, tell


def groups(*sizes: int) -> np.ndarray:
    """Return distances of objects in groups: 1 within, 9 between."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    return np.where(group[:, None] == group, 1, 9) * (1 - np.eye(len(group), dtype=int))


def orders(n: int, seed: int, step: float = 0.0) -> np.ndarray:
    """Return distances of n weak orders of six candidates; the first half in one camp."""
    rng = np.random.default_rng(seed)
    levels = step * np.arange(6) * np.where(np.arange(n) < n // 2, 1, -1)[:, None]
    scores = np.round(rng.normal(size=(n, 6)) + levels)
    return distances(scores[:, :, None] < scores[:, None, :])


def found(matrix: np.ndarray, seed: int = 1) -> tuple[SubsampleSupport, list[float | None], bool]:
    """Cut as the section does, and look for the parts; also say whether they have structure."""
    cut = choose_cut(complete_linkage(matrix), matrix)
    assert cut is not None
    again, shares = returning(matrix, cut.parts, np.random.default_rng(seed))
    return again, shares, cut.silhouette > 0.25


@pytest.mark.parametrize(
    ("sizes", "n_subsamples"),
    [((6, 6, 6), 200), ((5, 4), 200), ((100, 100), 200), ((101, 100), 50)],
)
def test_parts_that_are_far_apart_always_return(sizes: tuple[int, ...], n_subsamples: int) -> None:
    again, shares, _ = found(groups(*sizes))
    n = sum(sizes)
    assert again == SubsampleSupport(1.0, n_subsamples, round(0.632 * n), n)
    assert shares == [1.0] * len(sizes)


def test_a_part_returns_only_where_some_of_it_is_drawn() -> None:
    again, shares, _ = found(groups(20, 1))
    assert sorted(x or 0.0 for x in shares) == [again.share, 1.0]
    # Thirteen of 21 have the one in 62%: a binomial of 200 draws has a standard error of .034.
    assert again.share == pytest.approx(13 / 21, abs=4 * 0.034)


@pytest.mark.slow
def test_camps_return_and_noise_does_not() -> None:
    assert all(found(orders(21, seed, step=1.0))[0].share > 0.95 for seed in range(3))
    noise = [found(orders(21, seed)) for seed in range(12)]
    named = [is_structured and again.is_reportable for again, _, is_structured in noise]
    assert sum(named) <= 1  # 0 of 30 when it was measured
    assert any(is_structured for _, _, is_structured in noise)


def test_subsamples_do_not_hang_on_what_was_drawn_before() -> None:
    matrix = orders(12, 1)
    cut = choose_cut(complete_linkage(matrix), matrix)
    assert cut is not None
    fresh, used = np.random.default_rng(7), np.random.default_rng(7)
    used.integers(12, size=2400)  # resamples of a consensus, as many as there are data sets
    assert returning(matrix, cut.parts, fresh) == returning(matrix, cut.parts, used)


def test_objects_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def watched(n: int, rng: np.random.Generator) -> np.ndarray:
        drawn = subsample(n, rng)
        sizes.append((len(drawn), len(set(drawn.tolist()))))
        return drawn

    monkeypatch.setattr(part_stability, "subsample", watched)
    found(groups(6, 6))
    assert sizes == [(8, 8)] * 200


@pytest.mark.parametrize(("most", "is_sought"), [(9, True), (8, False)])
def test_so_many_data_sets_are_not_clustered_and_the_report_says_so(
    monkeypatch: pytest.MonkeyPatch, most: int, is_sought: bool
) -> None:
    for module in (part_stability, result):
        monkeypatch.setattr(module, "MOST_CLUSTERED", most)
    values = draw_values(3, [[0.2, 0.21, 0.3], [0.3, 0.2, 0.21], [0.21, 0.3, 0.2]] * 3)
    said, found = tell(values, ("anna", "bert", "cara"))
    assert [found.distances is None, found.subdomains is None] == [not is_sought] * 2
    assert sorted(found.leaf_order) == sorted(row.name for row in found.rows)
    sentence = "No groups of data sets were sought: so many have too many distances."
    assert (sentence in said.sections["domain"]) != is_sought
