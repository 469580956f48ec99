"""The library's `dataclass`, made fast where a class is frozen, has slots and stands alone.

A report imports hundreds of such classes. The library writes and compiles six methods for each;
here a class has an `__init__` of its own and shares the rest. They are the same to who uses them,
but that equality has the law of tuples in every version of Python: an object equals itself.
"""

from __future__ import annotations

import sys
from dataclasses import MISSING, FrozenInstanceError, fields
from dataclasses import dataclass as complete
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from types import MethodType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, **options):
        """Return the class with the methods of its fields, as the library's decorator does."""

        def made(cls: type) -> type:
            stands_alone = not any(hasattr(base, "__dataclass_fields__") for base in cls.__bases__)
            if frozen and slots and stands_alone:
                return _fast(cls, **options)
            return complete(cls, frozen=frozen, slots=slots, **options)

        return made if cls is None else made(cls)


__all__ = ["HIDDEN", "SPREAD", "dataclass", "stated"]
# Metadata of a field of a result: results.json does not have it; its items are keys beside it.
HIDDEN, SPREAD = {"results": False}, {"key": None}


def stated(name: str, **more: str) -> dict[str, str]:
    """Return the metadata of a field in whose place results.json has a property of that name."""
    return {"property": name, **more}


class _Factory:
    """What a signature shows as the default of a field whose value is made."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _fast(cls: type, *, eq: bool = True, repr: bool = True, kw_only: bool = False) -> type:
    """Return a frozen class with slots that shares all methods but `__init__`."""
    cls = complete(cls, init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
    for f in vars(cls)["__dataclass_fields__"].values():
        is_made = not f.init and (f.default, f.default_factory) != (MISSING, MISSING)
        if "InitVar" in str(f.type) or f.hash is not None or is_made:
            raise TypeError(f"{cls.__qualname__}.{f.name}: allowed dataclasses.dataclass")
    parameters: Any = vars(cls)["__dataclass_params__"]
    parameters.init, parameters.repr, parameters.eq, parameters.frozen = True, repr, eq, True
    shared: dict[str, Any] = {"__setattr__": _set, "__delattr__": _delete}
    shared |= {"__getstate__": _state, "__setstate__": _set_state}
    shared |= {"__repr__": _shown} if repr else {}
    shared |= {"__eq__": _equal} if eq else {}
    if eq and vars(cls).get("__hash__") is None:  # None beside an `__eq__` of the class's own
        cls.__hash__ = _hash  # type: ignore[assignment]
    if "__init__" not in vars(cls):
        shared["__init__"] = _Late(cls)
    for name, method in shared.items():
        if name not in vars(cls):
            setattr(cls, name, method)
    return cls


class _Late:
    """What stands for an `__init__` until that is asked for: most classes have no object."""

    def __init__(self, cls: type) -> None:
        self._cls, self._names = cls, vars(sys.modules[cls.__module__])

    def __get__(self, instance: object | None, owner: type) -> Callable[..., None]:
        """Return the function, which takes this place."""
        made = _init(self._cls, self._names)
        self._cls.__init__ = made  # type: ignore[misc]
        return made if instance is None else MethodType(made, instance)


def _init(cls: type, names: dict[str, Any]) -> Callable[..., None]:
    """Return the function that takes a value for each field and sets its slot."""
    own = [f for f in fields(cls) if f.init]
    values: dict[str, Any] = {"__factory__": _FACTORY}  # names that no field has
    by_place: list[str] = ["self"]
    by_name: list[str] = []
    lines = []
    for f in own:
        values[f"__set_{f.name}__"] = vars(cls)[f.name].__set__
        head, value = f.name, f.name
        if f.default_factory is not MISSING:
            values[f"__new_{f.name}__"] = f.default_factory
            head = f"{f.name}=__factory__"
            value = f"__new_{f.name}__() if {value} is __factory__ else {value}"
        elif f.default is not MISSING:
            values[f"__default_{f.name}__"] = f.default
            head = f"{f.name}=__default_{f.name}__"
        (by_name if f.kw_only else by_place).append(head)
        lines.append(f"  __set_{f.name}__(self, {value})\n")
    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()\n")
    heads = ", ".join([*by_place, *(["*", *by_name] if by_name else [])])
    body = "".join(lines) or "  pass\n"
    text = f"def made({', '.join(values)}):\n def __init__({heads}):\n{body} return __init__"
    found: dict[str, Any] = {}
    exec(text, names, found)
    made: Callable[..., None] = found["made"](**values)
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {f.name: f.type for f in own} | {"return": None}
    return made


@cache
def _compared(cls: Any) -> Callable[[object], object]:
    """Return the function that finds the values by which instances are compared."""
    names = [f.name for f in fields(cls) if f.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda own: tuple(getattr(own, name) for name in names)


def _values(self: Any) -> object:
    return _compared(self.__class__)(self)


def _equal(self: object, other: object) -> bool | Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return bool(_values(self) == _values(other))


def _hash(self: object) -> int:
    return hash(_values(self))


@recursive_repr()
def _shown(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, f.name) for f in fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for f, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)
