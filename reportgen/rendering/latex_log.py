"""What LaTeX's log tells of a document: errors, and what is lost or unreadable in the PDF.

Programs that run LaTeX for us say little of it and succeed: a reference that prints as "??", a
letter that no font has, a table beside the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

WIDEST = 5.0  # pt that a line or a page may be too long by, which nobody sees
LINE = 79  # characters after which TeX breaks a line of its log, unless it is told otherwise

WARNING = re.compile(r"^(?:LaTeX|Package \w+|Class \w+) Warning: (?P<text>.*)")
LOST = re.compile(
    r"(?:Reference|Citation|Hyper reference) [`'].*undefined"
    r"|Label [`'].*multiply defined|Float too large for page|Floats and marginpars not allowed"
)
ERROR = re.compile(r"^(?:! |[^\s:]+:\d+: )(?P<text>.+)")
PLACE = re.compile(r"^l\.(?P<line>\d+) ?(?P<text>.*)")
MISSING = re.compile(r"Missing character: There is no (?P<letter>.+?) (?:\(U\+\w+\) )?in font ")
OVERFULL = re.compile(
    r"^Overfull \\(?P<box>[hv])box \((?P<points>[\d.]+)pt too (?:wide|high)\)(?P<where>.*)"
)
FILE = re.compile(r"File [`'](?P<file>[^'`]+)' not found")
BEGINNING = re.compile(r"Missing character: |LaTeX |Package |Class |(?:Over|Under)full |! |l\.\d")
LABEL = re.compile(r"^\\newlabel\{(?P<name>[^{}@]+)\}", re.MULTILINE)
AT_END = ("That makes 100 errors", "Emergency stop", "==> Fatal error")  # say nothing of their own

OF_TEX = (".sty", ".cls", ".def", ".fd", ".tfm", ".bst", ".ltx", ".lua", ".map")
DEBIAN = {
    "scrartcl.cls": "texlive-latex-recommended",
    "unicode-math.sty": "texlive-latex-recommended",
    "fontspec.sty": "texlive-latex-recommended",
    "float.sty": "texlive-latex-recommended",
    "caption.sty": "texlive-latex-recommended",
    "booktabs.sty": "texlive-latex-recommended",
    "lmodern.sty": "lmodern",
    "newunicodechar.sty": "texlive-latex-extra",
    "footnotehyper.sty": "texlive-latex-extra",
    "xurl.sty": "texlive-latex-extra",
    "tcolorbox.sty": "texlive-latex-extra",
    "fontawesome5.sty": "texlive-fonts-extra",
    "acmart.cls": "texlive-publishers",
    "elsarticle.cls": "texlive-publishers",
    "jmlr.cls": "texlive-publishers",
    "IEEEtran.cls": "texlive-publishers",
    "llncs.cls": "texlive-publishers",
    "libertine.sty": "texlive-fonts-extra",
    "inconsolata.sty": "texlive-fonts-extra",
}
"""The package of Debian that has a file which documents of ours load."""


def problems_in(log: str) -> list[str]:
    r"""Return what a log tells of: errors first, then what is lost, each once.

    Examples
    --------
    >>> problems_in("! LaTeX Error: File `x.sty' not found.\n\nl.3 \\usepackage\n")
    ["LaTeX Error: File `x.sty' not found. (line 3; TeX Live has it as x)"]
    >>> problems_in("Overfull \\hbox (4.9pt too wide) in paragraph at lines 1--2\n")
    []
    """
    lines = _whole(log)
    found = [*_errors(lines), *_lost(lines), *_missing(lines), *_overfull(lines)]
    return list(dict.fromkeys(found))


def labels_in(aux: str) -> frozenset[str]:
    r"""Return the labels that a document's aux file has: what LaTeX has set.

    Examples
    --------
    >>> sorted(labels_in("\\newlabel{fig-a}{{1}{2}}\n\\newlabel{fig-a@cref}{{x}}\n"))
    ['fig-a']
    """
    return frozenset(found["name"] for found in LABEL.finditer(aux))


def _whole(log: str) -> list[str]:
    """Return the lines of a log, put together where TeX has broken them."""
    found: list[str] = []
    is_open = False
    for line in log.splitlines():
        if is_open and not BEGINNING.match(line):
            found[-1] += line
        else:
            found.append(line)
        is_open = LINE in (len(line), len(line.encode()))
    return found


def _errors(lines: Sequence[str]) -> Iterator[str]:
    for n, line in enumerate(lines):
        found = ERROR.match(line)
        if found is None or any(words in line for words in AT_END):
            continue
        text = found["text"].strip()
        after = (PLACE.match(later) for later in lines[n + 1 : n + 20])
        place = next(filter(None, after), None)
        more = [f"line {place['line']}"] if place else []
        if "Undefined control sequence" in text and place:
            text = f"{text} {place['text']}".strip()
        if (file := FILE.search(text)) and file["file"].endswith(OF_TEX):
            more.append(_where(file["file"]))
        yield f"{text} ({'; '.join(more)})" if more else text


def _where(file: str) -> str:
    """Say where a file is to be had."""
    stem = file.rpartition(".")[0] or file
    debian = DEBIAN.get(file)
    return f"TeX Live has it as {stem}" + (f", Debian in {debian}" if debian else "")


def _lost(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        found = WARNING.match(line)
        if found and LOST.search(found["text"]):
            yield found["text"].strip()


def _missing(lines: Sequence[str]) -> Iterator[str]:
    counts = Counter(found["letter"] for line in lines if (found := MISSING.search(line)))
    for letter, n in counts.items():
        times = f", {n} times" if n > 1 else ""
        is_number = letter.startswith("U+")  # letters.tex has written it in the letter's place
        hint = (
            "pdflatex has no letters of other scripts, lualatex and xelatex take those of fonts "
            "that are installed"
            if is_number
            else "mainfont, or mainfontfallback, under report.quarto.options names one"
        )
        yield f"no font of the document has {letter}{times} ({hint})"


def _overfull(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        found = OVERFULL.match(line)
        if found and float(found["points"]) > WIDEST:
            side = "wide" if found["box"] == "h" else "high"
            where = found["where"].strip().removesuffix("[]").strip()
            yield f"{float(found['points']):.0f} pt too {side}: {where or 'a page'}"
