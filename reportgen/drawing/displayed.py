"""A figure that a notebook shows by itself, whatever back end matplotlib has."""

from __future__ import annotations

import io

from matplotlib import rc_context
from matplotlib.figure import Figure

from reportgen.drawing.style import house_settings


class DisplayedFigure(Figure):
    """A figure of matplotlib that is SVG in a notebook."""

    def _repr_svg_(self) -> str:
        """Return the figure as SVG."""
        buffer = io.StringIO()
        with house_settings(), rc_context({"svg.fonttype": "path", "text.hinting": "none"}):
            self.savefig(buffer, format="svg", metadata={"Date": None})
        return buffer.getvalue()
