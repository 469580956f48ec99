from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

from reportgen.document import Report
from reportgen.rendering.files import write_figures, write_tables


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
