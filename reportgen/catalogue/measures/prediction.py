"""What a measure is computed from, and a measure with its formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.measures import Kind, Task
from reportgen.performance_measure import Measure

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet

NO_PROBABILITIES = "the candidate gives no class probabilities"


@dataclass(frozen=True, slots=True)
class Prediction:
    """The predictions of a fitted candidate on a test sample, with the truth."""

    # truth, predicted: (n,); responses; for classification the classes' numbers, from 0.
    truth: NDArray[np.float64] | NDArray[np.int64]
    predicted: NDArray[np.float64] | NDArray[np.int64]
    # (n, G); of each class; None where the candidate gives none, or they were not asked for.
    probabilities: NDArray[np.float64] | None
    # fit_seconds, predict_seconds: On the clock. The first is not a number where only the time of
    # both is known, which is then the second.
    fit_seconds: float
    predict_seconds: float
    no_probabilities: str = NO_PROBABILITIES  # why there are no probabilities
    memory_bytes: float | None = None  # peak memory of the fit, where it was requested and is known
    # estimator, inputs: The fitted candidate, and the test sample's inputs.
    estimator: Any = None
    inputs: Any = None
    # Predictions of these inputs by method, kept so that each is computed once.
    answers: dict[str, Any] = field(default_factory=dict)
    classes: tuple[str, ...] = ()  # the classes by their numbers; empty for regression
    # fit_cpu_seconds, predict_cpu_seconds: Of the processor, likewise.
    fit_cpu_seconds: float = 0.0
    predict_cpu_seconds: float = 0.0
    predict_memory_bytes: float | None = None  # as `memory_bytes`, of the predictions


@dataclass(frozen=True, slots=True)
class ComputedMeasure:
    """A measure and its formula."""

    measure: Measure
    # Takes a `Prediction`; raises ValueError where the value is not defined.
    compute: Callable[[Prediction], float]
    task: Task | None = None  # what it is made for; None for both
    # needs_probabilities, needs_memory, needs_predict_memory: Whether it needs class probabilities,
    # or the memory of the fit, or of the predictions.
    needs_probabilities: bool = False
    needs_memory: bool = False
    needs_predict_memory: bool = False
    # Raises a SetupError for a data set that it is not defined for.
    check_dataset: Callable[[DataSet], None] | None = None
    edition: str = ""  # of a package's measure, what changes with its code; "" for the catalogue's.
    # Whether its values on different data sets have one scale; None where that is not known.
    kind: Kind | None = None

    @property
    def name(self) -> str:
        """The measure's id."""
        return self.measure.name
