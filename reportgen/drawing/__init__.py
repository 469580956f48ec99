"""The house style, and how a section's figures are drawn in it."""

from reportgen.drawing.canvas import Canvas
from reportgen.drawing.style import (
    COLOURS,
    HUES,
    SANS,
    SERIF,
    SIGNS,
    CandidateStyle,
    candidate_styles,
    css_variables,
    marker_path,
    sans_files,
    serif_files,
    signs_file,
)

__all__ = [
    "COLOURS",
    "HUES",
    "SANS",
    "SERIF",
    "SIGNS",
    "Canvas",
    "CandidateStyle",
    "candidate_styles",
    "css_variables",
    "marker_path",
    "sans_files",
    "serif_files",
    "signs_file",
]
