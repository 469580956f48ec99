"""The measures that the program computes: a row for each, with its words.

`reportgen/catalogue/measures/formulas.py` has the formula, a function of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from reportgen.data_classes import dataclass
from reportgen.performance_measure import EASIEST, ELO, HARDEST, Measure, evaluations_to

Task = Literal["classification", "regression"]
Kind = Literal["common", "response", "cost"]
"""The scale of a measure over data sets: one that all share, as of shares, scores and losses of
logarithms; the unit of each data set's own response; times, memory and sizes."""


@dataclass(frozen=True, slots=True)
class KnownMeasure:
    """A measure that the program computes."""

    measure: Measure
    words: str  # in figures and text; it may follow "mean"
    definition: str  # what it is, behind its name; {seconds} are of a clock or of the processor
    kind: Kind
    task: Task | None = None  # what it is made for; None for both
    # Whether it needs class probabilities, or the memory of the fit.
    needs_probabilities: bool = False
    needs_memory: bool = False
    needs_predict_memory: bool = False
    short: str = ""  # what it is called where nothing else of a study has this name
    aliases: tuple[str, ...] = ()  # its names in other programs
    chance: float | None = None  # of a constant prediction, where it is the same of all data
    power: Literal[1, 2] = 1  # of the response's unit, in that of an error of the response


def _error(name: str) -> Measure:
    return Measure(name, "smaller", "share", (0.0, 1.0), better_source="catalogue")


def _loss(name: str, unit: str = "") -> Measure:
    return Measure(name, "smaller", unit, (0.0, None), better_source="catalogue")


def _gain(name: str, *, least: float | None = 0.0) -> Measure:
    return Measure(name, "larger", "share", (least, 1.0), better_source="catalogue")


KNOWN_MEASURES: Mapping[str, KnownMeasure] = {
    known.measure.name: known
    for known in (
        KnownMeasure(
            _error("misclassification"),
            "misclassification error",
            "share of the test observations whose class is predicted wrongly",
            "common",
            "classification",
            short="error",
            aliases=("vmiscl", "error", "err"),
        ),
        KnownMeasure(
            _error("balanced-error"),
            "balanced error",
            "share of the test observations of a class that are predicted wrongly, averaged "
            "over the classes of the test sample",
            "common",
            "classification",
        ),
        KnownMeasure(
            _error("brier"),
            "Brier score",
            "half the squared distance between the predicted probabilities and those of the "
            "true class alone, summed over the classes and averaged over the test "
            "observations",
            "common",
            "classification",
            needs_probabilities=True,
        ),
        KnownMeasure(
            _error("one-minus-auc"),
            "one minus the area under the ROC curve",
            "one minus the area under the ROC curve of one class against the rest, by "
            "predicted probabilities, averaged over the classes of the test sample; ties "
            "count half",
            "common",
            "classification",
            needs_probabilities=True,
            chance=0.5,
        ),
        KnownMeasure(
            _loss("deviance", "nats"),
            "deviance",
            "−2 times the mean logarithm of the true class’s predicted probability, where "
            "less than 2.2 × 10⁻¹⁶ counts as that",
            "common",
            "classification",
            needs_probabilities=True,
        ),
        KnownMeasure(
            _loss("log-loss", "nats"),
            "log loss",
            "minus the mean logarithm of the true class’s predicted probability, where less "
            "than 2.2 × 10⁻¹⁶ counts as that",
            "common",
            "classification",
            needs_probabilities=True,
            aliases=("logloss",),
        ),
        KnownMeasure(
            _gain("accuracy"),
            "accuracy",
            "share of the test observations whose class is predicted rightly",
            "common",
            "classification",
            aliases=("acc",),
        ),
        KnownMeasure(
            _gain("balanced-accuracy"),
            "balanced accuracy",
            "share of the test observations of a class that are predicted rightly, averaged "
            "over the classes of the test sample",
            "common",
            "classification",
        ),
        KnownMeasure(
            _gain("auc"),
            "area under the ROC curve",
            "the area under the ROC curve of one class against the rest, by predicted "
            "probabilities, averaged over the classes of the test sample; ties count half",
            "common",
            "classification",
            needs_probabilities=True,
            aliases=("roc-auc",),
            chance=0.5,
        ),
        KnownMeasure(
            _gain("f1"),
            "F1 (macro)",
            "harmonic mean of precision and recall of a class, averaged over the classes that "
            "occur in the test sample or its predictions",
            "common",
            "classification",
            aliases=("f1-macro",),
        ),
        KnownMeasure(
            _loss("mse"),
            "squared error",
            "mean of the squared errors over the test observations",
            "response",
            "regression",
            power=2,
        ),
        KnownMeasure(
            _loss("rmse"),
            "root mean squared error",
            "root of the mean of the squared errors over the test observations",
            "response",
            "regression",
        ),
        KnownMeasure(
            _loss("mae"),
            "absolute error",
            "mean of the absolute errors over the test observations",
            "response",
            "regression",
        ),
        KnownMeasure(
            _loss("median-absolute-error"),
            "median absolute error",
            "median of the absolute errors over the test observations",
            "response",
            "regression",
            aliases=("medae",),
        ),
        KnownMeasure(
            _gain("r2", least=None),
            "R²",
            "one minus the mean squared error over the variance of the responses in the test "
            "sample",
            "common",
            "regression",
            chance=0.0,
        ),
        KnownMeasure(
            _loss("fit-time", "s"),
            "fitting time",
            "{seconds} of the fit",
            "cost",
            short="time",
            aliases=(
                "mtime",
                "train-time",
                "training-time",
                "time-train",
                "train-time-s",
                "training-time-s",
                "train-seconds",
                "fit-seconds",
                "fit-time-s",
                "time-fit",
            ),
        ),
        KnownMeasure(
            _loss("predict-time", "s"),
            "prediction time",
            "{seconds} of the predictions for the test sample",
            "cost",
            short="time",
            aliases=(
                "vpredtime",
                "prediction-time",
                "inference-time",
                "test-time",
                "predict-time-s",
                "predict-seconds",
                "time-predict",
            ),
        ),
        KnownMeasure(
            _loss("time", "s"),
            "computing time",
            "{seconds} of the fit and of the predictions for the test sample",
            "cost",
            short="time",
        ),
        KnownMeasure(
            _loss("fit-cpu-time", "s"),
            "processor time of the fit",
            "processor seconds of the fit",
            "cost",
        ),
        KnownMeasure(
            _loss("predict-cpu-time", "s"),
            "processor time of the predictions",
            "processor seconds of the predictions for the test sample",
            "cost",
        ),
        KnownMeasure(
            _loss("cpu-time", "s"),
            "processor time",
            "processor seconds of the fit and of the predictions for the test sample",
            "cost",
        ),
        KnownMeasure(
            _loss("fit-memory", "bytes"),
            "fitting memory",
            "the most by which the physical memory of the process that fits, one apart from "
            "the program’s own, grew during the fit",
            "cost",
            needs_memory=True,
            short="memory",
        ),
        KnownMeasure(
            _loss("predict-memory", "bytes"),
            "memory of the predictions",
            "the most by which the physical memory of the process that predicts, one apart from "
            "the program’s own, grew during the predictions for the test sample",
            "cost",
            needs_predict_memory=True,
        ),
        KnownMeasure(
            _loss("fit-predict-memory", "bytes"),
            "memory",
            "the larger of fitting memory and memory of the predictions: the most by which the "
            "physical memory of a process, one apart from the program’s own, grew",
            "cost",
            needs_memory=True,
            needs_predict_memory=True,
            short="memory",
        ),
        KnownMeasure(
            _loss("model-size", "bytes"),
            "model size",
            "bytes of the fitted candidate as Python’s pickle writes it",
            "cost",
            short="size",
        ),
    )
}

MEASURE_WORDS: Mapping[str, str] = (
    {"primary": "primary score"}
    | {name: known.words for name, known in KNOWN_MEASURES.items()}
    | {ELO.name: "Elo score"}
    | {
        evaluations_to(exponent).name: f"evaluations to 1e{exponent}".replace("-", "−")
        for exponent in range(HARDEST, EASIEST + 1)
    }
)
"""Names of known measures in figures and text, which may follow "mean"."""


def chance(name: str, n_classes: int | None = None) -> float | None:
    """Return the value of a constant prediction where it follows from the measure alone.

    `name`: of a measure, as this program or another writes it.
    `n_classes`: of the data, where it is known.

    >>> chance("roc-auc"), chance("balanced-accuracy", 4), chance("accuracy", 2)
    (0.5, 0.25, None)
    """
    own = name.lower().replace("_", "-")
    known = next((k for n, k in KNOWN_MEASURES.items() if own == n or own in k.aliases), None)
    if known is None:
        return None
    if n_classes and known.measure.name in ("balanced-accuracy", "balanced-error"):
        hits = 1 / n_classes
        return hits if known.measure.name == "balanced-accuracy" else 1 - hits
    return known.chance


def in_unit_of_response(measure: Measure, unit: str) -> Measure:
    """Return an error of the response in the response's unit, squared errors in its square.

    Measures of another kind, and those that have a unit, stay as they are.

    Examples
    --------
    >>> [in_unit_of_response(KNOWN_MEASURES[m].measure, "ft").unit_symbol for m in ("rmse", "mse")]
    ['ft', 'ft²']
    """
    known = KNOWN_MEASURES.get(measure.name)
    if known is None or known.kind != "response" or measure.unit_symbol:
        return measure
    return replace(measure, unit_symbol=unit if known.power == 1 else f"{unit}²")
