"""A domain in whatever unit: the same decisions, and numbers that differ by the unit alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from reportgen.cli import main
from tests.sections.reading import by_verdict_alone

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

SAME = 1e-9  # relative: logarithms and criteria of other units round otherwise
SECTIONS = "inference,domain"
MEANS = (20.0, 21.0, 20.2, 22.5)
M, B = 6, 5
MEASURE = "deviance"  # compared by difference, whatever its values

IN_SQUARES = ("variance", "variance_intervals", "covariance")


def table(*, n_datasets: int = M) -> np.ndarray:
    """Shape (M, B, K)."""
    rng = np.random.default_rng(1)
    level, taste = rng.normal(size=(n_datasets, 1, 1)), rng.normal(size=(n_datasets, 1, len(MEANS)))
    return np.array(MEANS) + level + 0.5 * taste + rng.normal(size=(n_datasets, B, len(MEANS)))


def reported(values: np.ndarray, folder: Path) -> dict[str, Any]:
    """Run the whole program on one measure; nothing warns, nothing is lost.

    Other methods on one data set in other units: tests/sections/inference/test_analysis.py.
    """
    lines = ["dataset,replication,candidate,measure,value"]
    lines += [
        f"d{m},{b},{'abcd'[k]},deviance,{float(x)!r}" for (m, b, k), x in np.ndenumerate(values)
    ]
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    arguments = ("run", folder / "t.csv", "--format", "json", "--jobs", "1", "--output", folder,
                 "--sections", SECTIONS)  # fmt: skip
    with by_verdict_alone():
        found = CliRunner().invoke(main, [str(a) for a in arguments])
    assert found.exit_code == 0, found.output
    results = json.loads((folder / "t" / "results.json").read_text("utf-8"))
    return dict(results["sections"])


def differences(one: Any, other: Any, unit: float, path: str = "") -> list[str]:
    """Return where results differ by more than their unit or its square."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [x for k in one for x in differences(one[k], other[k], unit, f"{path}.{k}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        both = zip(one, other, strict=True)
        return [x for a, b in both for x in differences(a, b, unit, path)]
    is_number = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (one, other))
    if is_number and path.endswith("reml_criterion"):
        return []
    squared = any(f".{name}" in path for name in IN_SQUARES)
    factors = (1.0, unit**2 if squared else unit)
    if is_number and any(abs(other - f * one) <= SAME * abs(f * one) for f in factors):
        return []
    return [] if one == other else [f"{path}: {one} and {other}"]


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return reported(table(), tmp_path_factory.mktemp("ordinary"))


@pytest.mark.slow
@pytest.mark.parametrize("unit", [2.0**300, 2.0**-300])
def test_a_unit_changes_no_decision(unit: float, ordinary: dict[str, Any], tmp_path: Path) -> None:
    assert differences(ordinary, reported(unit * table(), tmp_path), unit) == []


def test_one_value_that_dwarfs_all_others_spoils_its_own_pairs_only(
    ordinary: dict[str, Any], tmp_path: Path
) -> None:
    values, size = table(), 1e95
    values[2, 3, 1] = size
    found = reported(values, tmp_path)["domain"]

    def pairs(domain: Any, method: str) -> dict[tuple[str, str], Any]:
        own = (
            domain["mixed_model"][MEASURE]["unstructured"] if method else domain["verdict"][MEASURE]
        )
        return {(p["first"], p["second"]): p for p in own["pairs"]}

    for method in ("", "unstructured"):
        usual, now = pairs(ordinary["domain"], method), pairs(found, method)
        for pair in (("a", "c"), ("a", "d"), ("c", "d")):
            for key in ("estimate", "standard_error", "adjusted_p_value"):
                assert now[pair][key] == pytest.approx(usual[pair][key], rel=1e-9), (method, pair)
        assert {p["decision"] for pair, p in now.items() if "b" in pair} == {"undecided"}
    means, intervals = (
        found["verdict"][MEASURE]["means"],
        found["verdict"][MEASURE]["intervals"],
    )
    assert intervals["a"] == pytest.approx(ordinary["domain"]["verdict"][MEASURE]["intervals"]["a"])
    assert means["b"] == pytest.approx(size / (M * B))


def test_one_data_set_in_another_unit(tmp_path: Path) -> None:
    values = table()
    values[2] *= 1e80
    found = reported(values, tmp_path)["domain"]["verdict"][MEASURE]
    assert {p["decision"] for p in found["pairs"]} == {"undecided"}
    assert all(np.isfinite(p["standard_error"]) for p in found["pairs"])
