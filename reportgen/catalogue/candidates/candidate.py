"""A candidate: an algorithm with a name, what it can do, and the definition of its fits."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, fields, is_dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.candidates.recipes import PACKAGES
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.measures import Task

if TYPE_CHECKING:
    import pandas as pd


class Estimator(Protocol):
    """An estimator by scikit-learn's convention, on data frames.

    Classes are numbers from 0. An estimator with `predict_proba` has
    `classes_`, the columns of what it returns.
    """

    def fit(self, X: pd.DataFrame, y: NDArray[Any]) -> Any:
        """Learn from a learning sample."""

    def predict(self, X: pd.DataFrame) -> NDArray[Any]:
        """Predict a test sample."""


Build = Callable[[Task, int], Estimator]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An algorithm that takes part in an experiment."""

    name: str
    description: str  # one line: what it is, with its options
    # Takes the task and a random state, returns an unfitted estimator. A function of a module, so
    # that worker processes can import it.
    build: Build
    tasks: tuple[Task, ...] = get_args(Task)  # what it can do
    most_inputs: int | None = None  # columns that it can take
    # Whether it prepares its inputs itself, and may have a use for infinite ones.
    takes_inputs_as_they_are: bool = False
    edition: str = ""  # of one that a package brings, what changes with its code; else ""
    # Why it cannot do the other one as it is set up here, where it otherwise could.
    reasons: Mapping[Task, str] = field(default_factory=dict)
    refits: int = 1  # fits to every learning sample, whose values are averaged

    def check(self, task: Task) -> None:
        """Raise a SetupError unless the candidate suits the task."""
        if task not in self.tasks:
            why = f": {self.reasons[task]}" if task in self.reasons else ""
            raise SetupError(
                f"found the candidate {self.name!r} for {task}; allowed for "
                f"{' and '.join(self.tasks)}{why}"
            )

    def check_inputs(self, dataset: str, n_inputs: int) -> None:
        """Raise a SetupError if a data set has more inputs than the candidate takes."""
        if self.most_inputs is not None and n_inputs > self.most_inputs:
            raise SetupError(
                f"found {n_inputs} inputs of the data set {dataset!r}; allowed up to "
                f"{self.most_inputs} for the candidate {self.name!r}"
            )

    def definition(self, task: Task) -> str:
        """Return JSON that changes whenever its fits may change.

        It holds the classes, all parameters and the packages' versions, but
        not the candidate's name.
        """
        defined = _definition(self.build(task, 0))
        whole = {"is": defined, "edition": self.edition} if self.edition else defined
        if self.refits > 1:
            whole = {"of": whole, "refits": self.refits}
        return json.dumps(whole, sort_keys=True)


OURS = (__name__.partition(".")[0], *PACKAGES)
"""Packages whose estimators leave a process as it was."""


def is_ours(candidate: Candidate) -> bool:
    """Whether all that a candidate is made of is this package's or scikit-learn's."""
    try:
        definition = json.loads(candidate.definition(candidate.tasks[0]))
    except Exception:  # it cannot even be built
        return False
    return all(path.partition(".")[0] in OURS for path in _paths(definition))


def _paths(definition: object) -> Iterator[str]:
    """Yield the paths of all classes and functions that a definition names."""
    if isinstance(definition, dict):
        if isinstance(definition.get("is"), str):
            yield definition["is"]
        definition = list(definition.values())
    if isinstance(definition, list):
        for part in definition:
            yield from _paths(part)


def weighting(estimator: Any, weights: NDArray[np.float64] | None) -> dict[str, Any]:
    """Return the argument that gives an estimator its weights; none where there are none.

    Raises ValueError if it takes none.
    """
    if weights is None:
        return {}
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    name, last = "", estimator
    if isinstance(estimator, Pipeline):
        step, last = estimator.steps[-1]
        name = f"{step}__"
    if not has_fit_parameter(last, "sample_weight"):
        raise ValueError("it takes no weights of observations, which the scheme gives")
    return {f"{name}sample_weight": weights}


JOURNAL_VERSION = "0.1.0"
"""Version of our own code in a definition: raised when some of it predicts otherwise."""
_CLASSES_BY_MODULE = {
    "catalogue.halving": "Halved",
    "catalogue.inner_measures": "OutOfFold",
    "catalogue.naive_bayes": "NaiveBayes",
    "catalogue.preparation": "InputMatrix PrunedTreeClassifier PrunedTreeRegressor",
    "catalogue.programs": "External Program",
    "catalogue.published": "HiddenUnits Neighbours Prunings",
    "catalogue.regression": "HuberLinearModel LocalRegression NeuralNetRegressor "
    "SupportVectorRegressor",
    "catalogue.searches": "Grid RandomSearch Span",
    "catalogue.smoothing": "SmoothingSpline",
    "catalogue.tuning": "Tuned",
    "warehouse": "Measure",
}
JOURNAL_PATHS: Mapping[str, str] = MappingProxyType(
    {
        name: f"reportgen.{module}.{name}"
        for module, names in _CLASSES_BY_MODULE.items()
        for name in names.split()
    }
    | {"MultiStart": "reportgen.catalogue.restarts.Restarted"}
)
"""Paths of version 0.1 by class: journals know our classes by them, so no move measures anew."""


def _journal_path(kind: Any) -> str:
    """Return where version 0.1 had a class or function of ours."""
    module = kind.__module__.replace("reportgen.catalogue.measures.", "reportgen.catalogue.")
    return JOURNAL_PATHS.get(kind.__qualname__, f"{module}.{kind.__qualname__}")


def _definition(value: object) -> object:
    """Describe a value by its content, never by its address."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _definition(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_definition(item) for item in value]
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    kind = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    package = kind.__module__.partition(".")[0]
    if package == __name__.partition(".")[0]:
        path, version = _journal_path(kind), JOURNAL_VERSION
    else:
        path = f"{kind.__module__}.{kind.__qualname__}"
        version = str(getattr(sys.modules.get(package), "__version__", ""))
    described: dict[str, object] = {"is": path, "version": version}
    if kind is not value:
        described["with"] = _definition(_parameters(value))
    return described


LATER = ("validation",)
"""Parameters that version 0.2 lacked: they count where they are set, and old journals are known."""


def _parameters(value: Any) -> Mapping[str, object]:
    if hasattr(value, "get_params"):
        found = value.get_params(deep=False)
        return {name: own for name, own in found.items() if own is not None or name not in LATER}
    if is_dataclass(value):
        return {own.name: getattr(value, own.name) for own in fields(value)}
    return dict(getattr(value, "__dict__", {}))


TASKS: Mapping[str, Task] = {"classifier": "classification", "regressor": "regression"}
