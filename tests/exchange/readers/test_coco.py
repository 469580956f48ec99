"""Runs that COCO's logger has written (files/make_optimisers.py), and faults in such files."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.errors import ExchangeError
from reportgen.exchange.tidy import read_results

HEAD = "suite = 'bbob', funcId = 1, DIM = 2, Precision = 1e-08, algId = 'a', logger = 'bbob'"
DAT = "% f evaluations | g evaluations | best noise-free fitness - Fopt (1) + sum g_i+ | ...\n"


def write(folder: Path, dat: str = DAT + "1 0 +5e1 1 1 0\n8 0 +5e-4 1 1 0\n", **texts: str) -> Path:
    head, runs = texts.get("head", HEAD), texts.get("runs", "data_f1/x.dat, 1:8|5.0e-04")
    (folder / "data_f1").mkdir()
    (folder / "data_f1" / "x.dat").write_text(dat)
    (folder / "a.info").write_text(f"{head}\n% \n{runs}\n")
    return folder


def test_a_folder_of_the_logger(files: Path) -> None:
    warehouse = read_results(files / "coco")
    assert warehouse.datasets == ("bbob f1 2-D", "bbob f8 2-D")
    assert warehouse.candidates == ("one-plus-one", "random")
    assert warehouse.facts["bbob f1 2-D"] == {"unit": "sample"}
    for path in (files / "coco").rglob("*.info"):
        dataset = f"bbob f{path.stem[-1]} 2-D"
        column = warehouse.candidates.index(path.parent.name)
        listed = re.findall(r"\d+:(\d+)\|(\S+?)(?:,|$)", path.read_text().splitlines()[2])
        found = [
            warehouse.performances(dataset, name).values[:, column]
            for name in ("evaluations", "precision")
        ]
        evaluations, precision = (own[np.isfinite(own)] for own in found)
        assert evaluations.tolist() == [float(n) for n, _ in listed]
        assert precision == pytest.approx([float(x) for _, x in listed], rel=0.05)  # two digits


def test_targets_by_hand(files: Path) -> None:
    """The first rows at or below a target, found by reading the file once more."""
    warehouse = read_results(files / "coco")
    path = files / "coco" / "random" / "data_f8" / "bbobexp_f8_DIM2.dat"
    runs = [run.splitlines()[1:] for run in path.read_text().split("% f eval")[1:]]
    for exponent in (2, 0, -1):
        found = warehouse.performances("bbob f8 2-D", f"evaluations to 1e{exponent}")
        own = found.values[-3:, 1]
        for value, run in zip(own, runs, strict=True):
            reached = [r.split() for r in run if float(r.split()[2]) <= 10.0**exponent]
            assert np.isnan(value) if not reached else value == float(reached[0][0])
    names = {measure.name for measure in warehouse.measures}
    assert "evaluations to 1e-7" in names
    assert "evaluations to 1e-8" not in names  # which no run has reached


def test_a_run_that_misses_a_target_is_missing(files: Path) -> None:
    warehouse = read_results(files / "coco")
    found = warehouse.performances("bbob f8 2-D", "evaluations to 1e-1")
    has_value = np.isfinite(found.values)
    there = np.isfinite(warehouse.performances("bbob f8 2-D", "evaluations").values)
    assert (there.sum(axis=1) == 1).all()  # no two share a run
    assert (found.has_failed == (there & ~has_value)).all()
    assert found.has_failed.any()


def test_a_single_file(files: Path, tmp_path: Path) -> None:
    shutil.copytree(files / "coco" / "random", tmp_path / "random")
    warehouse = read_results(tmp_path / "random" / "bbobexp_f1.info")
    assert warehouse.datasets == ("bbob f1 2-D",)


def test_constraints_count_as_evaluations(tmp_path: Path) -> None:
    dat = DAT + "1 2 +5e1 1 1 0\n8 16 +5e-4 1 1 0\n"
    warehouse = read_results(write(tmp_path, dat))
    assert warehouse.performances("bbob f1 2-D", "evaluations").values.tolist() == [[24]]
    reached = warehouse.performances("bbob f1 2-D", "evaluations to 1e2")
    assert reached.values.tolist() == [[3]]


def test_files_of_2009(tmp_path: Path) -> None:
    """Without a suite, with the current distance in the second column."""
    head = "funcId = 1, DIM = 2, Precision = 1.000e-08, algId = 'a'"
    dat = (
        "% function evaluation | noise-free fitness - Fopt (7.9e+01) | best noise-free fitness - "
        "Fopt | measured fitness | best measured fitness | x1 | x2\n"
        "1 +5e1 +5e1 1 1 0\n8 +7e3 +5e-4 1 1 0\n"
    )
    warehouse = read_results(write(tmp_path, dat, head=head))
    assert warehouse.performances("f1 2-D", "evaluations").values.tolist() == [[8]]
    assert warehouse.performances("f1 2-D", "precision").values.tolist() == [[5e-4]]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"dat": DAT + "1 0 x\n"}, "x.dat: line 2: found '1 0 x'; allowed 3 numbers"),
        ({"dat": DAT + "1 0 nan\n"}, "x.dat: line 2: found '1 0 nan'"),
        ({"dat": "1 0 5\n"}, "x.dat: line 1: found '1 0 5'; allowed a line that begins with '%'"),
        ({"dat": DAT + DAT + "1 0 5\n"}, "x.dat: run 1: found no row"),
        ({"dat": DAT + "2 0 5\n1 0 4\n"}, "run 1: found evaluations that do not ascend"),
        ({"dat": 2 * (DAT + "1 0 5\n")}, "x.dat: found 2 runs; allowed 1, as a.info lists"),
        ({"runs": "1:8|5.0e-04"}, "allowed a file before its runs"),
        ({"runs": "data_f1/y.dat, 1:8|5e-4"}, "found no file 'data_f1/y.dat'"),
        ({"runs": "../../etc/x.dat, 1:8|5e-4"}, "allowed files of this folder"),
        ({"runs": "/etc/passwd, 1:8|5e-4"}, "allowed files of this folder"),
        ({"runs": ""}, "found no runs below"),
        ({"head": HEAD.replace("algId", "alg")}, "a.info: found no algId"),
        ({"head": HEAD.replace("'bbob', f", "'bbob-biobj', f")}, "found the suite bbob-biobj"),
    ],
)
def test_faults(tmp_path: Path, texts: dict[str, str], message: str) -> None:
    with pytest.raises(ExchangeError, match=re.escape(message)):
        read_results(write(tmp_path, **texts))


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside.dat", tmp_path / "inside"
    folder.mkdir()
    outside.write_text(DAT + "1 0 5\n")
    write(folder)
    (folder / "data_f1" / "x.dat").unlink()
    (folder / "data_f1" / "x.dat").symlink_to(outside)
    with pytest.raises(ExchangeError, match="allowed files of this folder"):
        read_results(folder)


@pytest.mark.parametrize("name", ["coco", "coco/random/bbobexp_f1.info", "iohprofiler"])
def test_check_finds_the_runs(files: Path, tmp_path: Path, name: str) -> None:
    result = CliRunner().invoke(main, ["check", str(files / name), "--output", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "sections: run_time, " in result.stdout
