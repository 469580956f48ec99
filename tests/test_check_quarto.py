"""The tool that checks Quarto's work finds what is wrong in what a stand-in has rendered.

Each fault is made in a copy of what was right.
"""

from __future__ import annotations

import base64
import importlib.util
import re
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from reportgen.rendering.quarto_program import whole_text
from tests.conftest import ROOT
from tests.rendering import as_quarto


def _loaded() -> ModuleType:
    path = ROOT / "tools" / "check_quarto.py"
    spec = importlib.util.spec_from_file_location("check_quarto", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


check: Any = _loaded()


def program_at(folder: Path, code: str) -> Path:
    """Write a program in Python."""
    path = folder / "quarto"
    path.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the stand-in for the program."""
    return as_quarto.stand_in(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def rendered(model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return a project in all formats, and the faults that were found in it."""
    place = tmp_path_factory.mktemp("study")
    names = ("lda", check.HOSTILE[0], "svm")
    path = check.results(place, names, 1, 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUARTO_PATH", str(model))
        faults = [*check.of_study(check.Study(path), place / "out")]
    return place / "out" / "r" / "quarto", faults


@pytest.fixture(scope="module")
def kept_runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Return what makes the small runs that documents take, each once: copies of them."""
    make = check.run_of
    made: dict[tuple[str, ...], Path] = {}

    def run_of(place: Path, *words: str) -> Any:
        if words not in made:
            made[words] = make(tmp_path_factory.mktemp("run"), *words).folder
        shutil.copytree(made[words].parent, place, dirs_exist_ok=True)
        return check.Run(place / made[words].name)

    return run_of


@pytest.fixture
def project(rendered: tuple[Path, list[str]], tmp_path: Path) -> Path:
    """Return a copy, in which something may be wrong."""
    return Path(shutil.copytree(rendered[0], tmp_path / "quarto"))


def faults_of(path: Path) -> str:
    return "\n".join(check.of_output(path))


pytestmark = pytest.mark.slow


def test_what_is_right_has_no_fault(rendered: tuple[Path, list[str]]) -> None:
    project, faults = rendered
    assert faults == []
    names = {path.name for path in project.iterdir()}
    stems = ("index", "supplement")
    assert {f"{s}{ending}" for s in stems for ending in check.FORMATS.values()} <= names
    assert len(check.tables_of(whole_text(project / "supplement.qmd"))) > 3
    assert check.pictures_of(project / "index.qmd", whole_text(project / "index.qmd"))


def test_files_that_are_printed_are_there(project: Path) -> None:
    printed = [
        project / f"{stem}{ending}"
        for stem in ("index", "supplement")
        for ending in check.FORMATS.values()
    ]
    assert [*check.of_printed(printed, has_supplement=True)] == []
    (project / "index.pdf").unlink()
    (project / "supplement.docx").write_bytes(b"")
    found = [*check.of_printed(printed[:-2], has_supplement=True)]
    assert found == [
        "index.pdf is printed and not there",
        *("supplement-typst.pdf is not printed", "supplement.docx is not printed"),
    ]
    assert "supplement.docx is empty" in [*check.of_printed(printed, has_supplement=True)]
    assert next(check.of_printed([], has_supplement=False)) == "no file is printed"


# ------------------------------------------------------------------------------------- PDFs


def typst_of(project: Path, change: Callable[[str], str], stem: str = "supplement") -> str:
    """Return the faults of a PDF of Typst with a change."""
    import typst

    source = project / f"{stem}-typst.typ"
    before = source.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    source.write_text(after, encoding="utf-8")
    output = project / f"{stem}-typst.pdf"
    typst.compile(str(source), output=str(output), root="/")
    return faults_of(output)


def _number(project: Path) -> str:
    """Return a number that one table has, which is not the last."""
    *tables, last = check.tables_of(whole_text(project / "supplement-typst.qmd"))
    all_numbers = [n for own in (*tables, last) for n in own]
    return str(next(n for own in tables for n in own if all_numbers.count(n) == 1))


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_number_is_missed_in_its_table(project: Path, elsewhere: bool) -> None:
    number = _number(project)

    def change(text: str) -> str:
        found = re.sub(rf"(?<![\d.]){re.escape(number)}(?![\d.])", "#h(1pt)", text)
        return f"{found}\n\nand {number} in the text\n" if elsewhere else found

    found = typst_of(project, change)
    assert re.search(rf"Table \d+ lacks 1 of its \d+ numbers: {re.escape(number)} ", found)


def test_a_number_that_repeats_is_missed_once() -> None:
    source = "::: {#tbl-a}\n| A | B |\n| 1.5 | 1.5 |\n\nWords\n:::\n"
    assert [*check.lost_numbers(source, "Table 1: Words\n1.5 1.5\n")] == []
    (fault,) = check.lost_numbers(source, "Table 1: Words\n1.5\n")
    assert fault == "Table 1 lacks 1 of its 2 numbers: 1.5 (1 times)"
    two = source + source.replace("tbl-a", "tbl-b").replace("1.5", "2.5")
    above = "Table 1: Words\n1.5 1.5\nTable 2: Words\n2.5 2.5\n"
    below = "1.5 1.5\nTable 1: Words\n2.5 2.5\nTable 2: Words\n"
    assert [*check.lost_numbers(two, above)] == [*check.lost_numbers(two, below)] == []
    swapped = "Table 1: Words\nTable 2: Words\n1.5 1.5 2.5 2.5\n"
    assert len([*check.lost_numbers(two, swapped)]) == 1


@pytest.mark.parametrize(
    ("words", "fault"),
    [("see ??", "unresolved reference"), (check.SECRET, "a name has run")],
)
def test_what_no_text_may_have(project: Path, words: str, fault: str) -> None:
    assert fault in typst_of(project, lambda text: f"{text}\n{words}\n")


def test_a_float_that_is_lost_is_told(project: Path) -> None:
    def change(text: str) -> str:
        return re.sub(
            r"(#figure\(image.*?\n<fig-[a-z0-9-]+>)", r"#hide[\1]", text, count=1, flags=re.S
        )

    found = typst_of(project, change, "index")
    assert re.search(r"no caption of (?:Figure|Table) \d", found)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("#place(dx: 4pt)[12.34]#place(dx: 12pt)[56.78]", "'12.34' and '56.78' are overprinted"),
        ("#place(top + right, dx: 82pt)[word]", "'word' stands at the edge of the page"),
    ],
)
def test_words_that_nobody_reads_are_told(project: Path, words: str, fault: str) -> None:
    found = typst_of(project, lambda text: f"{text}\n#pagebreak()\n{words}\n")
    assert fault in found


def drawings(project: Path) -> dict[Path, str]:
    """Return the drawings with points, without them."""
    own = check.pictures_of(project / "index.qmd", whole_text(project / "index.qmd"))
    return {file: check.POINTS.sub("", file.read_text("utf-8")) for file in own.values()}


def test_points_that_are_missing_in_a_pdf_are_told(project: Path) -> None:
    import typst

    bare = project / "bare"
    bare.mkdir()
    source = (project / "index-typst.typ").read_text(encoding="utf-8")
    for file, text in drawings(project).items():
        (bare / file.name).write_text(text, encoding="utf-8")
        source = source.replace(f"figures/{file.name}", f"bare/{file.name}")
    assert "bare/" in source
    (project / "index-typst.typ").write_text(source, encoding="utf-8")
    output = project / "index-typst.pdf"
    typst.compile(str(project / "index-typst.typ"), output=str(output), root="/")
    assert "the points of eda-distribution" in faults_of(output)


# ----------------------------------------------------------------------------- HTML and Word


def test_faults_of_a_page_are_told(project: Path) -> None:
    page = project / "index.html"
    html = page.read_text(encoding="utf-8")
    label = check.PLACED.findall(whole_text(project / "index.qmd"))[0]
    page.write_text(html.replace(f'id="{label}"', ""), encoding="utf-8")
    assert f"no {label}" in faults_of(page)
    page.write_text(f"{html}?@fig-x", encoding="utf-8")
    assert "unresolved reference" in faults_of(page)
    page.write_text(f"{html}{check.SECRET}", encoding="utf-8")
    assert "a name has run" in faults_of(page)
    changed = html
    for address in check.IMAGE.findall(html):
        data = check._data_of(address)
        if data and check.POINTS.search(data.decode()):
            bare = base64.b64encode(check.POINTS.sub("", data.decode()).encode()).decode()
            changed = changed.replace(address, f"data:image/svg+xml;base64,{bare}")
    assert changed != html
    page.write_text(changed, encoding="utf-8")
    assert "the points of eda-distribution" in faults_of(page)
    supplement = project / "supplement.html"
    number = _number(project)
    html = supplement.read_text(encoding="utf-8")
    supplement.write_text(html.replace(number, ""), encoding="utf-8")
    assert f"tables lack numbers: {number}" in faults_of(supplement)


def word_with(path: Path, change: Callable[[str, bytes], bytes]) -> str:
    """Return the faults of a file of Word whose parts are changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, change(name, data))
    return faults_of(path)


def test_faults_of_a_file_of_word_are_told(project: Path) -> None:
    from PIL import Image

    def white(name: str, data: bytes) -> bytes:
        if not name.endswith(".png"):
            return data
        file, image = BytesIO(), Image.open(BytesIO(data))
        Image.new("RGB", image.size, "white").save(file, format="png")
        return file.getvalue()

    def in_body(old: str, new: str) -> Callable[[str, bytes], bytes]:
        def changed(name: str, data: bytes) -> bytes:
            is_body = name == "word/document.xml"
            return data.replace(old.encode(), new.encode(), 1) if is_body else data

        return changed

    path = project / "index.docx"
    kept = path.read_bytes()
    for change, fault in (
        (white, "the points of eda-distribution"),
        (in_body("Figure 1: ", "Picture: "), "no caption of Figure 1"),
        (in_body("Figure 1", "??"), "unresolved reference"),
        (in_body("Figure 1", check.SECRET), "a name has run"),
    ):
        path.write_bytes(kept)
        assert fault in word_with(path, change), fault
    number = _number(project)
    supplement = project / "supplement.docx"
    found = word_with(
        supplement,
        lambda name, data: data.replace(number.encode(), b"") if "document" in name else data,
    )
    assert f"tables lack numbers: {number}" in found


def test_ink_is_of_the_colours_of_points() -> None:
    image = np.full((10, 10, 3), 255, dtype=np.uint8)
    image[2:4, 2:4] = (128, 164, 213)
    assert check.ink(image, {check._blend("#0249ac", 0.5)}) == 4
    assert check.ink(image, {check._blend("#822e03", 0.5)}) == 0


# ------------------------------------------------------------------------------ documents


def only_in(monkeypatch: pytest.MonkeyPatch, *forms: str) -> None:
    """Let the tool render to these formats alone."""
    monkeypatch.setattr(check, "FORMATS", {form: check.FORMATS[form] for form in forms})


@pytest.mark.parametrize("name", [*check.DOCUMENTS])
def test_documents_of_authors_hold_with_the_stand_in(
    name: str,
    model: Path,
    kept_runs: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QUARTO_PATH", str(model))
    monkeypatch.setattr(check, "run_of", kept_runs)
    if name == "code":  # runs anew in each format
        only_in(monkeypatch, "html", "typst")
    assert [*check._of_named(name, {}, tmp_path / name, record=False)] == []


def test_typst_writes_over_the_pdf_of_a_manuscript(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are written beside the article until all is done: what our projects keep apart."""
    monkeypatch.setenv("QUARTO_PATH", str(model))
    (tmp_path / "_quarto.yml").write_text(
        "project: {type: manuscript}\nformat: {pdf: default, typst: default}\n"
    )
    (tmp_path / "index.qmd").write_text("---\ntitle: A\n---\n\nText.\n")
    said = check.quarto("render", tmp_path, folder=tmp_path)
    assert said.code == 1
    assert "No such file or directory" in said.err
    (tmp_path / "_quarto.yml").write_text("project: {type: manuscript}\nformat: {pdf: default}\n")
    assert check.quarto("render", tmp_path, folder=tmp_path).code == 0
    assert (tmp_path / "_manuscript" / "index.pdf").exists()


@pytest.mark.parametrize(
    ("name", "forms"),
    [  # two formats each; the project above is in all of them
        ("long-names", ("pdf", "typst")),
        ("hostile-names", ("html", "docx")),
        ("quickstart", ("html", "typst")),
        ("uci621raw", ("pdf",)),
        ("items", ("typst", "docx")),
    ],
)
def test_studies_hold_with_the_stand_in(
    name: str,
    forms: tuple[str, ...],
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QUARTO_PATH", str(model))
    known = check.studies(tmp_path)
    if not known[name].path.exists():
        pytest.skip(f"{known[name].path.name} is not there")
    if name == "quickstart":
        assert "setup.resampling.replications=25" in known[name].words
        words = [word.replace("replications=25", "replications=12") for word in known[name].words]
        known[name] = replace(known[name], words=(*words,))
    if name == "uci621raw":  # 21 data sets
        known[name] = replace(known[name], words=("--sections", "inference"))
    only_in(monkeypatch, *forms)
    assert [*check._of_named(name, known, tmp_path / "out" / name, record=False)] == []


IDLE = """
import sys
from pathlib import Path
words = sys.argv
if "--output" in words:
    Path(words[words.index("--output") + 1]).write_text("<p>nothing ?@fig-x</p><img src='x.svg'>")
print("WARNING (main.lua:1) Unable to resolve crossref @fig-x", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (
            "document",
            (
                *("html: WARNING (main.lua:1) Unable", "paper-html.html: has an unresolved"),
                *("paper-html.html: lacks", "an unknown key does not stop the rendering"),
                *(
                    "an unknown key is not told",
                    "paper-docx.docx: could not be checked: BadZipFile",
                ),
            ),
        ),
        ("book", ("html: nothing is in _book", "docx: nothing is in _book")),
        ("website", ("index.html is not there", "page.html is not there")),
        ("manuscript", ("paper.html is not there", "one-preview.html is not there")),
        ("starter", ("index.html is not there", "index.pdf is not there")),
        ("code", ("other.html: lacks '99.9% interval'",)),
    ],
)
def test_a_program_that_does_nothing_has_faults(
    name: str,
    wanted: tuple[str, ...],
    kept_runs: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(check, "run_of", kept_runs)
    code = IDLE.replace("'x.svg'", '\\"x.svg\\"')
    monkeypatch.setenv("QUARTO_PATH", str(program_at(tmp_path, code)))
    monkeypatch.setattr(check, "pages_of", lambda path: [path.read_text("utf-8")])
    found = "\n".join(check._of_named(name, {}, tmp_path / "place" / name, record=False))
    for words in wanted:
        assert words in found, words


# ------------------------------------------------------------------------------- the whole


@pytest.mark.parametrize("error", [IndexError, AttributeError, TypeError, zipfile.BadZipFile])
def test_a_check_that_ends_is_a_fault_and_no_other_is_left_out(
    error: type[Exception],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(folder: Path) -> Iterator[str]:
        yield "one"
        raise error("what\nhas failed")

    monkeypatch.setenv("QUARTO_PATH", str(program_at(tmp_path, "print('1.11.2')")))
    monkeypatch.setattr(check, "studies", lambda place: {})
    documents = {"book": broken, "website": lambda folder: iter(["other"])}
    monkeypatch.setattr(check, "DOCUMENTS", documents)
    monkeypatch.setattr(check.shutil, "which", lambda name, **_: str(tmp_path / "quarto"))
    assert check.main(["--keep", str(tmp_path / "kept")]) == 1
    first, *_ = (told := capsys.readouterr().out).splitlines()
    assert first.startswith("quarto 1.11.2 (")
    ended = rf"could not be checked: {error.__name__}: what has failed \(broken, line \d+ of .*\)"
    assert re.search(rf"\n3 faults:\n- book: one\n- book: {ended}\n- website: other\n\Z", told), (
        told
    )


def test_a_check_of_a_document_that_ends_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Iterator[str]:
        yield from ()
        raise IndexError

    for name in ("lost_numbers", "unreadable"):
        monkeypatch.setattr(check, name, broken)
    monkeypatch.setattr(check, "pages_of", lambda path: ["see ??"])
    (tmp_path / "a.qmd").write_text("::: {#fig-a}\nX\n:::\n", encoding="utf-8")
    found = [*check.of_output(tmp_path / "a.pdf")]
    assert [fault.partition(" (")[0] for fault in found] == [
        "a.pdf: has an unresolved reference",
        "a.pdf: no caption of Figure 1",
        "a.pdf: numbers of tables: could not be checked: IndexError: no message",
        "a.pdf: places of words: could not be checked: IndexError: no message",
    ]


def test_a_version_that_is_not_told_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = program_at(tmp_path, "raise SystemExit(1)")
    monkeypatch.setenv("QUARTO_PATH", str(path))
    assert check.version() == f"quarto of an unknown version ({path})"


def test_what_is_not_there_is_a_fault_unless_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QUARTO_PATH", str(program_at(tmp_path, "")))
    gone = {"items": check.Study(tmp_path / "gone.yaml")}
    monkeypatch.setattr(check, "studies", lambda place: gone)
    monkeypatch.setattr(check, "DOCUMENTS", {"book": lambda folder: iter(["it is wrong"])})
    for name in as_quarto.PROGRAMS:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
    assert check.main([]) == 1
    told = capsys.readouterr().out
    assert told.endswith(
        f"\n2 faults:\n- items: {tmp_path}/gone.yaml is not there (--allow-missing leaves it out)\n"
        "- book: it is wrong\n"
    )
    assert check.main(["--allow-missing", "--only", "items"]) == 0
    assert "items: left out, as " in capsys.readouterr().out
    assert check.main(["--only", "nothing"]) == 1
    assert "there is no such study; allowed items, book" in capsys.readouterr().out
    monkeypatch.setattr(check, "find_program", lambda: None)
    assert check.main([]) == 2
