"""SECURITY.md: each threat has a test that is there, and the package has no way to run text."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from unicodedata import normalize

import pytest

from tests.builders import few_results

ROOT = Path(__file__).resolve().parent.parent
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "SECURITY.md").read_text("utf-8"))
BARRED_MODULES = {"shelve", "marshal", "dill", "cloudpickle", "requests", "httpx"}
BARRED_CALLS = {"eval", "exec", "compile", "__import__"}


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_threat_has_its_test(file: str, name: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert f"def {name}(" in text if name else "def test_" in text


def test_there_are_threats() -> None:
    assert len(NAMED) > 25


def test_pickles_are_read_only_by_workers() -> None:
    """What a program sends to its own workers, and back; nothing that a file holds."""
    reading = [
        path.relative_to(ROOT / "reportgen").as_posix()
        for path, tree in trees("pickle", "joblib")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in ("load", "loads", "Unpickler")
        and ast.unparse(node.value) in ("pickle", "cloudpickle", "joblib")
    ]
    assert all(path.startswith("execution/") for path in reading), reading


def trees(*words: str) -> list[tuple[Path, ast.Module]]:
    """Parse the modules whose text has one of the words, as Python reads names."""
    files = sorted((ROOT / "reportgen").rglob("*.py"))
    texts = [(path, normalize("NFKC", path.read_text(encoding="utf-8"))) for path in files]
    assert len(texts) > 500
    return [(path, ast.parse(text)) for path, text in texts if any(w in text for w in words)]


LOADED = """
import json, sys
from reportgen.cli import main
for words in json.loads(sys.argv[1]):
    main(words, standalone_mode=False)
own = [m.__file__ for name, m in sys.modules.items() if name.split(".")[0] == "reportgen"]
print(json.dumps([file for file in own if file]))
"""
OF_PICKLES = ("pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal")
SENDERS = {"execution/pool.py", "execution/worker.py"}  # between a program and its own workers
MEASURING = "catalogue/measures/formulas.py"  # the size of a model as it would be sent
LOADERS = re.compile(
    r"\b(pickle|marshal|joblib|dill|torch|yaml|numpy|np)\.(load|loads|Unpickler|unsafe_load)\b"
    r"|\bread_pickle\b|allow_pickle|\bload_bytecode_from|bytecode_from_string"
)


@pytest.mark.slow
def test_what_reports_and_verifies_reads_no_pickle(tmp_path: Path) -> None:
    """Modules that `run`, `report`, `verify` and `export` load read no pickles and no bytecode."""
    few_results(tmp_path / "few.csv")
    out = str(tmp_path / "out")
    asked = ["--sections", "eda,inference", "--jobs", "1", "-q"]
    calls = [
        ["run", str(tmp_path / "few.csv"), "--output", out, "--format", "html,md,qmd", *asked],
        ["bundle", f"{out}/few", "-o", f"{tmp_path}/few.zip", "-q"],
        ["report", f"{tmp_path}/few.zip", "-o", f"{tmp_path}/again", "--format", "html", *asked],
        ["verify", f"{tmp_path}/few.zip", "--jobs", "1", "-q"],
        ["export", f"{out}/few", "--to", f"{tmp_path}/export", "-q"],
        ["site", out, "-o", f"{tmp_path}/site", "-q"],
    ]
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOADED, json.dumps(calls)],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    files = [Path(name) for name in json.loads(done.stdout.splitlines()[-1])]
    assert len(files) > 100
    importing, loading = set(), []
    for file in files:
        name = file.relative_to(ROOT / "reportgen").as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if modules_of(tree) & {*OF_PICKLES}:
            importing.add(name)
        code = ast.unparse(tree)
        loading += [(name, found[0]) for found in LOADERS.finditer(code)]
    assert importing <= {*SENDERS, MEASURING}
    assert {name for name, _ in loading} <= SENDERS, loading


def modules_of(tree: ast.Module) -> set[str]:
    """Return the first names of all modules that a module imports."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.slow
def test_nothing_turns_text_into_code() -> None:
    """No eval, exec or shell; no module that asks the network.

    But for the `__init__` of data classes, made as the library makes it: of names of fields alone.
    """
    found = []
    for path, tree in trees(*BARRED_MODULES, *BARRED_CALLS, "shell"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {(node.module or "").partition(".")[0]}
            else:
                names = set()
            found += [(path.name, name) for name in names & BARRED_MODULES]
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Name) and node.func.id in BARRED_CALLS:
                    found.append((path.name, node.func.id))
                shell = [k for k in node.keywords if k.arg == "shell"]
                found += [(path.name, "shell") for k in shell if ast.unparse(k.value) != "False"]
    assert found == [("data_classes.py", "exec")]
