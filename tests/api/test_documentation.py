"""Every public name says what it does, and has an example; --doctest-modules runs the examples."""

from __future__ import annotations

import doctest
import inspect
import re
from typing import Any

import pytest

import reportgen
from reportgen import stats

PUBLIC = [
    getattr(module, name)
    for module in (reportgen, stats)
    for name in module.__all__
    if callable(getattr(module, name)) and not name.endswith("Error")
]
METHODS = [
    name
    for name, _ in inspect.getmembers(reportgen.BenchmarkStudy, inspect.isfunction)
    if not name.startswith("_")
]
UNSHOWN = {"figure", "report", "result", "save"}  # slow, or shown by `load`


def examples(value: Any) -> str:
    """Return the source of the examples of a docstring."""
    text = inspect.getdoc(value) or ""
    return "".join(one.source for one in doctest.DocTestParser().get_examples(text))


def documented(name: str, text: str) -> bool:
    """Whether a line of the parameters begins with a name, alone or among others."""
    return re.search(rf"^\*?(?:\w+, )*{name}\b", text, re.MULTILINE) is not None


@pytest.mark.parametrize("value", PUBLIC, ids=lambda v: v.__name__)
def test_public_names_have_a_docstring_with_an_example(value: Any) -> None:
    assert len(PUBLIC) == 8 + 22
    assert re.search(rf"\b{value.__name__}\(|study\.", examples(value))
    if inspect.isfunction(value):
        text = inspect.getdoc(value) or ""
        arguments = [name for name in inspect.signature(value).parameters if name != "keywords"]
        assert not [name for name in arguments if not documented(name, text)]
        assert "Raises\n------" in text


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_a_study_have_a_docstring_and_an_example(name: str) -> None:
    method = getattr(reportgen.BenchmarkStudy, name)
    text = inspect.getdoc(method) or ""
    assert text.splitlines()[0].endswith(".")
    arguments = [key for key in inspect.signature(method).parameters if key != "self"]
    assert not [key for key in arguments if not documented(key, text)]
    assert f".{name}(" in examples(reportgen.BenchmarkStudy) or name in UNSHOWN
