from __future__ import annotations

import numpy as np
import pytest

from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.wide import read_own_table
from reportgen.pipeline import open_job
from reportgen.study.manifest import load_study

TEXT = "name,a,b,note\nx,1,2,u\ny,3,,v\nz,5,6,w\n"


def test_rows_and_columns_are_kept_with_their_labels(tmp_path, caplog):
    file = tmp_path / "mine.csv"
    file.write_text(TEXT)
    found = read_own_table(file)
    assert found.is_table
    assert found.datasets == ("mine",)
    assert found.candidates == ("a", "b")
    assert found.facts["mine"]["labels"] == ["x", "y", "z"]
    values = found.performances("mine", "value").values
    assert values.tolist()[0] == [1, 2]
    assert np.isnan(values[1, 1])
    assert "left out: note" in caplog.text
    assert read_own_table(file, "note").facts["mine"]["labels"] == ["u", "v", "w"]


def test_what_is_no_table_is_refused(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("name,a\nx,1\n")
    with pytest.raises(ExchangeError, match="1 columns of numbers"):
        read_own_table(file)
    file.write_text(TEXT)
    with pytest.raises(ExchangeError, match="no column 'nme'"):
        read_own_table(file, "nme")


def test_only_sections_that_take_tables_are_allowed(tmp_path):
    from reportgen.section_runner import chosen_sections
    from reportgen.sections import find_sections

    (tmp_path / "mine.csv").write_text(TEXT)
    manifest = tmp_path / "study.yaml"
    manifest.write_text("results: {table: mine.csv}\n")
    sections = find_sections()
    warehouse = read_own_table(tmp_path / "mine.csv")
    study = open_job(manifest, tmp_path).study
    assert [c.name for c in chosen_sections(study, sections, warehouse)] == ["archetypes"]
    with pytest.raises(StudyError, match="found 'eda' with results: table; allowed archetypes"):
        chosen_sections(study, sections, warehouse, ["eda"])
    manifest.write_text("results: {file: mine.csv, label: a}\n")
    with pytest.raises(StudyError, match="label with table"):
        load_study(manifest, {})
