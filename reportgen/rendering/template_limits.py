"""Limits of templates that are not ours: the size of their text, their time, steps and depth.

A template of a study, a theme or another package ends with an error where it would never end, or
fill the memory: each attribute that it reads, each call and each turn of a loop is a step, and so
is each letter and entry of what a filter, a function or a comparison is given and returns; numbers
have a number of digits. Beside the limits of a block or page there are those of all together.
"""

from __future__ import annotations

import operator
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any, cast

from jinja2 import Environment, nodes, pass_environment, pass_eval_context
from jinja2.nodes import EvalContext
from jinja2.runtime import Context, markup_join
from jinja2.visitor import NodeTransformer

from reportgen.data_classes import dataclass
from reportgen.errors import RenderingError
from reportgen.rendering.template_data import SCALARS, TEMPLATE_OBJECTS, data_of

Number = int | float
TAG = re.compile(r"\{[{%](?:(?!\{[{%]).)*?[}%]\}", re.DOTALL)
AT_ONCE = ("default", "first", "last", "length")
"""Filters that do not go through what they are given."""

UNWRITABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
"""Control characters, and halves of characters, which no file of text can have."""

EVERY = 1024  # steps from one look at the clock to the next


@dataclass(frozen=True, slots=True)
class Limits:
    """What a template may take."""

    source: int = 100_000  # characters of its own text
    brackets: int = 50  # brackets within one another, in one tag
    # Of one block or page: attributes, calls, turns of loops, letters and entries.
    steps: int = 10_000_000
    characters: int = 200_000_000  # of what is written of one page
    text: int = 1_000_000  # of what is written of one block in Markdown
    seconds: float = 10  # of the processor, of one block or page
    # Of what is written of all blocks and pages of a command, in all formats.
    all_characters: int = 1_000_000_000
    # Of the processor, likewise, with the reading of templates and of their Markdown.
    all_seconds: float = 300
    # Characters of a text, or entries of a list, that a template puts together.
    length: int = 10_000_000
    bits: int = 4096  # of a whole number
    depth: int = 12  # of lists within lists


def check_source(text: str, limits: Limits) -> None:
    """Refuse the text of a template that is too long, or nested too deeply.

    Raises RenderingError.
    """
    if len(text) > limits.source:
        raise RenderingError(f"found {len(text):,} characters; allowed {limits.source:,}")
    for tag in TAG.finditer(text):
        depth = deepest = 0
        for letter in re.findall(r"[()\[\]{}]", tag[0][2:-2]):
            depth += 1 if letter in "([{" else -1
            deepest = max(depth, deepest)
        if deepest > limits.brackets:
            line = text.count("\n", 0, tag.start()) + 1
            raise RenderingError(
                f"line {line}: found {deepest:,} brackets within one another; allowed "
                f"{limits.brackets}"
            )


class Total:
    """What the templates of a command have taken, in all blocks, pages and formats."""

    __slots__ = ("_began", "_seconds", "characters")

    def __init__(self) -> None:
        self.characters = 0
        self._seconds: dict[str, float] = {}
        self._began: float | None = None

    @contextmanager
    def count(self, name: str) -> Iterator[None]:
        """Count the time of a template, and of what is rendered within it, once."""
        if self._began is not None:
            yield
            return
        self._began = time.thread_time()
        try:
            yield
        finally:
            taken = self.seconds - sum(self._seconds.values())
            self._seconds[name] = self._seconds.get(name, 0) + taken
            self._began = None

    @property
    def seconds(self) -> float:
        """Of the processor, so far."""
        now = 0 if self._began is None else time.thread_time() - self._began
        return sum(self._seconds.values()) + now

    @property
    def longest(self) -> str:
        """The template that has taken the longest so far; "" in the first."""
        return max(self._seconds, key=self._seconds.__getitem__, default="")


class Budget:
    """What a template has taken so far of what it may take.

    `total`: what is counted of all templates.
    `characters`: of one block or page.
    """

    __slots__ = ("_characters", "_checkpoint", "_end", "_most", "_steps", "limits", "total")

    def __init__(self, limits: Limits, total: Total, characters: int) -> None:
        self.limits = limits
        self.total = total
        self._most = characters
        self._begin()

    def _begin(self) -> None:
        self._steps = self._characters = 0
        self._checkpoint = EVERY
        self._end = time.thread_time() + self.limits.seconds

    @contextmanager
    def begin(self, name: str) -> Iterator[None]:
        """Begin anew, with another block or page of a template."""
        self._begin()
        with self.total.count(name):
            self.look(f"template {name}: ")
            yield

    def look(self, subject: str = "") -> None:
        """Look at the clock; `subject` begins what is said where there is no time left."""
        if time.thread_time() > self._end:
            raise RenderingError(
                f"{subject}found more than {self.limits.seconds:g} seconds of work; allowed less"
            )
        if self.total.seconds > self.limits.all_seconds:
            longest = f", {self.total.longest} the most of it" if self.total.longest else ""
            raise RenderingError(
                f"{subject}found more than "
                f"{self.limits.all_seconds:g} seconds of work with all templates before "
                f"it{longest}; allowed less"
            )

    def step(self, n: int = 1) -> None:
        """Count steps."""
        self._steps += n
        if self._steps >= self._checkpoint:
            self._checkpoint = self._steps + EVERY
            if self._steps > self.limits.steps:
                raise RenderingError(f"found more than {self.limits.steps:,} steps; allowed less")
            self.look()

    def write(self, pieces: Iterable[str]) -> str:
        """Join what is written."""
        found = []
        for piece in pieces:
            self._characters += len(piece)
            if self._characters > self._most:
                raise RenderingError(f"found more than {self._most:,} characters; allowed less")
            found.append(piece)
        text = "".join(found)
        if letter := UNWRITABLE.search(text):
            raise RenderingError(
                f"found the character U+{ord(letter[0]):04X}; allowed those of text"
            )
        return text

    def finish(self, text: str) -> str:
        """Count what a block or page has written."""
        self.total.characters += len(text)
        if self.total.characters > self.limits.all_characters:
            raise RenderingError(
                "found more than "
                f"{self.limits.all_characters:,} characters with all templates before it; "
                "allowed less"
            )
        return text

    def turns(self, values: Iterable[Any]) -> Iterator[Any]:
        """Go through the turns of a loop."""
        for value in values:
            self.step()
            yield data_of(self.weighed(value))

    def check_length(self, length: int) -> None:
        """Refuse a text, or a list, that is too long."""
        if length > self.limits.length:
            raise RenderingError(
                f"found a text or list longer than {self.limits.length:,}; allowed shorter"
            )
        self.step(1 + length)

    def joined(self, values: Sequence[Any]) -> str:
        """Join values, as the operator ~ does."""
        self.check_length(sum(len(value) for value in values if isinstance(value, str)))
        for value in values:
            check_scalar(value)
        return markup_join(values)

    def weighed(self, value: Any) -> Any:
        """Return a value whose letters and entries are counted; of an iterator, its values."""
        kind: Any = type(value)
        shape = _shape(kind)
        if shape == "iterator":
            return [self.weighed(item) for item in value]
        if shape:
            self._weigh(value, shape, 0)
        return value

    def _weigh(self, value: Any, shape: str, depth: int) -> None:
        if depth > self.limits.depth:
            raise RenderingError(
                f"found lists more than {self.limits.depth} times in lists; allowed less"
            )
        self.step(1 + len(value))
        if shape != "text":
            for item in value.values() if shape == "mapping" else value:
                kind: Any = type(item)
                if inner := _shape(kind):
                    self._weigh(item, inner, depth + 1)

    def count_letters(self, text: str, others: Iterable[Any]) -> None:
        """Count what a method of a text does: it may look for each letter of another text."""
        self.step(len(text) * max((len(t) for t in others if isinstance(t, str) and t), default=1))

    def counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a filter or test that counts what it is given and what it returns."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self.step()
            given = [self.weighed(value) for value in args]
            named = {name: self.weighed(value) for name, value in kwargs.items()}
            return self.weighed(function(*given, **named))

        return call

    def operation(self, name: str, left: Any, right: Any) -> Any:
        """Compute with two values."""
        self.step()
        if isinstance(left, Number) and isinstance(right, Number):
            self._check_numbers(name, left, right)
        elif name == "%" and isinstance(left, str):
            raise RenderingError("found the operator % of a text; allowed the filter format")
        elif name == "+" and hasattr(left, "__len__") and hasattr(right, "__len__"):
            self.check_length(len(left) + len(right))
            return self.weighed(left + right)
        elif name == "*":
            values, n = (right, left) if isinstance(left, int) else (left, right)
            if isinstance(values, str) and isinstance(n, int):
                self.check_length(len(values) * n)
            else:
                raise RenderingError("found a product of what is no number; allowed numbers")
        return OPERATIONS[name](left, right)

    def _check_numbers(self, name: str, left: Number, right: Number) -> None:
        if isinstance(left, float) or isinstance(right, float):
            return
        bits = {
            "*": left.bit_length() + right.bit_length(),
            "**": left.bit_length() * abs(right),
        }
        if bits.get(name, 0) > self.limits.bits:
            raise RenderingError(
                f"found a number of more than {self.limits.bits} bits; allowed less"
            )

    def filters(self, known: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
        """Return filters that keep the limits, in place of those that are known."""

        @pass_eval_context
        def replace(context: EvalContext, text: Any, old: str, new: str, *count: int) -> Any:
            check_scalar(text)
            self.check_length(len(str(text)) + str(text).count(str(old)) * len(str(new)))
            return known["replace"](context, text, old, new, *count)

        @pass_eval_context
        def join(context: EvalContext, values: Any, link: str = "", **attribute: Any) -> Any:
            check_scalar(link)
            parts = [*values]
            self.check_length(len(parts) * len(str(link)))
            return known["join"](context, parts, link, **attribute)

        def trim(text: Any, letters: str | None = None) -> Any:
            check_scalar(text)
            self.count_letters(str(text), [letters])
            return known["trim"](text, letters)

        @pass_environment
        def total(env: Environment, values: Any, attribute: Any = None, start: Number = 0) -> Any:
            if not isinstance(start, Number):
                raise RenderingError("found a sum of what is no number; allowed numbers")
            return known["sum"](env, values, attribute, start)

        def in_decimals(name: str) -> Callable[..., Any]:
            def call(x: Any, *decimals: int) -> Any:
                self.step(abs(sum(decimals)))
                return known[name](x, *decimals)

            return call

        def scalar(name: str) -> Callable[..., Any]:
            def call(value: Any) -> Any:
                check_scalar(value)
                return known[name](value)

            return call

        own: dict[str, Callable[..., Any]] = {
            **{"join": join, "replace": replace, "sum": total, "trim": trim},
            **{name: in_decimals(name) for name in ("number", "share")},
            **{name: scalar(name) for name in ("lower", "string", "upper")},
        }
        counted = {
            name: found if name in AT_ONCE else self.counted(found)
            for name, found in {**known, **own}.items()
        }
        return {**counted, TURNS: self.turns, JOINED: self.joined, WEIGHED: self.weighed}


OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "**": operator.pow,
    "%": operator.mod,
}
"""Operators whose result may be larger than what they are given."""


def check_scalar(value: Any) -> None:
    """Refuse to write a list or a mapping as text.

    Raises RenderingError.
    """
    if type(value) not in SCALARS and not hasattr(value, "_undefined_message"):
        raise RenderingError(
            f"found a value of {type(value).__name__} as text; allowed text and numbers"
        )


TURNS, JOINED, WEIGHED = "_turns", "_joined", "_weighed"


@cache
def _shape(kind: type) -> str:
    """Return how the values of a type are counted; "" for those that are one."""
    if issubclass(kind, (Context, *TEMPLATE_OBJECTS)):
        return ""
    return next((shape for base, shape in SHAPES if issubclass(kind, base)), "")


SHAPES: tuple[tuple[Any, str], ...] = (
    *((str, "text"), (Mapping, "mapping"), (list, "list"), (tuple, "list")),
    *((AbstractSet, "list"), (Iterator, "iterator")),
)


class Counting(NodeTransformer):
    """Lets the loops, joined texts and lists of a template pass the budget."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802
        """Count the turns of a loop."""
        self.generic_visit(node)
        node.iter = _filtered(cast("nodes.Expr", node.iter), TURNS)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        """Look at the length of what is joined."""
        self.generic_visit(node)
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), JOINED)

    def visit_List(self, node: nodes.List) -> nodes.Node:  # noqa: N802
        """Look at the depth of a list."""
        self.generic_visit(node)
        return _filtered(node, WEIGHED)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:  # noqa: N802
        """Look at the depth of a mapping."""
        self.generic_visit(node)
        return _filtered(node, WEIGHED)

    def visit_Operand(self, node: nodes.Operand) -> nodes.Node:  # noqa: N802
        """Look at the size of what something is compared with."""
        self.generic_visit(node)
        node.expr = _filtered(node.expr, WEIGHED)
        return node

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:  # noqa: N802
        """Look at the depth of a tuple, which is no target."""
        self.generic_visit(node)
        return _filtered(node, WEIGHED) if node.ctx == "load" else node


def _filtered(node: nodes.Expr, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)
