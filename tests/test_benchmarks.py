"""Every benchmark runs: short, and without a look at its seconds."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

from reportgen import cost
from reportgen.formats import FORMATS
from reportgen.stats.ranking import within_block_ranks

SHORT: dict[str, tuple[str, ...]] = {
    "call": ("--repeats", "1"),
    "cluster": ("--tasks", "20"),
    "cost": ("--shapes", "2x1x3"),
    "execution": ("--jobs", "1", "--long", "4", "--short", "20"),
    "growth": ("--shapes", "6x10"),
    "load": ("--fits", "200", "--jobs", "1", "--kills", "0"),
    "logs": ("--megabytes", "1"),
    "nested": ("--fits", "200"),
    "resume": ("2000",),
    "scale": ("--rows", "10000", "--stages", "read", "--jobs", "1"),
    "sequential": ("20",),
    "stages": ("results.csv", "--jobs", "1"),
    "start": ("--runs", "1", "--datasets", "1"),
    "warehouse": ("20000",),
}
SMALL: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "archetypal_analysis": ((), {"N_RUNS": 1, "TABLE": (40, 4, 3), "GROWTH": ((60, 4, 3),)}),
    "consensus": (("6",), {"TOURNAMENT": (7, 200), "RANGES": ((5, 3),)}),
    "leaderboards": ((), {"ITEMS": (140, 4), "TASKS": (4, 5, 3)}),
    "psychoanalysis": (
        (),
        {
            "TREES": [("small", 1, 60, 3, 2, "AS_R"), ("per data set", 9, 6, 3, 2, "DATASETS")],
            "SHAPES": ((40, 2, 2, 2),),
            "N_SAMPLES": 3,
        },
    ),
    "peers": (
        ("--without-peers",),
        {
            "DOMAIN": (6, 5, 3),
            "LOCAL": (3, 8, 3),
            "LARGE": (6, 5, 4),
            "ARENA": (2000, 6),
            "TASKS": (8, 5),
            "CONSENSUS": (5, 8),
            "SCORES": (9, 3, 3),
            "AT_LEAST": 0.0,
            "REPORTED": 1,
        },
    ),
    "tuning": (
        ("--samples", "1"),
        {"CANDIDATES": ("knn", "rpart"), "COSTS": (1.0, 4.0), "GAMMAS": (0.1, 0.5)},
    ),
}
"""Words and constants of those that are of one process."""
FURTHER = {
    "adaptive",
    "kills",
}  # of two runs of hours; of kills by the clock, which short runs outpace
EXACT = 1e-10


def loaded(root: Path, name: str) -> ModuleType:
    """Load a benchmark as a module."""
    spec = spec_from_file_location(f"benchmarks_{name}", root / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_benchmark_is_run(root: Path) -> None:
    assert {path.stem for path in (root / "benchmarks").glob("*.py")} == {*SHORT} | {
        *SMALL
    } | FURTHER


def test_coefficients_of_costs_are_fitted_to_what_is_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = loaded(root, "cost")
    found = {shape: own for shape, own in bench.kept().items() if shape in bench.SHAPES}
    assert {*found} == {*bench.SHAPES}
    assert {*bench.kept()} == {*bench.SHAPES, *bench.OTHERS}
    most = np.max([bench.shape_of(shape).terms for shape in found], axis=0)
    np.testing.assert_allclose(most, cost.MOST, rtol=1e-3)

    def expected(shape: str, own: dict[str, float]) -> dict[str, float]:
        size, shown = bench.shape_of(shape), bench.shown(shape, own)
        formats = [*FORMATS, "files"]
        memory = {n: cost.expected_bytes(size, shown, [n]) / 1e9 for n in ("html", "pdf")}
        return memory | cost.expected_seconds(size, bench.analysed(own), formats, shown)

    ours = {shape: expected(shape, own) for shape, own in found.items()}
    coefficients, shares = bench.fitted(found)
    monkeypatch.setattr(cost, "COEFFICIENTS", coefficients)
    monkeypatch.setattr(cost, "SHARES", shares)
    for shape, own in found.items():
        for name, theirs in expected(shape, own).items():
            assert abs(np.log((ours[shape][name] + 0.05) / (theirs + 0.05))) < 0.2, (shape, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT)
def test_it_runs(name: str, root: Path, tmp_path: Path) -> None:
    lines = ["candidate,replication,mse"]
    lines += [f"{k},{r},{(3 * r + ord(k)) % 7}" for k in "abc" for r in range(8)]
    (tmp_path / "results.csv").write_text("\n".join(lines) + "\n", "utf-8")
    command = [sys.executable, str(root / "benchmarks" / f"{name}.py"), *SHORT[name]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_small_one_runs(
    name: str,
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(root / "benchmarks")  # as its own processes find it
    module, (words, constants) = import_module(name), SMALL[name]
    if "TREES" in constants:  # the way of growing is an object of the module
        trees = [(*tree[:-1], getattr(module, tree[-1])) for tree in constants["TREES"]]
        constants = {**constants, "TREES": trees}
    for key, value in constants.items():
        monkeypatch.setattr(module, key, value)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *words])
    module.main()
    assert capsys.readouterr().out.strip()


def test_conovers_tests_beside_scikit_posthocs_are_those_of_his_formula(root: Path) -> None:
    peers = loaded(root, "peers")
    values = np.random.default_rng(1).normal(size=(20, 4)) + np.array([0, 0, 1, 2])
    ranks = within_block_ranks(values)
    n, k = ranks.shape
    i, j = np.triu_indices(k, k=1)
    sums = ranks.sum(axis=0)
    rest = (n * (ranks**2).sum() - (sums**2).sum()) / ((n - 1) * (k - 1))
    expected = 2 * t.sf(np.abs(sums[i] - sums[j]) / np.sqrt(2 * rest), (n - 1) * (k - 1))
    assert peers.conover(ranks) == pytest.approx(expected, rel=EXACT)
