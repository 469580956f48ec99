"""What templates see is data: plain values, records, and functions that are given to them.

Plain values are text, numbers, booleans, None, and lists, mappings and sets of such. Records are
frozen dataclasses: their fields and properties can be read, and what these hold is data again. No
other object gets into a template, and of these no other attribute is reached: a template of
somebody else can then neither read nor write a file, import a module, or load a pickle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MappingView, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import is_dataclass
from enum import Enum
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from jinja2.environment import TemplateModule
from jinja2.runtime import BlockReference, LoopContext, Macro, TemplateReference, Undefined
from jinja2.utils import Namespace
from markupsafe import Markup

from reportgen.errors import RenderingError
from reportgen.units import Words

SCALARS = frozenset((str, int, float, bool, type(None), Markup, Words))
TEXT_METHODS = frozenset(
    (
        *("split", "strip", "lstrip", "rstrip", "startswith", "endswith"),
        *("removeprefix", "removesuffix", "partition", "rpartition"),
    )
)
MAPPING_METHODS = frozenset(("get", "items", "keys", "values"))
METHODS: tuple[tuple[type, frozenset[str]], ...] = (
    (str, TEXT_METHODS),
    (Mapping, MAPPING_METHODS),
    (LoopContext, frozenset(("cycle", "changed"))),
)
"""What templates may call of the values of a type."""

LOOP_ATTRIBUTES = frozenset(
    (
        *("index", "index0", "revindex", "revindex0", "first", "last", "length"),
        *("depth", "depth0", "previtem", "nextitem"),
    )
)
MISSING = Undefined()
"""In place of an attribute that there is not."""

ALLOWED = "text, numbers, lists, mappings and records of such"


class TemplateFunction:
    """A function that a template may call: what it returns is data."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return data_of(self._function(*args, **kwargs))

    @property
    def text(self) -> str | None:
        """The text whose method this is; None for any other function."""
        owner = getattr(self._function, "__self__", None)
        return owner if isinstance(owner, str) else None


class Names(Namespace):
    """What a template may set: of it nobody writes what it holds, which may be itself."""

    def __repr__(self) -> str:
        """Write no value."""
        return "<namespace>"


SUBSCRIPTED = (str, list, tuple, range, Mapping, Undefined, TemplateReference)

TEMPLATE_OBJECTS = (
    *(TemplateFunction, Macro, BlockReference, LoopContext, TemplateReference),
    *(Undefined, Namespace, TemplateModule),
)
"""What Jinja itself, or we, give to a template beside data."""


def template_functions(functions: Mapping[str, Callable[..., Any]]) -> dict[str, TemplateFunction]:
    """Return functions by name as templates may call them."""
    return {name: TemplateFunction(function) for name, function in functions.items()}


def data_of(value: Any) -> Any:
    """Return a value as templates see it.

    Raises RenderingError if it is no data, nor made of data.

    Examples
    --------
    >>> data_of({"a": np.array([[1, 2]]), "b": (np.float64(0.5), None)})
    {'a': [[1, 2]], 'b': (0.5, None)}
    >>> data_of([print])
    Traceback (most recent call last):
    ...
    reportgen.errors.RenderingError: found a value of builtin_function_or_method; allowed ...
    """
    kind: Any = type(value)
    return value if kind in SCALARS else _conversion(kind)(value)


@cache
def _conversion(kind: type) -> Callable[[Any], Any]:
    """Return what makes data of the values of a type."""
    own: Any = kind
    if kind in SCALARS or is_record(own) or issubclass(kind, TEMPLATE_OBJECTS):
        return _unchanged
    for base, conversion in CONVERSIONS:
        if issubclass(kind, base):
            return conversion
    return _refuse


def _unchanged(value: Any) -> Any:
    return value


def _refuse(value: Any) -> Any:
    raise RenderingError(f"found a value of {type(value).__name__}; allowed {ALLOWED}")


def _sequence(value: Sequence[Any]) -> Any:
    """Return the same sequence where all in it is data, else a copy of data."""
    if type(value) in (tuple, list) and SCALARS.issuperset(map(type, value)):
        return value
    found = [data_of(item) for item in value]
    if type(value) in (tuple, list) and all(map(_is_same, found, value)):
        return value
    return found if isinstance(value, list) else tuple(found)


def _is_same(one: Any, other: Any) -> bool:
    return one is other


def _mapping(value: Mapping[Any, Any]) -> Any:
    """Return the same mapping where all in it is data, else a copy of data."""
    is_plain = type(value) in (dict, MappingProxyType) and SCALARS.issuperset(map(type, value))
    if is_plain and SCALARS.issuperset(map(type, value.values())):
        return value
    found = {data_of(key): data_of(item) for key, item in value.items()}
    if type(value) in (dict, MappingProxyType) and all(
        map(_is_same, (*found, *found.values()), (*value, *value.values()))
    ):
        return value
    return found


def _array(value: np.ndarray[Any, Any]) -> Any:
    return data_of(value.tolist())


def _iterated(value: Iterable[Any]) -> Any:
    return tuple(data_of(item) for item in value)


CONVERSIONS: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (np.generic, lambda value: data_of(value.item())),
    (Enum, lambda value: data_of(value.value)),
    (Markup, lambda value: Markup(str(value))),
    (str, str.__str__),
    (int, int),
    (float, float),
    (list, _sequence),
    (tuple, _sequence),
    (range, _unchanged),
    (Mapping, _mapping),
    (MappingView, _iterated),
    (AbstractSet, lambda value: frozenset(map(data_of, value))),
    (np.ndarray, _array),
    (Iterator, _iterated),
)
"""What is made of the values of a type and of those that inherit from it; the first counts."""


@cache
def is_record(kind: type) -> bool:
    """Whether the objects of a type are records: a frozen dataclass, and nothing else beside."""
    parameters: Any = getattr(kind, "__dataclass_params__", None)
    return is_dataclass(kind) and bool(parameters.frozen)


@cache
def reader(kind: type, name: str) -> Callable[[Any], Any] | None:
    """Return what reads an attribute of objects of a type; None where they have none.

    Raises RenderingError if they have it, and templates may not see it.
    """
    if name.startswith("_"):
        raise _refusal(kind, name)
    if issubclass(kind, Undefined):
        return lambda value: getattr(value, name)
    own: Any = kind
    if is_record(own):
        return _record_reader(kind, name)
    if issubclass(kind, Namespace | TemplateModule):
        return lambda space: getattr(space, name, MISSING)
    names = next((names for base, names in METHODS if issubclass(kind, base)), frozenset())
    if name in names:
        return lambda value: TemplateFunction(getattr(value, name))
    if (issubclass(kind, LoopContext) and name in LOOP_ATTRIBUTES) or (
        issubclass(kind, BlockReference) and name == "super"
    ):
        return lambda value: getattr(value, name)
    if hasattr(kind, name) and not issubclass(kind, Mapping):
        raise _refusal(kind, name)
    return None


def _record_reader(kind: type, name: str) -> Callable[[Any], Any] | None:
    """Return what reads a field or a property of records; records may know further names."""
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    is_field = name in kind.__dataclass_fields__  # type: ignore[attr-defined]
    if is_field or isinstance(found, property | cached_property):
        return lambda record: data_of(getattr(record, name))
    if found is not None:
        raise _refusal(kind, name)
    return (lambda record: data_of(getattr(record, name, MISSING))) if _is_open(kind) else None


def _is_open(kind: type) -> bool:
    """Whether records know names that are no fields."""
    return hasattr(kind, "__getattr__")


def _refusal(kind: type, name: str) -> RenderingError:
    return RenderingError(
        f"found {name!r} of a value of {kind.__name__}; allowed the fields and properties of "
        "records, "
        "and a few methods of text and mappings"
    )
