"""The methods that compare all pairs of candidates: their names, and the words of each.

A method has one row here, whatever says it: tables of methods, captions, conclusions, checklists.
Sentences on how it computes stand where methods are described, in `templates/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from reportgen.data_classes import dataclass
from reportgen.units import Words

MethodName = Literal[
    "own-variance",
    "score",
    "cluster-robust",
    "welch",
    "stages",
    "block-model",
    "sign-flip",
    "permutation-t",
    "closed-means",
    "joint-ranks",
    "closed-ranks",
    "aligned-ranks",
    "signed-rank-holm",
    "new-data",
    "observations",
    "mcnemar",
    "mcnemar-mid-p",
    "cluster-sign-flip",
    "brunner-munzel",
    "bootstrap-ratio",
    "worths",
]
"""Methods on one data set."""

VerdictMethod = Literal[
    "own-variance", "families", "sources", "wins", "interaction", "unstructured", "these-tasks"
]
"""Methods that decide over data sets."""
ComparisonMethod = Literal[VerdictMethod, "fixed-datasets", "means", "mean-ranks", "consensus",
                           "signed-ranks", "bayesian"]  # fmt: skip
"""Methods that order candidates over data sets."""


TestName = Literal["t", "permutation", "wilcoxon", "sign"]
RuleName = Literal["obrien-fleming", "pocock", "constant", "narrowing"]
CombinationName = Literal["fisher", "inverse-normal"]
Multiplicity = Literal["holm", "bonferroni", "closed"]
Stop = Literal["decided", "both"]
"""The tests of stages, their rules, how they are combined and adjusted, and what ends them."""


@dataclass(frozen=True, slots=True)
class OverDatasets:
    """The words of a method that orders candidates over data sets."""

    kind: str = ""  # in a table of all methods: what it rests on
    answer: str = ""  # likewise: what it answers
    short: str = ""  # in a table of questions
    question: str = ""
    shortest: str = ""  # before the number of its decisions
    by: str = ""  # what decides
    opening: str = ""  # of the sentence that counts decisions
    preposition: str = "with"  # before what decides


@dataclass(frozen=True, slots=True)
class MethodWords:
    """A method, and its words."""

    name: str
    title: str = ""  # in a table of methods on one data set
    basis: str = "own-variance"  # what a conclusion by it is based on
    by: str = "each pair’s own variance"  # what intervals on one data set are of
    checked: str = ", each by the pair’s own variance,"  # behind intervals in a checklist
    tables: tuple[str, ...] = ()  # further names of its tables of pairs: how these are adjusted
    over: OverDatasets = OverDatasets()


METHODS: Mapping[str, MethodWords] = {
    method.name: method
    for method in (
        MethodWords(
            "own-variance",
            "Means, own variance of each pair",
            over=OverDatasets(
                "Means: own variances",
                Words("whose mean over data sets like these is better"),
                "Means, own variances",
                "Who is better on average?",
                "Own variances",
                "each pair’s own variance",
                "By own variances",
                "by",
            ),
            tables=("own-variance-bonferroni", "own-variance-many-pairs"),
        ),
        MethodWords(
            "score", "Shares, score interval (Tango)", "score", "score intervals",
            ", score intervals,",
        ),
        MethodWords(
            "cluster-robust", "Means, clusters (CR2)", "clusters", "a variance over clusters",
            ", by the variance over clusters,",
        ),
        MethodWords(
            "welch", "Means of independent samples (Welch)", "samples", "both variances",
            ", each by both variances,",
        ),
        MethodWords("stages", "Stages of the execution", "stages"),
        MethodWords(
            "block-model", "Block model, pooled variance", "pooled", "one variance of all pairs",
            " with one variance for all pairs",
            ("tukey", "tukey-kramer", "max-t", "bonferroni", "dunnett"),
        ),
        MethodWords("sign-flip", "Sign flips of replications, step-down"),
        MethodWords("permutation-t", "Paired t, permuted"),
        MethodWords("closed-means", "Means permuted, closed testing"),
        MethodWords("joint-ranks", "Joint ranks"),
        MethodWords("closed-ranks", "Ranks, closed testing"),
        MethodWords("aligned-ranks", "Aligned ranks"),
        MethodWords("signed-rank-holm", "Signed ranks, Holm"),
        MethodWords(
            "new-data", "New data", "resampling", "the variance for new data, approximate",
            ", corrected for new data of the source,",
        ),
        MethodWords(
            "observations", "Means over test observations", "observations",
            "each pair’s own variance over test observations",
            ", each by the variance over test observations,",
        ),
        MethodWords("mcnemar", "McNemar, exact, Holm"),
        MethodWords("mcnemar-mid-p", "McNemar, mid-p, Holm"),
        MethodWords("cluster-sign-flip", "Sign flips of clusters, Bonferroni"),
        MethodWords("brunner-munzel", "Brunner and Munzel, Holm"),
        MethodWords("bootstrap-ratio", "Ratio of means, bootstrap"),
        MethodWords(
            "worths", "Worths of battles (Davidson)", "worths", "the worths of all battles",
            ", of the worths of all battles,",
        ),
        MethodWords(
            "sources", basis="sources", checked=", by the errors of the data sets,",
            over=OverDatasets(
                "Means: errors of data sets",
                Words("whose mean over these data sets is better"),
                "Means, errors of data sets",
                "Who is better on average?",
                "Errors of data sets",
                "the error of each data set",
                "By the errors of the data sets",
                "by",
            ),
        ),
        MethodWords(
            "families",
            basis="families",
            checked=", by families of data sets,",
            over=OverDatasets(
                "Means: families of data sets",
                Words("whose mean over data sets like these is better"),
                "Means, families of data sets",
                "Who is better on average?",
                "Families of data sets",
                "families of data sets",
                "By families of data sets",
                "by",
            ),
        ),
        MethodWords(
            "wins", basis="wins", checked=", of who is ahead more often,",
            over=OverDatasets(
                "Wins",
                Words("who is ahead on more data sets like these"),
                "Wins",
                "Who is ahead on more data sets?",
                "Wins",
                "wins on data sets",
                "By who is ahead on more data sets",
                "by",
            ),
        ),
        MethodWords(
            "interaction", basis="model", checked=" by the model of all data sets",
            over=OverDatasets(
                "Model: one variance",
                "the same, one variance for all pairs",
                "Means, one variance",
                "Who is better on average?",
                by="independent interactions",
                opening="With one variance for all pairs",
            ),
        ),
        MethodWords(
            "unstructured", basis="model", checked=" by the model of all data sets",
            over=OverDatasets(
                "Model: free covariance",
                "the same, a covariance of all candidates",
                "Means, free covariance",
                "Who is better on average?",
                by="a free covariance of the candidates",
                opening="With a free covariance of the candidates",
            ),
        ),
        MethodWords(
            "fixed-datasets",
            over=OverDatasets(
                "Model: data sets fixed",
                Words("whose mean over these data sets is better, given their data"),
            ),
        ),
        MethodWords(
            "these-tasks", basis="tasks", checked=", each by the variances within tasks,",
            over=OverDatasets("Means: within tasks", "whose mean over these tasks is better"),
            tables=("task-means",),
        ),
        MethodWords(
            "means",
            over=OverDatasets(
                "Exploratory: means", "who is better on average, by how much counts; no test"
            ),
        ),
        MethodWords(
            "mean-ranks",
            over=OverDatasets(
                "Exploratory: mean ranks", "who stands higher on average; no test"
            ),
        ),
        MethodWords(
            "consensus",
            over=OverDatasets(
                "Consensus: of the relations",
                Words("what most data sets say, each one vote; no test"),
                "Consensus of orders",
                "Which order is nearest to all?",
            ),
        ),
        MethodWords(
            "signed-ranks",
            over=OverDatasets(
                "Tests: signed ranks, Holm",
                "who tends to be better, whatever the outliers",
                "Signed ranks, Holm",
                "Who tends to be better?",
            ),
        ),
        MethodWords(
            "bayesian",
            over=OverDatasets(
                "Tests: Bayesian signed ranks",
                "how probable it is, given a prior; 95% or more",
            ),
        ),
    )
}  # fmt: skip
assert {*METHODS} == {*get_args(MethodName), *get_args(ComparisonMethod)}
