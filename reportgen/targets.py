"""What a decision speaks of, and what a test generalises to: the names, and the words of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from reportgen.data_classes import dataclass

Target = Literal[
    "conditional",
    "generating-process",
    "domain",
    "these-sources",
    "this-session",
    "items-like-these",
    "these-tasks",
    "battles-like-these",
]
"""What a test generalises to."""

DecidingTarget = Literal[
    "new-data",
    "process",
    "seeds",
    "items",
    "session",
    "experiment",
    "these-sources",
    "domain",
    "tasks",
    "battles",
]
"""What decisions speak of."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What decisions speak of, and its words."""

    name: DecidingTarget
    words: str  # behind a decision; {n} are the data sets
    scope: str = ""  # the abstract's last sentence
    generality: str = ""  # the answer to a checklist; {n} are the units; "": how many are decided
    is_promised: bool = False  # whether its error rate was simulated to hold, not approximately
    is_shown: bool = True  # whether something is shown beyond the experiment itself


TARGETS: Mapping[str, Scope] = {
    target.name: target
    for target in (
        Scope("new-data", "for new data of this source"),
        Scope(
            "process",
            "under this process",
            "Every replication draws its data anew, so this speaks of the process that generates"
            " them.",
            "Every replication draws its data anew, so the decisions speak of the process that"
            " generates them.",
            is_promised=True,
        ),
        Scope(
            "seeds",
            "for other seeds on this split",
            "One split says nothing about others.",
            is_shown=False,
        ),
        Scope(
            "items",
            "for items like these",
            "This speaks of items like these, answered by these candidates; of other tasks it says"
            " nothing.",
            "The decisions speak of other items of the same task; of other tasks they say nothing.",
            is_promised=True,
        ),
        Scope(
            "session",
            "on the machine and in the session measured",
            "Of other machines and sessions this says nothing.",
            "The decisions speak of the machine and the session measured.",
            is_promised=True,
        ),
        Scope("experiment", "in this experiment", is_shown=False),
        Scope(
            "these-sources",
            "for new data of these {n} sources",
            "Of other sources this says nothing.",
        ),
        Scope(
            "domain",
            "for data sets like these",
            "All of this holds as far as these data sets are a fair sample.",
            "The decisions are over {n} data sets, and speak of data sets like these as far as they"
            " are a fair sample.",
            is_promised=True,
        ),
        Scope(
            "tasks",
            "for other items of these tasks",
            "This speaks of other items of these tasks, with equal weight for each; of other tasks"
            " it says nothing.",
            "The decisions speak of other items of the same tasks; of other tasks they say"
            " nothing.",
            is_promised=True,
        ),
        Scope(
            "battles",
            "for battles like these",
            "This speaks of battles like these, of judges and prompts such as here; of others it"
            " says nothing.",
            "The decisions speak of battles like these, of judges and prompts such as here.",
            is_promised=True,
        ),
    )
}
assert tuple(TARGETS) == get_args(DecidingTarget)


@dataclass(frozen=True, slots=True)
class Generalisation:
    """What a test generalises to."""

    name: Target
    words: str  # in a table of tests
    decides: DecidingTarget = "experiment"  # what a decision over data sets by it speaks of


GENERALISATIONS: Mapping[str, Generalisation] = {
    target.name: target
    for target in (
        Generalisation("conditional", "this data set"),
        Generalisation("generating-process", "new data of the source"),
        Generalisation("domain", "the population of data sets", "domain"),
        Generalisation("these-sources", "the sources", "these-sources"),
        Generalisation("this-session", "this session", "session"),
        Generalisation("items-like-these", "items like these"),
        Generalisation("these-tasks", "these tasks", "tasks"),
        Generalisation("battles-like-these", "battles like these"),
    )
}
assert tuple(GENERALISATIONS) == get_args(Target)


def target_words(target: str, n_sources: int = 0) -> str:
    """Return what a decision speaks of, behind it.

    >>> target_words("domain"), target_words("these-sources", 3)
    ('for data sets like these', 'for new data of these 3 sources')
    """
    return TARGETS[target].words.format(n=n_sources)
