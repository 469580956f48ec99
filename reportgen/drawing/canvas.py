"""Where sections draw: a sheet to draw on, and the figure that comes of it."""

from __future__ import annotations

import io
import re
import unicodedata
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal
from zlib import crc32

from reportgen.document import Figure, Series
from reportgen.drawing.style import (
    PHONE_WIDTH,
    TEXT_WIDTH,
    TICK,
    CandidateStyle,
    candidate_styles,
    colour,
    settings,
)
from reportgen.drawing.svg import for_print, for_screen

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

COMPACT_FROM = 6  # data sets: from here on one drawing a figure, one theme, the main measure only
VECTOR_ON_PAPER = 400  # marks up to which the dense layer stays vector in print
VECTOR_ON_SCREEN = 3200  # and on a screen, where gathered marks cost some nine bytes each
ELLIPSIS = "…"
LONGEST_ALT = 1500
NO_DATE = {"Date": None, "Creator": None, "Format": None, "Type": None}


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a section needs to know to draw.

    Attributes
    ----------
    styles : mapping of str to CandidateStyle
        The candidates' looks, in the study's order.
    prefix : str
        What the ids of its drawings begin with: another one for every data
        set of a report.
    detail : {"full", "compact"}
        Compact: of the main measure only, one benchmark experiment plot and
        one interval figure.
    phone, dark : bool
        Whether a drawing at phone width, and dense layers for dark pages, are
        made.
    """

    styles: Mapping[str, CandidateStyle]
    prefix: str
    detail: Literal["full", "compact"] = "full"
    phone: bool = True
    dark: bool = True

    @classmethod
    def of(cls, candidates: Sequence[str], n_datasets: int, prefix: str) -> Canvas:
        """Return the canvas of one data set (or of the study) of a report."""
        styles = candidate_styles(candidates)
        if n_datasets >= COMPACT_FROM:
            return cls(styles, prefix, "compact", phone=False, dark=False)
        return cls(styles, prefix)

    @property
    def is_compact(self) -> bool:
        """Whether only the most important is drawn."""
        return self.detail == "compact"
