"""Names that many candidates and data sets have: where rows and columns are swapped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from reportgen.study.errors import listed

MOST = 1 / 2  # of the names of data sets, from which these are candidates
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
    r"|ppo|sac|dqn|rainbow|a[23]c|td3|ddpg|trpo|dreamer|cplex|gurobi|scip|highs|cbc|glpk|kissat"
    r"|cadical|minisat|glucose|ours|(my|our)?(model|method|algorithm|algo|approach|classifier)[a-z]?"
    r"|gcn|gat|gin|sage|graphsage|autoarima|autoets|arima|prophet|nbeats|tft|patchtst|dlinear"
    r"|cnn|rnn|lstm|gru|transformer|bert|roberta|resnet\d*|vgg\d*|vit\w*|densenet\d*|unet"
    r")(cv|v?\d*)"
    r"|(openai|anthropic|google|meta|mistralai|qwen|deepseek\w*)?(gpt|claude|gemini|gemma|llama"
    r"|mistral|mixtral|qwen|deepseek|phi|command)\w*"
    r"|mynet|.+(solver|classifier|classification|regressor|regression|forests?|classif|machine)",
)
"""In lower case, of letters and digits alone."""
DATASETS = re.compile(
    r"iris|wine|(red|white)wine|winequality\w*|digits|zoo|glass|sonar|ionosphere|(breast)?cancer"
    r"|breastcancerwisconsin|wdbc|boston|housing|(california|boston)housing|titanic|adult|census"
    r"|covertype|covtype|abalone|mushrooms?|vowel|vehicle|segment|yeast|ecoli|pima|diabetes"
    r"|spambase|germancredit|credit(g|approval)|australian|heart(disease|statlog)?|balancescale"
    r"|tictactoe|krvskp|magic|letters?|satimage|satellite|shuttle|nursery|higgs|airlines|bank"
    r"|bankmarketing|diamonds|mpg|autompg|concrete|airfoil|kin8nm|penguins|20newsgroups|newsgroups"
    r"|mnist|fashionmnist|kmnist|emnist|svhn|cifar(10|100)?|imagenet\w*|stl10|celeba|coco|cora"
    r"|citeseer|pubmed|imdb|agnews|sst2?|mnli|qnli|qqp|rte|mrpc|cola|squad\w*|glue|superglue|mmlu"
    r"|(data|ds|dataset|task|problem|instance|benchmark|q|query|question|topic|item|patient|subject"
    r"|user|case)\d+"
    r"|gsm8k|hellaswag|arc(easy|challenge)?|winogrande|truthfulqa|boolq|piqa|humaneval|mbpp"
)
"""Likewise of data."""


def names_candidate(name: str) -> bool:
    """Whether a name is that of a usual candidate: no data set is called so.

    Examples
    --------
    >>> [names_candidate(n) for n in ("SVC", "Random Forest", "5-NN", "iris", "breast cancer")]
    [True, True, True, False, False]
    """
    return NAMES.fullmatch(re.sub(r"[\W_]", "", name.lower())) is not None


def names_dataset(name: str) -> bool:
    """Whether a name is that of data that many have: no candidate is called so.

    Examples
    --------
    >>> [names_dataset(n) for n in ("Iris", "breast_cancer", "CIFAR-10", "svm", "ours")]
    [True, True, True, False, False]
    """
    is_environment = re.fullmatch(r"[A-Z]\w+-v\d+", name) is not None  # of Gymnasium
    return is_environment or DATASETS.fullmatch(re.sub(r"[\W_]", "", name.lower())) is not None


def swapped(datasets: Iterable[str], candidates: Iterable[str]) -> str:
    """Return what is found where data sets have names of candidates, or candidates those of data.

    Nothing where others of these names are on the right side.
    """
    names, others = list(dict.fromkeys(datasets)), list(dict.fromkeys(candidates))
    if _are_all(names_candidate, names) and not any(map(names_candidate, others)):
        found = f"the data sets {listed(names)}, with names of candidates"
        return f"{found}, and the candidates {listed(others)}"
    if _are_all(names_dataset, others) and not any(map(names_dataset, names)):
        return f"the candidates {listed(others)}, with names of data sets"
    return ""


def _are_all(names: Callable[[str], bool], own: Sequence[str]) -> bool:
    """Whether most of several names are of a kind."""
    return len(own) > 1 and sum(map(names, own)) >= MOST * len(own)
