"""What of a font a PDF embeds: outlines and widths, and nothing that lays out text.

matplotlib has fontTools cut each font to the letters of a drawing. Most of the time goes into the
tables by which programs place letters, of which a PDF has every place already.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

LAYOUT_TABLES = ("GDEF", "GPOS", "GSUB", "kern")
DEFAULT = "_drop_tables_default"  # of fontTools, which has no public name for it


@contextmanager
def without_layout() -> Iterator[None]:
    """Have fontTools leave the tables out, where it says by this name what it leaves out."""
    from fontTools.subset import Options

    usual = getattr(Options, DEFAULT, None)
    if not isinstance(usual, list):
        yield
        return
    setattr(Options, DEFAULT, [*usual, *(t for t in LAYOUT_TABLES if t not in usual)])
    try:
        yield
    finally:
        setattr(Options, DEFAULT, usual)
