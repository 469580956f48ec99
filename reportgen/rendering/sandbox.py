"""The sandbox of templates, in which they see data and call what they were given.

Two locks hold it: Jinja's own sandbox, and a list of what may be read, called and used at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

from jinja2 import nodes
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reportgen.errors import RenderingError
from reportgen.rendering.template_data import (
    MISSING,
    SUBSCRIPTED,
    TEMPLATE_OBJECTS,
    Names,
    TemplateFunction,
    data_of,
    is_record,
    reader,
)
from reportgen.rendering.template_limits import OPERATIONS, Budget, Counting, Limits, Total


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which templates see data and call what they were given, nothing else."""

    def begin(self, name: str) -> AbstractContextManager[None]:
        """Begin with another block or page of a template: of ours none has limits."""
        return nullcontext()

    def finish(self, text: str) -> str:
        """Return what a block or page has written."""
        return text

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Read an attribute of data, or an entry of a mapping."""
        kind: Any = type(obj)
        found = reader(kind, attribute)
        value = MISSING if found is None else found(obj)
        if value is MISSING and isinstance(obj, Mapping):
            value = obj.get(attribute, MISSING)
        return self.undefined(obj=obj, name=attribute) if value is MISSING else value

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Read an entry of data, else the attribute of that name."""
        kind: Any = type(obj)
        is_of_record = is_record(kind) and not isinstance(argument, str)
        if is_of_record or isinstance(obj, SUBSCRIPTED):
            try:
                return data_of(obj[argument])
            except (TypeError, LookupError):
                pass
        if isinstance(argument, str):
            return self.getattr(obj, str(argument))
        return self.undefined(obj=obj, name=argument)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        """Call a macro, a block, or a function that was given to the template."""
        if isinstance(__obj, TEMPLATE_OBJECTS) or __obj is Names:
            return __context.call(cast("Callable[..., Any]", __obj), *args, **kwargs)
        raise RenderingError(
            f"found a call of a value of {type(__obj).__name__}; allowed calls of macros and "
            "functions"
        )


class GuestSandbox(Sandbox):
    """The sandbox of templates that are not ours, which has limits.

    `total`: what is counted of all templates of a command.
    `characters`: of one block or page.
    """

    intercepted_binops = frozenset(OPERATIONS)

    def __init__(
        self, *args: Any, limits: Limits, total: Total, characters: int, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.budget = Budget(limits, total, characters)

    def begin(self, name: str) -> AbstractContextManager[None]:
        """Let the limits of a block or page begin anew."""
        return self.budget.begin(name)

    def finish(self, text: str) -> str:
        """Count what a block or page has written."""
        return self.budget.finish(text)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        self.budget.look(f"template {name} ")
        tree = super()._parse(source, name, filename)
        return cast("nodes.Template", Counting().visit(tree))

    def concat(self, pieces: Iterable[str]) -> str:
        """Join what is written."""
        return self.budget.write(pieces)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Read an attribute of data."""
        self.budget.step()
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Read an entry of data."""
        self.budget.step()
        return self.budget.weighed(super().getitem(obj, argument))

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        """Call a macro, a block, or a function that was given to the template."""
        budget = __self.budget
        budget.step()
        if isinstance(__obj, LoopContext) and args:
            args = (budget.turns(args[0]),)
        else:
            args = tuple(map(budget.weighed, args))
        if isinstance(__obj, TemplateFunction) and __obj.text is not None:
            budget.count_letters(__obj.text, args)
        named = {name: budget.weighed(value) for name, value in kwargs.items()}
        return budget.weighed(super().call(__context, __obj, *args, **named))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute with two values."""
        return self.budget.operation(operator, left, right)
