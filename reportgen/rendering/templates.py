"""Templates: where they are, how they are compiled, and the filters that write numbers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    Template,
    TemplateNotFound,
    Undefined,
    nodes,
    pass_context,
)
from jinja2.ext import Extension
from jinja2.runtime import Context
from jinja2.sandbox import safe_range
from markupsafe import Markup

from reportgen import notation
from reportgen.data_classes import dataclass
from reportgen.errors import RenderingError
from reportgen.folder_files import text_in
from reportgen.measures import KNOWN_MEASURES, MEASURE_WORDS
from reportgen.methods import METHODS
from reportgen.notation import NumberFormat
from reportgen.rendering.compiled_templates import CompiledTemplates
from reportgen.rendering.references import Reference, read_bibtex
from reportgen.rendering.sandbox import GuestSandbox, Sandbox
from reportgen.rendering.template_data import (
    Names,
    TemplateFunction,
    data_of,
    is_record,
)
from reportgen.rendering.template_limits import (
    Limits,
    Total,
    check_scalar,
    check_source,
)
from reportgen.targets import TARGETS
from reportgen.units import REPLICATION, SCHEME_WORDS, Unit, Words, article_of

TEMPLATE = ".j2"  # the ending of templates
JINJA_FILTERS = (
    *("abs", "default", "first", "float", "groupby", "int", "join", "last", "length", "list"),
    *("lower", "map", "max", "min", "reject", "rejectattr", "replace", "reverse", "round"),
    *("safe", "select", "selectattr", "sort", "string", "striptags", "sum", "trim", "unique"),
    "upper",
)
JINJA_TESTS = (
    *("boolean", "defined", "divisibleby", "eq", "equalto", "even", "false", "float", "ge"),
    *("gt", "in", "integer", "iterable", "le", "lt", "mapping", "ne", "none", "number", "odd"),
    *("sequence", "string", "true", "undefined", "==", "!=", ">", ">=", "<", "<="),
)
"""What templates may use of Jinja's own filters and tests."""

LIMITS = Limits()
MOST_DIGITS = 3  # of a width in `format`
WORDS = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


# --------------------------------------------------------------------------------- where


@cache
def template_folder() -> Path:
    """Return the folder of our templates.

    It lies inside the package when that was installed from a wheel, else beside
    it in the checkout. Both are looked for beside this file: an editable install
    may leave a stale copy elsewhere.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_templates", package.parent / "templates"):
        if (folder / "html").is_dir():
            return folder
    raise RenderingError(f"no templates beside {package}: the installation is incomplete")


def read_text(name: str) -> str:
    """Return the text of one of our own files: a style sheet, a script."""
    return (template_folder() / name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class TemplateFolders(Sequence[Path]):
    """Template folders that come before ours, and what their templates take in all."""

    folders: tuple[Path, ...] = ()
    # Counted over all formats for which these folders are used.
    total: Total = field(default_factory=Total)

    def __getitem__(self, index: Any) -> Any:
        """Return a folder."""
        return self.folders[index]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.folders)


class GuestLoader(BaseLoader):
    """Finds templates in a folder of the author's, and nothing else.

    A folder may have links, and a theme may be any folder: what is no template, or lies elsewhere,
    is not found.
    """

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, None]:
        """Read a template."""
        found = _text_in(self._folder, template) if template.endswith(TEMPLATE) else None
        if found is None:
            raise TemplateNotFound(template)
        try:
            check_source(found, self._limits)
        except RenderingError as error:
            raise RenderingError(f"template {template}: {error}") from error
        return found, str(self._folder / template), None


def _loader(folders: Sequence[Path], limits: Limits) -> BaseLoader:
    """Return a loader that asks the folders in turn, and then ours."""
    # A study's folder is laid out as ours; another package's holds `<name>.md.j2`. What has our
    # template's name may extend it as `house/<name>`.
    ours = FileSystemLoader(template_folder())
    theirs = [GuestLoader(folder, limits) for folder in folders]
    flat = [PrefixLoader({"sections": loader}) for loader in theirs]
    return ChoiceLoader([*theirs, *flat, ours, PrefixLoader({"house": ours})])


def read_references(folders: Sequence[Path]) -> dict[str, Reference]:
    """Return what may be cited, by key; a folder's `references.bib` comes before ours."""
    found: dict[str, Reference] = {}
    for folder in (*folders, template_folder()):
        text = _text_in(folder, "references.bib")
        if text is not None:
            found = {**_entries(text), **found}
    return found


def _text_in(folder: Path, name: str) -> str | None:
    """Return the text of a template, or of a file that one cites; None where there is none."""
    try:
        return text_in(folder, name)
    except ValueError as error:
        raise RenderingError(str(error)) from error


@cache
def _entries(bibtex: str) -> Mapping[str, Reference]:
    """Read a BibTeX file once: all reports that this process writes cite the same."""
    return MappingProxyType(read_bibtex(bibtex))


def read_formulas(folders: Sequence[Path]) -> dict[str, Mapping[str, str]]:
    """Return the named formulas; a folder's `formulas.toml` comes before ours."""
    found: dict[str, Mapping[str, str]] = {}
    for folder in (*folders, template_folder()):
        text = _text_in(folder, "formulas.toml")
        if text is not None:
            try:
                found = tomllib.loads(text) | found
            except (tomllib.TOMLDecodeError, RecursionError) as error:
                raise RenderingError(
                    f"{folder / 'formulas.toml'}: found no TOML ({error}); allowed TOML"
                ) from error
    return found


# ----------------------------------------------------------------------------------- how


class LoneTags(Extension):
    """Let a line that holds only tags vanish with its end, and keep all other line ends.

    Jinja's own `trim_blocks` also eats the line end after a tag that closes a
    line of prose, and so glues two words together. The line end moves into the
    tag, where it is read as a space: line numbers in messages stay right.
    """

    PATTERN = re.compile(
        r"^([ \t]*(?:(?:\{%(?:(?!%\}).)*%\}|<#(?:(?!#>).)*#>)[ \t]*)+)$\n?", re.MULTILINE
    )
    LAST = re.compile(r"(-?%\}|-?#>)[ \t]*$")

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Move the line end of lone tags inside them."""
        return self.PATTERN.sub(lambda m: self.LAST.sub(r"\n\1", m[1].strip(" \t")), source)


@cache
def _compiled_templates(*, in_markdown: bool, is_limited: bool) -> CompiledTemplates:
    """Return those of one kind of templates: the kinds compile tags differently."""
    kind = "text" if in_markdown else "page"
    return CompiledTemplates(kind, None if is_limited else template_folder())


def environment(
    folders: Sequence[Path],
    write: Callable[[str], Markup],
    *,
    in_markdown: bool = True,
    unit: Unit = REPLICATION,
    limits: Limits = LIMITS,
) -> Sandbox:
    """Return a Jinja environment whose interpolated values pass through `write`.

    `folders`: template folders that come before ours. `TemplateFolders` count what all formats
    take.
    `write`: escapes a plain string for the back end.
    `in_markdown`: whether the templates are in Markdown: lines of lone tags vanish.
    `unit`: what the report counts: templates have its words.
    `limits`: of the templates, where there are folders.
    """
    options: dict[str, Any] = {
        "loader": _loader(folders, limits),
        "autoescape": True,
        "undefined": StrictUndefined,
        "finalize": _finalizer(write),
        "comment_start_string": "<#",
        "comment_end_string": "#>",
        "lstrip_blocks": True,
        "trim_blocks": not in_markdown,
        "keep_trailing_newline": False,
        "extensions": [LoneTags] if in_markdown else [],
        "bytecode_cache": _compiled_templates(in_markdown=in_markdown, is_limited=bool(folders)),
        "optimized": False,  # constants that filters write are those of today
    }
    found = Sandbox(**options)
    if folders:
        total = folders.total if isinstance(folders, TemplateFolders) else Total()
        most = limits.text if in_markdown else limits.characters
        found = GuestSandbox(limits=limits, total=total, characters=most, **options)
    found.filters = {name: found.filters[name] for name in JINJA_FILTERS} | FILTERS
    if isinstance(found, GuestSandbox):
        found.filters = found.budget.filters(found.filters)
    found.tests = {name: found.tests[name] for name in JINJA_TESTS}
    if isinstance(found, GuestSandbox):
        tests: dict[str, Any] = found.tests
        found.tests = {name: found.budget.counted(test) for name, test in tests.items()}
    found.globals = {"range": TemplateFunction(safe_range), "namespace": Names}
    found.globals |= unit.template_words
    found.globals |= {"METHODS": METHODS, "TARGETS": TARGETS, "SCHEMES": SCHEME_WORDS}
    found.globals |= {"MEASURES": MEASURE_WORDS, "KNOWN_MEASURES": KNOWN_MEASURES}
    return found


def _finalizer(write: Callable[[str], Markup]) -> Callable[..., Any]:
    @pass_context  # or constants would be escaped while a template is compiled
    def finalize(_: Context, value: Any) -> Any:
        if isinstance(value, Markup | Undefined | Words):
            return value
        if isinstance(value, str):
            return write(str(value))
        if isinstance(value, int):
            return write(str(int(value)))
        raise RenderingError(
            f"found {value!r} ({type(value).__name__}) in the text; allowed a number by a filter, "
            "text, and no None, which has no words"
        )

    return finalize


def get_template(environment: Sandbox, name: str, heirs: tuple[str, ...] = ()) -> Template:
    """Return a template, or say plainly that it is missing or broken.

    Its `blocks` are those of the templates that it extends, too; `heirs` extend it.
    """
    from jinja2 import TemplateSyntaxError

    if name in heirs:
        raise RenderingError(f"template {name}: found that it extends itself; allowed another")
    try:
        with environment.begin(name):
            template = environment.get_template(name)
            for parent in _parents(environment, name):
                above = get_template(environment, parent, (*heirs, name))
                template.blocks = above.blocks | template.blocks
    except TemplateNotFound as error:
        raise RenderingError(
            f"template {error.name}: found none; allowed one that is there"
        ) from error
    except TemplateSyntaxError as error:
        raise RenderingError(
            f"template {error.name}, line {error.lineno}: found {error}; allowed Jinja"
        ) from error
    except (RecursionError, MemoryError, SyntaxError, ValueError) as error:  # of Python's, too
        is_deep = isinstance(error, RecursionError | MemoryError) or "too many" in str(error)
        found = "what is nested too deeply" if is_deep else f"what cannot be read ({error})"
        raise RenderingError(f"template {name}: found {found}; allowed Jinja") from error
    return template


def _parents(environment: Sandbox, name: str) -> list[str]:
    """Return the names of the templates that one extends."""
    if environment.loader is None or "{% extends" not in (text := _source(environment, name)):
        return []
    found = environment.parse(text, name).find_all(nodes.Extends)
    return [node.template.value for node in found if isinstance(node.template, nodes.Const)]


def _source(environment: Sandbox, name: str) -> str:
    return cast("BaseLoader", environment.loader).get_source(environment, name)[0]


class _Muted(dict[str, Any]):
    """Blocks that say nothing while a template's macros and variables are made."""

    def __getitem__(self, name: str) -> Any:
        return [_nothing]


def _nothing(_: Context) -> Iterator[str]:
    return iter(())


def render_block(template: Template, block: str, variables: Mapping[str, Any]) -> str:
    """Render one block of a template; "" when the template has no such block.

    The template's own macros and top-level variables are there, as they would be
    if the whole of it were rendered.
    """
    if block not in template.blocks:
        return ""
    with _begun(template, f"block {block!r} of {template.name}"):
        context = _context(template, variables)
        muted = context.blocks = _Muted(context.blocks)
        for _ in template.root_render_func(context):
            pass
        context.blocks = dict(muted.items())
        return _join(template, template.blocks[block](context))


def render_page(template: Template, variables: Mapping[str, Any]) -> str:
    """Render the whole of a template."""
    with _begun(template, str(template.name)):
        return _join(template, template.root_render_func(_context(template, variables)))


def make_macros(template: Template, variables: Mapping[str, Any]) -> Any:
    """Return a template whose macros can be called."""
    with _begun(template, str(template.name)):
        return template.make_module(dict(_context(template, variables).parent))


@contextmanager
def _begun(template: Template, place: str) -> Iterator[None]:
    """Begin with a block or page, whose faults say where they are."""
    try:
        with cast("Sandbox", template.environment).begin(str(template.name)):
            yield
    except Exception as error:
        raise _fault(place, template, error) from error


def _context(template: Template, variables: Mapping[str, Any]) -> Context:
    """Return what a template sees: data and functions."""
    found = {}
    for name, value in variables.items():
        try:
            found[name] = data_of(value)
        except RenderingError as error:
            raise RenderingError(f"{name}: {error}") from error
    return template.new_context(found)


def _join(template: Template, pieces: Iterable[str]) -> str:
    sandbox = cast("Sandbox", template.environment)
    return sandbox.finish(sandbox.concat(pieces))


def _fault(place: str, template: Template, error: Exception) -> RenderingError:
    """Return an error that says in which template, and on which line, it arose."""
    text = str(error) if isinstance(error, RenderingError) else f"{type(error).__name__}: {error}"
    if isinstance(error, RecursionError):
        text = "found calls of itself without end; allowed templates that end"
    where, trace = "", error.__traceback__
    while trace is not None:
        own = trace.tb_frame.f_globals.get("__jinja_template__")
        if own is not None:
            line = own.get_corresponding_lineno(trace.tb_lineno)
            where = f", line {line}" if own is template else f" ({own.name}, line {line})"
        trace = trace.tb_next
    return RenderingError(f"{place}{where}: {text}")


# ------------------------------------------------------------------------------- numbers


def words(n: int) -> str:
    """Write a count in words up to twelve.

    >>> words(7), words(1250)
    ('seven', '1,250')
    """
    return WORDS[n] if 0 <= n < len(WORDS) else count(n)


def count(n: float) -> str:
    """Write a whole number with its thousands set apart."""
    return notation.number(float(n), 0)


def plural(noun: str, n: int, many: str = "") -> str:
    """Write a noun for so many things.

    >>> plural("pair", 1), plural("pair", 0), plural("analysis", 2, "analyses")
    ('pair', 'pairs', 'analyses')
    """
    return noun if n == 1 else many or f"{noun}s"


def n_of(n: int, noun: str, many: str = "") -> str:
    """Write how many things there are.

    >>> n_of(3, "pair"), n_of(1, "pair"), n_of(0, "pair"), n_of(1250, "analysis", "analyses")
    ('3 pairs', '1 pair', 'no pairs', '1,250 analyses')
    """
    return f"{count(n) if n else 'no'} {plural(noun, n, many)}"


def are(n: int, one: str = "is", many: str = "are") -> str:
    """Write the verb for so many things.

    >>> are(1), are(0), are(2, "has", "have")
    ('is', 'are', 'have')
    """
    return one if n == 1 else many


def out_of(n: int, total: int) -> str:
    """Write how many of all things.

    >>> out_of(3, 15), out_of(15, 15), out_of(0, 1250), out_of(1, 1)
    ('3 of 15', 'all 15', 'none of 1,250', '1 of 1')
    """
    return (
        f"all {count(total)}"
        if n == total > 1
        else f"{count(n) if n else 'none'} of {count(total)}"
    )


def difference_interval(bounds: Sequence[float | None], number_format: NumberFormat) -> str:
    """Write the two bounds of a difference, or of a ratio."""
    lower, upper = bounds
    return number_format.difference_interval(lower, upper)


def share(x: float, decimals: int = 0) -> str:
    """Write a share in per cent, without the sign.

    >>> share(0.125, 1)
    '12.5'
    """
    return notation.number(100 * x, decimals)


def capital(text: str) -> str:
    """Write the first letter large."""
    found = text[:1].upper() + text[1:]
    return Words(found) if isinstance(text, Words) else found


RELATION = re.compile(r" ([=≠≤≥<>×]) (?=\S)")
SUM = re.compile(r"(?<= [+−]) (?=\S)")


def unbroken(text: str) -> str:
    r"""Keep the short terms of a formula together: a line ends before plus and minus at most.

    >>> unbroken("a5 ≠ 4 and y = 2 x + e") == "a5\u00a0≠\u00a04 and y\u00a0=\u00a02 x +\u00a0e"
    True
    """
    return type(text)(SUM.sub("\u00a0", RELATION.sub("\u00a0\\1\u00a0", text)))


def with_article(noun: str) -> Words:
    """Write one of what a unit has a word for.

    >>> with_article("replication"), with_article("item")
    ('a replication', 'an item')
    """
    return Words(f"{article_of(noun)} {noun}")


def in_words(names: Iterable[str], link: str = "and") -> str:
    """Write names one after another: "a, b and c".

    >>> in_words(["a"]), in_words("abc"), in_words("ab", "or")
    ('a', 'a, b and c', 'a or b')
    """
    *first, last = [*names] or [""]
    return f"{', '.join(first)} {link} {last}" if first else last


def formatted(form: str, *numbers: float | str) -> str:
    """Write numbers by a form of `printf`, which leaves no more room than letters may take.

    >>> formatted("%g", 0.1)
    '0.1'
    """
    if any(len(digits) > MOST_DIGITS for digits in re.findall(r"\d+", form)) or "*" in form:
        raise RenderingError(
            f"found the form {form[:40]!r}; allowed up to {10**MOST_DIGITS - 1} letters"
        )
    for value in numbers:
        check_scalar(value)
    return str(form) % numbers


def _record_filter(name: str) -> Callable[..., Any]:
    """Return a filter that calls a method of a record."""

    def call(record: Any, *args: Any) -> Any:
        kind: Any = type(record)
        if not is_record(kind):
            raise RenderingError(
                f"found the filter {name!r} of a value of {kind.__name__}; allowed of a record"
            )
        return data_of(getattr(record, name)(*args))

    return call


RECORD_METHODS = (
    *(
        "against_lead",
        "by_ranks_alone",
        "changed",
        "cheaper_than",
        "compared_with",
        "cost_ratio",
        "describe",
        "differing_with",
        "fits",
    ),
    *(
        "has_open_loss",
        "is_better",
        "is_ratio",
        "leads",
        "loss_counts_gaps",
        "loss_limit",
        "n_first",
        "n_without_row",
        "not_by_ranks",
    ),
    *("of_kind", "of_outcome", "others", "pages_of", "references_in", "reversed", "scheme_of"),
    *("shares_folds", "tested_in", "trait", "undecided_with", "used_in", "where"),
    *("with_status", "with_verdict"),
)
"""Methods of results that are filters of templates: `r|of_kind("relevant")`."""

FILTERS: dict[str, Callable[..., Any]] = {
    **{name: _record_filter(name) for name in RECORD_METHODS},
    "format": formatted,
    "value": lambda x, scale, limits=(None, None): scale.value(x, limits),
    "difference": lambda x, scale, limits=(None, None): scale.difference(x, limits),
    "difference_interval": difference_interval,
    "ratio": notation.RATIOS.difference,
    "number": notation.number,
    "statistic": notation.statistic,
    "level_words": notation.level_words,
    "count": count,
    "ordinal": notation.ordinal,
    "words": words,
    "plural": plural,
    "n_of": n_of,
    "are": are,
    "out_of": out_of,
    "share": share,
    "capital": capital,
    "unbroken": unbroken,
    "a": with_article,
}
