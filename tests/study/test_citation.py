"""CITATION.cff beside a manifest."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from reportgen.study.citation import Citation, CitedAuthor, read_citation

FILE = """\
cff-version: 1.2.0
title: "A <script>alert(1)</script> of\\n \\u202e trees"
doi: 10.5281/zenodo.1234567
authors:
  - given-names: Ada
    name-particle: de
    family-names: Example
    orcid: https://orcid.org/0000-0001-2345-678X
    affiliation: "{{ 7 * 7 }}"
  - name: An Institute
  - 7
  - {orcid: javascript}
"""


def _written(folder: Path, text: str) -> Citation:
    (folder / "CITATION.cff").write_text(text, encoding="utf-8")
    return read_citation(folder)


def test_names_title_and_doi_are_plain_text_on_one_line(tmp_path: Path) -> None:
    assert _written(tmp_path, FILE) == Citation(
        "A <script>alert(1)</script> of  trees",
        (
            CitedAuthor("Ada de Example", "{{ 7 * 7 }}", "0000-0001-2345-678X"),
            CitedAuthor("An Institute"),
        ),
        "10.5281/zenodo.1234567",
    )
    assert read_citation(tmp_path / "elsewhere") == Citation()


def test_the_preferred_citation_comes_first(tmp_path: Path) -> None:
    preferred = "preferred-citation: {title: Better, authors: [{name: B}], doi: 'no}doi'}\n"
    assert _written(tmp_path, FILE + preferred) == Citation("Better", (CitedAuthor("B"),), "")


@pytest.mark.parametrize("text", ["[1", "- a", "!!python/object/apply:os.getcwd []", "\x00"])
def test_a_file_that_cannot_be_read_is_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    with caplog.at_level(logging.WARNING):
        assert _written(tmp_path, text) == Citation()
    assert "the report goes without it" in caplog.text


def test_reports_are_cited_by_it_where_the_manifest_says_nothing(tmp_path: Path) -> None:
    from reportgen.design import info_of
    from reportgen.sections import find_sections
    from reportgen.study.manifest import load_study

    options = {name: section.options for name, section in find_sections().items()}
    results = "dataset,replication,candidate,misclassification\nd,1,a,0.1\nd,1,b,0.2\n"
    (tmp_path / "r.csv").write_text(results, encoding="utf-8")
    manifest = tmp_path / "s.yaml"
    manifest.write_text("results: r.csv\n", encoding="utf-8")
    _written(tmp_path, FILE)
    info = info_of(load_study(manifest, options))
    assert [author.name for author in info.authors] == ["Ada de Example", "An Institute"]
    assert (info.title, info.doi) == ("s", "10.5281/zenodo.1234567")
    assert info.cited_as.startswith("A <script>")
    manifest.write_text("study: {title: Mine, authors: [Me]}\nresults: r.csv\n", encoding="utf-8")
    own = info_of(load_study(manifest, options))
    assert ([author.name for author in own.authors], own.cited_as) == (["Me"], "Mine")
    alone = info_of(load_study(tmp_path / "r.csv", options))
    assert (alone.authors, alone.doi) == ((), "")
