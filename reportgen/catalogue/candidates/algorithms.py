"""The algorithms of the catalogue, as unfitted estimators on a matrix of inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, get_args

from reportgen.data_classes import dataclass
from reportgen.measures import Task

Make = Callable[[Task, int], Any]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An algorithm with a name."""

    name: str
    description: str
    # Takes the task and a random state, returns an unfitted estimator. A function of a module, so
    # that worker processes can import it.
    make: Make
    tasks: tuple[Task, ...] = get_args(Task)  # what it can do
    prepare: bool = True  # whether it takes a matrix, and not a data frame
    most_inputs: int | None = None  # columns that it can take
    # Words of the description that hold while an option is not given, by its name.
    stated: Mapping[str, str] = field(default_factory=dict)

    def described(self, given: Iterable[str] = ()) -> str:
        """Describe it, without what options that are given or chosen set otherwise."""
        found = self.description
        for option in given:
            found = found.replace(self.stated.get(option, ""), "", 1)
        return found


def _lda(task: Task, random_state: int) -> Any:
    """MASS::lda: priors from the learning sample, tolerance 1e-4."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis()


def _qda(task: Task, random_state: int) -> Any:
    """MASS::qda, with covariances that can be inverted: one-hot columns sum to one."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return QuadraticDiscriminantAnalysis(reg_param=0.01)


def _nb(task: Task, random_state: int) -> Any:
    """e1071::naiveBayes, with Laplace's rule for levels."""
    from reportgen.catalogue.candidates.estimators import NaiveBayes

    return NaiveBayes()


def _logistic(task: Task, random_state: int) -> Any:
    """nnet::multinom, with a small ridge so that separated classes have an estimate."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, max_iter=1000)


def _knn(task: Task, random_state: int) -> Any:
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    kind = KNeighborsClassifier if task == "classification" else KNeighborsRegressor
    return kind(n_neighbors=5)


def _rpart(task: Task, random_state: int) -> Any:
    """rpart: minsplit 20, minbucket 7, maxdepth 30, cp 0.01."""
    from reportgen.catalogue.candidates.preparation import PrunedTreeClassifier, PrunedTreeRegressor

    kind = PrunedTreeClassifier if task == "classification" else PrunedTreeRegressor
    return kind(cp=0.01, random_state=random_state)


def _svm(task: Task, random_state: int) -> Any:
    """e1071::svm: radial kernel with gamma one over the columns, cost 1, epsilon 0.1."""
    # As there, a numeric response is standardised.
    if task == "classification":
        from sklearn.svm import SVC

        return SVC(C=1.0, gamma="auto")
    from reportgen.catalogue.candidates.estimators import SupportVectorRegressor

    return SupportVectorRegressor(C=1.0, gamma="auto", epsilon=0.1)


def _nnet(task: Task, random_state: int) -> Any:
    """nnet::nnet: logistic units, a quasi-Newton method, and weight decay, so that it converges."""
    # The package's own penalty is alpha / 2, added to the summed loss; R's is decay.
    # A numeric response is standardised.
    from sklearn.neural_network import MLPClassifier

    from reportgen.catalogue.candidates.estimators import NeuralNetRegressor

    kind = MLPClassifier if task == "classification" else NeuralNetRegressor
    return kind(
        hidden_layer_sizes=(5,),
        activation="logistic",
        solver="lbfgs",
        alpha=0.1,
        max_iter=1000,
        random_state=random_state,
    )


def _rf(task: Task, random_state: int) -> Any:
    """randomForest: sqrt(p) inputs a split in classification, p / 3 in regression."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    if task == "classification":
        return RandomForestClassifier(
            n_estimators=200, max_features="sqrt", n_jobs=1, random_state=random_state
        )
    return RandomForestRegressor(
        n_estimators=200,
        max_features=1 / 3,
        min_samples_leaf=5,
        n_jobs=1,
        random_state=random_state,
    )


def _gbm(task: Task, random_state: int) -> Any:
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    kind = GradientBoostingClassifier if task == "classification" else GradientBoostingRegressor
    return kind(n_estimators=100, learning_rate=0.1, max_depth=3, random_state=random_state)


def _lm(task: Task, random_state: int) -> Any:
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def _rlm(task: Task, random_state: int) -> Any:
    from reportgen.catalogue.candidates.estimators import HuberLinearModel

    return HuberLinearModel()


def _spline(task: Task, random_state: int) -> Any:
    from reportgen.catalogue.candidates.estimators import SmoothingSpline

    return SmoothingSpline()


def _loess(task: Task, random_state: int) -> Any:
    from reportgen.catalogue.candidates.estimators import LocalRegression

    return LocalRegression()


def _dummy(task: Task, random_state: int) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyClassifier(strategy="prior") if task == "classification" else DummyRegressor()


_CLASSES: tuple[Task, ...] = ("classification",)
_NUMBERS: tuple[Task, ...] = ("regression",)

ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(
    {
        algorithm.name: algorithm
        for algorithm in (
            Algorithm("lda", "linear discriminant analysis", _lda, _CLASSES),
            Algorithm(
                *(
                    "qda",
                    "quadratic discriminant analysis, covariances shrunk by 1%",
                    _qda,
                    _CLASSES,
                ),
                stated={"reg_param": ", covariances shrunk by 1%"},
            ),
            Algorithm(
                "nb", "naive Bayes, normal numbers and smoothed shares", _nb, _CLASSES, False
            ),
            Algorithm("logistic", "logistic regression with a small ridge", _logistic, _CLASSES),
            Algorithm("knn", "5 nearest neighbours", _knn, stated={"n_neighbors": "5 "}),
            Algorithm(
                *("rpart", "classification or regression tree, pruned with cp 0.01", _rpart),
                stated={"cp": ", pruned with cp 0.01"},
            ),
            Algorithm(
                *("svm", "support vector machine, radial kernel, cost 1", _svm),
                stated={"C": ", cost 1", "kernel": ", radial kernel"},
            ),
            Algorithm(
                *("nnet", "neural network, one hidden layer of 5 units, decay 0.05", _nnet),
                stated={"hidden_layer_sizes": " of 5 units", "alpha": ", decay 0.05"},
            ),
            Algorithm(
                *("rf", "random forest of 200 trees", _rf), stated={"n_estimators": " of 200 trees"}
            ),
            Algorithm(
                *("gbm", "gradient boosting, 100 trees of depth 3", _gbm),
                stated={"n_estimators": ", 100 trees", "max_depth": " of depth 3"},
            ),
            Algorithm("lm", "linear model", _lm, _NUMBERS),
            Algorithm("rlm", "robust linear model, Huber’s M-estimation", _rlm, _NUMBERS),
            Algorithm(
                "spline",
                "cubic smoothing spline of one input, generalised cross-validation",
                _spline,
                _NUMBERS,
                most_inputs=1,
            ),
            Algorithm(
                "loess",
                "local quadratic regression, span 0.75",
                _loess,
                _NUMBERS,
                most_inputs=4,
                stated={"span": ", span 0.75"},
            ),
            Algorithm("dummy", "most frequent class, or mean, whatever the inputs", _dummy),
        )
    }
)
"""By name, in the order in which they are listed."""
