"""Vectors mapped from a sample, and when they are empty."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.characteristics import maps as sample_maps
from reportgen.stats.characteristics.maps import (
    Sample,
    absolute_correlations,
    canonical_correlations,
)

EMPTY = Sample(np.zeros((3, 0)), np.zeros((3, 0), dtype=np.int64))
COUNTS = ("number_of_observations", "number_of_variables", "number_of_nominal", "number_of_binary")


@pytest.mark.parametrize(
    "name",
    [
        "absolute_correlations",
        "canonical_correlations",
        "class_entropy",
        "class_imbalance",
        "equivalent_number",
        "intrinsic_dimension",
        "kurtoses",
        "missing_share",
        "mutual_informations",
        "noise_to_signal",
        "nominal_entropies",
        "number_of_classes",
        "skewnesses",
    ],
)
def test_nothing_maps_to_nothing(name: str) -> None:
    assert len(getattr(sample_maps, name)(EMPTY)) == 0


@pytest.mark.parametrize("name", COUNTS)
def test_counts_can_be_zero(name: str) -> None:
    assert len(getattr(sample_maps, name)(EMPTY)) == 1


def test_correlations_with_gaps_are_those_of_the_rows_that_have_both() -> None:
    columns = np.random.default_rng(2).standard_normal((30, 3))
    gaps = columns.copy()
    gaps[:10, 0] = np.nan
    found = absolute_correlations(Sample(gaps, np.zeros((30, 0), dtype=np.int64)))
    assert found[0] == pytest.approx(abs(np.corrcoef(columns[10:, :2].T)[0, 1]))
    assert found[2] == pytest.approx(abs(np.corrcoef(columns[:, 1:].T)[0, 1]))


def test_as_many_inputs_as_rows_say_nothing_of_separability() -> None:
    classes = np.arange(8) % 2
    inputs = np.random.default_rng(3).standard_normal((8, 7))
    none = np.zeros((8, 0), dtype=np.int64)
    assert len(canonical_correlations(Sample(inputs, none, classes))) == 0
    assert len(canonical_correlations(Sample(inputs[:, :3], none, classes))) == 1


def test_linearly_separated_classes_have_a_correlation_near_one() -> None:
    classes = np.repeat([0, 1], 20)
    inputs = classes[:, None] * 50.0 + np.random.default_rng(4).standard_normal((40, 2))
    none = np.zeros((40, 0), dtype=np.int64)
    assert canonical_correlations(Sample(inputs, none, classes))[0] > 0.99
