"""A results.json of somebody else: each verb refuses it in words, or shows what it says as text."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.errors import WarehouseError
from tests.builders import few_results

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

SCRIPT = "<script>document.title='ran'</script>"
VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1e308, float("nan"), float("inf"), -float("inf"), 10**400),
    *("", SCRIPT, "\x1b[2J\x00\u202e", "javascript:x()", 100_000 * "a", "2026-99-99"),
    *([], {}, [[]], [None], {"": None}, {SCRIPT: [SCRIPT]}, [SCRIPT, SCRIPT]),
)
N_CHANGES = 40


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run."""
    place = tmp_path_factory.mktemp("study")
    few_results(place / "few.csv")
    words = "results: few.csv\nsections: [eda, inference, consensus]\nreport: {formats: [html]}\n"
    (place / "few.yaml").write_text(f"{words}expect: [new better than old]\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["run", f"{place}/few.yaml", "-o", f"{place}/out", "-q"])
    assert done.exit_code in (0, 1), done.output
    return place / "out/few"


@pytest.fixture(scope="module")
def content(run: Path) -> dict[str, Any]:
    """Return what its results.json says."""
    found: dict[str, Any] = json.loads((run / "results.json").read_text(encoding="utf-8"))
    return found


def check_all(run: Path, folder: Path, text: str) -> list[int]:
    """Give a results.json to all verbs that read one alone, and return their exit codes."""
    other = folder / "runs/few"
    other.mkdir(parents=True, exist_ok=True)
    shutil.copy(run / "report.html", other)
    file = other / "results.json"
    file.write_text(text, encoding="utf-8")
    out = folder / "written"
    codes = []
    for words in (
        ("diff", file, run / "results.json", "--format", "html", "-o", out / "diff.html"),
        ("diff", run / "results.json", file, "--format", "md", "-o", out / "diff.md"),
        ("site", folder / "runs", "-o", out / "site"),
        ("gate", file, "--badge", out / "gate.svg"),
        ("predict", file),
    ):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        done = CliRunner().invoke(main, [*map(str, words)])
        assert done.exception is None or isinstance(done.exception, SystemExit), words
        assert done.exit_code in (0, 1, 2, 3, 4), done.output
        assert "\x1b" not in done.output
        for written in (file for file in out.rglob("*.*") if file.suffix != ".json"):
            assert SCRIPT.encode() not in written.read_bytes(), written
        codes.append(done.exit_code)
    return codes


def places(node: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each entry; of lists to that of the first two."""
    if at:
        yield at
    entries = node.items() if isinstance(node, dict) else enumerate(node[:2])
    for key, value in entries if isinstance(node, dict | list) else ():
        if isinstance(value, dict | list):
            yield from places(value, (*at, key))
        else:
            yield (*at, key)


def changed(content: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return a results.json of which one entry is another, is gone, or has another name."""
    found = deepcopy(content)
    known = [*places(found)]
    near = [way for way in known if len(way) < 4 or "pairs" in way]
    *way, last = rng.choice(rng.choice((known, near)))
    node: Any = found
    for key in way:
        node = node[key]
    kind = rng.choice(("value", "value", "value", "absence", "name"))
    if kind == "absence":
        del node[last]
    elif kind == "name" and isinstance(node, dict):
        node[rng.choice((SCRIPT, "", "other"))] = node.pop(last)
    else:
        node[last] = rng.choice(VALUES)
    return found


@pytest.mark.slow
def test_whatever_is_changed_is_refused_or_text(
    run: Path, content: dict[str, Any], tmp_path: Path
) -> None:
    codes = set()
    for seed in range(N_CHANGES):
        found = changed(content, random.Random(seed))
        try:
            codes |= {*check_all(run, tmp_path, json.dumps(found))[:2]}
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
    assert codes & {0, 1}, "some are read"
    assert WarehouseError.exit_code in codes, "some are refused"


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


WHOLE: dict[str, Callable[[str], str]] = {
    "nothing": lambda text: "",
    "half": lambda text: text[: len(text) // 2],
    "another kind": lambda text: f"[{text}]",
    "brackets": lambda text: "[" * 200_000,
    "a number without end": lambda text: text.replace('"schema_version": 3', f'"n": {"9" * 5000}'),
    "half of a character": lambda text: text.replace("few", r"\ud800", 1),
    "another version": lambda text: text.replace('"schema_version": 3', '"schema_version": 99'),
    "a version of another kind": lambda text: text.replace(
        '"schema_version": 3', '"schema_version": [3]'
    ),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_file_that_is_no_results_json_is_refused(run: Path, tmp_path: Path, name: str) -> None:
    text = (run / "results.json").read_text(encoding="utf-8")
    given = WHOLE[name](text)
    assert given != text
    codes = check_all(run, tmp_path, given)
    assert 0 not in codes[:2]


def test_keys_twice_are_refused(run: Path, content: dict[str, Any], tmp_path: Path) -> None:
    text = json.dumps(content)
    last = json.dumps({"inference": {SCRIPT: {}}})
    codes = check_all(run, tmp_path, f'{text[:-1]}, "sections": {last}}}')
    assert set(codes[:2]) == {WarehouseError.exit_code}


@pytest.mark.parametrize("depth", [30, 600, 950])
def test_a_deep_entry_is_refused_or_compared(
    run: Path, content: dict[str, Any], tmp_path: Path, depth: int
) -> None:
    mine = json.dumps(deepcopy(content) | {"design": {**content["design"], "resampling": "@"}})
    check_all(run, tmp_path, mine.replace('"@"', nested(depth)))


@pytest.mark.slow
@pytest.mark.parametrize("way", [("study", "name"), ("provenance", "command")])
def test_a_text_of_50_megabytes_is_refused(
    run: Path, content: dict[str, Any], tmp_path: Path, way: tuple[str, str]
) -> None:
    found = deepcopy(content)
    found[way[0]][way[1]] = 50_000_000 * "<"
    file = tmp_path / "results.json"
    file.write_text(json.dumps(found), encoding="utf-8")
    words = ["diff", str(file), str(run / "results.json"), "-o", str(tmp_path / "diff.md")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == WarehouseError.exit_code
    assert "should have at most 1000000 characters" in done.output
    assert len(done.output) < 1000
