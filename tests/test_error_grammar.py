"""Every error of an input says where, what was found and what is allowed: found …; allowed …."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice, product
from pathlib import Path

import pytest

import reportgen
from reportgen import errors

PACKAGE = Path(reportgen.__file__).parent
CLASSES = {
    name
    for name, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.ReportgenError)
} - {"ReportgenError"} | {"NoPilotError", "DirectionError"}
NO_INPUT = {  # classes whose errors are results of work, and no fault of an input
    "ExecutionError": "fits or workers have failed",
    "FindingError": "a job shall fail on what was found",
    "SectionError": "a section is lost, and says so itself",
}
WITH_GRAMMAR = {"describe_unknown", "missing_file", "of_tables", "unknown_name", "_encoding_fault"}
"""Functions that return a message, which are held by the grammar, too."""
IN_PARTS = {"fault", "refuse", "Fault", "refusal"}
"""Functions that join what was found and what is allowed."""
MAKERS = CLASSES | IN_PARTS | {"error"}
PASSED_ON = {"error", "fault", "faults", "_faults", "unknown", "text"}
"""What an error is called that another function has raised or returned, and that is passed on."""
WRITTEN = {"dataset.infinite": "found x", "GUARD": "found x; allowed y"}
"""What holds such words elsewhere."""
EXCEPTIONS = {
    "no input: what of this program is there, or was written, is told": {
        ("rendering/atomic_replacement.py", "the report that was there is as it was"),
        ("rendering/atomic_replacement.py", "only some files of the report are new"),
        ("rendering/templates.py", "the installation is incomplete"),
        ("rendering/embedding.py", "a drawing begins with"),
        ("pipeline.py", "(written: "),
    },
    "no input: another program has failed": {
        ("rendering/pdf.py", "WeasyPrint"),
        ("rendering/layout_memory.py", "WeasyPrint"),
        ("rendering/quarto_program.py", "has not ended after"),
        ("rendering/quarto_program.py", "was not found ("),
        ("rendering/quarto_program.py", "_first(problems)"),
    },
}
FOUND = re.compile(r"found .+?; allowed(:\n| ).", re.DOTALL)
OTHER_WORDS = re.compile(r"\b(must be|should be|has to be|expected|not allowed|is invalid)\b")
MOST = 64  # ways in which the names of one message are resolved


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """Return the files that may make an error."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    return tuple(
        (path.relative_to(PACKAGE).as_posix(), ast.parse(text))
        for path, text in texts.items()
        if any(f"{maker}(" in text for maker in MAKERS | WITH_GRAMMAR)
    )


def names(node: ast.AST) -> dict[str, list[ast.expr]]:
    """Return what each name within a function or module is set to."""
    found: dict[str, list[ast.expr]] = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assign):
            for target in inner.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(inner.value)
                elif isinstance(target, ast.Tuple) and isinstance(inner.value, ast.Tuple):
                    for own, value in zip(target.elts, inner.value.elts, strict=False):
                        if isinstance(own, ast.Name):
                            found.setdefault(own.id, []).append(value)
    return found


def scopes(tree: ast.Module) -> Iterator[tuple[ast.Call, Mapping[str, list[ast.expr]]]]:
    """Yield the calls that make errors, each with what names of its functions and module are."""
    constants = names(ast.Module([n for n in tree.body if isinstance(n, ast.Assign)], []))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and called(call) in MAKERS:
            around = (f for f in functions if f.lineno <= call.lineno <= (f.end_lineno or 0))
            known = dict(constants)
            for function in around:
                known |= names(function)
            yield call, known


def texts(node: ast.expr, known: Mapping[str, list[ast.expr]], depth: int = 0) -> list[str]:
    """Return what an expression may write; of what is not text the source in braces."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        parts = [texts(value, known, depth) for value in node.values]
        return ["".join(way) for way in islice(product(*parts), MOST)]
    if isinstance(node, ast.FormattedValue):
        return texts(node.value, known, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = texts(node.left, known, depth), texts(node.right, known, depth)
        return [a + b for a, b in islice(product(left, right), MOST)]
    if isinstance(node, ast.IfExp):
        return texts(node.body, known, depth) + texts(node.orelse, known, depth)
    if isinstance(node, ast.Name) and node.id in known and depth < 3:
        found = (text for value in known[node.id] for text in texts(value, known, depth + 1))
        return [*islice(found, MOST)]
    if isinstance(node, ast.Call):
        name = called(node)
        if name in WITH_GRAMMAR:
            return ["found x; allowed y"]
        if name in {"format", "rstrip", "replace"} and isinstance(node.func, ast.Attribute):
            return texts(node.func.value, known, depth)
    source = ast.unparse(node)
    return [WRITTEN.get(source, f"{{{source}}}")]


def called(call: ast.Call) -> str:
    own = call.func
    return own.attr if isinstance(own, ast.Attribute) else getattr(own, "id", "")


def is_passed_on(text: str) -> bool:
    """Whether a message ends with one that was made elsewhere, which is held there."""
    held = re.findall(r"^\{([^{}]+)\}|: \{([^{}]+)\}$", text) or re.findall(
        r"^(\{.*join.*\})$", text
    )
    return any(PASSED_ON & set(re.findall(r"\w+", "".join(one))) for one in held)


@cache
def messages() -> tuple[tuple[str, int, str], ...]:
    """Return file, line and text of all errors of inputs, a text for each way to write it."""
    found = []
    for file, tree in modules():
        for call, known in scopes(tree):
            if called(call) in CLASSES - set(NO_INPUT) and call.args:
                found += [(file, call.lineno, text) for text in texts(call.args[0], known)]
    return tuple(found)


def is_exception(file: str, text: str) -> bool:
    return any(
        file == own and words in text for group in EXCEPTIONS.values() for own, words in group
    )


@pytest.mark.slow
def test_errors_of_inputs_say_what_was_found_and_what_is_allowed() -> None:
    wrong = [
        f"{file}:{line}: {text}"
        for file, line, text in messages()
        if not FOUND.search(text) and not is_passed_on(text) and not is_exception(file, text)
    ]
    assert not wrong, "\n".join(wrong)
    assert len(messages()) > 500


def test_messages_that_functions_return_have_the_grammar() -> None:
    found = {}
    for _, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name in WITH_GRAMMAR:
                found[node.name] = ast.unparse(node)
    assert found.keys() == WITH_GRAMMAR
    for name, source in found.items():
        assert re.search(r"found .*allowed|Fault\(", source, re.DOTALL), name


@pytest.mark.slow
def test_what_is_found_and_allowed_is_given_without_these_words() -> None:
    wrong = []
    for file, tree in modules():
        for call, known in scopes(tree):
            own = called(call)
            is_of_table = own == "error" and isinstance(call.func, ast.Attribute)
            if own not in IN_PARTS and not is_of_table:
                continue
            for part in call.args:
                wrong += [
                    f"{file}:{call.lineno}: {text}"
                    for text in texts(part, known)
                    if re.match(r"(found|allowed)\b", text) and not FOUND.match(text)
                ]
    assert not wrong, "\n".join(wrong)


def test_no_error_of_an_input_has_words_of_another_grammar() -> None:
    wrong = [
        f"{file}:{line}: {text}"
        for file, line, text in messages()
        if OTHER_WORDS.search(re.sub(r"\{[^{}]*\}", "", text))
    ]
    assert not wrong, "\n".join(wrong)


def test_each_exception_is_one() -> None:
    used = {
        (file, words)
        for file, _, text in messages()
        for group in EXCEPTIONS.values()
        for own, words in group
        if file == own and words in text and not FOUND.search(text)
    }
    assert used == {each for group in EXCEPTIONS.values() for each in group}


@pytest.mark.parametrize(
    ("source", "is_right"),
    [
        ('raise StudyError(f"{path}: found {x}; allowed y")', True),
        ('found = "found z"\nraise StudyError(f"{path}: {found}; allowed y")', True),
        ('raise StudyError(f"{where}: {error}")', True),
        ('raise StudyError("alpha must be a share")', False),
        ('raise StudyError(f"{path}: {x} is not there")', False),
        ('raise StudyError(f"found {x}")', False),
        ('found = "z" if x else "found z"\nraise StudyError(f"{found}; allowed y")', False),
    ],
)
def test_the_walk_tells_right_from_wrong(source: str, is_right: bool) -> None:
    text = [
        text
        for call, known in scopes(
            ast.parse(f"def f():\n    {source.replace(chr(10), chr(10) + '    ')}")
        )
        if called(call) == "StudyError"
        for text in texts(call.args[0], known)
    ]
    assert text
    assert all(FOUND.search(t) or is_passed_on(t) for t in text) == is_right
