"""The code that names use: what counts as a change of it, and where names lead."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import pytest

from reportgen.catalogue.parsed_code import parsed_text, used_code

PACKAGE = {
    "own/__init__.py": b"from .rules import *\nfrom . import rates\nTITLE = 'x'\n",
    "own/rules.py": b"import numpy as np\nLIMIT = 3\ndef rule(x):\n    return np.abs(x) > LIMIT\n",
    "own/rates.py": b"from own.rules import rule as r\nRATE = 2\ndef rate(x):\n    return r(x)\n",
    "own/effects.py": b"import sys\nTABLE = {}\nTABLE['f'] = 1\nsys.setrecursionlimit(9000)\n"
    b"def f():\n    return 1\nx = y = 2\nx += 1\n",
    "own/broken.py": b"def (:\n",
}


def sources(package: str) -> Mapping[str, bytes]:
    return PACKAGE if package == "own" else {}


def used(module: str, name: str | None) -> str:
    return used_code([(module, name)], sources)


def test_a_name_leads_to_its_module_and_to_what_this_imports() -> None:
    """A module's package runs first, and counts, too."""
    rate = used("own.rates", "rate").splitlines()
    for line in ("module own", "TITLE = 'x'", "RATE = 2", "import numpy as np", "LIMIT = 3"):
        assert line in rate
    assert "def rule(x):" in rate
    assert "module own.effects" not in rate


def test_packages_stars_and_names_of_modules_are_followed() -> None:
    assert used("own.rules", None) in used("own", None)
    assert "RATE = 2" in used("own", "rates")
    assert "def rule" in used("own", "rule")  # it is behind the star
    assert used("own", "rates").count("module own.rates") == 1


def test_what_an_import_does_counts_and_a_rebound_name_is_whole() -> None:
    f = used("own.effects", "f")
    assert "sys.setrecursionlimit(9000)" in f
    assert "TABLE['f'] = 1" in f
    assert f.index("x = y = 2") < f.index("x += 1")


def test_what_is_no_code_counts_as_it_is_and_what_is_installed_not_at_all() -> None:
    assert "def (:" in used("own.broken", "f")
    assert "module own\n" in used("own.broken", "f")
    assert parsed_text(b"def (:\n") == "def (:\n"
    assert used("numpy.linalg", "norm") == ""
    assert used("collections", "Counter") == ""


def test_only_docstrings_are_no_code() -> None:
    with_text = (
        'class A:\n    "Doc."\n    def f(self):\n        "Doc."\n    x = "kept"\n"kept, too"'
    )
    assert parsed_text(with_text).splitlines() == [
        *("class A:", "", "    def f(self):", "        pass", "    x = 'kept'", "'kept, too'"),
    ]


CELLS = """\
from own.rules import rule
LIMIT = 4
other = 5
def helper(x):
    "Help."
    return x * LIMIT + int(rule(x))
class Model:
    def fit(self, X, y):
        return helper(X)
"""


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Define what a user types into a notebook, whose cells `linecache` keeps."""

    def define(code: str) -> str:
        main = ModuleType("__main__")
        monkeypatch.setitem(sys.modules, "__main__", main)
        rules = ModuleType("own.rules")
        exec(PACKAGE["own/rules.py"], vars(rules))
        monkeypatch.setitem(sys.modules, "own", ModuleType("own"))
        monkeypatch.setitem(sys.modules, "own.rules", rules)
        name = "<cell>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        exec(compile(code, name, "exec"), vars(main))
        found = used("__main__", "Model")
        del linecache.cache[name]
        return found

    return define


def test_a_notebook_shows_its_functions_and_numbers(session: Any) -> None:
    first = session(CELLS)
    assert "return helper(X)" in first
    assert session(CELLS.replace("other = 5", "other = 6")) == first
    assert session(CELLS.replace("Help.", "Other help.")) == first
    for old, new in [("LIMIT = 4", "LIMIT = 3"), ("x * L", "x + L"), ("helper(X)", "helper(y)")]:
        assert session(CELLS.replace(old, new)) != first
    assert "module own.rules" in first


def test_a_script_shows_what_it_defines_and_not_what_it_does(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(code: str) -> str:
        script = tmp_path / "script.py"
        script.write_text(code)
        main = ModuleType("__main__")
        main.__file__ = str(script)
        monkeypatch.setitem(sys.modules, "__main__", main)
        return used("__main__", "Model")

    ours = "from reportgen import evaluate\n" + CELLS
    first = found(ours + "study = evaluate(Model(), replications=20)\nprint(study)\n")
    assert found(ours + "study = evaluate(Model(), replications=30)\nprint(study, 1)\n") == first
    assert found(ours) == first
    assert found(ours.replace("LIMIT = 4", "LIMIT = 5")) != first
    in_main = "if __name__ == '__main__':\n    print(evaluate(Model()))\nelse:\n    LIMIT = 7\n"
    assert found(ours + in_main) != first
    assert found(ours + in_main.replace("(Model())", "(Model(), 3)")) == found(ours + in_main)
    called = "def setup():\n    global LIMIT\n    LIMIT = 9\ndef main():\n    evaluate(Model())\n"
    assert found(ours + called + "main()\n") == found(ours)


@pytest.mark.parametrize(
    "line",
    [
        "Model.k = 1",
        "Model.k, Model.j = 1, 2",
        "setattr(Model, 'k', 1)",
        "def setup():\n    Model.k = 1\nsetup()",
        "@register(Model)\ndef rule(x):\n    return 1",
        "_ = change(Model)",
    ],
)
def test_lines_of_a_script_that_may_change_what_a_name_stands_for_count(
    line: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    main = ModuleType("__main__")
    main.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "__main__", main)
    found = []
    for code in (CELLS, f"{CELLS}{line}\n", f"{CELLS}{line.replace('1', '3')}\n"):
        script.write_text(code)
        found.append(used("__main__", "Model"))
    assert found[0] != found[1]
    assert (found[1] != found[2]) is ("1" in line)
