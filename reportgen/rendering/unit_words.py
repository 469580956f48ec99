"""The words of a report for what it counts: items of tasks, or measurements, in place of samples.

Templates speak of replications of data sets. Where a replication is an item that candidates
answered, the same sentences speak of items of tasks: the words are exchanged in the templates'
own text when it is compiled, never in names or values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

from reportgen.notation import UNIT_WORDS
from reportgen.performance_measure import Unit
from reportgen.report import Table

VOWELS = "aeiou"
COMPARED = ("eq", "ne")
"""Behind these operators a text is a value, not words."""


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


def in_unit_words(table: Table, unit: Unit) -> Table:
    """Return a table whose heads, but for names of candidates, have the words for another unit."""
    if not UNIT_WORDS[unit]:
        return table
    columns = [
        column if column.candidate else replace(column, label=in_words(column.label, unit))
        for column in table.columns
    ]
    return replace(table, columns=tuple(columns))


def _exchange(match: re.Match[str], unit: Unit) -> str:
    article, gap, word, plural = match[1] or "", match[2] or "", match[3], match[4]
    new = UNIT_WORDS[unit][word.casefold()]
    if article:
        article = article[0] + ("n" if new[0] in VOWELS else "")
    return article + gap + (new.capitalize() if word[0].isupper() else new) + plural


class UnitWords(Extension):
    """Exchanges the words in a template's own text: between tags, and in the texts inside them."""

    unit: Unit = "replication"

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        """Exchange the words token by token."""
        tokens = list(stream)
        for place, token in enumerate(tokens):
            if token.type == "data" or (token.type == "string" and not _is_value(tokens, place)):
                yield Token(token.lineno, token.type, in_words(str(token.value), self.unit))
            else:
                yield token


def _is_value(tokens: list[Token], place: int) -> bool:
    """Whether a text inside a tag is compared with, or is a key."""
    before, after = tokens[place - 1], tokens[place + 1 : place + 2]
    is_key = any(token.type == "colon" for token in after)
    return is_key or before.type in COMPARED or (before.type == "name" and before.value == "in")


@cache
def words_of(unit: Unit) -> list[type[Extension]]:
    """Return the extensions by which templates speak of a unit; none for replications."""
    if not UNIT_WORDS[unit]:
        return []
    return [type(f"{unit.capitalize()}Words", (UnitWords,), {"unit": unit})]
