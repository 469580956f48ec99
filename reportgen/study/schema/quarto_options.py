"""Options that a manifest may give a format of Quarto: plain values that run and read nothing.

Quarto reads unknown options as metadata: Markdown, in which TeX, HTML, shortcodes and citations are
active. A manifest may be another's, so its options are plain, and the keys of Quarto's own formats
are those that only lay out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

LAYOUT = frozenset(
    """
    abstract-title acm-metadata biblio-style biblatexoptions block-headings cap-location citecolor
    cite-method citation-location CJKmainfont CJKmonofont CJKoptions CJKsansfont classoption
    colorlinks columns crossrefs-hover date-format dir documentclass fig-align fig-asp
    fig-cap-location fig-dpi fig-env fig-format fig-height fig-pos fig-responsive fig-width
    fontenc fontfamily fontfamilyoptions fontsize geometry grid indent journal keep-tex
    keywords-formatted keywords-plain lang linestretch linkcolor link-citations lof lot
    mainfont mainfontfallback mainfontoptions margin margin-bottom margin-left margin-right
    margin-top mathfont mathfontoptions max-width microtypeoptions minimal monofont
    monofontfallback monofontoptions natbiboptions number-depth number-sections page-layout
    pagestyle papersize reference-location sansfont sansfontfallback sansfontoptions
    section-numbering section-divs shift-heading-level-by smooth-scroll tbl-cap-location theme
    title-block-style toc toc-depth toc-expand toc-location toc-title toccolor
    top-level-division urlcolor
""".split()
)
"""Keys of Quarto's own formats that only lay out, and those of the journals."""

ACTS = re.compile(  # keys, anywhere, that run a program, read or write a file, or load an address
    r"(filters?|shortcodes|engine|execute|jupyter|knitr|ipynb-.*|pdf-engine.*|templates?"
    r"|template-partials|include-.*|header-includes|resource.*|metadata-files?|latex-.*|.*-render"
    r"|output-.*|css|csl|bibliography|.*-doc|.*-files?|from|to|variant|pandoc.*|extensions|brand"
    r"|logo|favicon|comments|.*analytics.*|html-math-method|mathjax|katex|embed-.*|self-contained"
    r"|syntax-.*|highlight-.*|abbreviations|title-block-banner|.*-url|url|repo-.*|website|project"
    r"|format|formats|profile|pre|post|number-offset)"
)
KEY = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
ACTIVE = re.compile(r"[\\`$<>{}\[\]^~|@\x00-\x1f\x7f-\x9f\u2028\u2029\ue000-\uf8ff]|:::|!\(")
FILE = re.compile(  # of a folder or a file, or an address
    r"^\.|(?:^|[=,;:\s\"'(])/|\.\.|://|^[A-Za-z]:/|\.(?:lua|tex|sty|cls|css|scss|js|html?|py|r|ya?ml|json)$",
    re.IGNORECASE,
)
Place = tuple[str, ...]
LONGEST, MOST = 300, 200  # letters of a text; texts, numbers and keys together
LONGEST_CONCEPTS = 10_000  # letters of what ACM writes for all concepts of an article
PLAIN = "plain text without TeX, HTML, Markdown, shortcodes, files and addresses"
CONCEPTS = ("acm-metadata", "ccs")  # where ACM's format has the concepts of its classification
SIGNIFICANCE: Mapping[str, int] = {"high": 500, "medium": 300, "low": 100}
WORDS = r"[A-Za-z0-9][A-Za-z0-9 ,()/:'-]*"
CONCEPT = re.compile(rf"{WORDS}(?:\s*[>~]\s*{WORDS})*")
COMMAND = re.compile(r"\s*\\{1,2}ccsdesc(?:\[(\d{1,4})\])?\{([^{}\\]*)\}\s*")
OF_ACM = re.compile(r"\\begin\{CCSXML\}.*?\\end\{CCSXML\}", re.DOTALL)
WANTED = (
    "concepts, such as Computing methodologies > Machine learning, {concept: …, significance: "
    "high, medium or low}, or lines of ACM's \\ccsdesc"
)


def faults_of(options: dict[str, Any], *, is_extension: bool) -> Iterator[tuple[Place, str, str]]:
    r"""Yield what is not allowed among options: its key, what was found, what is allowed.

    `is_extension`: whether the format is that of an extension, which has keys of its own.

    Examples
    --------
    >>> next(faults_of({"geometry": ["margin=1in", r"a\b"]}, is_extension=False))[:2]
    (('geometry',), "'a\\\\b'")
    >>> list(faults_of({"theme": "cosmo", "toc": True}, is_extension=False))
    []
    """
    for key in options:
        is_unknown = KEY.fullmatch(key) and not ACTS.fullmatch(key) and key not in LAYOUT
        if is_unknown and not is_extension:
            yield (key,), key, "options that lay out; others belong into a document of your own"
    entries = list(_entries(options, ()))
    if len(entries) > MOST:
        yield (), f"{len(entries):,} options", f"at most {MOST}"
    if faulty := _concept_fault(options):
        yield CONCEPTS, faulty, WANTED
    for place, key, value in entries:
        if place[:2] == CONCEPTS:
            continue
        if key and not KEY.fullmatch(key):
            yield place, repr(key), "keys of letters, digits, - and _"
        elif key and ACTS.fullmatch(key):
            allowed = (
                "options that run nothing and read no file; those that do belong into a "
                "document of your own beside index.qmd"
            )
            yield place, key, allowed
        if isinstance(value, str) and (len(value) > LONGEST or _is_active(value)):
            yield place, repr(value[:LONGEST]), PLAIN


def acm_concepts(value: Any) -> list[tuple[int, tuple[str, ...]]]:
    r"""Return concepts of ACM's classification: how significant each is, and its path.

    `value`: a concept or a list of them, as plain text, with its significance, or as ACM writes it.
    Raises ValueError with what is none.

    Examples
    --------
    >>> acm_concepts("Computing methodologies > Machine learning")
    [(500, ('Computing methodologies', 'Machine learning'))]
    >>> acm_concepts(r"\ccsdesc[300]{Networks~Network reliability}\ccsdesc{Software}")
    [(300, ('Networks', 'Network reliability')), (100, ('Software',))]
    """
    found = []
    for item in value if isinstance(value, list | tuple) else [value]:
        text, weight = (
            (item.get("concept"), item.get("significance", "high"))
            if isinstance(item, Mapping) and set(item) <= {"concept", "significance"}
            else (item, "high")
        )
        weights = {str(key): n for name, n in SIGNIFICANCE.items() for key in (name, n)}
        if not isinstance(text, str) or len(text) > LONGEST_CONCEPTS or str(weight) not in weights:
            raise ValueError(str(item))
        pairs = [(str(weights[str(weight)]), text.strip())]
        if "\\" in text:
            rest = OF_ACM.sub("", text)
            pairs = [(n or "100", concept.strip()) for n, concept in COMMAND.findall(rest)]
            if COMMAND.sub("", rest).strip() or not pairs:
                raise ValueError(text)
        for number, concept in pairs:
            if len(concept) > LONGEST or not CONCEPT.fullmatch(concept):
                raise ValueError(concept)
            found.append((int(number), tuple(map(str.strip, re.split("[>~]", concept)))))
    return found


def _concept_fault(options: dict[str, Any]) -> str:
    """Return what is no concept among those of an article."""
    own = options.get(CONCEPTS[0])
    if not isinstance(own, dict) or CONCEPTS[1] not in own:
        return ""
    try:
        acm_concepts(own[CONCEPTS[1]])
    except ValueError as error:
        return repr(str(error)[:LONGEST])
    return ""


def _is_active(text: str) -> bool:
    return bool(ACTIVE.search(text) or FILE.search(text.strip()))


def _entries(value: Any, place: Place) -> Iterator[tuple[Place, str, Any]]:
    """Yield what is in nested mappings and lists: its place, its key, itself."""
    inside: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inside = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        inside = [("", item) for item in value]
    for key, item in inside:
        own = (*place, key) if key else place
        yield own, key, item
        yield from _entries(item, own)
