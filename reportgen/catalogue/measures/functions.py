"""Functions of the truth and of predictions as performance measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from inspect import Parameter, isroutine, signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.measures.prediction import ComputedMeasure, Prediction
from reportgen.catalogue.plugins import digest_of_used, import_named
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.installation import page_url
from reportgen.performance_measure import Measure

PREDICTED = ("y_pred", "y_predicted", "y_hat", "predicted", "predictions", "pred")
SCORED = ("y_score", "y_scores", "y_prob", "y_proba", "y_probas", "probabilities")
FITTED = ("estimator", "model", "fitted")
ALLOWED = "a function of (y_true, y_pred), (y_true, y_score) or (estimator)"


@dataclass(frozen=True, slots=True)
class FunctionMeasure:
    """A function that judges predictions, by its import path or as an object.

    Classes are as they stand in the data: numbers where all of them are, else
    text.
    """

    path: str
    # Whether it takes probabilities of the classes in their order, or of two classes those of the
    # second, in place of the predictions.
    needs_probabilities: bool
    function: Callable[..., Any] | None = None  # None for the one that is imported by the path
    takes_fitted: bool = False  # whether it takes the fitted candidate in place of predictions

    def __call__(self, prediction: Prediction) -> float:
        """Return the value of the function for the predictions."""
        function = self.function or _function(self.path)
        if self.takes_fitted:
            if prediction.estimator is None:
                raise ValueError("the fitted candidate is not at hand")
            value = function(_last(prediction.estimator))
        elif not self.needs_probabilities:
            value = function(
                _labels(prediction.truth, prediction.classes),
                _labels(prediction.predicted, prediction.classes),
            )
        elif prediction.probabilities is None:
            raise ValueError(prediction.no_probabilities)
        else:
            given = prediction.probabilities
            given = given[:, 1] if given.shape[1] == 2 else given
            value = function(_labels(prediction.truth, prediction.classes), given)
        if np.ndim(value) != 0:
            raise ValueError(f"{self.path} returns values of the shape {np.shape(value)}, not one")
        return float(value)


def function_measure(
    path: str, measure: Measure, packages: Iterable[str], folder: Path
) -> ComputedMeasure:
    """Return the measure that a function computes.

    `path`: import path of the function.
    `measure`: what its values are.
    `packages`: packages that it may come from.
    `folder`: the manifest's, where its module may lie.
    Raises SetupError if there is no such function, it may not be imported, or takes something else.
    """
    parts = path.split(".")
    if parts[0] not in packages:
        raise SetupError(
            f"found the function {path!r}; allowed are the packages {', '.join(packages)} "
            "(others are named under plugins, on the command line also allowed by --allow-plugins; "
            f"docs: {page_url('manifest.md#measures')})"
        )
    taken = _taken(path, _function(path))
    needs_probabilities = taken in SCORED
    version = getattr(import_module(parts[0]), "__version__", "")
    return ComputedMeasure(
        measure,
        FunctionMeasure(path, needs_probabilities, takes_fitted=taken in FITTED),
        "classification" if needs_probabilities else None,
        needs_probabilities=needs_probabilities,
        edition=" ".join(filter(None, (path, str(version), _code(_function(path), folder)))),
    )


def object_measure(function: Callable[..., Any], measure: Measure) -> ComputedMeasure:
    """Return the measure that a function of this process computes.

    `function`: of (y_true, y_pred), (y_true, y_score) or (estimator).
    `measure`: what its values are.
    Raises SetupError if the function takes something else.
    """
    path = path_of(function)
    taken = _taken(path, function)
    needs_probabilities = taken in SCORED
    return ComputedMeasure(
        measure,
        FunctionMeasure(path, needs_probabilities, function, taken in FITTED),
        "classification" if needs_probabilities else None,
        needs_probabilities=needs_probabilities,
        edition=" ".join(filter(None, (path, _code(function, Path())))),
    )


def _code(function: Callable[..., Any], folder: Path) -> str:
    """Return a digest of a function's code and of what it uses; "" where it is installed."""
    kind = function if hasattr(function, "__qualname__") else type(function)
    return digest_of_used([(kind.__module__, kind.__qualname__.partition(".")[0])], folder)


def path_of(function: Callable[..., Any]) -> str:
    """Write where a function comes from, as a manifest does: without a leading `_` of a name.

    Examples
    --------
    >>> path_of(path_of)
    'reportgen.catalogue.measures.functions.path_of'
    """
    name = getattr(function, "__name__", type(function).__name__)
    return ".".join(part.strip("_<>") for part in (*function.__module__.split("."), name))


def _last(estimator: Any) -> Any:
    """Return what predicts of a fitted candidate: the last step of a pipeline, or it itself."""
    while steps := getattr(estimator, "steps", None):
        estimator = steps[-1][1]
    return estimator


def _function(path: str) -> Callable[..., Any]:
    """Import a public function of a package."""
    function: Callable[..., Any] = import_named(path, "function", isroutine)
    return function


def _taken(path: str, function: Callable[..., Any]) -> str:
    """Return the name of a function's second argument, or its only one: what it judges."""
    arguments = list(signature(function).parameters.values())
    needed = [a.name for a in arguments if a.default is Parameter.empty]
    names = [a.name for a in arguments[:2]]
    if len(needed) == 1 and names[0] in FITTED:
        return names[0]
    is_of_two = len(needed) <= 2 and len(names) == 2 and names[1] in (*PREDICTED, *SCORED)
    if not is_of_two:
        raise SetupError(f"found {path}({', '.join(a.name for a in arguments)}); allowed {ALLOWED}")
    return names[1]


def _labels(numbers: NDArray[Any], classes: tuple[str, ...]) -> NDArray[Any]:
    """Return classes as they stand in the data, and values as they are."""
    if not classes:
        return numbers
    names: NDArray[Any] = np.array(classes)
    for kind in (np.int64, np.float64):
        with suppress(ValueError):
            names = names.astype(kind)
            break
    return np.asarray(names[numbers])
