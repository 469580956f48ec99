"""Sphinx: the site of these pages. `make docs` builds it, and any warning is an error."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import pages  # noqa: E402 - beside this file

import reportgen  # noqa: E402

project = "reportgen"
version = release = reportgen.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

myst_heading_anchors = 4

default_role = "code"  # of docstrings
highlight_language = "text"
smartquotes = False  # options begin with two hyphens
add_module_names = False
autodoc_typehints = "none"  # the docstrings have them
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_math_renderer = "mathml"
html_title = f"reportgen {release}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False


def setup(app):
    """Let pages have parts that are made of the program, and formulas without scripts."""
    app.connect("source-read", pages.fill)
    app.connect("autodoc-process-docstring", pages.number, priority=400)  # before napoleon
    app.add_html_math_renderer("mathml", (pages.formula, None), (pages.formula, None))
