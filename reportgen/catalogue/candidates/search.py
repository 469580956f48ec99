"""The settings of a tuning and its criteria: grids, random searches, inner measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import exp, log
from typing import Any, Literal, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.catalogue.measures import find_measure, known_measure
from reportgen.catalogue.measures.prediction import ComputedMeasure
from reportgen.catalogue.plugins import MEASURES, find_entry_points
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.measures import Task

Setting = Mapping[str, Any]
"""Hyperparameters by name."""

Rule = Literal["best", "one-se"]
"""By which a setting is chosen: the least error, or the first within a standard error of it."""


class Settings(Protocol):
    """Return the settings to try, given a learning sample."""

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Return the settings, the simplest first."""


@dataclass(frozen=True, slots=True)
class Span:
    """All numbers between two."""

    lower: float
    upper: float
    is_log: bool = False  # whether numbers are drawn evenly on the logarithmic scale

    def at(self, share: float) -> float:
        """Return the number at a share of the way.

        Examples
        --------
        >>> Span(1.0, 3.0).at(0.5), round(Span(0.1, 10.0, True).at(0.5), 9)
        (2.0, 1.0)
        """
        if self.is_log:
            number = exp(log(self.lower) + share * (log(self.upper) - log(self.lower)))
        else:
            number = self.lower + share * (self.upper - self.lower)
        return min(max(number, self.lower), self.upper)


Values = tuple[Any, ...] | Span
"""The values of a hyperparameter, one by one or all between two."""


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of some values."""

    values: Mapping[str, tuple[Any, ...]]  # by hyperparameter

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Return every combination, the last hyperparameter changing fastest."""
        return [
            dict(zip(self.values, chosen, strict=True)) for chosen in product(*self.values.values())
        ]


@dataclass(frozen=True, slots=True)
class RandomSearch:
    """Combinations drawn at random."""

    values: Mapping[str, Values]  # by hyperparameter
    n: int  # how many. From lists alone none is drawn twice.

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Draw the combinations."""
        if any(isinstance(values, Span) for values in self.values.values()):
            return [self._draw(rng) for _ in range(self.n)]
        lists = {name: values for name, values in self.values.items() if isinstance(values, tuple)}
        sizes = [len(values) for values in lists.values()]
        n_all = int(np.prod(sizes, dtype=object))
        drawn = rng.choice(n_all, size=min(self.n, n_all), replace=False)
        places = zip(*np.unravel_index(np.sort(drawn), sizes), strict=True)
        return [
            {name: values[i] for (name, values), i in zip(lists.items(), at, strict=True)}
            for at in places
        ]

    def _draw(self, rng: Generator) -> Setting:
        return {
            name: values.at(float(rng.random()))
            if isinstance(values, Span)
            else values[int(rng.integers(len(values)))]
            for name, values in self.values.items()
        }


USUAL: dict[Task, str] = {"classification": "misclassification", "regression": "mse"}
MEANS = ("misclassification", "accuracy", "brier", "deviance", "log-loss", "mse", "mae")
"""Measures that are means over observations, and so have a standard error."""


Judged = str | ComputedMeasure | None
"""The criterion of tuning: a name of the catalogue, a package's measure, or the usual one."""


def inner_measure(measure: Judged, task: Task) -> ComputedMeasure:
    """Return what an inner cross-validation judges by; the usual measure where none is named."""
    if isinstance(measure, ComputedMeasure):
        return measure
    return find_measure(measure or USUAL[task])


def check_inner_measure(name: str, rule: str, packages: Sequence[str] = ()) -> Judged:
    """Return a measure that tuning can judge by.

    `rule`: by which a setting is chosen.
    `packages`: packages whose measures may be loaded.
    Result: the name of one of the catalogue; one that a package brings.
    Raises SetupError if there is none of that name, or it is not one of predictions, or has no
    standard error where the rule needs one.
    """
    measure = find_measure(name, packages)
    is_own = known_measure(name) is not None
    is_of_predictions = measure.task is not None if is_own else name in find_entry_points(MEASURES)
    if not is_of_predictions:
        raise SetupError(
            f"found the inner measure {name!r}; allowed a measure of the catalogue that "
            "judges predictions, such as misclassification, brier or mae, or of a package"
        )
    if rule == "one-se" and measure.name not in MEANS:
        raise SetupError(
            f"found rule: one-se with the inner measure {name!r}; allowed means over "
            f"observations: {', '.join(MEANS)}"
        )
    return name if is_own else measure


def check_judged(measure: ComputedMeasure, estimator: Any, task: Task) -> None:
    """Raise a SetupError unless an estimator can be judged by a measure in a task."""
    if measure.task not in (None, task):
        raise SetupError(
            f"found the inner measure {measure.name!r} of {measure.task} with an estimator for "
            f"{task}; allowed a measure of {task}"
        )
    if measure.needs_probabilities and not hasattr(estimator, "predict_proba"):
        raise SetupError(
            f"found the inner measure {measure.name!r}, which needs probabilities, with an "
            "estimator that has none; allowed a measure of predicted classes"
        )
