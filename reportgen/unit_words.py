"""The words for what a study counts: items of tasks, or measurements, in place of replications.

Our own texts speak of replications of data sets. Where a replication is an item that candidates
answered, they speak of items of tasks, and where all data sets are settings of one, of settings:
`in_words` exchanges the words, before names are put in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from reportgen.performance_measure import Unit

Vocabulary = Unit | Literal["setting"]

UNIT_WORDS: Mapping[Vocabulary, Mapping[str, str]] = {
    "replication": {},
    "item": {"replication": "item", "data set": "task"},
    "sample": {"replication": "measurement"},
    "summary": {"replication": "value"},
    "setting": {"data set": "setting"},
}
"""What a report calls replications, and data sets, where they are something of their own."""

ON_DATA_SETS = re.compile(
    r"""(?<![\w./#-])
    (?: on (?=(?:\s+(?:an?|all|any|both|each|either|every|no|one|single|some|the|these|this))*
              \s+data[ ]sets?\b)
      | (?:of|for) (?=\s+(?:each|every)\s+data[ ]set\b))""",
    re.IGNORECASE | re.VERBOSE,
)
"""A preposition of data sets in whose place settings have "in"."""

VOWELS = "aeiou"


class Words(str):
    """A cell of a table that is a text of ours, no name."""

    __slots__ = ()


@cache
def _pattern(unit: Vocabulary) -> re.Pattern[str]:
    words = "|".join(map(re.escape, UNIT_WORDS[unit]))
    return re.compile(rf"(?<![\w./#-])(?:(an?)([ \n]+))?({words})(s?)(?![\w-])", re.IGNORECASE)


def in_words(text: str, unit: Vocabulary) -> str:
    """Return a text of ours with the words for another unit.

    Examples
    --------
    >>> in_words("A replication of one data set, 12 replications", "item")
    'An item of one task, 12 items'
    >>> in_words("Replications", "sample"), in_words("n_replications", "sample")
    ('Measurements', 'n_replications')
    >>> in_words("on a data set, of each data set, over data sets", "setting")
    'in a setting, in each setting, over settings'
    """
    if unit == "setting":
        text = ON_DATA_SETS.sub(lambda match: "In" if match[0][0].isupper() else "in", text)
    return (
        _pattern(unit).sub(lambda match: _exchange(match, unit), text) if UNIT_WORDS[unit] else text
    )


def _exchange(match: re.Match[str], unit: Vocabulary) -> str:
    article, gap, word, plural = match[1] or "", match[2] or "", match[3], match[4]
    new = UNIT_WORDS[unit][word.casefold()]
    if article:
        article = article[0] + ("n" if new[0] in VOWELS else "")
    return article + gap + (new.capitalize() if word[0].isupper() else new) + plural
