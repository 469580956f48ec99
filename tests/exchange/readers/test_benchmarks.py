"""Timings of Go, Google Benchmark and github-action-benchmark, made to their documented output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.tidy import read_results
from reportgen.warehouse import Warehouse

PACKAGES = """pkg: a/json
BenchmarkEncode{part}-8 1000 1200 ns/op
pkg: a/xml
BenchmarkEncode{part}-8 1000 9000 ns/op
"""


def mean(warehouse: Warehouse, dataset: str, candidate: str, measure: str = "time") -> float:
    found = warehouse.performances(dataset, measure)
    return float(np.nanmean(found.values[:, found.candidates.index(candidate)]))


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


# --- Go ------------------------------------------------------------------------------


def test_a_number_that_ends_a_sub_benchmark_is_part_of_its_name(tmp_path: Path) -> None:
    lines = [f"BenchmarkSort/size-{n} 10 {n} ns/op" for n in (100, 10000)]
    warehouse = read_results(write(tmp_path / "b.txt", "\n".join(["pkg: x", *lines])))
    assert warehouse.candidates == ("size-100", "size-10000")
    assert mean(warehouse, "Sort", "size-100") == pytest.approx(1e-7)


def test_numbers_of_processors_are_candidates_where_they_differ(tmp_path: Path) -> None:
    lines = [f"BenchmarkEncode{cpu} 10 {t} ns/op" for cpu, t in (("", 4), ("-2", 2), ("-4", 1))]
    warehouse = read_results(write(tmp_path / "b.txt", "\n".join(["pkg: x", *lines])))
    assert warehouse.candidates == ("Encode", "Encode-2", "Encode-4")


def test_a_benchmark_of_several_packages_is_named_with_them(tmp_path: Path) -> None:
    for name in ("old", "new"):
        write(tmp_path / "files" / f"{name}.txt", PACKAGES.format(part=""))
    warehouse = read_results(tmp_path / "files")
    assert warehouse.datasets == ("a/json: Encode", "a/xml: Encode")
    assert mean(warehouse, "a/xml: Encode", "old") == pytest.approx(9e-6)
    parts = PACKAGES.format(part="/quick") + PACKAGES.format(part="/slow")
    warehouse = read_results(write(tmp_path / "b.txt", parts))
    assert warehouse.datasets == ("a/json: Encode", "a/xml: Encode")
    assert warehouse.candidates == ("quick", "slow")


def test_other_text_beside_output_of_go_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "LICENSE.txt", "MIT\n")
    for name in ("old", "new"):
        write(tmp_path / f"{name}.txt", "pkg: x\nBenchmarkEncode-8 1000 1200 ns/op\n")
    assert set(read_results(tmp_path).candidates) == {"old", "new"}


# --- files of one name ---------------------------------------------------------------


def google(time: float) -> str:
    row = {"name": "BM_A/8", "run_name": "BM_A/8", "real_time": time, "cpu_time": 1.0}
    return json.dumps({"context": {}, "benchmarks": [row]})


def jmh(time: float) -> str:
    metric = {"scoreUnit": "ns/op", "rawData": [[time], [time]]}
    return json.dumps([{"benchmark": "org.Sort.a", "mode": "avgt", "primaryMetric": metric}])


def hyperfine(time: float) -> str:
    return json.dumps({"results": [{"command": "a", "mean": time, "times": [time * 1e-9]}]})


def go(time: float) -> str:
    return f"pkg: x\nBenchmarkA-8 10 {time} ns/op\n"


@pytest.mark.parametrize(
    ("make", "name"),
    [(google, "b.json"), (jmh, "b.json"), (hyperfine, "b.json"), (go, "b.txt")],
)
def test_files_of_one_name_are_candidates_by_their_folders(
    make: Any, name: str, tmp_path: Path
) -> None:
    for folder, time in (("old", 100.0), ("new", 50.0)):
        write(tmp_path / folder / name, make(time))
    warehouse = read_results(tmp_path)
    assert set(warehouse.candidates) == {f"old/{name}", f"new/{name}"}
    assert mean(warehouse, warehouse.datasets[0], f"old/{name}") == pytest.approx(1e-7)


# --- github-action-benchmark -----------------------------------------------------------


def data(path: Path, **suites: tuple[str, list[dict[str, Any]]]) -> Path:
    entries = {
        suite: [
            {"commit": {"id": commit}, "tool": tool, "benches": benches} for commit in ("aa", "bb")
        ]
        for suite, (tool, benches) in suites.items()
    }
    return write(path, f"window.BENCHMARK_DATA = {json.dumps({'entries': entries})}")


def bench(name: str, value: float, unit: str) -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit}


def test_a_unit_with_both_directions_is_a_measure_of_each_suite(tmp_path: Path) -> None:
    path = data(
        tmp_path / "data.js",
        Size=("customSmallerIsBetter", [bench("bundle", 120, "count")]),
        Passed=("customBiggerIsBetter", [bench("tests", 900, "count")]),
    )
    measures = {own.name: own.better for own in read_results(path).measures}
    assert measures == {"Size: count": "smaller", "Passed: count": "larger"}


def test_a_measure_of_two_units_is_refused(tmp_path: Path) -> None:
    path = data(
        tmp_path / "data.js",
        Own=("customSmallerIsBetter", [bench("a", 1, "time")]),
        Go=("go", [bench("BenchmarkA", 1, "ns/op")]),
    )
    with pytest.raises(ExchangeError, match="with another unit or direction before"):
        read_results(path)


@pytest.mark.parametrize(
    "more",
    [
        [],
        [
            bench("BenchmarkFib - ns/op", 120, "ns/op"),
            bench("BenchmarkFib - B/op", 16, "B/op"),
            bench("BenchmarkFib - allocs/op", 2, "allocs/op"),
        ],
    ],
)
def test_go_with_memory_is_read_once(more: list[dict[str, Any]], tmp_path: Path) -> None:
    own = bench("BenchmarkFib", 120, "ns/op\t      16 B/op\t       2 allocs/op")
    warehouse = read_results(data(tmp_path / "data.js", Go=("go", [own, *more])))
    assert warehouse.datasets == ("BenchmarkFib",)
    for measure, value in (("time", 120e-9), ("memory", 16), ("allocations", 2)):
        found = warehouse.performances("BenchmarkFib", measure).values
        assert found[np.isfinite(found)] == pytest.approx([value] * 2)


def test_other_scripts_beside_data_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "chart.js", "const a = 1;\n")
    data(tmp_path / "data.js", Go=("go", [bench("BenchmarkA", 1, "ns/op")]))
    assert read_results(tmp_path).datasets == ("BenchmarkA",)
