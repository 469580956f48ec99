"""Candidates that are objects: estimators that a program in Python has made."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from numbers import Integral
from pathlib import Path
from typing import Any, get_args

from reportgen.catalogue.candidates.candidate import TASKS, Candidate
from reportgen.catalogue.candidates.recipes import (
    PACKAGES,
    RANDOM,
    bare_name,
    check_values,
    check_weights,
    seeded,
)
from reportgen.catalogue.parsed_code import OWN, Named
from reportgen.catalogue.plugins import digest_of_used
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.measures import Task
from reportgen.path_redaction import redact_paths

METHODS = ("fit", "predict", "get_params", "set_params")
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
LONGEST_DESCRIPTION = 300  # characters
PREPARED = "numbers standardised, categories one-hot"


@dataclass(frozen=True, slots=True)
class Clone:
    """Makes a candidate's estimator: an unfitted copy of one that is given."""

    estimator: Any
    # Whether the inputs are turned into a matrix first: numbers standardised, categories one-hot,
    # gaps filled.
    prepare: bool

    def __call__(self, task: Task, random_state: int) -> Any:
        """Return an unfitted estimator on data frames."""
        from sklearn.base import clone

        estimator = seeded(clone(self.estimator), random_state)
        if not self.prepare:
            return estimator
        from sklearn.pipeline import make_pipeline

        from reportgen.catalogue.candidates.preparation import InputMatrix

        return make_pipeline(InputMatrix(), estimator)


def object_candidate(name: str, estimator: Any, *, prepare: bool | None = None) -> Candidate:
    """Return the candidate that fits copies of an estimator.

    `estimator`: by the convention of scikit-learn, or a pipeline of these; it stays as it is.
    `prepare`: see `Clone`. When left out, all but estimators with a pipeline or a transformer of
    columns in them.
    Raises SetupError if it is no estimator, or has parameters that no experiment can use.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> object_candidate("svm", SVC(C=2)).description
    'SVC(C=2), numbers standardised, categories one-hot'
    """
    check_estimator(estimator)
    is_prepared = not has_preparation(estimator) if prepare is None else prepare
    build = Clone(estimator, is_prepared)
    try:
        build("classification", 0)
    except Exception as error:
        raise SetupError(
            f"found {_kind(estimator)}, which cannot be copied ({type(error).__name__}: {error}); "
            "allowed an estimator whose parameters are those of its constructor"
        ) from None
    described = text_of(estimator)
    return Candidate(
        name,
        f"{described}, {PREPARED}" if is_prepared else described,
        build,
        _tasks(estimator),
        takes_inputs_as_they_are=not is_prepared,
        edition=digest_of_used(code_names(estimator), Path()),
    )


def text_of(estimator: Any) -> str:
    """Write an estimator on one line, without addresses in memory and paths of this machine.

    Examples
    --------
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> text_of(FunctionTransformer(text_of))
    'FunctionTransformer(func=<function text_of>)'
    """
    line = redact_paths(ADDRESS.sub("", " ".join(repr(estimator).split())))
    is_long = len(line) > LONGEST_DESCRIPTION
    return f"{line[: LONGEST_DESCRIPTION - 1]}…" if is_long else line


def packages_of(estimator: Any) -> tuple[str, ...]:
    """Return the packages that an estimator and its parts come from, but for scikit-learn."""
    found = dict.fromkeys(kind.__module__.partition(".")[0] for kind in _kinds(estimator))
    known = {*PACKAGES, OWN, __name__.partition(".")[0], *sys.stdlib_module_names}
    return tuple(name for name in found if name not in known)


def _kind(estimator: Any) -> str:
    return type(estimator).__name__


def check_estimator(estimator: Any) -> None:
    """Refuse what is no estimator, and parameters that are not those of an experiment."""
    if inspect.isclass(estimator):
        name = estimator.__name__
        raise SetupError(f"found the class {name}; allowed an object of it, such as {name}()")
    missing = [method for method in METHODS if not hasattr(estimator, method)]
    if missing:
        raise SetupError(
            f"found an object of the type {_kind(estimator)}, which has no "
            f"{' and no '.join(missing)}; allowed an estimator of scikit-learn or of "
            f"its convention ({', '.join(METHODS)})"
        )
    parameters = estimator.get_params(deep=True)
    check_weights(parameters)
    for name, value in parameters.items():
        if bare_name(name) == RANDOM and not (value is None or isinstance(value, Integral)):
            raise SetupError(
                f"found {type(value).__name__} under {name}; allowed None, for which the seed of "
                "the study stands, or a whole number"
            )
    check_values(estimator, {})


def _parts(estimator: Any) -> Iterator[Any]:
    """Return an estimator, and all that its parameters hold."""
    yield estimator
    yield from estimator.get_params(deep=True).values()


def has_preparation(estimator: Any) -> bool:
    """Whether an estimator, or one inside it, prepares its inputs itself."""
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    return any(isinstance(part, Pipeline | ColumnTransformer) for part in _parts(estimator))


def _tasks(estimator: Any) -> tuple[Task, ...]:
    """Return what an estimator says that it does; both where it does not say."""
    from sklearn.utils import get_tags

    try:
        kind = get_tags(estimator).estimator_type
    except Exception:  # its convention is an earlier one
        return get_args(Task)
    if kind is not None and kind not in TASKS:
        raise SetupError(f"found the {kind} {_kind(estimator)}; allowed classifiers and regressors")
    return (TASKS[kind],) if kind else get_args(Task)


def _kinds(estimator: Any) -> list[Any]:
    """Return the classes of an estimator's parts, and functions among its parameters."""
    found: dict[Any, None] = {}
    for part in _parts(estimator):
        values = part.values() if isinstance(part, Mapping) else (part,)
        for value in values:
            is_code = inspect.isclass(value) or inspect.isroutine(value)
            kind = value if is_code else type(value)
            if getattr(kind, "__module__", None):
                found[kind] = None
    return list(found)


def code_names(estimator: Any) -> list[Named]:
    """Return where the classes of an estimator's parts, and its functions, are defined."""
    return [
        (kind.__module__, getattr(kind, "__qualname__", "").partition(".")[0])
        for kind in _kinds(estimator)
    ]
