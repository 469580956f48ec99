"""Faults of a manifest: place, what was found, what is allowed; and how names are spelled."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from math import log10
from pathlib import Path
from typing import Any
from unicodedata import category, normalize

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from reportgen.catalogue.measures import known_measure
from reportgen.data_classes import dataclass
from reportgen.errors import StudyError

Place = tuple[str | int, ...]
"""Keys and indices that lead to a value of the manifest."""
ALLOWED = {
    "bool_type": "true or false",
    "dict_type": "a mapping of keys to values",
    "finite_number": "a finite number",
    "float_type": "a number",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number from {ge}",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number up to {le}",
    "list_type": "a list",
    "model_type": "a mapping of keys to values",
    "string_pattern_mismatch": "text that matches {pattern}",
    "string_type": "text (in quotes where it looks like a number)",
    "tuple_type": "a list",
}
KIND = "\0"  # begins the tag of one of several kinds of values, which is no key
TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
WIDTH = 60  # characters of a found value that an error repeats
MOST_BITS = 10_000  # of a whole number that an error repeats
LONGEST = 200  # characters of a name in a list, or of what another library says
MOST_LISTED = 200  # names that an error repeats
LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd"
    "\u2010\u2011\u2012\u2013\u2014\u2212",
    "aeopcyxijshABEKMHOPCTYXIJSABEZHIKMNOPTYXov------",
)
"""Letters of Cyrillic and Greek, and dashes, by the Latin ones that they look like."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong."""

    place: Place  # where in the manifest
    # found, allowed: What stands there, and what may; where `allowed` is empty, `found` has all.
    found: str
    allowed: str
    near: str | None = None  # the valid name that was probably meant

    def __str__(self) -> str:
        if not self.allowed:
            return self.found
        return f"found {self.found}; allowed {self.allowed}{_question(self.near)}"


def fault(
    found: str, allowed: str, *, at: str | Sequence[str] = (), near: str | None = None
) -> Exception:
    """Return the exception by which a validator of a model reports a fault.

    `found`, `allowed`, `near`: see `Fault`.
    `at`: the key, or those that lead there, where the validator sees a whole mapping.
    """
    keys = (at,) if isinstance(at, str) and at else tuple(at)
    context = {"found": found, "allowed": allowed, "at": keys, "near": near}
    return PydanticCustomError("fault", "found {found}; allowed {allowed}", context)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that looks most like another one, if any does.

    Examples
    --------
    >>> nearest("replicatons", ["scheme", "replications"])
    'replications'
    >>> nearest("EDA", ["eda", "inference"])
    'eda'
    """
    by_lower = {k.lower(): k for k in known}
    close = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[close[0]] if close else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Ask whether the known name that looks most like another one was meant, if any does.

    Examples
    --------
    >>> suggestion("acuracy", ["accuracy", "mse"]), suggestion("x", ["accuracy"])
    ('; did you mean accuracy?', '')
    """
    return _question(nearest(name, known))


def _question(near: str | None) -> str:
    return f"; did you mean {near}?" if near else ""


def describe_unknown(kind: str, name: object, allowed: Iterable[str]) -> str:
    """Write what was found in place of a known name, and which one was probably meant.

    Examples
    --------
    >>> describe_unknown("measure", "acuracy", ["accuracy", "mse"])
    "found the measure 'acuracy'; allowed accuracy, mse; did you mean accuracy?"
    """
    allowed = list(allowed)
    return str(Fault((), f"the {kind} {shown(name)}", listed(allowed), nearest(str(name), allowed)))


def shown(value: object) -> str:
    """Write a value of the manifest for an error.

    Examples
    --------
    >>> shown("lda"), shown(True), shown(None), shown([1, 2])
    ("'lda'", 'true', 'nothing', 'a list')
    >>> shown(10**5000)
    'a whole number of about 5,000 digits'
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    if isinstance(value, int) and value.bit_length() > MOST_BITS:  # Python writes no such number
        return f"a whole number of about {int(value.bit_length() * log10(2)):,} digits"
    text = repr(value)
    if len(text) <= WIDTH:
        return text
    length = len(value) if isinstance(value, str) else 0
    return f"{text[:WIDTH]}…" + (f" of {length:,} characters" if length > LONGEST else "")


def message_of(error: Exception) -> str:
    r"""Return what another library says of a fault, cut where it repeats much of a file.

    Examples
    --------
    >>> message_of(ValueError("no\n number")), len(message_of(ValueError("x" * 10**6)))
    ('no number', 201)
    """
    text = " ".join(str(error).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def is_one_line(text: str) -> bool:
    r"""Return whether a text can be shown on one line and reads as it is stored.

    Control characters, line separators, and characters that turn the direction
    of writing are what prevents it.

    Examples
    --------
    >>> is_one_line("k-means (Größe)"), is_one_line("a\tb"), is_one_line("a\u202eb")
    (True, False, False)
    """
    return text.isprintable() or not any(
        category(c) in ("Cc", "Cs", "Zl", "Zp") or c in TURNING for c in text
    )


def printable(text: str, longest: int = LONGEST) -> str:
    r"""Return a text as it is if it is printable and not longer, else as `shown` writes it.

    Examples
    --------
    >>> print(printable("a b"), printable("a\tb"))
    a b 'a\tb'
    """
    return text if is_one_line(text) and len(text) <= longest else shown(text)


def listed(names: Iterable[str], most: int = MOST_LISTED) -> str:
    r"""Write names one after the other, unchanged if they are printable; of very many the first.

    Examples
    --------
    >>> print(listed(["a", "b", "c\td"]))
    a, b, 'c\td'
    """
    written = [printable(name) for name in names]
    more = f", … ({len(written):,} in all)" if len(written) > most else ""
    return ", ".join(written[:most]) + more


def faults_of(error: ValidationError, model: type[BaseModel], place: Place = ()) -> list[Fault]:
    """Translate the errors of pydantic on a model at a place of the manifest."""
    return [_fault_of(detail, model, place) for detail in error.errors(include_url=False)]


def _fault_of(detail: ErrorDetails, model: type[BaseModel], place: Place) -> Fault:
    kind, context = detail["type"], detail.get("ctx", {})
    inside = tuple(step for step in detail["loc"] if not str(step).startswith(KIND))
    where = (*place, *inside)
    if kind == "fault":
        at = (*where, *context["at"]) if context["at"] else where
        return Fault(at, context["found"], context["allowed"], context["near"])
    if kind == "extra_forbidden":
        *steps, key = detail["loc"]  # the key may look like a tag
        inside = tuple(step for step in steps if not str(step).startswith(KIND))
        return _unknown_key((*place, *inside, key), _model_at(model, inside), str(key))
    if kind == "missing":
        return Fault(where, "nothing", "a value: this key must be there")
    found = shown(detail["input"])
    if kind == "literal_error":
        return Fault(where, found, *_choice(str(context["expected"]), detail["input"]))
    return Fault(where, found, ALLOWED.get(kind, "{msg}").format(msg=detail["msg"], **context))


def _choice(expected: str, found: Any) -> tuple[str, str | None]:
    """Turn "'a', 'b' or 'c'" into the list of names and the nearest of them."""
    names = [name.strip().strip("'") for name in expected.replace(" or ", ", ").split(",")]
    return listed(names), nearest(found, names) if isinstance(found, str) else None


def _unknown_key(place: Place, model: type[BaseModel], key: str) -> Fault:
    """Say which keys there are, and what became of one of earlier versions (`FORMER_KEYS`)."""
    keys = [field.alias or name for name, field in model.model_fields.items()]
    former: Mapping[str, str] = getattr(model, "FORMER_KEYS", {})
    if key in former:
        return Fault(place, f"a key that is gone ({former[key]})", listed(keys))
    return Fault(place, "an unknown key", listed(keys), nearest(key, keys))


def _model_at(model: type[BaseModel], place: Place) -> type[BaseModel]:
    """Return the model of the mapping at a place."""
    for step in place:
        field = model.model_fields.get(str(step))
        inner = field and _model_in(field.annotation)
        if inner:
            model = inner
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that an annotation such as ``tuple[X, ...] | None`` holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    parts = getattr(annotation, "__args__", ())
    return next((found for part in parts if (found := _model_in(part))), None)


def is_address(path: Path) -> bool:
    """Whether a path was written as an address of the web."""
    return re.fullmatch(r"[a-z][a-z0-9+]+:", next(iter(path.parts), "")) is not None


def missing_file(path: Path, allowed: str) -> str:
    """Say that there is no such file; of an address of the web, that it is to be fetched first.

    Examples
    --------
    >>> missing_file(Path("https:/example.org/a.csv"), "a file")
    'https://example.org/a.csv: found an address; allowed a file (fetch it first)'
    """
    if is_address(path):
        address = "/".join([f"{path.parts[0]}/", *path.parts[1:]])
        return f"{address}: found an address; allowed {allowed} (fetch it first)"
    return f"{path}: found no such file; allowed {allowed}"


def given_path(argument: str, value: Any, allowed: str) -> Path:
    """Return the path that a call gives.

    `argument`: what an error calls it.
    Raises StudyError if it is no text and no path.

    Examples
    --------
    >>> given_path("load(path=…)", "study.zip", "a path").suffix
    '.zip'
    """
    text = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(text, str) or "\0" in text:
        found = type(value).__name__ if text is None else text
        raise StudyError(f"{argument}: found {shown(found)}; allowed {allowed}")
    path = Path(text)
    try:
        path.exists()
    except OSError as error:  # of a name that is too long
        message = f"{shown(text)} ({error.strerror})"
        raise StudyError(f"{argument}: found {message}; allowed {allowed}") from None
    return path


def measure_name(written: str) -> str:
    """Return the catalogue's name of a measure, or the name as it was written.

    Examples
    --------
    >>> measure_name("Misclassification"), measure_name("cost")
    ('misclassification', 'cost')
    """
    known = known_measure(written)
    return known.name if known else written


FILE_ENDING = re.compile(r"\.(csv|tsv|txt|arff|data|parquet|json|npz|rds)$", re.IGNORECASE)
"""What a name of a data set may have behind it."""


def warn_of_likeness(where: str, kind: str, names: Iterable[str]) -> None:
    """Warn of names that look alike, as by case, encoding or alphabet: they count as two.

    `where`: the file, or its place, for the message.
    `kind`: what is named, in the plural.
    """
    seen: dict[str, str] = {}
    for name in names:
        first = seen.setdefault(_look(name), name)
        if first != name:
            log.warning(
                "%s: the %s %s and %s differ only in how they are written, and count as two",
                where,
                kind,
                *map(repr if first.casefold() == name.casefold() else ascii, (first, name)),
            )


def _look(name: str) -> str:
    """Return what a name looks like: without case, characters that nobody sees, and alphabets."""
    plain = FILE_ENDING.sub("", normalize("NFKC", name)).translate(LOOKALIKES)
    return "".join(c for c in plain if category(c) != "Cf").casefold()
