"""Names, keys and texts of figures, shortened to the room they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING

from reportgen.data_classes import dataclass
from reportgen.drawing.axes import ValueAxis
from reportgen.drawing.sheet import ELLIPSIS, Sheet, plain, shorten_names
from reportgen.drawing.style import TICK
from reportgen.drawing.text_size import text_width
from reportgen.measures import MEASURE_WORDS
from reportgen.notation import NumberFormat, short_words
from reportgen.performance_measure import Measure

if TYPE_CHECKING:
    from reportgen.drawing.page import PageArtist

LONGEST_ALT = 1500  # characters that a screen reader has to read
MOST_PAIRS_ALT = LONGEST_ALT // 15  # pairs in words: "a against b 1, …" has more characters
KEY_LINE = 13.0  # pt
MARK_WIDTH = 10.0  # pt from the left of a marker to its name


@dataclass(frozen=True, slots=True)
class Key:
    """Markers and names in columns."""

    names: Mapping[str, str]  # what is written for every candidate
    n_columns: int
    column_width: float

    @property
    def height(self) -> float:
        """Height of all its lines."""
        return ceil(len(self.names) / self.n_columns) * KEY_LINE

    def draw(self, sheet: Sheet, page: PageArtist, left: float, top: float) -> None:
        """Draw it line by line on the page."""
        for i, (name, text) in enumerate(self.names.items()):
            x = left + i % self.n_columns * self.column_width
            y = top + (i // self.n_columns + 0.5) * KEY_LINE
            name_mark(sheet, page, x, y, name, text)


def make_key(sheet: Sheet, names: Iterable[str], width: float) -> Key:
    """Return a key of as few lines as fit into the width."""
    longest = 76.0 if sheet.is_phone else 112.0
    texts = shorten_names(tuple(names), longest, TICK)
    widest = max(text_width(text, TICK) for text in texts.values())
    column = widest + MARK_WIDTH + 12
    columns = max(1, min(len(texts), int((width + 12) / column)))
    lines = ceil(len(texts) / columns)
    return Key(texts, ceil(len(texts) / lines), column)  # lines of nearly the same length


def name_mark(
    sheet: Sheet, page: PageArtist, x: float, y: float, name: str, text: str, *, size: float = TICK
) -> None:
    """Draw a candidate's marker and, to its right, its name."""
    page.mark(x + 4, y, **sheet.mark(name, size - 2.5))
    page.text(x + MARK_WIDTH, y, text, va="center_baseline", fontsize=size)


def measure_words(measure: Measure) -> str:
    """Return a measure's name as words."""
    known = MEASURE_WORDS.get(measure.name)
    return known or plain(measure.name.replace("-", " ").replace("_", " "))


def short_measure_words(measure: Measure, measures: Iterable[Measure]) -> str:
    """Return a measure's name in as few words as tell it from others."""
    short = short_words(measure, measures)
    return measure_words(measure) if short == measure.name else short


def axis_words(measure: Measure, axis: ValueAxis, unit: str, *, before: str = "") -> str:
    """Return an axis' name: measure, unit, power of ten, log scale."""
    return axis_name(f"{before}{measure_words(measure)}", axis, unit)


def axis_name(name: str, axis: ValueAxis, unit: str) -> str:
    """Return a name with what stands in brackets behind it: unit, power of ten, log scale."""
    brackets = axis.unit(unit)
    return f"{name} ({brackets})" if brackets else name


def with_unit(number_format: NumberFormat, x: float) -> str:
    """Write a value with its unit."""
    space = "" if number_format.unit_symbol in ("", "%") else " "
    return f"{number_format.value(x)}{space}{number_format.unit_symbol}"


def alt_text(*versions: str) -> str:
    """Return the first version that is not too long to be listened to; else cut the last."""
    for version in versions:
        if len(version) <= LONGEST_ALT:
            return version
    return versions[-1][: LONGEST_ALT - 1].rstrip() + ELLIPSIS


def alt_names(names: Sequence[str]) -> dict[str, str]:
    """Return names for an alternative text: plain, and in long lists shortened."""
    if len(names) <= 12:
        return {name: plain(name) for name in names}
    return {
        name: text if len(text := plain(name)) <= 24 else text[:23] + ELLIPSIS for name in names
    }
