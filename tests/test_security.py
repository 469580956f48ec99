"""SECURITY.md: each threat has a test that is there, and the package has no way to run text."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

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
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in ("load", "loads", "Unpickler")
        and ast.unparse(node.value) in ("pickle", "cloudpickle", "joblib")
    ]
    assert all(path.startswith("execution/") for path in reading), reading


def trees() -> list[tuple[Path, ast.Module]]:
    files = sorted((ROOT / "reportgen").rglob("*.py"))
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in files]


def test_nothing_turns_text_into_code() -> None:
    """No eval, exec or shell; no module that asks the network."""
    found = []
    for path, tree in trees():
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
    assert found == []
