"""The units of analysis: what a replication is, what follows from it, and its words.

Where a replication is an item that candidates answered, reports speak of items of tasks, and where
all data sets are settings of one, of settings. Templates ask for the words (`template_words`);
labels of tables and figures, made before a report is known to speak of another unit, pass
`in_words`. Sentences that a unit has alone stand in `templates/units/<name>.md.j2`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Literal, get_args

from reportgen.data_classes import dataclass
from reportgen.targets import DecidingTarget, Target

UnitName = Literal["replication", "item", "sample", "summary", "comparison"]
"""The units that results may have."""
DeclaredUnit = Literal["replication", "item", "sample", "comparison"]
"""Those that a manifest may declare; means with their spread are known by their columns."""


class Words(str):
    """A text of ours, no name: a word of a template, or a cell of a table."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """What a replication is, what follows from it for the analysis, and its words."""

    name: str
    # Whether it is a block of a resampling: a sample drawn anew, from which all candidates learn.
    is_block: bool = False
    # Whether values of several candidates stand in one row, as values of a unit or as means.
    shares_rows: bool = True
    is_contest: bool = False  # whether two candidates stand in a row, one of which is preferred
    is_summary: bool = False  # whether a value is a mean, of which number and spread are known
    # Whether it is a part of its data set, which may have measures of its own: units of two data
    # sets have no more than their number in common.
    is_nested: bool = False
    has_order: bool = False  # whether its values may drift in the order in which they were measured
    generalises_to: Target | None = None  # None: as the samples were drawn
    # What decisions on one data set, and on several, speak of; None: as `deciding_target` finds.
    target: DecidingTarget | None = None
    target_over: DecidingTarget | None = None
    has_clusters: bool = False  # whether some may belong together
    # The methods of the section `inference`: that which decides, and those beside it.
    method: Literal["paired-max-t", "items", "samples", "worths"] = "paired-max-t"
    further: Literal["", "items", "samples"] = ""
    section_over: str = "domain"  # whose verdict is that over data sets
    # What a report calls it, a data set, and a value of its own.
    noun: str = "replication"
    dataset: str = "data set"
    value: str = "value"
    mean: str = "mean"  # what stands before the measure by which candidates are ordered
    judged: str = ""  # that of which a decision has too few, where it is another noun
    in_common: str = ""  # plural: of which two candidates have too few
    symbol: str = ""  # of their number, as the head of a column
    # What stands before a data set in place of "on", and of "of".
    preposition: str = "on"
    genitive: str = "of"
    data_set_proper: str = ""  # what a data set is called where it is meant, if otherwise
    experiment: str = "Benchmark experiment"

    @property
    def is_paired(self) -> bool:
        """Whether two candidates have units in common."""
        return self.shares_rows and not self.is_summary

    @property
    def is_measured_apart(self) -> bool:
        """Whether each candidate has measurements of its own, whose spread is the error."""
        return not self.shares_rows and not self.is_contest

    @property
    def has_errors_of_datasets(self) -> bool:
        """Whether the mean of one data set has an error, from its own units."""
        return self.is_block or self.is_measured_apart

    @property
    def words(self) -> dict[str, str]:
        """Its words for replications and data sets, where they are others."""
        own = {"replication": self.noun, "data set": self.dataset}
        return {usual: word for usual, word in own.items() if usual != word}

    @property
    def template_words(self) -> dict[str, Words]:
        """Its words as templates ask for them.

        `ON`, `OF` and `FOR` stand before data sets; `PROPER_DATA_SET` is one even where data sets
        are settings.
        """
        of = self.genitive
        found = {
            "UNIT": self.noun,
            "UNITS": f"{self.noun}s",
            "DATA_SET": self.dataset,
            "DATA_SETS": f"{self.dataset}s",
            "PROPER_DATA_SET": self.data_set_proper or self.dataset,
            "ON": self.preposition,
            "OF": of,
            "FOR": "for" if of == "of" else of,
        }
        return {name: Words(word) for name, word in found.items()}


SCHEME_WORDS = {  # how samples were drawn, before "replications"
    "bootstrap": "bootstrap ",
    "subsampling": "subsampling ",
    "k-fold": "cross-validation ",
    "repeated-k-fold": "cross-validation ",
}

REPLICATION = Unit("replication", is_block=True, in_common="replications in common", symbol="B")
"""A sample drawn anew, from which all candidates learn, or on which all are tested."""

ITEM = Unit(
    "item",
    is_nested=True,
    has_clusters=True,
    generalises_to="items-like-these",
    target="items",
    target_over="tasks",
    method="items",
    further="items",
    section_over="items",
    noun="item",
    dataset="task",
    in_common="items or clusters in common",
    experiment="Evaluation on items",
)
"""An item that all candidates answer."""

SAMPLE = Unit(
    "sample",
    shares_rows=False,
    has_order=True,
    target="session",
    method="samples",
    further="samples",
    noun="measurement",
    in_common="measurements",
)
"""A measurement that no two candidates share."""

SUMMARY = Unit(
    "summary",
    is_summary=True,
    method="samples",
    noun="value",
    value="mean",
    judged="mean",
    in_common="values",
)
"""The mean of several values, of which only number and spread are known."""

COMPARISON = Unit(
    "comparison",
    shares_rows=False,
    is_contest=True,
    generalises_to="battles-like-these",
    target="battles",
    target_over="battles",
    has_clusters=True,
    method="worths",
    noun="battle",
    value="win",
    mean="",
    in_common="battles of a candidate, or clusters of them",
    experiment="Battles",
)
"""A comparison of two candidates by a judge, who prefers one or neither."""

SETTING = Unit(
    "setting",
    is_block=True,
    dataset="setting",
    symbol="B",
    preposition="in",
    genitive="in",
    data_set_proper="data set",
)
"""The words where all data sets are settings of one; no results have it as their unit."""

UNITS: dict[str, Unit] = {
    unit.name: unit for unit in (REPLICATION, ITEM, SAMPLE, SUMMARY, COMPARISON)
}
VOCABULARIES = (*UNITS.values(), SETTING)
assert tuple(UNITS) == get_args(UnitName)


def unit_named(name: str) -> Unit:
    """Return the unit of that name; replications where none is given."""
    return UNITS[name] if name else REPLICATION


def names_of(is_meant: Callable[[Unit], bool]) -> tuple[str, ...]:
    """Return the names of the units of which something is true.

    Examples
    --------
    >>> names_of(lambda unit: unit.is_paired)
    ('replication', 'item')
    """
    return tuple(name for name, unit in UNITS.items() if is_meant(unit))


ON_DATA_SETS = re.compile(
    r"""(?<![\w./#-])
    (?: on (?=(?:\s+(?:an?|all|any|both|each|either|every|no|one|single|some|the|these|this))*
              \s+data[ ]sets?\b)
      | (?:of|for) (?=\s+(?:each|every)\s+data[ ]set\b))""",
    re.IGNORECASE | re.VERBOSE,
)
"""A preposition of data sets, where another one may stand."""

VOWELS = "aeiou"


@cache
def _pattern(unit: Unit) -> re.Pattern[str]:
    words = "|".join(map(re.escape, unit.words))
    return re.compile(rf"(?<![\w./#-])(?:(an?)([ \n]+))?({words})(s?)(?![\w-])", re.IGNORECASE)


def in_words(text: str, unit: Unit) -> str:
    """Return a text of ours with the words for another unit.

    Examples
    --------
    >>> in_words("A replication of one data set, 12 replications", ITEM)
    'An item of one task, 12 items'
    >>> in_words("Replications", SAMPLE), in_words("n_replications", SAMPLE)
    ('Measurements', 'n_replications')
    >>> in_words("on a data set, of each data set, over data sets", SETTING)
    'in a setting, in each setting, over settings'
    """
    if unit.preposition != "on":
        new = unit.preposition
        text = ON_DATA_SETS.sub(
            lambda match: new.capitalize() if match[0][0].isupper() else new, text
        )
    return _pattern(unit).sub(lambda match: _exchange(match, unit), text) if unit.words else text


def article_of(noun: str) -> str:
    """Return "a" or "an"."""
    return "an" if noun[0] in VOWELS else "a"


def _exchange(match: re.Match[str], unit: Unit) -> str:
    article, gap, word, plural = match[1] or "", match[2] or "", match[3], match[4]
    new = unit.words[word.casefold()]
    if article:
        own = article_of(new)
        article = own.capitalize() if article[0].isupper() else own
    return article + gap + (new.capitalize() if word[0].isupper() else new) + plural
