"""The words for what a study counts: items of tasks, or measurements, in place of replications.

Our own texts speak of replications of data sets. Where a replication is an item that candidates
answered, they speak of items of tasks: `in_words` exchanges the words, before names are put in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from reportgen.performance_measure import Unit

UNIT_WORDS: Mapping[Unit, Mapping[str, str]] = {
    "replication": {},
    "item": {"replication": "item", "data set": "task"},
    "sample": {"replication": "measurement"},
}
"""What a report calls replications, and data sets, where they are something of their own."""

VOWELS = "aeiou"


class Words(str):
    """A cell of a table that is a text of ours, no name."""

    __slots__ = ()


@cache
def _pattern(unit: Unit) -> re.Pattern[str]:
    words = "|".join(map(re.escape, UNIT_WORDS[unit]))
    return re.compile(rf"(?<![\w./#-])(?:(an?)([ \n]+))?({words})(s?)(?![\w-])", re.IGNORECASE)


def in_words(text: str, unit: Unit) -> str:
    """Return a text of ours with the words for another unit.

    Parameters
    ----------
    text : str
    unit : {"replication", "item", "sample"}

    Examples
    --------
    >>> in_words("A replication of one data set, 12 replications", "item")
    'An item of one task, 12 items'
    >>> in_words("Replications", "sample"), in_words("n_replications", "sample")
    ('Measurements', 'n_replications')
    """
    return (
        _pattern(unit).sub(lambda match: _exchange(match, unit), text) if UNIT_WORDS[unit] else text
    )


def _exchange(match: re.Match[str], unit: Unit) -> str:
    article, gap, word, plural = match[1] or "", match[2] or "", match[3], match[4]
    new = UNIT_WORDS[unit][word.casefold()]
    if article:
        article = article[0] + ("n" if new[0] in VOWELS else "")
    return article + gap + (new.capitalize() if word[0].isupper() else new) + plural
