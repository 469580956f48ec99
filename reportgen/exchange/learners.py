"""Names of learning algorithms, which data sets hardly have: where rows and columns are swapped."""

from __future__ import annotations

import re
from collections.abc import Iterable

from reportgen.study.errors import listed

MOST = 2 / 3  # of the names of data sets, from which these are learners
NAMES = re.compile(
    r"(linear|kernel|nu|rbf|gaussian|multinomial|bernoulli|plain|tuned|default)?("
    r"rf|randomforests?|extratrees?|ranger|svm|svms|svc|svr|linearsvc|supportvectormachines?"
    r"|k?\d*nn|\d+nearestneighbou?rs?|kneighbors|nearestneighbou?rs?"
    r"|lda|qda|nb|naivebayes|gnb|gaussiannb|bernoullinb|multinomialnb"
    r"|lr|logreg|logit|logistic|glm|glmnet|ols|lm|ridge|ridgecv|lasso|lassocv|elasticnet|enet"
    r"|dt|decisiontrees?|cart|rpart|c45|j48|jrip|trees?"
    r"|ada|adaboost|bagging|boosting|gbm|gbdt|gbt|hgb|hgbt|gradientboosting|histgradientboosting"
    r"|xgb|xgboost|lgbm|lightgbm|catboost|mlp|nnet|gp|gpr|gaussianprocess|dummy|baseline"
    r"|tabpfn|autogluon|autosklearn|flaml|h2o|tpot|rocket|minirocket"
    r"|cnn|rnn|lstm|gru|transformer|bert|roberta|resnet\d*|vgg\d*|vit\w*|densenet\d*|unet"
    r")(cv|v?\d*)"
    r"|.+(classifier|classification|regressor|regression|forests?|classif|machine)",
)
"""In lower case, of letters and digits alone."""


def names_learner(name: str) -> bool:
    """Whether a name is that of a learning algorithm.

    Examples
    --------
    >>> [names_learner(n) for n in ("SVC", "Random Forest", "5-NN", "iris", "breast cancer")]
    [True, True, True, False, False]
    """
    return NAMES.fullmatch(re.sub(r"[\W_]", "", name.lower())) is not None


def swapped(datasets: Iterable[str], candidates: Iterable[str]) -> str:
    """Return what is found where data sets have names of learners, and candidates have not."""
    names, others = list(dict.fromkeys(datasets)), list(dict.fromkeys(candidates))
    n = sum(map(names_learner, names))
    if len(names) < 2 or n < MOST * len(names) or any(map(names_learner, others)):
        return ""
    found = f"the data sets {listed(names)}, with names of learners"
    return f"{found}, and the candidates {listed(others)}"
