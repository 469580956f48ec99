"""What Quarto's users have met: names that run, letters that no font has, journals' needs.

The files are those of the cases in `shared/cases/quarto`, with fewer data sets; six long names on
eight data sets are `long-names` of tests/test_check_quarto.py and `long_names` of test_quarto.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml

from reportgen.rendering import quarto
from reportgen.report import Author, Report
from reportgen.study.schema import QuartoEntry
from tests.conftest import ROOT
from tests.rendering import as_quarto, quarto_model
from tests.test_pipeline import call

CASES = Path(__file__).parent / "quarto_cases"
SHARED = ROOT.parent / "shared" / "cases" / "quarto" / "journals"
ACM = {"final": True, "copyright-year": 2026, "copyright": "rightsretained"}
SIGCONF = {"acmart-options": "sigconf, review"}
JOURNALS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "jss": ("jss-pdf", {"journal": {"type": "article"}, "keywords-plain": ["benchmark"]}),
    "jss2": (
        "jss-pdf",
        {
            "journal": {"type": "article"},
            "keywords-formatted": ["benchmark"],
            "shift-heading-level-by": 0,
        },
    ),
    "acm": (
        "acm-pdf",
        {
            "acm-metadata": {
                **ACM,
                "doi": "10.1145/1",
                "conference-acronym": "X",
                "conference-name": "Y",
                "conference-date": "June 2026",
                "conference-location": "Z",
                "isbn": 1,
                "ccs": r"\\ccsdesc[500]{Computing}",
                **SIGCONF,
            }
        },
    ),
    "acm2": ("acm-pdf", {"acm-metadata": {**ACM, **SIGCONF}}),
    "plos": ("plos-pdf", {}),
    "els5": (
        "elsevier-pdf",
        {
            "journal": {
                "name": "Journal of Examples",
                "formatting": "preprint",
                "model": "5p",
                "cite-style": "authoryear",
            }
        },
    ),
}
AUTHORS = (
    Author("Ada Test", "University of X", "0000-0002-1825-0097"),
    Author("Bo Other", "University of Y"),
)


def entry_of(name: str) -> QuartoEntry:
    form, options = JOURNALS[name]
    return QuartoEntry(format=form, options={**options, "keep-tex": True})


@pytest.mark.slow
def test_a_name_that_is_a_shortcode_writes_no_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, value = "{{< env SECRET_TOKEN >}}", "a-value-that-no-report-may-show"
    monkeypatch.setenv("SECRET_TOKEN", value)
    monkeypatch.setenv("QUARTO_PATH", str(as_quarto.stand_in(tmp_path)))
    assert quarto_model.called(name, tmp_path, None) == value  # so the stand-in would write it
    case = CASES / "names-as-shortcodes.csv"
    words = ("--output", tmp_path, "--sections", "eda,inference", "--format", "quarto-html")
    done = call("run", case, *words)
    assert done.exit_code == 0, done.output
    pages = [Path(line) for line in done.stdout.splitlines() if line.endswith(".html")]
    texts = [re.sub(r"[\u2060\u200b]", "", unescape(p.read_text(encoding="utf-8"))) for p in pages]
    assert not [text for text in texts if value in text]
    assert sum(text.count(name) for text in texts) >= 10


@pytest.mark.slow
def test_a_letter_of_another_script_is_told_and_no_name_is_markup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stand-in sets LaTeX by pdflatex, which has a font for no letter of another script."""
    monkeypatch.setenv("QUARTO_PATH", str(as_quarto.stand_in(tmp_path)))
    words = ("--output", tmp_path, "--sections", "eda", "--format", "quarto-html,quarto-pdf")
    done = call("run", CASES / "domain-cjk" / "s.yaml", *words)
    assert done.exit_code == 4, done.output
    told = f"{tmp_path}/s/quarto/index.pdf: no font of the document has U+732B, "
    assert told in done.stderr
    assert f"LaTeX's log: {tmp_path}/s/quarto/index.log" in done.stderr
    project = tmp_path / "s" / "quarto"
    assert "{猫}{732B}{}" in (project / "letters.tex").read_text(encoding="utf-8")
    html = (project / "index.html").read_text(encoding="utf-8")
    said = re.sub(r"\s+", " ", unescape(re.sub(r"[\u2060\u200b]|<[^>]+>", "", html)))
    study = yaml.safe_load((CASES / "domain-cjk" / "s.yaml").read_text(encoding="utf-8"))["study"]
    for text in (
        study["title"].replace("_", ""),
        "See a link and code.",
        "gpt_4*new*",
        "猫 <!-- c -->",
    ):
        assert text in said, text
    assert "@smith2020 {{< var x >}}" in said
    assert "Größe <b>&amp;" in said


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not there")
@pytest.mark.parametrize("name", JOURNALS)
def test_the_journals_are_those_of_the_cases(name: str) -> None:
    found = yaml.safe_load((SHARED / f"{name}.yaml").read_text(encoding="utf-8"))
    own = entry_of(name)
    assert QuartoEntry(**found["report"]["quarto"]) == own


def formats_of(report: Report, name: str, authors: tuple[Author, ...] = AUTHORS) -> Any:
    told = replace(report.study, authors=authors, keywords=("bootstrap",))
    entry = entry_of(name)
    return quarto._formats(replace(report, study=told), entry)[entry.format]


def test_a_paper_for_jss_has_keywords_and_sections(report: Report) -> None:
    """Without formatted ones the extension stops: "at least one keyword is required"."""
    found = formats_of(report, "jss")
    assert found["keywords-plain"] == ["benchmark"]
    assert found["keywords-formatted"] == ["bootstrap"]
    assert found["shift-heading-level-by"] == 0
    assert formats_of(report, "jss2")["keywords-formatted"] == ["benchmark"]


def test_a_paper_for_acm_has_its_concepts_and_its_years(report: Report) -> None:
    """Authors without city and country are refused with the manifest: wrong_manifests.yaml."""
    whole = tuple(replace(author, city="C", country="D") for author in AUTHORS)
    found = formats_of(report, "acm", whole)["acm-metadata"]
    assert found["copyright-year"] == 2026
    assert found["acmart-options"] == "sigconf, review"
    assert found["ccs"] == r"`\ccsdesc[500]{Computing}`{=latex}"
    assert {"doi", "acm-year", "conference-name"} <= formats_of(report, "acm2", whole)[
        "acm-metadata"
    ].keys()


def test_a_paper_for_plos_has_no_numbers_of_sections(report: Report) -> None:
    """Bare `_` of references are in test_quarto.py, for this format, too."""
    found = formats_of(report, "plos")
    assert found["number-sections"] is False
    assert found["journal"] == {"id": "plosone"}


def test_a_paper_for_elsevier_in_two_columns_has_floats_over_both(report: Report) -> None:
    """That its class loses none of them is tested in test_quarto.py with long names."""
    found = formats_of(report, "els5")
    assert (found["fig-env"], found["journal"]["model"]) == ("figure*", "5p")
    assert "tables.tex" in found["include-in-header"]
