"""The journals that a Quarto project can be for: the format and the options of each."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import field
from types import MappingProxyType
from typing import Any

from reportgen.data_classes import dataclass
from reportgen.rendering.latex_text import escape_latex
from reportgen.rendering.pandoc_markdown import pandoc_text, without_shortcodes
from reportgen.report import StudyInfo
from reportgen.study.schema import QuartoEntry
from reportgen.study.schema.quarto_options import CONCEPTS, acm_concepts

KEYWORD = "benchmark experiments"  # where a study has none and a journal wants one
FLOATS = {"fig-pos": "tbp", "fig-env": "figure*"}  # of pictures over both of two columns


@dataclass(frozen=True, slots=True)
class Journal:
    """What a publisher's articles need."""

    name: str
    format: str  # of Quarto: of an extension, or its own with a class of LaTeX
    extension: str  # as `quarto add` has it; empty where none is needed
    options: Mapping[str, Any] = field(default_factory=dict)


JOURNALS: Mapping[str, Journal] = MappingProxyType(
    {
        "jss": Journal(
            *("Journal of Statistical Software", "jss-pdf", "quarto-journals/jss"),
            {"journal": {"type": "article"}, "shift-heading-level-by": 0, "keep-tex": True},
        ),
        "plos": Journal(
            *("PLOS", "plos-pdf", "quarto-journals/plos"),
            {"journal": {"id": "plosone"}, "number-sections": False, "keep-tex": True},
        ),
        "acm": Journal(
            *("ACM", "acm-pdf", "quarto-journals/acm"),
            {
                "acm-metadata": {
                    "final": True,
                    "copyright": "none",
                    "acmart-options": "acmsmall, nonacm",
                    "doi": "10.1145/nnnnnnn.nnnnnnn",
                    "isbn": "978-1-4503-XXXX-X",
                    "price": "",
                    "conference-acronym": "Conference",
                    "conference-name": "Conference",
                    "conference-date": "Date",
                    "conference-location": "Place",
                },
                "keep-tex": True,
            },
        ),
        "elsevier": Journal(
            *("Elsevier", "elsevier-pdf", "quarto-journals/elsevier"),
            {
                "journal": {"formatting": "preprint", "model": "3p", "cite-style": "authoryear"},
                "keep-tex": True,
            },
        ),
        "jmlr": Journal(
            *("Journal of Machine Learning Research", "pdf", ""),
            {
                "documentclass": "article",
                "classoption": ["11pt", "twoside"],
                "geometry": ["letterpaper", "textwidth=6in", "textheight=8.5in"],
                "number-sections": True,
                "keep-tex": True,
            },
        ),
        "springer": Journal(
            *("Springer Lecture Notes", "pdf", ""),
            {"documentclass": "llncs", "number-sections": True, "keep-tex": True},
        ),
    }
)


def format_of(entry: QuartoEntry) -> str:
    """Return the further format of a project."""
    return entry.format or JOURNALS[str(entry.journal)].format


def journal_of(entry: QuartoEntry) -> str:
    """Return the name of a project's journal: the chosen one, or that of its extension's format."""
    of_formats = {own.format: name for name, own in JOURNALS.items() if own.extension}
    return entry.journal or of_formats.get(entry.format, "")


def options_of(entry: QuartoEntry, study: StudyInfo, year: str) -> dict[str, Any]:
    """Return the options of that format: the journal's, and the manifest's in their place."""
    name = journal_of(entry)
    options: dict[str, Any] = deepcopy(dict(JOURNALS[name].options)) if name else {}
    if name == "jss":
        words = [without_shortcodes(pandoc_text(word)) for word in study.keywords or (KEYWORD,)]
        options |= {"keywords-formatted": words, "keywords-plain": words}
    if name == "acm":
        options["acm-metadata"] |= {"copyright-year": year, "acm-year": year}
    options = _merged(options, entry.options)
    place, key = CONCEPTS
    if isinstance(own := options.get(place), Mapping) and key in own:
        options[place] = {**own, key: _concepts(own[key])}
    if _has_two_columns(options):
        options = {**FLOATS, **options}
    return options


def _concepts(value: Any) -> str:
    r"""Write concepts as ACM's class takes them.

    >>> print(_concepts(["Computing methodologies > Machine learning"]))
    `\ccsdesc[500]{Computing methodologies~Machine learning}`{=latex}
    """
    commands = (
        rf"\ccsdesc[{weight}]{{{'~'.join(map(escape_latex, path))}}}"
        for weight, path in acm_concepts(value)
    )
    return " ".join(f"`{command}`{{=latex}}" for command in commands)


def _has_two_columns(options: Mapping[str, Any]) -> bool:
    journal = options.get("journal")
    model = journal.get("model") if isinstance(journal, Mapping) else None
    acm = options.get("acm-metadata")
    given = str(acm.get("acmart-options", "")) if isinstance(acm, Mapping) else ""
    classes = f"{options.get('classoption', '')} {given}"
    return model == "5p" or any(word in classes for word in ("twocolumn", "sigconf", "sigplan"))


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return mappings in one, the second in place of the first, also within them."""
    found = dict(base)
    for key, value in over.items():
        own = found.get(key)
        if isinstance(own, Mapping) and isinstance(value, Mapping):
            found[key] = _merged(own, value)
        else:
            found[key] = value
    return found
