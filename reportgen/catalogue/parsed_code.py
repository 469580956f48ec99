"""The code that estimators and measures use, as Python parses it: without comments and docstrings.

A fit is done again when this changes. A name leads to its module, all of which counts, as a
decorator or an assignment to an entry may change what another name does, and on to the modules that
this imports. Of a script or a notebook, which also calls what makes the study, a name leads to the
statements that define it or may change it, and to the names that these use. Nothing is run.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from importlib.util import resolve_name
from pathlib import Path
from textwrap import dedent
from typing import Any

from reportgen.data_classes import dataclass

OWN = "__main__"
Named = tuple[str, str | None]
"""A module, and a name in it; None for all of it."""
Sources = Callable[[str], Mapping[str, bytes]]
"""Returns the modules of a package by their paths from where Python looks; none of others."""
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_PROGRAM = __name__.partition(".")[0]
_OF_SCRIPT = ("__name__ == '__main__'", "'__main__' == __name__")


def parsed_text(source: bytes | str) -> str:
    """Return code without comments, docstrings and layout; as it is where it is no code.

    Examples
    --------
    >>> parsed_text("f = lambda x:  2*x  # twice")
    'f = lambda x: 2 * x'
    """
    try:
        return ast.unparse(_bare(ast.parse(source)))
    except (SyntaxError, ValueError):
        return source if isinstance(source, str) else source.decode(errors="replace")


def used_code(roots: Iterable[Named], sources: Sources) -> str:
    """Return the modules that define names, and all own modules that these use.

    `roots`: where to begin.
    `sources`: of the packages whose code counts; the code of `__main__` always does.
    Result: "" where no root is of such a module.
    """
    walk = _Walk(sources)
    for module, name in roots:
        walk.visit(module, name)
    return "\n".join(walk.lines())


def _bare(tree: Any) -> Any:
    """Take the docstrings out of a tree."""
    for node in ast.walk(tree):
        if isinstance(node, (*_DEFINED, ast.Module)) and _is_text(node.body[:1]):
            rest: list[ast.stmt] = node.body[1:]
            node.body = rest or ([] if isinstance(node, ast.Module) else [ast.Pass()])
    return tree


def _is_text(body: list[ast.stmt]) -> bool:
    first = body[0] if body else None
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement of a module, with what it binds, uses and imports."""

    text: str
    binds: frozenset[str]
    uses: frozenset[str]
    imports: tuple[Named, ...]
    is_definition: bool  # of a function or class, undecorated: by itself it does nothing

    @property
    def is_import(self) -> bool:
        """Whether it does nothing but import."""
        return self.text.startswith(("import ", "from "))

    @property
    def is_of_study(self) -> bool:
        """Whether it imports what makes studies."""
        return any(where.partition(".")[0] == _PROGRAM for where, _ in self.imports)

    @classmethod
    def of(cls, node: ast.stmt, package: str) -> _Statement:
        """Read a statement of a module of a package."""
        inner = list(ast.walk(node)) if not isinstance(node, _DEFINED) else [node]
        binds = {own.id for own in inner if isinstance(own, ast.Name) and _is_bound(own)}
        binds |= {own.name for own in inner if isinstance(own, _DEFINED)}
        binds |= {name for own in inner for name in _aliases(own)}
        uses = {own.id for own in ast.walk(node) if isinstance(own, ast.Name)}
        imports = tuple(found for own in ast.walk(node) for found in _imports(own, package))
        is_definition = isinstance(node, _DEFINED) and not node.decorator_list
        return cls(ast.unparse(node), frozenset(binds), frozenset(uses), imports, is_definition)


def _is_bound(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _aliases(node: ast.AST) -> Iterator[str]:
    """Return the names that an import binds."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]


def _imports(node: ast.AST, package: str) -> Iterator[Named]:
    """Return what an import takes from where."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, None
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        with suppress(ImportError):
            module = resolve_name(module, package)
        for alias in node.names:
            yield module, None if alias.name == "*" else alias.name


def _split(tree: ast.Module) -> Iterator[ast.stmt]:
    """Return the statements of a module: each import for itself, none of a script's own."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (ast.Import([alias]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (ast.ImportFrom(node.module, [a], node.level) for a in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) in _OF_SCRIPT:
            yield from _split(ast.Module(node.orelse, []))
        else:
            yield node


def _read(source: bytes | str, package: str) -> tuple[_Statement, ...]:
    """Return the statements of a module; all of it as one where it is no code."""
    try:
        tree = _bare(ast.parse(source))
    except (SyntaxError, ValueError):
        return (_Statement(parsed_text(source), frozenset(), frozenset(), (), is_definition=False),)
    return tuple(_Statement.of(node, package) for node in _split(tree))


@dataclass
class _Walk:
    """A walk from names to what they use."""

    sources: Sources
    _files: dict[str, Mapping[str, bytes]] = field(default_factory=dict)
    _modules: dict[str, tuple[_Statement, ...]] = field(default_factory=dict)
    _met: set[Named] = field(default_factory=set)
    _taken: dict[str, set[int]] = field(default_factory=dict)
    _typed: dict[str, str] = field(default_factory=dict)  # by names of a session without a file

    def visit(self, module: str, name: str | None) -> None:
        """Take what a name of a module stands for, and all that it uses."""
        if (module, name) in self._met:
            return
        self._met.add((module, name))
        if module == OWN:
            if _script() is None:
                self._visit_session(name)
            else:
                self._visit_script(name)
            return
        if name is not None:
            self.visit(f"{module}.{name}", None)  # where it is a module
            self.visit(module, None)
        elif statements := self._statements(module):
            for number in range(len(statements)):
                self._take(module, number)
            if "." in module:
                self.visit(module.rpartition(".")[0], None)

    def _visit_script(self, name: str | None) -> None:
        """Take the statements of a script that bind a name, or may change what it stands for."""
        statements = self._statements(OWN)
        ours = frozenset().union(*(own.binds for own in statements if own.is_of_study))
        imported = frozenset().union(*(own.binds for own in statements if own.is_import))
        for number, (own, reached) in enumerate(zip(statements, self._reaches, strict=True)):
            may_change = name in reached - imported and not own.is_definition
            if name in own.binds or (may_change and not reached & ours):
                self._take(OWN, number)

    @cached_property
    def _reaches(self) -> list[frozenset[str]]:
        """By statement of a script: the names that it uses, through what is defined there, too."""
        defined = [own for own in self._statements(OWN) if own.is_definition]
        reaches = []
        for statement in self._statements(OWN):
            found, new = frozenset[str](), statement.uses | statement.binds
            while new - found:
                found |= new
                new = found.union(*(own.uses for own in defined if own.binds & found))
            reaches.append(found)
        return reaches

    def lines(self) -> Iterator[str]:
        """Return the statements in the order of each module."""
        for module, numbers in sorted(self._taken.items()):
            yield f"module {module}"
            yield from (self._modules[module][i].text for i in sorted(numbers))
        yield from (f"{name}: {text}" for name, text in sorted(self._typed.items()))

    def _take(self, module: str, number: int) -> None:
        taken = self._taken.setdefault(module, set())
        if number in taken:
            return
        taken.add(number)
        statements = self._statements(module)
        statement = statements[number]
        if module == OWN:
            known = frozenset().union(*(own.binds for own in statements))
            for name in statement.uses & known:
                self.visit(module, name)
        for where, what in statement.imports:
            self.visit(where, what)

    def _statements(self, module: str) -> tuple[_Statement, ...]:
        """Return the statements of a module; none of one whose code does not count."""
        if module not in self._modules:
            path, package = self._file(module)
            self._modules[module] = () if path is None else _read(path, package)
        return self._modules[module]

    def _file(self, module: str) -> tuple[bytes | None, str]:
        """Return the source of a module, and the package in which its imports are relative."""
        if module == OWN:
            script = _script()
            return (script.read_bytes() if script else None), ""
        top = module.partition(".")[0]
        if top not in self._files:
            self._files[top] = self.sources(top) if top not in sys.stdlib_module_names else {}
        place = module.replace(".", "/")
        if (found := self._files[top].get(f"{place}/__init__.py")) is not None:
            return found, module
        return self._files[top].get(f"{place}.py"), module.rpartition(".")[0]

    def _visit_session(self, name: str | None) -> None:
        """Take what was defined in a notebook or at a prompt, as far as its source is kept."""
        value = vars(sys.modules[OWN]).get((name or "").partition(".")[0])
        if inspect.ismodule(value):
            self.visit(value.__name__, None)
        elif inspect.isclass(value) or inspect.isfunction(value):
            if value.__module__ != OWN:
                self.visit(value.__module__, value.__qualname__.partition(".")[0])
                return
            for statement in _read("\n".join(_kept(value)), ""):
                self._typed[f"{name} {statement.text}"] = ""
                for used in statement.uses:
                    self.visit(OWN, used)
                for where, what in statement.imports:
                    self.visit(where, what)
        elif isinstance(value, bool | int | float | str | tuple):
            self._typed[str(name)] = repr(value)


def _script() -> Path | None:
    """Return the file of the script that is run, where there is one."""
    name = getattr(sys.modules.get(OWN), "__file__", None)
    path = Path(name) if name else None
    return path if path and path.suffix == ".py" and path.is_file() else None


def _kept(value: Any) -> list[str]:
    """Return the source of a function or class; of its methods where that alone is kept."""
    for kept in ([value], [m for m in vars(value).values() if inspect.isfunction(m)]):
        with suppress(OSError, TypeError):
            return [dedent(inspect.getsource(one)) for one in kept]
        if not inspect.isclass(value):
            break
    return []
