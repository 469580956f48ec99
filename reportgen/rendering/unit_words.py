"""Templates and tables in the words for what a study counts.

The words are exchanged in a template's own text when it is compiled, and in heads of tables and
cells of our own words, never in names or values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

from reportgen.report import Table
from reportgen.units import REPLICATION, Unit, Words, in_words

COMPARED = ("eq", "ne")
"""Behind these operators a text is a value, not words."""


def in_unit_words(table: Table, unit: Unit) -> Table:
    """Return a table whose heads and cells of our own words have the words for another unit."""
    if not unit.words:
        return table
    columns = [
        column if column.candidate else replace(column, label=in_words(column.label, unit))
        for column in table.columns
    ]
    rows = (
        tuple(in_words(cell, unit) if isinstance(cell, Words) else cell for cell in row)
        for row in table.rows
    )
    return replace(table, columns=tuple(columns), rows=tuple(rows))


class UnitWords(Extension):
    """Exchanges the words in a template's own text: between tags, and in the texts inside them."""

    unit: Unit = REPLICATION

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
    if not unit.words:
        return []
    return [type(f"{unit.name.capitalize()}Words", (UnitWords,), {"unit": unit})]
