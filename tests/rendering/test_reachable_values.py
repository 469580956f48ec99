"""Every value that a template can reach from its variables is data, whatever name it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jinja2.environment import TemplateModule
from jinja2.runtime import Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reportgen.errors import RenderingError
from reportgen.rendering.composition import compose
from reportgen.rendering.embedding import extras
from reportgen.rendering.page import page_variables
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.rendering.template_data import SCALARS, Names, TemplateFunction, data_of, is_record
from reportgen.rendering.template_functions import section_variables
from reportgen.rendering.templates import environment
from reportgen.report import Report
from tests.made_up import MADE_UP, report_of

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

STUDIES = ("one-dataset", "domain", "settings", "archetypes", "expectations", "stages")
GIVEN = (TemplateFunction, Macro, TemplateModule, Undefined)
CONTAINERS = (list, tuple, dict, frozenset, range)
MOST = 3  # values of a record's type, and entries of a container, that are followed
HARMFUL = ("__class__", "__globals__", "__init__", "parse_raw", "tofile", "dump", "model_copy")


def variables_of(report: Report) -> Iterator[tuple[str, Any]]:
    """Yield what every kind of template is given, by name."""
    context = RenderContext(report, HTML, (), extras(report.layout))
    for name, value in page_variables(context, compose(context)).items():
        yield f"page.{name}", value
    for content in report.contents:
        own = section_variables(context, context.contents(content.name), content, 2)
        for name, value in own.items():
            yield f"{content.name}.{name}", value
    yield from environment((), str).globals.items()  # type: ignore[arg-type]


def names_of(value: Any) -> set[str]:
    """Return all names that a template may ask a value for."""
    keys = [key for key in value if isinstance(key, str)] if isinstance(value, Mapping) else []
    extra = getattr(value, "extra", ()) if is_record(type(value)) else ()
    return {*dir(value), *dir(type(value)), *keys, *extra, *HARMFUL}


def entries_of(value: Any) -> list[Any]:
    """Return some entries of a list or mapping, and of a record that has a length."""
    if isinstance(value, Mapping):
        return [*value][:MOST] + [*value.values()][:MOST]
    if isinstance(value, CONTAINERS) or (is_record(type(value)) and hasattr(value, "__iter__")):
        return [*value][:MOST]
    return []


class Walk:
    """Goes to every value that can be reached."""

    def __init__(self, sandbox: ImmutableSandboxedEnvironment) -> None:
        self.sandbox = sandbox
        self.seen: dict[Any, int] = {}
        self.kinds: set[type] = set()
        self.faults: list[str] = []

    def visit(self, place: str, value: Any) -> None:
        """Look at a value, and at what is reached from it."""
        kind: Any = type(value)
        self.kinds.add(kind)
        is_plain = kind in SCALARS or is_record(kind) or isinstance(value, CONTAINERS)
        if not (is_plain or isinstance(value, (*GIVEN, Mapping)) or value is Names):
            self.faults.append(f"{place}: {kind.__name__}")
            return
        if isinstance(value, Undefined):
            return
        shape = kind if is_record(kind) else (kind, place.rpartition("[")[0] or place)
        if kind in SCALARS:
            shape = kind
        self.seen[shape] = self.seen.get(shape, 0) + 1
        if self.seen[shape] > MOST:
            return
        for name in sorted(names_of(value)):
            for found in self.read(value, name):
                self.visit(f"{place}.{name}", found)
        for entry in entries_of(value):
            self.visit(f"{place}[", entry)

    def read(self, value: Any, name: str) -> Iterator[Any]:
        """Read an attribute by both ways that templates have; a method of data is called."""
        for read in (self.sandbox.getattr, self.sandbox.getitem):
            try:
                found = read(value, name)
            except RenderingError:
                continue
            if not isinstance(value, TemplateModule) and isinstance(found, TemplateFunction):
                try:
                    found = found()
                except TypeError:  # it has arguments
                    continue
            yield found


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_every_value_that_can_be_reached_is_data(name: str) -> None:
    walk = Walk(environment((), str))  # type: ignore[arg-type]
    n_given = 0
    for place, value in variables_of(report_of(MADE_UP[name])):
        given = value
        if not isinstance(value, TemplateModule) and value is not Names:
            given = data_of(value)
        walk.visit(place, given)
        n_given += 1
    assert not walk.faults
    assert n_given > 60
    records = {kind for kind in walk.kinds if is_record(kind)}
    assert len(records) > 10, "the walk has seen records of results"


def test_the_walk_sees_what_is_no_data() -> None:
    """Jinja's own sandbox, by which templates were rendered, lets a walk reach live objects."""
    report = report_of(MADE_UP["archetypes"])
    walk = Walk(ImmutableSandboxedEnvironment())
    for content in report.contents:
        walk.visit("result", content.result)
        walk.visit("options", content.options)
    assert any("ndarray" in fault for fault in walk.faults)
    assert any("method" in fault for fault in walk.faults)
