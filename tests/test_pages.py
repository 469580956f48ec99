"""The pages of the site: their examples run as they stand, and what is made of the program fits."""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

from reportgen.stats.pair_table import PAIR_COLUMNS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
BLOCK = re.compile(
    r"(?:^`(?P<file>[\w./-]+)`\n\n)?^(?P<ticks>`{3,})(?P<kind>[\w{}]+)\n(?P<text>.*?)^(?P=ticks)$",
    re.MULTILINE | re.DOTALL,
)
CELL = re.compile(r"^```\{python\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANCHOR = re.compile(r"(?:docs: |page_url\(['\"])(?P<page>[\w-]+)\.md#(?P<anchor>[\w-]+)")


class Reader:
    """Somebody who does what a page says, block by block, in an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = self.place = folder
        self.names: dict[str, Any] = {"__name__": "page"}
        self.output = ""
        commands = folder / ".bin"
        commands.mkdir()
        for name, words in (("python", ""), ("reportgen", "-m reportgen"), ("pytest", "-m pytest")):
            command = commands / name
            command.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', "utf-8")
            command.chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def read(self, text: str) -> int:
        """Do what a page says, and return the number of blocks that were run or compared."""
        n_done = 0
        for block in BLOCK.finditer(text):
            kind, content = block["kind"], block["text"]
            if block["file"]:
                (self.place / block["file"]).write_text(content, encoding="utf-8")
                for cell in CELL.findall(content):
                    self._python(cell)
            elif kind == "python":
                self._python(content)
            elif kind == "sh":
                self._shell(content)
            elif kind == "text":
                self._compare(content)
            else:
                continue
            n_done += 1
        return n_done

    def _shell(self, text: str) -> None:
        place = self.folder / ".place"
        done = subprocess.run(
            ["bash", "-ec", f"{text}\npwd > {place}"],
            cwd=self.place,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, text + done.stdout + done.stderr
        self.output, self.place = done.stdout, Path(place.read_text("utf-8").strip())

    def _python(self, text: str) -> None:
        """Run a block as a notebook does: its last expression is shown."""
        *statements, last = ast.parse(text).body
        shown = isinstance(last, ast.Expr)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            module = ast.Module(statements if shown else [*statements, last], [])
            exec(compile(module, "page", "exec"), self.names)  # our own pages
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "page", "eval"), self.names)
                if value is not None:
                    print(repr(value))
        self.output = printed.getvalue()

    def _compare(self, wanted: str) -> None:
        """Compare an output with the page, where … stands for anything."""
        pattern = wanted.replace("…", "...")
        is_same = doctest.OutputChecker().check_output(
            pattern, self.output, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        )
        assert is_same, f"the page has\n{wanted}\nand the program\n{self.output}"


def python_only(text: str) -> str:
    """Return the blocks of a page that are in Python."""
    return "\n".join(block[0] for block in BLOCK.finditer(text) if block["kind"] == "python")


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Return a reader in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Reader(tmp_path)


def test_readme_runs(reader: Reader) -> None:
    assert reader.read(python_only((ROOT / "README.md").read_text("utf-8"))) == 1


def test_results_are_read_as_their_page_says(reader: Reader) -> None:
    folder = reader.folder / "output" / "quickstart"
    folder.mkdir(parents=True)
    shutil.copy(DOCS / "results-example.json", folder / "results.json")
    assert reader.read(python_only((DOCS / "results.md").read_text("utf-8"))) == 1
    assert "worse" in reader.output


@pytest.mark.slow
def test_paper_is_written_as_its_page_says(reader: Reader) -> None:
    assert reader.read((DOCS / "latex.md").read_text("utf-8")) == 4
    assert (reader.folder / "pairs.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_calls_from_python_do_what_their_page_says(reader: Reader) -> None:
    assert reader.read((DOCS / "python.md").read_text("utf-8")) == 7
    reader.names["test_the_new_version_is_as_good"]()
    assert "holds" in [check.outcome for check in reader.names["checks"]]
    assert (reader.folder / "out" / "report.html").exists()
    assert (reader.folder / "study.zip").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        "first-steps",
        "first-steps-python",
        "estimator",
        "measure",
        "ci",
        "compare-runs",
        "cluster",
        "quarto",
    ],
)
def test_examples_of_a_page_run(page: str, reader: Reader) -> None:
    if page == "cluster":
        pytest.importorskip("distributed", reason="needs the package distributed")
    assert reader.read((DOCS / f"{page}.md").read_text("utf-8")) > 0


def test_reader_sees_a_wrong_page(reader: Reader) -> None:
    with pytest.raises(AssertionError, match="the page has"):
        reader.read("```python\n1 + 1\n```\n\n```text\n3\n```\n")
    with pytest.raises(AssertionError):
        reader.read("```sh\nfalse\n```\n")


# ------------------------------------------------------------------------- made parts


@pytest.fixture(scope="module")
def made() -> ModuleType:
    """Return the module that makes parts of pages."""
    spec = importlib.util.spec_from_file_location("pages", DOCS / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_commands_have_every_verb_and_option(made: ModuleType) -> None:
    from reportgen.cli import main

    text = made.commands()
    groups = {n: v.commands for n, v in main.commands.items() if isinstance(v, click.Group)}
    verbs = {n: v for n, v in main.commands.items() if n not in groups}
    for name, parts in groups.items():
        verbs |= {f"{name} {part}": verb for part, verb in parts.items()}
    for name, verb in verbs.items():
        assert f"\n## {name}\n" in text
        options = {o for p in verb.params for o in p.opts if o.startswith("--")}
        assert not [option for option in options if option not in text]


def test_manifest_keys_lead_to_their_blocks(made: ModuleType) -> None:
    text = made.manifest_keys()
    anchors = re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)
    assert len(anchors) == len(set(anchors)) > 20
    assert set(re.findall(r"\]\(#([\w-]+)\)", text)) <= set(anchors)
    for key in ("resampling", "relevance", "max_failures"):
        assert f"| `{key}` |" in text


def test_api_has_every_public_name(made: ModuleType) -> None:
    import reportgen
    from reportgen import stats

    for names, text in (
        (set(reportgen.__all__) - {"__version__"}, made.api()),
        (stats.__all__, made.statistics()),
    ):
        assert not [name for name in names if not re.search(rf"::.*\.{name}$", text, re.MULTILINE)]


@pytest.mark.slow
def test_methods_have_every_section_formula_and_reference(made: ModuleType) -> None:
    import tomllib

    from reportgen.sections import find_sections

    text = made.methods()
    anchors = {name: f"(methods-{name.replace('_', '-')})=" for name in find_sections()}
    assert not [name for name, anchor in anchors.items() if anchor not in text]
    formulas = tomllib.loads((ROOT / "templates" / "formulas.toml").read_text("utf-8"))
    spoken = [" ".join(formula["alt"].split()) for formula in formulas.values()]
    assert sum(alt in text for alt in spoken) >= len(spoken) - 1  # of one value a data set: no
    cited = set(re.findall(r'href="#ref-([\w-]+)"', text))
    assert len(cited) > 25
    assert cited <= set(re.findall(r'id="ref-([\w-]+)"', text))


# --------------------------------------------------------------------------- anchors


def slug(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and the site make it."""
    plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return plain.replace(" ", "-")


def anchors(page: Path) -> set[str]:
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


LINK = re.compile(r"\]\((?P<page>[\w/.-]*\.md)?#(?P<anchor>[\w-]+)\)")


@pytest.mark.parametrize(
    "document",
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))],
    ids=lambda p: p.name,
)
def test_links_lead_to_anchors(document: Path) -> None:
    """As GitHub shows the pages; what is made of the program is checked by the site."""
    included = {"contributing.md": ROOT / "CONTRIBUTING.md", "changes.md": ROOT / "CHANGELOG.md"}
    for found in LINK.finditer(document.read_text("utf-8")):
        page = document.parent / found["page"] if found["page"] else document
        page = included.get(page.name, page)
        is_made = "<!-- made:" in page.read_text("utf-8")
        assert is_made or found["anchor"] in anchors(page), found[0]


def test_messages_name_pages_and_anchors_that_exist() -> None:
    files = [*(ROOT / "reportgen").rglob("*.py"), *(ROOT / "templates").rglob("*.*")]
    texts = [f for f in files if f.suffix != ".pyc"]
    found = [m for f in texts for m in ANCHOR.finditer(f.read_text("utf-8"))]
    assert len(found) >= 15
    for link in found:
        assert link["anchor"] in anchors(DOCS / f"{link['page']}.md"), link[0]


def test_page_of_results_lists_the_columns_of_tables(made: ModuleType) -> None:
    text = made.MARK.sub(lambda m: made.PARTS[m[1]](), (DOCS / "results.md").read_text("utf-8"))
    for column in PAIR_COLUMNS.values():
        begins = column.doc[0].upper() + column.doc[1:].split()[0]
        assert re.search(rf"\| `{column.name}` \| .* \| {re.escape(begins)}", text)
    assert re.search(r"\| `unpaired_interval` \| .* \| Its interval, by a bootstrap", text)
    assert re.search(r"\| `n_best_alone` \| .* \| Complete replications in which all others", text)


SCHEMA = json.loads((ROOT / "reportgen/rendering/results.schema.json").read_text("utf-8"))
PARTS = (DOCS / "results.md").read_text("utf-8").split("\n## ")
OF_SECTIONS = {m[1]: part for part in PARTS if (m := re.match(r"sections\.(\w+)", part))}


def test_page_of_results_has_every_section(made: ModuleType) -> None:
    sections = SCHEMA["$defs"]["sections"]["properties"]
    assert OF_SECTIONS.keys() == sections.keys()
    for name, schema in sections.items():
        found = made.MARK.sub(lambda m: made.PARTS[m[1]](), OF_SECTIONS[name])
        for part in re.findall(r'"#/\$defs/(\w+)"', json.dumps(schema)):
            keys = SCHEMA["$defs"][part]["properties"]
            assert keys.keys() <= set(re.findall(r"`(\w+)`", found)), name


# -------------------------------------------------------------------------- notebook


@pytest.mark.slow
def test_notebook_gives_what_it_shows() -> None:
    """Executed anew, each cell has the text that is stored, but for times."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    stored = nbformat.read(DOCS / "monks3.ipynb", as_version=4)
    fresh = nbformat.from_dict(json.loads(json.dumps(stored)))
    nbclient.NotebookClient(fresh, timeout=600).execute()
    shown = [_texts(cell) for cell in stored.cells]
    again = [_texts(cell) for cell in fresh.cells]
    assert again == shown
    assert sum(map(len, shown)) > 5


def _texts(cell: Any) -> list[str]:
    """Return what a cell gives; a progress that is over is an empty display."""
    return [text for output in cell.get("outputs", ()) if (text := _text(output))]


def _text(output: Any) -> str:
    text = output.get("text") or output["data"]["text/plain"]
    return re.sub(r"[\d.]+(?= (ms|s|times)\b)|0x\w+", "#", str(text))
