"""What templates see is data; what is none is refused, with the place."""

from __future__ import annotations

import tracemalloc
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from jinja2 import DictLoader
from markupsafe import Markup
from pydantic import BaseModel

from reportgen.errors import RenderingError
from reportgen.rendering.template_data import SCALARS, data_of, template_functions
from reportgen.rendering.template_limits import Limits, Total
from reportgen.rendering.templates import (
    TemplateFolders,
    environment,
    get_template,
    render_block,
    render_page,
)


@dataclass(frozen=True)
class Result:
    """A record as sections have them."""

    values: np.ndarray[Any, Any]
    names: tuple[str, ...] = ("a",)
    model: object = None

    @property
    def n(self) -> np.int64:
        """A number of numpy."""
        return np.int64(3)

    @property
    def _hidden(self) -> int:
        return 1

    def store(self, path: Path) -> None:
        """Write a file."""
        path.write_text("x")


@dataclass
class Mutable:
    """A class that is no record: it may change."""

    n: int = 1


class Options(BaseModel):
    """Options as sections have them."""

    alpha: float = 0.05


def rendered(source: str, **variables: object) -> str:
    made = environment((), Markup.escape)
    made.loader = DictLoader({"t": "{% block b %}" + source + "{% endblock %}", "o": ""})
    return render_block(get_template(made, "t"), "b", variables)


RESULT = Result(np.arange(3.0), model=Options())

OF_RESULT = "'store' of a value of Result"
REFUSED = {
    "pickle through a model": ('{{ m.parse_raw("x", proto="pickle") }}', "parse_raw"),
    "a file through an array": ('{{ r.values.tofile("x") }}', "'list object' has no .*tofile"),
    "a method of a record": ('{{ r.store("x") }}', OF_RESULT),
    "a method of a record by map": ('{{ [r]|map(attribute="store")|list }}', OF_RESULT),
    "a method in brackets": ('{{ r["store"] }}', OF_RESULT),
    "a private field": ("{{ r._hidden }}", "'_hidden' of a value of Result"),
    "a class": ("{{ r.__class__ }}", "'__class__'"),
    "a model in a record": ("{{ r.model }}", "found a value of Options"),
    "a format of a text": ('{{ "{0.__class__}".format(r) }}', "'format' of a value of str"),
    "a filter that reads attributes": ('{{ r|attr("store") }}', "attr"),
    "the code of a function": ("{{ f.__globals__ }}", "'__globals__'"),
    "a call of data": ("{{ r() }}", "found a call of a value of Result"),
    "the name of a macro": (
        "{% macro x() %}{% endmacro %}{{ x._environment }}",
        "'_environment' of a value of Macro",
    ),
    "the stream of an import": ('{% import "o" as o %}{{ o._body_stream }}', "'_body_stream'"),
    "the context of a block": ("{{ self.__dict__ }}", "'__dict__'"),
    "globals of Jinja": ("{{ lipsum() }}", "lipsum"),
    "the class of a namespace": ("{{ namespace.mro() }}", "mro"),
    "a width without end": ('{{ "%999999999d"|format(1) }}', "allowed up to"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_data_is_refused(name: str, tmp_path: Path) -> None:
    source, message = REFUSED[name]
    given = {"r": RESULT, **template_functions({"f": len})}
    if "m." in source:
        with pytest.raises(RenderingError, match="m: found a value of Options"):
            rendered(source, m=Options(), **given)
        given["m"] = RESULT
    with pytest.raises(RenderingError, match=message):
        rendered(source, **given)


def test_a_refusal_names_template_line_attribute_and_type() -> None:
    with pytest.raises(RenderingError, match=r"^block 'b' of t, line 2: found 'store' of .*Result"):
        rendered("\n{{ r.store }}", r=RESULT)


@pytest.mark.parametrize(
    "value",
    [
        Options(),
        Mutable(),
        Mutable,
        len,
        np,
        Path("x"),
        np.random.default_rng(1),
        pd.DataFrame({"a": [1]}),
        pd.Series([1]),
        open,
        b"bytes",
        partial(len, "a"),
        object(),
        [object()],
        {"a": {"b": (1, Mutable())}},
        np.array([len], dtype=object),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_other_object_gets_into_a_template(value: object) -> None:
    with pytest.raises(RenderingError, match="allowed text, numbers"):
        data_of(value)


def test_numbers_and_arrays_of_numpy_are_pythons() -> None:
    found = data_of({np.str_("a"): (np.float64(0.5), np.arange(2), np.bool_(True)), "n": None})
    assert found == {"a": (0.5, [0, 1], True), "n": None}
    assert [type(x) for x in found["a"]] == [float, list, bool]
    assert {type(key) for key in found} == {str}
    assert rendered("{{ r.n }} {{ r.values[1]|number(1) }} {{ r.names|length }}", r=RESULT) == (
        "3 1.0 1"
    )


def test_data_are_handed_over_as_they_are() -> None:
    plain = {"a": (1, [2.0, "x"], RESULT, Markup("y"))}
    assert data_of(plain) is plain
    views = MappingProxyType(plain)
    assert data_of(views) is views


def test_a_mapping_is_never_written_to() -> None:
    found = data_of(defaultdict(list, a=[1]))
    assert type(found) is dict
    assert rendered(
        "{{ d.b is defined }}{{ d.a is defined }}{{ d.get('c', 'none') }}", d=found
    ) == ("01none")


def test_rows_and_iterators_are_data() -> None:
    def numbers() -> Iterator[np.int64]:
        yield np.int64(1)

    assert [type(x) for x in data_of(numbers())] == [int]
    assert data_of({"a": 1}.items()) == (("a", 1),)


def test_what_a_function_returns_is_data() -> None:
    functions = template_functions({"model": Options, "numbers": lambda: np.arange(2)})
    assert rendered("{{ numbers()|length }}", **functions) == "2"
    with pytest.raises(RenderingError, match="found a value of Options"):
        rendered("{{ model().alpha }}", **functions)


def test_text_and_mappings_have_a_few_methods() -> None:
    source = "{{ 'a,b'.split(',')|join }} {% for k, v in d.items() %}{{ k }}{{ v }}{% endfor %}"
    assert rendered(source, d={"x": 1}) == "ab x1"
    assert int in SCALARS


# ---------------------------------------------------------------------------------- limits

SMALL = Limits(steps=50_000, characters=20_000, text=20_000, seconds=60, length=10_000)


def again(start: str, step: str, before: str = "") -> str:
    """Return a template that makes something of itself many times."""
    loop = "{% for i in range(60) %}" + before + "{% set n.s = " + step + " %}{% endfor %}"
    return "{% set n = namespace(s=" + start + ") %}" + loop


LOOP = "{% for i in range(9999) %}"
TREE = "{% macro x(n) %}{% if n < 60 %}{{ x(n + 1) }}{{ x(n + 1) }}{% endif %}{% endmacro %}"
ENDLESS = {
    "a loop in a loop": (f"{LOOP}{LOOP}{{% endfor %}}{{% endfor %}}", "steps"),
    "a loop that calls itself": (
        "{% for a in [[1]] recursive %}{{ loop(range(90000)) if a is iterable }}{% endfor %}",
        "steps",
    ),
    "a macro that calls itself": (
        "{% macro x() %}{{ x() }}{% endmacro %}{{ x() }}",
        "without end|steps",
    ),
    "a tree of macros": (TREE + "{{ x(0) }}", "steps"),
    "a text that is repeated": ("{{ 'a' * 10**9 }}", "longer than"),
    "a text that doubles": (again("'ab'", "n.s ~ n.s"), "longer than"),
    "a text that doubles by +": (again("'ab'", "n.s + n.s"), "longer than"),
    "a text that doubles in a set": (
        again("'ab'", "t", "{% set t %}{{ n.s }}{{ n.s }}{% endset %}"),
        "found more than .* characters",
    ),
    "a text that grows by replace": (again("'aa'", "n.s|replace('a', n.s)"), "longer than"),
    "a text that grows by join": (again("'aa'", "[n.s, n.s]|join(n.s)"), "longer than|steps"),
    "lists in lists": (again("[1]", "[n.s, n.s]"), "in lists|steps"),
    "a list that doubles": (again("[1]", "n.s + n.s"), "steps|longer"),
    "a list that is repeated": ("{{ ([1] * 10**9)|length }}", "no number"),
    "a power": ("{{ 10**(10**8) }}", "bits"),
    "a product": (again("9", "n.s * n.s"), "bits"),
    "a padded text": ("{{ 'x'.ljust(10**9) }}", "'ljust' of a value of str"),
    "a text by %": ("{{ '%999999999d' % 1 }}", "operator %"),
    "lists that a filter puts into lists": (
        again("[1]", "range(9)|map(attribute='q', default=n.s)|list"),
        "in lists|steps",
    ),
    "arguments in arguments": (
        again(
            "[1]", "n.s", "{% macro m() %}{% set n.s = varargs %}{% endmacro %}{{ m(n.s, n.s) }}"
        ),
        "in lists|steps",
    ),
    "lists that are summed up": ("{{ [[1], [2]]|sum(start=[]) }}", "no number"),
    "entries of a text that are joined": (
        again("'ab'", "[{'a': n.s}, {'a': n.s}]|join(attribute='a')"),
        "longer than|steps",
    ),
    "a list as the link of texts": ("{{ ['a', 'b']|join([1]) }}", "value of list as text"),
    "a list that is formatted": ("{{ '%s'|format([1]) }}", "value of list as text"),
    "a text that is looked through for another": (
        "{{ ('a' * 5000).strip('b' * 5000) }}",
        "steps",
    ),
    "the same by a filter": ("{{ ('a' * 5000)|trim('b' * 5000) }}", "steps"),
    "a list that is searched again and again": (
        (
            "{% set many = range(9999)|list %}"
            "{% for i in range(99) %}{{ 'x' if -1 in many }}{% endfor %}"
        ),
        "steps",
    ),
    "a list that is sorted again and again": (
        (
            "{% set many = range(9999)|list %}"
            "{% for i in range(99) %}{% set x = many|sort %}{% endfor %}"
        ),
        "steps",
    ),
    "a number of many decimals": ("{{ 0.5|number(10**9) }}", "steps"),
    "much text": (f"{LOOP}{100 * 'much '}{{% endfor %}}", "found more than .* characters"),
    "an import of itself": ('{% import "t.md.j2" as t %}', "without end"),
    "an include of itself": ('{% include "t.md.j2" %}', "without end"),
}


def guest(folder: Path, source: str, limits: Limits = SMALL) -> str:
    (folder / "t.md.j2").write_text("{% block b %}" + source + "{% endblock %}")
    found = get_template(environment((folder,), Markup.escape, limits=limits), "t.md.j2")
    return render_page(found, {}) + render_block(found, "b", {})


@pytest.mark.parametrize("name", ENDLESS)
def test_a_template_ends_within_its_limits(name: str, tmp_path: Path) -> None:
    source, message = ENDLESS[name]
    with pytest.raises(RenderingError, match=rf"t\.md\.j2.*({message})"):
        guest(tmp_path, source)


def test_a_block_in_markdown_is_shorter_than_a_page(tmp_path: Path) -> None:
    source = "{{ 'a' * 1_000_000 }}b"
    with pytest.raises(RenderingError, match=r"t\.md\.j2.*found more than 1,000,000 characters"):
        guest(tmp_path, source, Limits())
    made = environment((tmp_path,), Markup.escape, in_markdown=False)
    assert len(render_page(get_template(made, "t.md.j2"), {})) == 1_000_001


WRITTEN = "{% for i in range(50) %}0123456789{% endfor %}"


def test_all_formats_share_what_their_templates_may_write(tmp_path: Path) -> None:
    (tmp_path / "t.md.j2").write_text("{% block b %}" + WRITTEN + "{% endblock %}")
    limits = Limits(all_characters=1_999)

    def write(folders: Sequence[Path]) -> int:
        found = get_template(environment(folders, Markup.escape, limits=limits), "t.md.j2")
        return len(render_block(found, "b", {}))

    shared = TemplateFolders((tmp_path,))
    assert [write(shared) for _ in range(3)] == [500, 500, 500]
    with pytest.raises(RenderingError, match=r"block 'b' of t\.md\.j2: found more than 1,999"):
        write(shared)
    assert write(TemplateFolders((tmp_path,))) == 500
    assert shared.total.characters == 2_000


def test_all_templates_share_the_time_of_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block takes less than its own limit; the message names who has taken the most."""
    now = [0.0]
    monkeypatch.setattr("time.thread_time", lambda: now[0])

    def wait(seconds: float) -> str:
        now[0] += seconds
        return ""

    for name in ("short", "long"):
        (tmp_path / f"{name}.md.j2").write_text("{% block b %}{{ wait(s) }}{% endblock %}")
    folders = TemplateFolders((tmp_path,))

    def render(name: str, seconds: float) -> None:
        now[0] += 1000  # what is done between blocks is not the templates'
        made = environment(folders, Markup.escape, limits=Limits(seconds=10, all_seconds=20))
        given = {"s": seconds, **template_functions({"wait": wait})}
        render_block(get_template(made, f"{name}.md.j2"), "b", given)

    for name, seconds in (("short", 2), ("long", 9), ("short", 2), ("long", 9)):
        render(name, seconds)
    assert folders.total.seconds == pytest.approx(22)
    with pytest.raises(
        RenderingError,
        match=r"template short\.md\.j2: found more than 20 seconds of work with all templates "
        r"before it, long\.md\.j2 the most of it",
    ):
        render("short", 2)


def test_what_is_rendered_within_a_block_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.thread_time", lambda: now[0])
    total = Total()
    with total.count("outer"):
        now[0] += 2
        with total.count("inner"):
            now[0] += 3
        assert total.seconds == 5
    assert (total.seconds, total.longest) == (5, "outer")


@pytest.mark.parametrize(
    ("source", "letter"),
    [
        ("{{ '%c'|format(55296)|safe }}", "D800"),
        ("{{ '\\udfff'|safe }}", "DFFF"),
        ("{{ '%c'|format(0)|safe }}", "0000"),
        ("{{ '\\x1b[2J'|safe }}", "001B"),
        ("{% macro m() %}{{ '%c'|format(127)|safe }}{% endmacro %}{{ m() }}", "007F"),
    ],
)
def test_what_no_file_can_hold_is_not_written(tmp_path: Path, source: str, letter: str) -> None:
    with pytest.raises(RenderingError, match=rf"t\.md\.j2.*the character U\+{letter}"):
        guest(tmp_path, source)


def test_a_template_without_end_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "t.md.j2").open("wb") as file:
        file.truncate(4 << 30)
    made = environment((tmp_path,), Markup.escape)
    tracemalloc.start()
    try:
        with pytest.raises(RenderingError, match=r"t\.md\.j2: found 4,294,967,296 bytes"):
            get_template(made, "t.md.j2")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_set_of_names_is_written_without_what_it_holds(tmp_path: Path) -> None:
    source = again("1", "namespace(a=n.s, b=n.s)") + "{{ ['%s']|map('format', n)|join }}"
    with pytest.raises(RenderingError, match="found a value of Names as text"):
        guest(tmp_path, source)
    tree = again("1", "namespace(a=n.s, b=n.s)") + "{{ f(n) }}"
    assert rendered(tree, **template_functions({"f": str})) == "&lt;namespace&gt;"


def test_a_template_has_no_more_time_than_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(10**6))
    monkeypatch.setattr("time.thread_time", lambda: float(next(clock)))
    with pytest.raises(RenderingError, match=r"t\.md\.j2.*more than 3 seconds"):
        guest(tmp_path, "{% for i in range(90000) %}{% endfor %}", Limits(seconds=3))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{{ " + 20_000 * "(" + "1" + 20_000 * ")" + " }}", "line 1: found 20,000 brackets"),
        ("{{ " + 3_000 * "not " + "1 }}", "nested too deeply"),
        ("{{ 1" + 20_000 * " + 1" + " }}", "nested too deeply"),
        (400 * "{% if 1 %}" + 400 * "{% endif %}", "nested too deeply"),
        (200_000 * "x", "found 200,027 characters; allowed 100,000"),
        ("{{ " + 5_000 * "9" + " }}", "cannot be read .*4300 digits"),
        ("{{ 'a'|join(a=1, a=1) }}", "cannot be read .*keyword argument repeated"),
        (30_000 * "{{ ", "nested too deeply"),
    ],
)
def test_a_template_that_is_nested_or_long_is_refused(
    tmp_path: Path, source: str, message: str
) -> None:
    with pytest.raises(RenderingError, match=rf"template t\.md\.j2.*{message}"):
        guest(tmp_path, source)


@pytest.mark.parametrize("parents", [("a.md.j2",), ("b.md.j2", "a.md.j2")])
def test_a_template_that_extends_itself_is_refused(
    tmp_path: Path, parents: tuple[str, ...]
) -> None:
    for name, parent in zip(("a.md.j2", "b.md.j2"), parents, strict=False):
        (tmp_path / name).write_text(f'{{% extends "{parent}" %}}')
    with pytest.raises(RenderingError, match=r"template a\.md\.j2: found that it extends itself"):
        get_template(environment((tmp_path,), Markup.escape), "a.md.j2")


def test_a_parent_that_is_computed_does_not_go_round_either(tmp_path: Path) -> None:
    (tmp_path / "a.md.j2").write_text('{% extends "a" ~ ".md.j2" %}')
    found = get_template(environment((tmp_path,), Markup.escape), "a.md.j2")
    with pytest.raises(RenderingError, match=r"a\.md\.j2.*without end"):
        render_page(found, {})


def test_limits_leave_what_templates_do_as_it_is(tmp_path: Path) -> None:
    source = (
        "{% for a, b in [(1, 2), (3, 4)] %}{{ loop.index }}/{{ loop.length }}:{{ a * b }}"
        "{{ ', ' if not loop.last }}{% endfor %} {{ 'x' ~ 1 }} {{ 2 ** 10 }} {{ 7 % 4 }}"
        " {{ {'a': [1]}['a'][0] }} {{ 'aba'|replace('a', 'c') }} {{ ['a', 'b']|join('+') }}"
        " {{ '<' ~ ('<b>'|safe) }}"
    )
    text = "1/2:2, 2/2:12 x1 1024 3 1 cbc a+b &lt;<b>"
    assert guest(tmp_path, source) == 2 * text
    assert rendered(source) == text
