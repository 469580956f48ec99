"""Candidates: algorithms with a name, ready to be fitted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.measures import Task
from reportgen.catalogue.names import unknown_name
from reportgen.errors import SetupError

if TYPE_CHECKING:
    import pandas as pd


class Estimator(Protocol):
    """What a candidate builds: scikit-learn's convention, on data frames.

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
    """An algorithm that takes part in an experiment.

    Attributes
    ----------
    name : str
    description : str
        One line: what it is, with its options.
    build : callable
        Takes the task and a random state, returns an unfitted estimator. A
        function of a module, so that worker processes can import it.
    tasks : tuple of {"classification", "regression"}
        What it can do.
    """

    name: str
    description: str
    build: Build
    tasks: tuple[Task, ...] = get_args(Task)

    def check(self, task: Task) -> None:
        """Raise a SetupError unless the candidate suits the task."""
        if task not in self.tasks:
            raise SetupError(
                f"the candidate {self.name!r} does not do {task}, only {' and '.join(self.tasks)}"
            )

    def definition(self, task: Task) -> str:
        """Return JSON that changes whenever its fits may change.

        It holds the classes, all parameters and the packages' versions, but
        not the candidate's name.
        """
        return json.dumps(_definition(self.build(task, 0)), sort_keys=True)


def find_candidate(name: str) -> Candidate:
    """Return the candidate that a name of the catalogue stands for.

    Raises
    ------
    SetupError
        If there is none.

    Examples
    --------
    >>> find_candidate("rf").description
    'random forest of 200 trees'
    """
    if name not in _CATALOGUE:
        raise unknown_name("candidate", name, CANDIDATES)
    return _CATALOGUE[name]


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
    described: dict[str, object] = {"is": f"{kind.__module__}.{kind.__qualname__}"}
    package = sys.modules.get(kind.__module__.partition(".")[0])
    described["version"] = str(getattr(package, "__version__", ""))
    if kind is not value:
        described["with"] = _definition(_parameters(value))
    return described


def _parameters(value: Any) -> Mapping[str, object]:
    if hasattr(value, "get_params"):
        return dict(value.get_params(deep=False))
    return dict(getattr(value, "__dict__", {}))


def _prepared(estimator: Any) -> Estimator:
    """Put the common preparation of the inputs before an estimator."""
    from sklearn.pipeline import make_pipeline

    from reportgen.catalogue.preparation import InputMatrix

    pipeline: Estimator = make_pipeline(InputMatrix(), estimator)
    return pipeline


def _lda(task: Task, random_state: int) -> Estimator:
    """MASS::lda: priors from the learning sample, tolerance 1e-4."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return _prepared(LinearDiscriminantAnalysis())


def _knn(task: Task, random_state: int) -> Estimator:
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    kind = KNeighborsClassifier if task == "classification" else KNeighborsRegressor
    return _prepared(kind(n_neighbors=5))


def _rpart(task: Task, random_state: int) -> Estimator:
    """rpart: minsplit 20, minbucket 7, maxdepth 30, cp 0.01."""
    from reportgen.catalogue.preparation import PrunedTreeClassifier, PrunedTreeRegressor

    kind = PrunedTreeClassifier if task == "classification" else PrunedTreeRegressor
    return _prepared(kind(cp=0.01, random_state=random_state))


def _svm(task: Task, random_state: int) -> Estimator:
    """e1071::svm: radial kernel with gamma one over the columns, cost 1, epsilon 0.1."""
    from sklearn.svm import SVC, SVR

    if task == "classification":
        return _prepared(SVC(C=1.0, gamma="auto"))
    return _prepared(SVR(C=1.0, gamma="auto", epsilon=0.1))


def _nnet(task: Task, random_state: int) -> Estimator:
    """nnet::nnet: logistic units, a quasi-Newton method, and weight decay, so that it converges.

    The package's own penalty is alpha / 2, added to the summed loss; R's is decay.
    """
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    kind = MLPClassifier if task == "classification" else MLPRegressor
    return _prepared(
        kind(
            hidden_layer_sizes=(5,),
            activation="logistic",
            solver="lbfgs",
            alpha=0.1,
            max_iter=1000,
            random_state=random_state,
        )
    )


def _rf(task: Task, random_state: int) -> Estimator:
    """randomForest: sqrt(p) inputs a split in classification, p / 3 in regression."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    if task == "classification":
        forest = RandomForestClassifier(
            n_estimators=200, max_features="sqrt", n_jobs=1, random_state=random_state
        )
    else:
        forest = RandomForestRegressor(
            n_estimators=200,
            max_features=1 / 3,
            min_samples_leaf=5,
            n_jobs=1,
            random_state=random_state,
        )
    return _prepared(forest)


_CATALOGUE: Mapping[str, Candidate] = MappingProxyType(
    {
        candidate.name: candidate
        for candidate in (
            Candidate("lda", "linear discriminant analysis", _lda, ("classification",)),
            Candidate("knn", "5 nearest neighbours", _knn),
            Candidate("rpart", "classification or regression tree, pruned with cp 0.01", _rpart),
            Candidate("svm", "support vector machine, radial kernel, cost 1", _svm),
            Candidate("nnet", "neural network, one hidden layer of 5 units, decay 0.05", _nnet),
            Candidate("rf", "random forest of 200 trees", _rf),
        )
    }
)

CANDIDATES: tuple[str, ...] = tuple(_CATALOGUE)
"""Names of the catalogue's candidates."""
