"""Candidates: algorithms with a name, ready to be fitted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.candidates.algorithms import ALGORITHMS
from reportgen.catalogue.candidates.published import CHOSEN
from reportgen.catalogue.candidates.recipes import (
    PACKAGES,
    Blueprint,
    Recipe,
    check_names,
    check_values,
    check_weights,
)
from reportgen.catalogue.candidates.search import check_judged, inner_measure
from reportgen.catalogue.names import unknown_name
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

    def check(self, task: Task) -> None:
        """Raise a SetupError unless the candidate suits the task."""
        if task not in self.tasks:
            why = f": {self.reasons[task]}" if task in self.reasons else ""
            raise SetupError(
                f"the candidate {self.name!r} does not do {task}, only {' and '.join(self.tasks)}"
                f"{why}"
            )

    def check_inputs(self, dataset: str, n_inputs: int) -> None:
        """Raise a SetupError if a data set has more inputs than the candidate takes."""
        if self.most_inputs is not None and n_inputs > self.most_inputs:
            raise SetupError(
                f"the candidate {self.name!r} takes up to {self.most_inputs} inputs, and the data "
                f"set {dataset!r} has {n_inputs}"
            )

    def definition(self, task: Task) -> str:
        """Return JSON that changes whenever its fits may change.

        It holds the classes, all parameters and the packages' versions, but
        not the candidate's name.
        """
        defined = _definition(self.build(task, 0))
        whole = {"is": defined, "edition": self.edition} if self.edition else defined
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


def find_candidate(name: str, known_as: str | None = None) -> Candidate:
    """Return a candidate of the catalogue by its name, untuned.

    `known_as`: what the study calls it, where that is another name.
    Raises SetupError if there is none.

    Examples
    --------
    >>> find_candidate("rf").description
    'random forest of 200 trees'
    """
    return make_candidate(known_as or name, Recipe(name))


def make_candidate(name: str, recipe: Recipe, packages: Iterable[str] = PACKAGES) -> Candidate:
    """Return the candidate that a recipe describes.

    `name`: what the study calls it.
    `packages`: packages that its estimators may come from.
    Raises SetupError if the recipe names what there is not.
    """
    if recipe.algorithm is None:
        return _imported(name, recipe, tuple(packages))
    if recipe.algorithm not in ALGORITHMS:
        raise unknown_name("candidate", recipe.algorithm, CANDIDATES)
    algorithm = ALGORITHMS[recipe.algorithm]
    recipe = replace(recipe, prepare=recipe.prepare is not False and algorithm.prepare)
    reasons = _reasons_against(recipe, algorithm.tasks)
    tasks = tuple(task for task in algorithm.tasks if task not in reasons)
    described = _described(algorithm.description, recipe)
    return Candidate(name, described, recipe, tasks, algorithm.most_inputs, reasons=reasons)


def _reasons_against(recipe: Recipe, tasks: tuple[Task, ...]) -> dict[Task, str]:
    """Return for which tasks an estimator lacks hyperparameters; raise an error if for all."""
    faults: dict[Task, SetupError] = {}
    for task in tasks:
        try:
            _check_hyperparameters(recipe, task)
        except SetupError as error:
            faults[task] = error
    if len(faults) == len(tasks):
        raise faults[tasks[0]]
    return {task: str(error) for task, error in faults.items()}


def _imported(name: str, recipe: Recipe, packages: tuple[str, ...]) -> Candidate:
    """Return a candidate whose estimator comes from a package."""
    from reportgen.catalogue.candidates.objects import check_estimator, has_preparation

    for i, step in enumerate(recipe.steps):
        step.check(packages, is_last=i == len(recipe.steps) - 1)
    is_of_classes = all(step.is_of_class for step in recipe.steps)
    try:
        estimator = recipe.bare("classification", 0)
        tags = estimator.__sklearn_tags__()
    except Exception as error:
        raise SetupError(f"the estimator cannot be made: {type(error).__name__}: {error}") from None
    if not is_of_classes:
        check_estimator(estimator)
    if recipe.prepare is None:
        recipe = replace(recipe, prepare=is_of_classes or not has_preparation(estimator))
    tasks = get_args(Task) if tags.estimator_type not in TASKS else (TASKS[tags.estimator_type],)
    reasons = _reasons_against(recipe, tasks)
    return Candidate(
        name,
        _described(_spelled(recipe.steps), recipe),
        recipe,
        tuple(task for task in tasks if task not in reasons),
        takes_inputs_as_they_are=not recipe.prepare,
        reasons=reasons,
    )


def _check_hyperparameters(recipe: Recipe, task: Task) -> None:
    """Refuse options, names and values of a grid that the estimator does not have."""
    tuning = None if recipe.is_published else recipe.tuning
    tried = tuning.tried if tuning else {}
    check_names(replace(recipe, options={}).bare(task, 0), recipe.given, tried)
    check_weights(recipe.given)
    if recipe.is_published:
        _check_is_free(recipe)
    estimator = recipe.bare(task, 0)
    check_values(estimator, tried)
    if tuning and tuning.measure:
        check_judged(inner_measure(tuning.measure, task), estimator, task)


def _check_is_free(recipe: Recipe) -> None:
    """Refuse options that a published tuning chooses itself."""
    for option in recipe.options:
        if option in CHOSEN[str(recipe.algorithm)]:
            raise SetupError(
                f"found the option {option}, which tune: published chooses; allowed other options"
            )


def _spelled(steps: Iterable[Blueprint]) -> str:
    return ", then ".join(map(_spelled_step, steps))


def _spelled_step(step: Blueprint) -> str:
    """Write a class with its options, and of a function or an object what it makes."""
    if step.is_of_class:
        return step.path + (f" ({_listed(step.options)})" if step.options else "")
    from reportgen.catalogue.candidates.objects import text_of

    return f"{step.path}: {text_of(step.build())}"


def _described(start: str, recipe: Recipe) -> str:
    """Describe a candidate in one line, with its options and its tuning."""
    parts = [start]
    if recipe.options:
        parts.append(_listed(recipe.options))
    if recipe.tuning and recipe.is_published:
        parts[0] = _UNTUNED[str(recipe.algorithm)]
    if recipe.tuning:
        parts.append(recipe.tuning.words)
    return ", ".join(parts)


def _listed(options: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {_short(value)}" for name, value in options.items())


def _short(value: object) -> str:
    """Write a value as a manifest would, an estimator with its options."""
    if isinstance(value, Blueprint):
        return _spelled((value,))
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_short(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_short, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


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


def _parameters(value: Any) -> Mapping[str, object]:
    if hasattr(value, "get_params"):
        return dict(value.get_params(deep=False))
    if is_dataclass(value):
        return {own.name: getattr(value, own.name) for own in fields(value)}
    return dict(getattr(value, "__dict__", {}))


TASKS: Mapping[str, Task] = {"classifier": "classification", "regressor": "regression"}
_UNTUNED = {
    "knn": "nearest neighbours",
    "nnet": "neural network, one hidden layer, decay 0.05",
    "rpart": "classification or regression tree",
    "svm": "support vector machine, radial kernel",
}

CANDIDATES: tuple[str, ...] = tuple(ALGORITHMS)
"""Names of the catalogue's candidates."""
