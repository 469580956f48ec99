"""The schema of a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, WithJsonSchema, model_validator

from reportgen.catalogue.candidates.programs import FILES, PLACEHOLDER, PLACEHOLDERS, FileFormat
from reportgen.catalogue.candidates.search import Span, Values
from reportgen.study.errors import fault, nearest, shown
from reportgen.study.schema.options import Strict
from reportgen.study.schema.value_types import Name, Several

MOST_VALUES = 10_000
RANGES = ("log2", "log10", "range", "linear", "log")
SPREAD = ("linear", "log")  # over real numbers
BASES = {"log2": 2.0, "log10": 10.0}


def _tune(found: Any) -> str | dict[str, Values]:
    """Read published, or hyperparameters with the values that they may take."""
    if found == "published":
        return "published"
    if not isinstance(found, Mapping):
        raise fault(shown(found), "published, or hyperparameters with their values")
    if not found:
        raise fault("an empty mapping", "hyperparameters with their values")
    return {name: _values(name, value) for name, value in found.items()}


def _values(name: str, found: Any) -> Values:
    """Read the values that a hyperparameter may take: a list, a range, or all between two."""
    if isinstance(found, list) and found and all(_is_plain(value) for value in found):
        return tuple(tuple(v) if isinstance(v, list) else v for v in found)
    if isinstance(found, Mapping) and len(set(found) & set(RANGES)) == 1:
        return _range(name, dict(found))
    allowed = f"a list of values, or a range such as {{log2: [-5, 12]}} ({', '.join(RANGES)})"
    raise fault(shown(found), allowed, at=name)


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, int | float | str) for item in value)
    return value is None or isinstance(value, int | float | str)


def _range(name: str, found: dict[str, Any]) -> Values:
    """Spell a range out, where it has a number of values."""
    kind = next(known for known in RANGES if known in found)
    ends, n = found.pop(kind), found.pop("n", None)
    is_counted = kind in SPREAD
    fits = isinstance(ends, list) and len(ends) == 2 and all(_is_number(end) for end in ends)
    written = f"[{', '.join(map(str, ends))}]" if fits else shown(ends)
    what = "two numbers in ascending order, and n, how many values (from 2)"
    if not is_counted:
        what = "two whole numbers in ascending order"
        fits = fits and all(isinstance(end, int) for end in ends)
    if not fits or ends[0] > ends[1] or found or not (n is None or (is_counted and _is_count(n))):
        raise fault(written, f"{what}: {_example(kind)}", at=name)
    if kind == "log" and ends[0] <= 0:
        raise fault(written, f"ends above 0: {_example(kind)}", at=name)
    if is_counted:
        span = Span(float(ends[0]), float(ends[1]), kind == "log")
        return span if n is None else tuple(span.at(i / (n - 1)) for i in range(n))
    if ends[1] - ends[0] > MOST_VALUES:
        raise fault(written, f"at most {MOST_VALUES:,} values", at=name)
    steps = range(ends[0], ends[1] + 1)
    return tuple(steps) if kind == "range" else tuple(BASES[kind] ** step for step in steps)


def _is_count(n: Any) -> bool:
    return isinstance(n, int) and not isinstance(n, bool) and 2 <= n <= MOST_VALUES


def _example(kind: str) -> str:
    return {
        "log2": "{log2: [-5, 12]}",
        "log10": "{log10: [-3, 3]}",
        "range": "{range: [1, 20]}",
        "linear": "{linear: [0, 1], n: 11}",
        "log": "{log: [0.001, 1000], n: 7}",
    }[kind]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


class Step(Strict):
    """A step of a pipeline."""

    estimator: str
    """Import path, such as sklearn.preprocessing.StandardScaler."""
    options: dict[str, Any] = Field(default_factory=dict)


VALUES = {
    "anyOf": [
        {"type": "array", "minItems": 1},
        {
            "type": "object",
            "properties": {
                **{name: {"type": "array", "minItems": 2, "maxItems": 2} for name in RANGES},
                "n": {"type": "integer", "minimum": 2},
            },
            "additionalProperties": False,
        },
    ]
}
Tune = Annotated[
    str | dict[str, Any],
    PlainValidator(_tune),
    WithJsonSchema(
        {
            "anyOf": [
                {"const": "published"},
                {"type": "object", "minProperties": 1, "additionalProperties": VALUES},
            ]
        }
    ),
]


def _estimator(found: Any) -> str | tuple[str | Step, ...]:
    """Read a path or a name, or the steps of a pipeline."""
    if isinstance(found, str):
        return found
    if not isinstance(found, list) or not found:
        written = "an empty list" if found == [] else shown(found)
        raise fault(written, "an import path, a name of the catalogue, or a list of steps")
    return tuple(_step(step) for step in found)


def _step(found: Any) -> str | Step:
    if isinstance(found, str):
        return found
    if isinstance(found, Mapping) and set(found) <= {"estimator", "options"}:
        path, options = found.get("estimator"), found.get("options", {})
        if isinstance(path, str) and isinstance(options, Mapping):
            return Step(estimator=path, options=dict(options))
    raise fault(shown(found), "steps such as sklearn.svm.SVC or {estimator: …, options: {…}}")


Estimator = Annotated[
    Any,
    PlainValidator(_estimator),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "anyOf": [
                            {"type": "string"},
                            {
                                "type": "object",
                                "properties": {
                                    "estimator": {"type": "string"},
                                    "options": {"type": "object"},
                                },
                                "required": ["estimator"],
                                "additionalProperties": False,
                            },
                        ]
                    },
                },
            ]
        }
    ),
]


class InnerEntry(Strict):
    """What hyperparameters are chosen by, inside the learning sample."""

    folds: Several = 10
    """Of a cross-validation."""
    validation: Annotated[float, Field(gt=0, lt=1)] | None = None
    """The part of the learning sample that is a validation sample, in place of folds."""
    search: Literal["grid", "random", "halving"] = "grid"
    """Every combination; some, drawn at random; or successive halving, which tries them on few
    observations first, and the best third of them on three times as many, up to all."""
    n: Annotated[int, Field(ge=1)] | None = None
    """The number of combinations to draw: of a random search, or of halving in place of all."""
    measure: str | None = None
    """The measure of the search; misclassification or mse when left out."""
    rule: Literal["best", "one-se"] = "best"
    """The least error, or the first setting within one standard error of it."""

    @model_validator(mode="after")
    def _n_goes_with_random(self) -> InnerEntry:
        if self.search != "halving" and (self.n is None) is (self.search == "random"):
            found = "search: random without n" if self.n is None else "n with search: grid"
            raise fault(found, "n with search: random, and else only with halving", at="n")
        if self.validation is not None and "folds" in self.model_fields_set:
            raise fault("validation with folds", "one of them", at="validation")
        return self


def _command(found: Any) -> tuple[str, ...]:
    """Read the words of a command, with placeholders for its files."""
    allowed = "a list of words such as [Rscript, lda.R, '{learn}', '{test}', '{predictions}']"
    if not isinstance(found, list) or not found or not all(map(_is_word, found)):
        raise fault("an empty list" if found == [] else shown(found), allowed)
    used = [name for word in found[1:] for name in PLACEHOLDER.findall(word)]
    for name in [*PLACEHOLDER.findall(found[0]), *used]:
        if name not in PLACEHOLDERS or name not in used:
            known = ", ".join(f"{{{known}}}" for known in PLACEHOLDERS)
            near = nearest(name, PLACEHOLDERS)
            raise fault(f"{{{name}}}", f"{known} behind the program" + _question(near))
    missing = [f"{{{name}}}" for name in FILES if name not in used]
    if missing:
        raise fault(f"a command without {' and '.join(missing)}", allowed)
    return tuple(found)


def _question(near: str | None) -> str:
    return f"; did you mean {{{near}}}?" if near else ""


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value != "" and "\0" not in value


Command = Annotated[
    tuple[str, ...],
    PlainValidator(_command),
    WithJsonSchema({"type": "array", "minItems": 4, "items": {"type": "string", "minLength": 1}}),
]


class CandidateEntry(Strict):
    """A candidate: a name of the catalogue, an estimator by its import path, or a program."""

    name: Name
    estimator: Estimator | None = None
    """Import path of a class, of a function that returns an estimator or of an estimator; the steps
    of a pipeline; or another name of the catalogue."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Hyperparameters of the estimator, or arguments of the function that returns it."""
    tune: Tune | None = None
    """Hyperparameters to choose in every learning sample, with their values."""
    inner: InnerEntry | None = None
    prepare: bool | None = None
    """Whether numbers are standardised, categories made one-hot and gaps filled first; all but
    functions and objects with a pipeline or a transformer of columns when left out."""
    refits: Annotated[int, Field(ge=1, le=1000)] = 1
    """Fits to every learning sample, with other random numbers each; a value is their mean. Of a
    randomised algorithm the mean over replications then is over its random numbers, too."""
    command: Command | None = None
    """A program and its arguments, with {learn}, {test} and {predictions} for its files, and {seed}
    and {task}; needs --allow-plugins."""
    format: FileFormat | None = None
    """Of the files of a program; parquet when left out."""
    files: tuple[str, ...] = ()
    """Files that a program's fits depend on, in addition to those that its command names."""

    @model_validator(mode="after")
    def _program_stands_alone(self) -> CandidateEntry:
        given = self.model_fields_set
        for key in ("format", "files") if self.command is None else ():
            if key in given:
                raise fault(f"{key} without command", f"{key} with command only", at=key)
        for key in ("estimator", "options", "tune", "inner", "prepare"):
            if self.command is not None and key in given:
                raise fault(f"{key} with command", "command, format and files alone", at=key)
        return self

    @model_validator(mode="after")
    def _keys_belong_together(self) -> CandidateEntry:
        if self.inner is not None and not isinstance(self.tune, dict):
            raise fault("inner without a grid under tune", "inner with tune: {…}", at="inner")
        spans = self.tune.items() if isinstance(self.tune, dict) else ()
        span = next((name for name, values in spans if isinstance(values, Span)), None)
        if span is not None and (self.inner is None or self.inner.n is None):
            allowed = "n, how many values it has in the grid, or inner: {search: random, n: …}"
            raise fault(f"a range of {span} without n", allowed, at="tune")
        return self
