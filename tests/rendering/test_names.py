from __future__ import annotations

import pytest

from reportgen.errors import RenderingError
from reportgen.rendering.names import Key, Numbering, distinct, file_stems
from reportgen.report import Report

KEY = Key("figure", "toy", "bars", "misclassification", "monks")


def test_names_become_distinct_whatever_they_are() -> None:
    names = ["a/b", "a b", "A-B", "猫", "犬", "a" * 99, "a" * 99 + "b"]
    slugs = list(distinct(names).values())
    assert len(set(slugs)) == len(names)
    assert all(set(s) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for s in slugs)


def test_files_have_names_that_every_system_takes() -> None:
    names = ["CON", "con", "Nul.", "com1.txt", "COM¹", "lpt9", "prn ", "..", "a.", "A", "x-con"]
    slugs = list(distinct(names).values())
    assert slugs[:4] == ["x-con", "x-con-2", "x-nul", "com1-txt"]
    assert not {"con", "nul", "com1", "lpt9", "prn"} & set(slugs)
    assert len({s.lower() for s in slugs}) == len(names)


def test_files_are_named_by_section_and_measure(report: Report) -> None:
    assert file_stems(report)[KEY] == "toy-bars-misclassification"


def test_files_of_hostile_names_are_distinct_and_plain(hostile: Report) -> None:
    stems = [stem for key, stem in file_stems(hostile).items() if key.kind == "figure"]
    assert len(set(stems)) == len(stems) == len(hostile.design.datasets)
    assert all(set(s) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for s in stems)


def test_numbers_follow_the_order_of_placing(report: Report) -> None:
    numbering = Numbering.of(report)
    assert numbering.place(KEY, "Figure") == ("figure-toy-bars-misclassification", "Figure 1")
    assert numbering.place(Key("table", "", "design", "", None), "Table")[1] == "Table 1"
    with pytest.raises(RenderingError, match=r"found the .* twice"):
        numbering.place(KEY, "Figure")


def test_a_label_of_nothing_is_an_error(report: Report) -> None:
    with pytest.raises(RenderingError, match="found a reference to"):
        Numbering.of(report).label("figure-none")
