"""Bundles, folders, results, themes and logos of others: nothing of them runs, reads or writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from reportgen.api.zip_file import DIGESTS, pack
from reportgen.cli import main
from tests.builders import few_results

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "tests/foreign_input.py"
ALLOWED = "--allow-templates"
SECRET = "the secret of another file"
PICKLE = r"cposix\nsystem\n(S'touch CANARY'\ntR."
SCRIPT = "<script>document.title='ran'</script>"
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{}</svg>'
ENTITIES = "".join(f'<!ENTITY e{n} "{10 * f"&e{n - 1};"}">' for n in range(1, 12))
LOGOS = {
    "a script": DRAWING.format(SCRIPT),
    "a page": DRAWING.format("<foreignObject><p>x</p></foreignObject>"),
    "another file": DRAWING.format('<image href="file://SECRET"/>'),
    "an address": DRAWING.format('<image href="http://[::1]:9/x.png"/>'),
    "an entity of another file": '<!DOCTYPE svg [<!ENTITY x SYSTEM "file://SECRET">]>'
    + DRAWING.format("<text>&x;</text>"),
    "entities without end": f'<!DOCTYPE svg [<!ENTITY e0 "x">{ENTITIES}]>'
    + DRAWING.format("<text>&e11;</text>"),
}
RULES = {
    "another file": '@import url("file://SECRET"); body { background: url("file://SECRET") }',
    "an address": "@font-face { font-family: x; src: url(http://[::1]:9/x) } p { font-family: x }",
    "a drawing of another file": "body { background: url('data:image/svg+xml,"
    + quote(DRAWING.format('<image href="file://SECRET"/>'))
    + "') }",
    "an expression": "p { width: expression(alert(1)); behavior: url(x.htc) }",
    "sizes without measure": "p { font-size: 1000000px }",
}

LOAD = f'parse_raw("{PICKLE}", proto="pickle", allow_pickle=true)'

HARM = {
    "a pickle through options": f"{{{{ options.{LOAD} }}}}",
    "a pickle through a content": f"{{{{ content.options.{LOAD} }}}}",
    "a pickle through all contents": f"{{{{ contents[0].options.{LOAD} }}}}",
    "a file of an array": '{{ (result.values()|first).values.tofile("CANARY") }}',
    "classes": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "the globals of a function": "{{ cand.__globals__ }}",
    "the function in a function": "{{ cand._function.__self__._context }}",
    "the context of a block": "{{ self._TemplateReference__context.environment }}",
    "the globals of a namespace": "{{ namespace.__init__.__globals__ }}",
    "another file": '{% include "SECRET" %}',
    "another file, from above": '{% include "../../secret.txt" %}',
    "half of a character": "{{ '%c'|format(55296)|safe }}",
    "a character of a terminal": "{{ '\\x1b'|safe }}",
}

HOSTILE_PAGE = f'<!doctype html>{SCRIPT}<meta name="referrer" content="no"><p>{{{{ title }}}}</p>'


def eda(words: str) -> str:
    """Return a template of the section eda that begins with these words."""
    return "{% block title %}Mine{% endblock %}{% block article %}" + words + "{% endblock %}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a study of somebody else, with its run and a bundle."""
    folder = tmp_path_factory.mktemp("foreign")
    (folder / "secret.txt").write_text(SECRET, encoding="utf-8")
    study = folder / "study"
    for name in ("mine/html", "templates/sections"):
        (study / name).mkdir(parents=True)
    few_results(study / "few.csv")
    (study / "mine/rules.css").write_text(in_place(RULES["another file"], folder), encoding="utf-8")
    (study / "mine/figures.mplstyle").write_text("lines.linewidth: 2\n", encoding="utf-8")
    (study / "logo.svg").write_text(DRAWING.format("<path d='M0 0'/>"), encoding="utf-8")
    (study / "few.yaml").write_text(
        "results: few.csv\nsections: [eda, inference]\nexpect: [new better than old]\n"
        "report: {theme: mine, logo: logo.svg, formats: [html, md]}\n",
        encoding="utf-8",
    )
    done = CliRunner().invoke(main, ["run", f"{study}/few.yaml", "--output", f"{study}/out", "-q"])
    assert done.exit_code in (0, 1), done.output
    write(study, in_place("".join(HARM.values()), folder))
    (study / "mine/html/report.html.j2").write_text(HOSTILE_PAGE, encoding="utf-8")
    done = CliRunner().invoke(main, ["bundle", f"{study}/out/few", "-o", f"{folder}/few.zip"])
    assert done.exit_code == 0, done.output
    return folder


def in_place(text: str, folder: Path) -> str:
    """Write the paths of this test into a text."""
    names = {"CANARY": folder / "canary", "SECRET": folder / "secret.txt"}
    for name, path in names.items():
        text = text.replace(name, path.as_posix())
    return text


def write(study: Path, words: str) -> None:
    """Write the template of the section eda."""
    (study / "templates/sections/eda.md.j2").write_text(eda(words), encoding="utf-8")


def watched(place: Path, out: Path, calls: list[list[str]]) -> list[dict[str, Any]]:
    """Make calls in a process of their own, and return what each has done."""
    given = out / "given.json"
    temporary = out / "t"  # the addresses of sockets in it have to be short
    temporary.mkdir()
    written = [str(out), str(place / "study/out")]
    given.write_text(
        json.dumps({"calls": calls, "written": written, "secret": str(place / "secret.txt")}),
        encoding="utf-8",
    )
    settings = {"TMPDIR": temporary, "XDG_CACHE_HOME": out / "cache", "MPLCONFIGDIR": out / "mpl"}
    done = subprocess.run(
        [sys.executable, "-P", PROGRAM, given],
        capture_output=True,
        text=True,
        env={
            **os.environ,
            **{name: str(path) for name, path in settings.items()},
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(ROOT),
        },
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_no_verb_runs_reads_or_writes_anything_of_others(place: Path, tmp_path: Path) -> None:
    folder, file = str(place / "study/out/few"), str(place / "few.zip")
    jobs = ["--jobs", "1"]
    calls = [
        ["report", file, "-o", f"{tmp_path}/reported", *jobs],
        ["report", folder, "--format", "html,md,pdf,qmd", *jobs],
        ["run", str(place / "study/few.yaml"), "-o", f"{tmp_path}/out", *jobs],
        ["verify", file, *jobs],
        ["verify", folder, *jobs],
        ["export", file, "--to", f"{tmp_path}/export", "--format", "csv,parquet,latex,md"],
        ["gate", file],
        ["gate", folder],
        ["diff", file, folder, "--format", "html", "-o", f"{tmp_path}/diff.html"],
        ["site", str(place / "study/out"), "-o", f"{tmp_path}/site"],
        ["history", "add", folder, "-o", f"{tmp_path}/history.parquet"],
        ["history", "report", f"{tmp_path}/history.parquet", "-o", f"{tmp_path}/history"],
        ["load", file],
        ["load", folder],
    ]
    for found in watched(place, tmp_path, calls):
        assert found["events"] == [], found
        assert found["code"] in (0, 1), found
    assert not (place / "canary").exists()
    pages = [*tmp_path.rglob("*.html"), *(place / "study/out").rglob("*.html")]
    assert len(pages) >= 5
    for page in pages:
        text = page.read_text(encoding="utf-8")
        head = text[: text.find(">", text.find("<meta"))]
        assert 'http-equiv="Content-Security-Policy" content="default-src' in head, page
        assert SCRIPT not in text, page
    for written in tmp_path.rglob("*"):
        assert written.is_dir() or SECRET.encode() not in written.read_bytes()


def renamed(node: Any, name: str, other: str) -> Any:
    """Return JSON in which a name is another one wherever it stands."""
    if isinstance(node, dict):
        return {renamed(k, name, other): renamed(v, name, other) for k, v in node.items()}
    if isinstance(node, list):
        return [renamed(part, name, other) for part in node]
    return other if node == name else node


def test_a_results_json_alone_runs_reads_and_writes_nothing(place: Path, tmp_path: Path) -> None:
    """Its names and title are templates, pickles, paths and scripts; verbs show or refuse them."""
    run = place / "study/out/few"
    own = json.loads((run / "results.json").read_text(encoding="utf-8"))
    texts = [*(in_place(words, place) for words in HARM.values()), SCRIPT, f"{place}/secret.txt"]
    calls = []
    for n, text in enumerate(texts):
        other = tmp_path / f"runs/{n}"
        other.mkdir(parents=True)
        (other / "report.html").write_bytes((run / "report.html").read_bytes())
        changed = renamed(own, "new", text)
        changed["study"]["title"] = changed["study"]["name"] = text
        file = other / "results.json"
        file.write_text(json.dumps(changed), encoding="utf-8")
        calls.append(
            ["diff", str(file), str(run), "--format", "html", "-o", f"{tmp_path}/{n}.html"]
        )
    calls.append(["site", f"{tmp_path}/runs", "-o", f"{tmp_path}/site"])
    calls.append(["gate", str(file)])
    found = watched(place, tmp_path, calls)
    assert [one["events"] for one in found] == [[]] * len(calls)
    assert [one["code"] for one in found] == [0] * len(texts) + [0, 2]
    assert "found what a report says, not what was measured" in found[-1]["text"]
    assert "parse_raw" in (tmp_path / "0.html").read_text(encoding="utf-8")
    for page in (*tmp_path.glob("*.html"), tmp_path / "site/index.html"):
        text = page.read_text(encoding="utf-8")
        assert SCRIPT not in text, page
        assert SECRET not in text, page


def made(place: Path, folder: Path, layout: str, files: dict[str, str]) -> str:
    """Write a study with such a layout and such files, and return its manifest."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(in_place(text, place), encoding="utf-8")
    few_results(folder / "few.csv")
    (folder / "few.yaml").write_text(f"results: few.csv\n{layout}\n", encoding="utf-8")
    return str(folder / "few.yaml")


def test_a_logo_that_runs_or_fetches_something_is_refused(place: Path, tmp_path: Path) -> None:
    """Of a study, and of a bundle in which it took the place of the logo that was there."""
    calls = []
    for n, text in enumerate(LOGOS.values()):
        study = made(place, tmp_path / str(n), "report: {logo: logo.svg}", {"logo.svg": text})
        calls.append(["run", study, "-o", f"{tmp_path}/{n}/out", "--jobs", "1"])
    with zipfile.ZipFile(place / "few.zip") as archive:
        members = {name: archive.read(name) for name in archive.namelist() if name != DIGESTS}
    members["study/logo.svg"] = in_place(LOGOS["a script"], place).encode()
    bundle = str(pack(members, tmp_path / "changed.zip"))
    calls += [[verb, bundle, "--jobs", "1"] for verb in ("report", "verify")]
    for found in watched(place, tmp_path, calls):
        assert found["events"] == [], found
        assert found["code"] == 2, found
        assert "report.logo: found 'logo.svg' with " in found["text"], found


def test_rules_of_a_theme_that_are_allowed_fetch_nothing(place: Path, tmp_path: Path) -> None:
    calls = []
    for n, text in enumerate(RULES.values()):
        study = made(place, tmp_path / str(n), "report: {theme: mine}", {"mine/rules.css": text})
        asked = ["--sections", "eda", "--format", "pdf", "--jobs", "1", ALLOWED]
        calls.append(["run", study, "-o", f"{tmp_path}/{n}/out", *asked])
    for name, found in zip(RULES, watched(place, tmp_path, calls), strict=True):
        assert (name, found["events"]) == (name, [])
        assert (name, found["code"]) in {(name, 0), (name, 4)}, found["text"]
        assert found["code"] == 0 or "pdf: WeasyPrint" in found["text"], found["text"]


def test_templates_that_are_allowed_reach_data_alone(place: Path, tmp_path: Path) -> None:
    study, calls = tmp_path / "study", []
    for n, words in enumerate(HARM.values()):
        own = study / str(n)
        (own / "templates/sections").mkdir(parents=True)
        few_results(own / "few.csv")
        (own / "few.yaml").write_text("results: few.csv\n", encoding="utf-8")
        write(own, in_place(words, place))
        asked = ["--sections", "eda", "--format", "md", "--jobs", "1", ALLOWED]
        calls.append(["run", str(own / "few.yaml"), "-o", str(own / "out"), *asked])
    for name, found in zip(HARM, watched(place, tmp_path, calls), strict=True):
        assert (name, found["events"]) == (name, [])
        assert (name, found["code"]) == (name, 4), found["text"]
        assert "sections/eda.md.j2" in found["text"], found["text"]
    assert not (place / "canary").exists()


def test_the_program_sees_what_it_is_to_see(place: Path, tmp_path: Path) -> None:
    """A file that is written where none may be is noted, and a file that is read."""
    elsewhere = str(place / "elsewhere")
    read = ["run", str(place / "secret.txt"), "-o", str(tmp_path / "out")]
    wrote = ["run", str(place / "study/few.csv"), "-o", elsewhere, "--format", "json"]
    found = watched(place, tmp_path, [read, wrote])
    assert any("secret.txt" in event for event in found[0]["events"]), found[0]
    assert any(elsewhere in event for event in found[1]["events"]), found[1]
