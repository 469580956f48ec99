"""Data sets that may be relatives: by name, by size, by values; and those that are none."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.sections.domain.families import related_datasets
from tests.sections.domain.making import tell
from tests.sections.reading import faults

CLASSICS = (
    *("BreastCancer", "Cards", "chess", "Circle", "Heart1", "HouseVotes84", "Ionosphere"),
    *("PimaIndiansDiabetes", "Sonar", "Spirals", "TicTacToe", "Titanic", "TwoNorm", "RingNorm"),
)


def named(*datasets: str) -> list[tuple[str, ...]]:
    """Return the groups that names alone show."""
    return [found.datasets for found in related_datasets(datasets, {}, None)]


def test_names_with_numbers_are_relatives():
    found = related_datasets(("iris", "monks1", "monks2", "monks3", "sonar"), {}, None)
    assert [(one.datasets, one.sign) for one in found] == [(("monks1", "monks2", "monks3"), "name")]
    assert named("monks-1", "monks-2", "wine") == [("monks-1", "monks-2")]
    assert named("mfeat-fourier", "mfeat-pixel", "mfeat-zernike", "wine") == [
        ("mfeat-fourier", "mfeat-pixel", "mfeat-zernike")
    ]


@pytest.mark.parametrize(
    "names",
    [
        tuple(f"d{m:02d}" for m in range(20)),  # all are numbered
        (*(f"set{m}" for m in range(5)), "other"),  # a number that says nothing
        ("breast-cancer", "breast-w", "wine", "glass"),  # two that share a word
        ("heart1", "wine2", "iris"),
        CLASSICS,
    ],
)
def test_names_that_say_nothing_raise_no_alarm(names):
    assert named(*names) == []


def test_equal_sizes_are_relatives_unless_somebody_has_chosen_them():
    sizes = {
        "a": {"n_observations": 432, "n_variables": 6, "n_classes": 2},
        "b": {"n_observations": 432, "n_variables": 6, "n_classes": 2},
        "c": {"n_observations": 300, "n_variables": 20, "n_classes": 2},
        "d": {"n_observations": 300, "n_variables": 20, "n_classes": 2},
        "e": {"n_observations": 12, "n_variables": 2, "n_classes": 2},
        "f": {"n_observations": 12, "n_variables": 2, "n_classes": 2},
    }
    found = related_datasets(tuple(sizes), sizes, None)
    assert [(one.datasets, one.sign) for one in found] == [(("a", "b"), "size")]


def test_the_report_names_them_and_decides_as_before():
    rng = np.random.default_rng(5)
    names = tuple("abcdefghij")
    base = 0.3 + 0.05 * rng.normal(size=(9, 10))
    base[8] = base[2] + 0.0005 * rng.normal(size=10)
    datasets = ("iris", "monks1", "monks2", *(f"x{c}" for c in "bcdefg"))
    values = {
        d: row + 0.01 * rng.normal(size=(4, 10)) for d, row in zip(datasets, base, strict=True)
    }
    values["xg"] = values["monks2"] + 0.0001
    said, result = tell(values, names)
    signs = {one.sign: one.datasets for one in result.related}
    assert signs["name"] == ("monks1", "monks2")
    assert signs["values"] == ("monks2", "xg")
    assert "monks1 and monks2 may be relatives" in said.whole
    assert faults(said.whole) == []
