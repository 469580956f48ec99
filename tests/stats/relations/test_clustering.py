"""Distances and complete linkage: by definition, and against R's hclust."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.relations.clustering import complete_linkage, cut, distances
from reportgen.stats.relations.relations import distance


def weak_orders(seed: int, m: int, k: int) -> np.ndarray:
    ranks = np.random.default_rng(seed).integers(0, 3, size=(m, k))
    return ranks[:, :, None] < ranks[:, None, :]


@given(st.integers(0, 1000), st.integers(2, 7), st.integers(2, 5))
def test_distances_by_definition(seed, m, k):
    relations = weak_orders(seed, m, k)
    found = distances(relations)
    expected = [[distance(a, b) for b in relations] for a in relations]
    assert found.tolist() == expected


def by_definition(matrix: np.ndarray) -> list[float]:
    """Join the two clusters whose farthest members are nearest, again and again."""
    clusters = [{i} for i in range(len(matrix))]
    heights = []
    while len(clusters) > 1:
        height, a, b = min(
            (max(matrix[i, j] for i in p for j in q), n, o)
            for n, p in enumerate(clusters)
            for o, q in enumerate(clusters)
            if n < o
        )
        heights.append(float(height))
        clusters[a] |= clusters.pop(b)
    return heights


@given(st.integers(0, 1000), st.integers(2, 9))
def test_heights_by_definition(seed, m):
    points = np.random.default_rng(seed).normal(size=(m, 2))
    matrix = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    found = complete_linkage(matrix)
    assert found.heights == pytest.approx(by_definition(matrix))
    assert sorted(found.leaf_order) == list(range(m))


@given(st.integers(0, 1000), st.integers(2, 9))
def test_every_cluster_is_a_run_of_leaves(seed, m):
    found = complete_linkage(distances(weak_orders(seed, m, 4)))
    for n in range(1, m + 1):
        clusters = cut(found, n)
        assert len(clusters) == n
        assert tuple(leaf for cluster in clusters for leaf in cluster) == found.leaf_order


def test_golden(reference: Path):
    golden = json.loads((reference / "golden" / "uci621.json").read_text())
    relations = [
        np.array(golden["local_available"][name]["incidence"]["data"], dtype=bool)
        for name in golden["datasets"]
    ]
    matrix = distances(np.stack(relations))
    assert matrix.tolist() == golden["dissimilarity_symdiff_refitted"]["data"]
    found = complete_linkage(matrix)
    assert list(found.heights) == golden["hclust_refitted"]["heights"]
    place = {name: i for i, name in enumerate(golden["datasets"])}
    theirs = [place[name] for name in golden["hclust_refitted"]["labels_in_order"]]
    for n in (2, 3, 5, 7):  # at these heights no join is tied with another
        ours = {frozenset(cluster) for cluster in cut(found, n)}
        runs = {frozenset(theirs[i] for i in _at(theirs, cluster)) for cluster in ours}
        assert runs == ours
        assert all(_is_run(_at(theirs, cluster)) for cluster in ours)


def _at(order: list[int], cluster: frozenset[int]) -> list[int]:
    return sorted(order.index(leaf) for leaf in cluster)


def _is_run(places: list[int]) -> bool:
    return places == list(range(places[0], places[-1] + 1))
