from __future__ import annotations

import csv
import logging
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reportgen.rendering.exports import (
    EARLIER,
    archive_earlier,
    own_files,
    report_files,
    write_figures,
    write_files,
    write_tables,
)
from reportgen.report import Report


def test_every_table_is_a_file_with_all_digits(report: Report, tmp_path: Path) -> None:
    (path,) = write_tables(report, tmp_path / "tables")
    assert path.name == "toy-means-misclassification.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["candidate"] for row in rows] == ["svm", "rf", "lda"]
    assert float(rows[0]["interval_upper"]) == 0.01 + 0.001


def test_every_figure_is_a_drawing_with_real_colours(many: Report, tmp_path: Path) -> None:
    paths = write_figures(many, tmp_path)
    assert len({path.name for path in paths}) == 7
    for path in paths:
        ElementTree.fromstring(path.read_text(encoding="utf-8"))
        assert "var(" not in path.read_text(encoding="utf-8")


def test_names_never_lead_out_of_the_folder(hostile: Report, tmp_path: Path) -> None:
    folder = tmp_path / "run" / "tables"
    paths = write_tables(hostile, folder)
    assert len(paths) == 10
    assert {path.resolve().parent for path in paths} == {folder.resolve()}


def test_files_of_an_earlier_report_go_and_no_others(
    report: Report, many: Report, tmp_path: Path
) -> None:
    (tmp_path / "mine.csv").touch()
    before = write_tables(many, tmp_path)
    after = write_tables(report, tmp_path)
    assert before != after
    assert set(tmp_path.glob("*.csv")) == {tmp_path / "mine.csv", *after}


def test_an_index_of_files_does_not_lead_out_of_the_folder(report: Report, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    folder.mkdir()
    (tmp_path / "mine.csv").touch()
    (folder / "old.csv").touch()
    (folder / ".written-csv").write_text("../mine.csv\nold.csv\n..\n", encoding="utf-8")
    write_tables(report, folder)
    assert (tmp_path / "mine.csv").exists()
    assert not (folder / "old.csv").exists()


NAMES = ("results.json", "report.html", "report.pdf")


ONE, TWO = "2023-11-14-6b86b273", "2023-11-14-d4735e3a"  # the SHA-256 of "1" and of "2"


def _reported(folder: Path, results: str, *names: str, clean: bool = False) -> set[str]:
    """Write a report of these files, and return what is there of reports afterwards."""
    files = [folder / name for name in ("results.json", *names)]
    for path in files:
        path.write_text(results)
    archive_earlier(folder, files[0], files, NAMES, date="2023-11-14T22:13:20Z", clean=clean)
    found = {p.relative_to(folder) for p in folder.rglob("*") if p.is_file()}
    return {path.as_posix() for path in found if not path.name.startswith(".")}


def test_a_report_of_other_results_is_moved_to_where_they_are_named(tmp_path: Path) -> None:
    assert _reported(tmp_path, "1", "report.html", "report.pdf") == set(NAMES)
    assert _reported(tmp_path, "1", "report.pdf") == set(NAMES)
    moved = {f"{EARLIER}/{ONE}/report.html"}
    assert _reported(tmp_path, "2", "report.pdf") == {"results.json", "report.pdf"} | moved
    assert _reported(tmp_path, "2") == {"results.json", "report.pdf"} | moved
    moved |= {f"{EARLIER}/{TWO}/report.pdf"}
    assert _reported(tmp_path, "3") == {"results.json"} | moved
    assert _reported(tmp_path, "1", "report.html") == {"results.json", "report.html"} | moved
    assert _reported(tmp_path, "2", "report.pdf") == {"results.json", "report.pdf"} | moved
    for path in moved:  # each as it was written
        assert (tmp_path / path).read_text() == ("1" if ONE in path else "2")


def test_a_report_of_other_results_is_removed_where_that_is_asked_for(tmp_path: Path) -> None:
    assert _reported(tmp_path, "1", "report.html", "report.pdf") == set(NAMES)
    assert _reported(tmp_path, "1", "report.pdf", clean=True) == set(NAMES)
    assert _reported(tmp_path, "2", "report.pdf", clean=True) == {"results.json", "report.pdf"}


def test_a_project_is_moved_whole_without_files_of_others(tmp_path: Path) -> None:
    names = ("quarto/index.qmd", "quarto/index.html")
    results, project = tmp_path / "results.json", tmp_path / "quarto"
    results.write_text("1")
    write_files({"index.qmd": b"1", "figures/a.svg": b"1"}, project)
    (project / "index.html").touch()
    (project / "mine.qmd").touch()
    written = [results, *(tmp_path / name for name in names)]
    archive_earlier(tmp_path, results, written, names, date="2023-11-14T22:13:20Z")
    results.write_text("2")
    archive_earlier(tmp_path, results, [results], names)
    moved = tmp_path / EARLIER / ONE / "quarto"
    left = {path.name for path in project.rglob("*") if path.is_file()}
    assert left == {"mine.qmd", ".written-files"}
    assert {p.relative_to(moved).as_posix() for p in moved.rglob("*") if p.is_file()} == {
        *("index.qmd", "index.html", "figures/a.svg")
    }


def test_files_of_a_project_never_lead_out_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "quarto"
    write_files({"a.qmd": b""}, folder)
    (tmp_path / "mine").touch()
    index = "../mine\n/etc/passwd\na/b/c/d/e\na.qmd\n"
    (folder / ".written-files").write_text(index, encoding="utf-8")
    assert own_files(folder) == ["a.qmd"]
    write_files({}, folder)
    assert (tmp_path / "mine").exists()


def test_reports_of_version_0_1_have_no_date(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("old")
    (tmp_path / ".written-report").write_text("6b86b273ff34fce1 report.html\n")
    assert _reported(tmp_path, "2") == {"results.json", f"{EARLIER}/6b86b273/report.html"}


def test_a_report_that_none_is_known_to_have_written_is_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "report.pdf").write_text("mine")
    (tmp_path / "other.pdf").write_text("mine")
    with caplog.at_level(logging.WARNING, "reportgen"):
        found = _reported(tmp_path, "1", "report.html")
    assert found == {*NAMES, "other.pdf"}
    (told,) = caplog.messages
    assert told.endswith("report.pdf: is not of this report, and stays as it is")
    assert (tmp_path / "report.pdf").read_text() == "mine"


def test_only_files_of_reports_go(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "mine").touch()
    index = "0 ../mine\n0 mine.txt\n0 report.html\n\n0\n"
    (tmp_path / "run" / ".written-report").write_text(index)
    for name in ("mine.txt", "report.html"):
        (tmp_path / "run" / name).touch()
    assert _reported(tmp_path / "run", "1") == {"results.json", "mine.txt", "earlier/0/report.html"}
    assert (tmp_path / "mine").exists()


def test_folders_that_are_links_are_no_part_of_a_report(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/secret.html").write_text("secret")
    run = tmp_path / "run"
    (run / "tables").mkdir(parents=True)
    (run / "tables/a.csv").write_text("a")
    (run / "datasets").symlink_to(tmp_path / "elsewhere")
    assert list(report_files(run)) == ["tables/a.csv"]
