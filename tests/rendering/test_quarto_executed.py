"""Documents of the project that code makes, executed with the level of the study and another."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import reportgen
from reportgen.errors import StudyError
from reportgen.rendering.quarto_executed import parts_of
from reportgen.study.schema import QuartoEntry
from tests.rendering import as_quarto, quarto_cells
from tests.rendering.test_quarto import ATTACKS
from tests.rendering.test_quarto_extension import results
from tests.test_pipeline import call

EXECUTED = ("--set", "report.quarto={engine: jupyter}")
ALPHA = 0.001


def run_of(place: Path, *words: str) -> Path:
    """Return the folder of a run on names that attack, with its Quarto project."""
    path = results(place, ("lda", *ATTACKS[:3]), ATTACKS[13:14], rows=12)
    words = ("--output", str(place), "--format", "qmd", "--jobs", "1", *words)
    done = call("run", path, *words)
    assert done.exit_code == 0, done.output
    return place / "r"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the project without code."""
    return run_of(tmp_path_factory.mktemp("plain")) / "quarto"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the project whose documents are executed."""
    return run_of(tmp_path_factory.mktemp("code"), *EXECUTED) / "quarto"


def text_of(document: Path) -> str:
    return quarto_cells.FRONT.sub("", as_quarto.source(document)).strip()


def plain(text: str) -> str:
    """Return a text without where its drawings are and what its command is."""
    text = re.sub(r"\(figures/(?:alpha-[\d.]+/)?", "(figures/", text)
    return re.sub(r"^.*reportgen run.*\n", "", text, flags=re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("stem", ["index", "supplement"])
def test_code_makes_the_texts_of_the_project(stem: str, written: Path, executed: Path) -> None:
    document = executed / f"{stem}.qmd"
    found = _lines(quarto_cells.executed(text_of(document), document.parent))
    expected = _lines(text_of(written / f"{stem}.qmd"))
    assert len(expected) > 30
    own = found[: len(found) - len(expected)]
    assert found[len(own) :] == expected
    if stem == "index":
        assert own[0] == "# Abstract {.unnumbered}"
        abstract = as_quarto.read(as_quarto.source(written / "index.qmd"), written)["meta"]
        told = as_quarto.read("\n\n".join(own[1:]), written)["blocks"]
        assert as_quarto.plain(told) == as_quarto.plain(abstract["abstract"]) != ""
    else:
        assert own == []


def _lines(text: str) -> list[str]:
    return [line for line in plain(text).split("\n") if line.strip()]


@pytest.mark.slow
def test_a_parameter_is_the_level_of_every_sentence(executed: Path) -> None:
    document = executed / "index.qmd"
    text = document.read_text(encoding="utf-8")
    found = quarto_cells.executed(text, document.parent, {"alpha": ALPHA})
    assert "99.9%" in found
    assert "95% interval" not in found
    assert f"analysis.alpha={ALPHA}" in found
    own = reportgen.load(document.parent.parent, alpha=ALPHA)
    verdict = own.document("index", folder=executed / "figures" / "x").abstract
    assert verdict.strip() in found
    pictures = [*(executed / "figures" / f"alpha-{ALPHA}").iterdir()]
    assert {path.suffix for path in pictures} == {".svg", ".pdf", ".png"}
    document.with_name("index.qmd").write_text(found, encoding="utf-8")
    supplement = document.with_name("supplement.qmd")
    further = supplement.read_text("utf-8")
    supplement.write_text(
        quarto_cells.executed(further, executed, {"alpha": ALPHA}), encoding="utf-8"
    )
    as_quarto.check_formats(document)
    document.write_text(text, encoding="utf-8")
    supplement.write_text(further, encoding="utf-8")


@pytest.mark.slow
def test_documents_change_when_results_do(executed: Path, tmp_path: Path) -> None:
    shutil.copytree(executed.parent.parent, tmp_path, dirs_exist_ok=True)
    project = tmp_path / "r" / "quarto"
    settings = (project / "_quarto.yml").read_text(encoding="utf-8")
    assert 'execute:\n  echo: false\n  freeze: "auto"\n  daemon: false\n' in settings
    before = {p.name: p.read_text(encoding="utf-8") for p in project.glob("[a-z]*.qmd")}
    assert before.keys() == {
        *("index.qmd", "index-typst.qmd", "supplement.qmd", "supplement-typst.qmd")
    }
    assert all('engine: "jupyter"\n' in text for text in before.values())
    assert not any(re.search(r"^abstract:", text, re.MULTILINE) for text in before.values())
    file = tmp_path / "r.csv"
    lines = file.read_text(encoding="utf-8").split("\n")
    lines[1] = re.sub(r"[\d.]+$", "0.5", lines[1])
    file.write_text("\n".join(lines), encoding="utf-8")
    words = ("--output", tmp_path, "--format", "qmd", "--jobs", "1", *EXECUTED)
    assert call("run", file, *words).exit_code == 0
    for name, text in before.items():
        after = (project / name).read_text(encoding="utf-8")
        assert after != text
        assert re.sub(r"[0-9a-f]{40}", "", after) == re.sub(r"[0-9a-f]{40}", "", text)


def test_nothing_of_a_study_is_in_the_code(executed: Path) -> None:
    codes = [
        code
        for path in executed.glob("*.qmd")
        for code in quarto_cells.CELL.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(codes) > 20
    word = r"[a-z0-9-]+"
    kinds = (
        r"\nalpha = 0\.05",
        "\n".join(
            [
                *(r"# The results are [0-9a-f]{40}\.", "", "import reportgen as rg", ""),
                r'study = rg\.load\("\.\.", as_reported=True, alpha=alpha\)',
                r'document = study\.document\("(?:index|supplement)"\)',
            ]
        ),
        r"document\.abstract",
        rf'document\.(?:part|others)\((?:"{word}"(?:, )?)+\)',
    )
    for code in codes:
        lines = [line for line in code.split("\n") if not line.startswith("#|")]
        own = "\n".join(lines).rstrip("\n")
        assert any(re.fullmatch(kind, own) for kind in kinds), own


@pytest.mark.slow
def test_settings_are_those_of_the_report(written: Path, tmp_path: Path) -> None:
    shutil.copytree(written.parent.parent, tmp_path, dirs_exist_ok=True)
    run = tmp_path / "r"
    words = ("--output", tmp_path, "--format", "json", "--set", "analysis.alpha=0.2")
    assert call("report", tmp_path / "r.csv", *words).exit_code == 0
    assert reportgen.load(run).parts[0].study.analysis.alpha == 0.05
    own = reportgen.load(run, as_reported=True)
    assert own.parts[0].study.analysis.alpha == 0.2
    same = reportgen.load(run, as_reported=True, alpha=0.2)
    assert same.parts[2].command == own.parts[2].command
    other = reportgen.load(run, as_reported=True, alpha=0.1)
    assert other.parts[2].command.endswith("--set analysis.alpha=0.1")
    with pytest.raises(StudyError, match="alpha"):
        reportgen.load(run, alpha=2)
    with pytest.raises(StudyError, match=r"found the keyword 'alhpa'.*did you mean alpha"):
        reportgen.load(run, alhpa=0.1)


@pytest.mark.slow
def test_parts_of_a_document(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = reportgen.load(written.parent).document()
    assert {"design", "eda", "inference", "methods"} <= {*found.parts}
    assert found.others(*found.parts) == ""
    assert found.others() == "\n\n".join(found.parts.values())
    assert found.part("domain") == ""  # which a study of several data sets has
    with pytest.raises(StudyError, match=r"'infrence'.*inference"):
        found.part("infrence")
    assert found.part("inference")._repr_markdown_() == found.parts["inference"]
    names = {path.name for path in (tmp_path / "figures" / "alpha-0.05").iterdir()}
    shown = re.findall(r"!\[\]\(figures/alpha-0\.05/([^)]*)\)", found.others())
    assert len(shown) > 1
    assert {f"{name}.svg" for name in shown} <= names


def test_no_text_is_lost_between_parts(written: Path) -> None:
    for stem in ("index", "supplement"):
        body = f"{text_of(written / f'{stem}.qmd')}\n"
        joined = "\n".join(parts_of(body).values())
        kept = [line for line in body.split("\n") if line.strip()]
        assert [line for line in joined.split("\n") if line.strip()] == kept[:-3]
        assert kept[-3:] == ["# References {.unnumbered}", "::: {#refs}", ":::"]


def test_a_manifest_names_the_engine_alone() -> None:
    assert QuartoEntry(engine="jupyter").format == ""
    with pytest.raises(ValueError, match="neither journal nor format"):
        QuartoEntry(engine="markdown")
