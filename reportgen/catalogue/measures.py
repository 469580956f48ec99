"""Performance measures: their names, directions and units, and how they are computed."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.names import unknown_name
from reportgen.catalogue.plugins import MEASURES, edition, load, offered
from reportgen.errors import SetupError
from reportgen.warehouse import Measure

if TYPE_CHECKING:
    from reportgen.catalogue.dataset import DataSet

Task = Literal["classification", "regression"]

SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)
"""What a predicted probability of zero counts as where its logarithm is taken."""

NO_PROBABILITIES = "the candidate gives no class probabilities"
AT_ONCE = "the program learns and predicts in one go: only the time of both is known"


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a fitted candidate says about a test sample, beside the truth.

    Attributes
    ----------
    truth, predicted : ndarray of shape (n,)
        Responses; for classification the classes' numbers, from 0.
    probabilities : ndarray of shape (n, G) or None
        Of each class; None where the candidate gives none, or they were not
        asked for.
    fit_seconds, predict_seconds : float
        The first is not a number where only the time of both is known, which is
        then the second.
    no_probabilities : str
        Why there are no probabilities.
    memory_bytes : float or None
        Peak memory of the fit, where it was asked for and is known.
    estimator, inputs : object
        The fitted candidate, and the test sample's inputs.
    answers : dict
        What the candidate has said of these inputs, by the method that was
        asked; filled as it is asked more.
    """

    truth: NDArray[np.float64] | NDArray[np.int64]
    predicted: NDArray[np.float64] | NDArray[np.int64]
    probabilities: NDArray[np.float64] | None
    fit_seconds: float
    predict_seconds: float
    no_probabilities: str = NO_PROBABILITIES
    memory_bytes: float | None = None
    estimator: Any = None
    inputs: Any = None
    answers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComputedMeasure:
    """A measure and its formula.

    Attributes
    ----------
    measure : Measure
    compute : callable
        Takes a `Prediction`; raises ValueError where the value is not defined.
    task : {"classification", "regression"} or None
        What it is made for; None for both.
    needs_probabilities, needs_memory : bool
        Whether it needs class probabilities, or the memory of the fit.
    check_dataset : callable or None
        Raises a SetupError for a data set that it is not defined for.
    edition : str
        Of a package's measure, what changes with its code; "" for the catalogue's.
    """

    measure: Measure
    compute: Callable[[Prediction], float]
    task: Task | None = None
    needs_probabilities: bool = False
    needs_memory: bool = False
    check_dataset: Callable[[DataSet], None] | None = None
    edition: str = ""

    @property
    def name(self) -> str:
        """The measure's id."""
        return self.measure.name


def known_measure(name: str) -> Measure | None:
    """Return the measure that a name or an import alias stands for, if any.

    Upper and lower case, underscores and blanks make no difference.

    Examples
    --------
    >>> known_measure("Misclassification").name
    'misclassification'
    >>> known_measure("mtime").name
    'fit-time'
    >>> known_measure("cost") is None
    True
    """
    key = _normal(name)
    return _MEASURES.get(_ALIASES.get(key, key))


def find_measure(name: str, packages: Sequence[str] = ()) -> ComputedMeasure:
    """Return the measure of that name with its formula.

    A name that is no measure of the catalogue may be that of one of
    scikit-learn's scorers. Ours come first: accuracy, balanced_accuracy, f1
    (averaged over the classes, as f1_macro is), r2, roc_auc. Then come those that
    other packages bring by the entry point group `reportgen.measures`.

    Parameters
    ----------
    name : str
    packages : sequence of str
        Packages whose measures may be loaded.

    Raises
    ------
    SetupError
        If the name is unknown, or its package may not be loaded.

    Examples
    --------
    >>> find_measure("misclassification").measure.better
    'smaller'
    >>> find_measure("matthews_corrcoef").measure.better
    'larger'
    """
    measure = known_measure(name)
    if measure is not None:
        return _FORMULAS[measure.name]
    theirs = offered(MEASURES)
    if name in theirs:
        return _brought(name, load(MEASURES, name, packages))
    from reportgen.catalogue.scorers import find_scorer, scorer_names

    scorer = find_scorer(name)
    if scorer is None:
        error = unknown_name("measure", name, (*_FORMULAS, *theirs), scorer_names())
        raise SetupError(f"{error}, and any scorer of scikit-learn")
    return scorer


def _brought(name: str, measure: object) -> ComputedMeasure:
    """Return a measure that a package brings, under its name there."""
    if not isinstance(measure, ComputedMeasure):
        raise SetupError(
            f"found {type(measure).__name__} as the measure {name!r} of a package; allowed a "
            "ComputedMeasure"
        )
    own = replace(measure.measure, name=name)
    return replace(measure, measure=own, edition=edition(MEASURES, name))


def _normal(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")


def _misclassification(p: Prediction) -> float:
    return float(np.mean(p.predicted != p.truth))


def _accuracy(p: Prediction) -> float:
    return float(np.mean(p.predicted == p.truth))


def _balanced_accuracy(p: Prediction) -> float:
    """Average the share of hits over the classes that the test sample has."""
    hit = p.predicted == p.truth
    return float(np.mean([hit[p.truth == g].mean() for g in np.unique(p.truth)]))


def _balanced_error(p: Prediction) -> float:
    return 1.0 - _balanced_accuracy(p)


def _brier(p: Prediction) -> float:
    probabilities = _probabilities(p)
    truth = np.eye(probabilities.shape[1])[p.truth.astype(np.int64)]
    return float(np.mean(np.sum((probabilities - truth) ** 2, axis=1)) / 2.0)


def _log_loss(p: Prediction) -> float:
    probabilities = _probabilities(p)
    of_truth = probabilities[np.arange(len(p.truth)), p.truth.astype(np.int64)]
    return float(-np.mean(np.log(np.clip(of_truth, SMALLEST_PROBABILITY, 1.0))))


def _deviance(p: Prediction) -> float:
    return 2.0 * _log_loss(p)


def _auc(p: Prediction) -> float:
    """Average one against rest over the classes of the test sample."""
    probabilities = _probabilities(p)
    present = np.unique(p.truth).astype(np.int64)
    if len(present) < 2:
        raise ValueError("the test sample has a single class, so that there is no AUC")
    return float(np.mean([_two_class_auc(p.truth == g, probabilities[:, g]) for g in present]))


def _two_class_auc(is_member: NDArray[np.bool_], values: NDArray[np.float64]) -> float:
    """Return the Mann-Whitney share of pairs in the right order; ties count half."""
    from scipy.stats import rankdata

    n_members = int(is_member.sum())
    n_others = len(is_member) - n_members
    excess = float(rankdata(values)[is_member].sum()) - n_members * (n_members + 1) / 2
    return excess / (n_members * n_others)


def _one_minus_auc(p: Prediction) -> float:
    return 1.0 - _auc(p)


def _f1(p: Prediction) -> float:
    """Average over the classes that occur in the truth or the predictions."""
    classes = np.union1d(p.truth, p.predicted)
    hits = np.array([np.sum((p.truth == g) & (p.predicted == g)) for g in classes])
    sizes = np.array([np.sum(p.truth == g) + np.sum(p.predicted == g) for g in classes])
    return float(np.mean(2 * hits / sizes))


def _mse(p: Prediction) -> float:
    return float(np.mean((p.predicted - p.truth) ** 2))


def _rmse(p: Prediction) -> float:
    return float(np.sqrt(_mse(p)))


def _mae(p: Prediction) -> float:
    return float(np.mean(np.abs(p.predicted - p.truth)))


def _median_absolute_error(p: Prediction) -> float:
    return float(np.median(np.abs(p.predicted - p.truth)))


def _r2(p: Prediction) -> float:
    variance = float(np.var(p.truth))
    if variance == 0.0:
        raise ValueError("the response is constant in the test sample, so that there is no R²")
    return 1.0 - _mse(p) / variance


def _fit_time(p: Prediction) -> float:
    return _apart(p, p.fit_seconds)


def _predict_time(p: Prediction) -> float:
    return _apart(p, p.predict_seconds)


def _time(p: Prediction) -> float:
    return p.predict_seconds + (0.0 if np.isnan(p.fit_seconds) else p.fit_seconds)


def _apart(p: Prediction, value: float) -> float:
    """Return what belongs to the fit or to the predictions alone, where that is known."""
    if np.isnan(p.fit_seconds):
        raise ValueError(AT_ONCE)
    return value


def _fit_memory(p: Prediction) -> float:
    _apart(p, p.fit_seconds)
    if p.memory_bytes is None:
        raise ValueError("this system does not tell how much memory a fit takes")
    return p.memory_bytes


def _model_size(p: Prediction) -> float:
    """Return the bytes of the fitted candidate as it would be sent or kept (pickled)."""
    _apart(p, p.fit_seconds)
    return float(len(pickle.dumps(p.estimator, protocol=pickle.HIGHEST_PROTOCOL)))


def _probabilities(p: Prediction) -> NDArray[np.float64]:
    if p.probabilities is None:
        raise ValueError(p.no_probabilities)
    return p.probabilities


def _error(name: str) -> Measure:
    return Measure(name, "smaller", "share", (0.0, 1.0))


def _loss(name: str, unit: str = "") -> Measure:
    return Measure(name, "smaller", unit, (0.0, None))


def _gain(name: str, *, least: float | None = 0.0) -> Measure:
    return Measure(name, "larger", "share", (least, 1.0))


_COMPUTED = (
    ComputedMeasure(_error("misclassification"), _misclassification, "classification"),
    ComputedMeasure(_error("balanced-error"), _balanced_error, "classification"),
    ComputedMeasure(_error("brier"), _brier, "classification", needs_probabilities=True),
    ComputedMeasure(
        _error("one-minus-auc"), _one_minus_auc, "classification", needs_probabilities=True
    ),
    ComputedMeasure(
        _loss("deviance", "nats"), _deviance, "classification", needs_probabilities=True
    ),
    ComputedMeasure(
        _loss("log-loss", "nats"), _log_loss, "classification", needs_probabilities=True
    ),
    ComputedMeasure(_gain("accuracy"), _accuracy, "classification"),
    ComputedMeasure(_gain("balanced-accuracy"), _balanced_accuracy, "classification"),
    ComputedMeasure(_gain("auc"), _auc, "classification", needs_probabilities=True),
    ComputedMeasure(_gain("f1"), _f1, "classification"),
    ComputedMeasure(_loss("mse"), _mse, "regression"),
    ComputedMeasure(_loss("rmse"), _rmse, "regression"),
    ComputedMeasure(_loss("mae"), _mae, "regression"),
    ComputedMeasure(_loss("median-absolute-error"), _median_absolute_error, "regression"),
    ComputedMeasure(_gain("r2", least=None), _r2, "regression"),
    ComputedMeasure(_loss("fit-time", "s"), _fit_time),
    ComputedMeasure(_loss("predict-time", "s"), _predict_time),
    ComputedMeasure(_loss("time", "s"), _time),
    ComputedMeasure(_loss("fit-memory", "bytes"), _fit_memory, needs_memory=True),
    ComputedMeasure(_loss("model-size", "bytes"), _model_size),
)

_FORMULAS = MappingProxyType({computed.name: computed for computed in _COMPUTED})
_MEASURES = MappingProxyType({computed.name: computed.measure for computed in _COMPUTED})
_ALIASES = MappingProxyType(
    {
        "vmiscl": "misclassification",
        "error": "misclassification",
        "err": "misclassification",
        "acc": "accuracy",
        "mtime": "fit-time",
        "vpredtime": "predict-time",
        "logloss": "log-loss",
        "roc-auc": "auc",
        "f1-macro": "f1",
        "medae": "median-absolute-error",
    }
)
