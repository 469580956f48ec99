"""Provenance: one date, kept while nothing changes."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from reportgen import __version__
from reportgen.errors import SetupError, WarehouseError
from reportgen.provenance import (
    collect,
    computing_versions,
    hashes,
    measuring_versions,
    plugin_versions,
    read,
    reporting_versions,
    settle,
    timestamp,
)
from reportgen.report import MeasuredWith, Provenance


@pytest.fixture
def found(tmp_path: Path) -> Provenance:
    (tmp_path / "results.csv").write_bytes(b"a,b\n")
    return collect(
        hashes({"results.csv": tmp_path / "results.csv"}),
        manifest="seed: 1\n",
        command="reportgen run results.csv",
        folder=tmp_path,
        execution={"fits": 3},
        study_digests={"seed": "1"},
        warehouse="0",
    )


def test_what_is_collected(found: Provenance) -> None:
    assert found.inputs == {"results.csv": sha256(b"a,b\n").hexdigest()}
    assert found.versions["reportgen"] == __version__
    assert {"Python", "numpy", "scipy"} <= set(found.versions)
    assert found.commit == ""  # a temporary folder is in no repository


@pytest.mark.slow
def test_plugins_are_named_with_their_versions() -> None:
    assert plugin_versions(["yaml", "pytest", "nowhere"]).keys() >= {"pytest"}
    assert plugin_versions(["sklearn"]) == {"scikit-learn": version("scikit-learn")}
    assert plugin_versions(["nowhere"]) == plugin_versions([]) == {}


def test_a_report_names_the_plugins_of_its_run(found: Provenance) -> None:
    run = replace(found, versions=found.versions | {"own-trees": "1.2", "weasyprint": "0.1"})
    named = reporting_versions(run)
    assert named == computing_versions() | {"own-trees": "1.2"}
    assert reporting_versions(replace(run, versions=named)) == named


def test_date_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    made = collect(
        {}, manifest="", command="", folder=tmp_path, execution={}, study_digests={}, warehouse=""
    )
    assert made.date == "1970-01-02T00:00:00Z"  # one day of 86,400 seconds after the epoch


def test_first_settling_is_stored(found: Provenance, tmp_path: Path) -> None:
    file = tmp_path / "warehouse" / "provenance.json"
    assert settle(found, file, measured=True) == found
    assert read(file) == found


def test_versions_of_the_fits_are_stored(found: Provenance, tmp_path: Path) -> None:
    parts = (MeasuredWith({"numpy": "2.1.0"}, 3), MeasuredWith({}, 1))
    settled = settle(replace(found, measured_with=parts), tmp_path / "p.json", measured=True)
    assert read(tmp_path / "p.json") == settled
    assert settled.measured_with == parts
    assert {"Python", "reportgen", "numpy", "scipy", "scikit-learn"} == set(measuring_versions())
    assert measuring_versions().items() <= computing_versions().items()


def test_date_and_execution_stay_while_nothing_changes(found: Provenance, tmp_path: Path) -> None:
    file = tmp_path / "provenance.json"
    settle(found, file, measured=True)
    later = replace(found, date="2999-01-01T00:00:00Z", execution={"fits": 0})
    assert settle(later, file, measured=False) == found


def test_another_input_is_another_date(found: Provenance, tmp_path: Path) -> None:
    file = tmp_path / "provenance.json"
    settle(found, file, measured=True)
    later = replace(found, date="2999-01-01T00:00:00Z", inputs={"results.csv": "0"}, execution={})
    settled = settle(later, file, measured=False)
    assert settled.date == "2999-01-01T00:00:00Z"
    assert settled.execution == {"fits": 3}  # the facts of the last execution stay
    assert read(file) == settled


def test_new_measurements_are_a_new_date(found: Provenance, tmp_path: Path) -> None:
    file = tmp_path / "provenance.json"
    settle(found, file, measured=True)
    later = replace(found, date="2999-01-01T00:00:00Z")
    assert settle(later, file, measured=True).date == "2999-01-01T00:00:00Z"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"date": 1}'])
def test_damaged_file_is_an_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "provenance.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(WarehouseError, match=r"provenance\.json"):
        read(file)


@pytest.mark.parametrize(
    ("key", "value"), [("command", 5), ("versions", None), ("inputs", True), ("measured_with", [1])]
)
def test_a_part_of_another_kind_is_told(
    found: Provenance, tmp_path: Path, key: str, value: object
) -> None:
    file = tmp_path / "provenance.json"
    file.write_text(json.dumps({**asdict(found), key: value}))
    with pytest.raises(WarehouseError, match=f"no provenance of a warehouse .*{key}"):
        read(file)


def test_a_pipe_is_no_provenance(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "provenance.json")
    with pytest.raises(WarehouseError, match="no provenance of a warehouse"):
        read(tmp_path / "provenance.json")


@pytest.mark.parametrize("epoch", ["yesterday", "1e20", "-5", "9" * 14, "9" * 100_000])
def test_a_date_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch, epoch: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(SetupError, match=r"SOURCE_DATE_EPOCH: found '.*'; allowed seconds since"):
        timestamp()


def test_each_changed_bit_is_found(found: Provenance, tmp_path: Path) -> None:
    file = tmp_path / "provenance.json"
    settle(found, file, measured=True)
    content = file.read_bytes()
    blanks = {i for i, byte in enumerate(content) if byte in b" \n"}  # which mean nothing
    rng = np.random.default_rng(1)
    for place in rng.choice(sorted({*range(len(content))} - blanks), 200, replace=False):
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(7))
        file.write_bytes(changed)
        with pytest.raises(WarehouseError, match="no provenance of a warehouse"):
            read(file)


def test_provenance_of_earlier_versions_has_no_digest(found: Provenance, tmp_path: Path) -> None:
    file = tmp_path / "provenance.json"
    file.write_text(json.dumps(asdict(found)), encoding="utf-8")
    assert read(file) == found
