"""What the forms of a report have in common: numbers, words, intervals, exhibits and sections."""

from __future__ import annotations

import html
import re
import subprocess
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import tinyhtml5

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*\.\d+(?![\w])")  # with decimals: pages have numbers, too
WHOLE = re.compile(r"(?<![\w.,−-])\d[\d,]*(?!\w|[.,]\d)")
VALUE = r"[−-]?\d[\d,]*(?:\.\d+)?(?:e−?\d+)?"
BOUNDS = re.compile(rf"({VALUE}) to ({VALUE})")
SAID = re.compile(  # an estimate with its interval, in a sentence
    rf"(?:advantage is ({VALUE})[^()]{{0,90}}|(?<![\w.,])({VALUE})(?:%| (?:percentage )?points)? )"
    rf"\(\d+% interval ({VALUE}) to ({VALUE})"
)
PAPER = {"page", "supplement"}  # words that only pages of paper have
ROUNDING = 1e-12  # of a limit that is the estimate, relative to the scale
SHORTEST = 4  # letters of a half of a word
SHARE = 1e-9  # of a bound, for what binary fractions lose
LABEL = re.compile(r"(?:Figure|Table) S?\d+")
STRAY = re.compile(r"(?<=[^\s>])[ \u00a0]{2,}(?=[^\s<])| [.,;:](?=[\s<]|\Z)|\( | \)")
SVG = "{http://www.w3.org/2000/svg}"
HEAD = re.compile(r"[a-z]+(?: [a-z]+)?")  # of a column beside a drawing
LEFT_OUT = ("script", "style", "math", "svg")
CONTROLS = ("button", "nav", "summary", "template")
EXPLORER = "explore"  # the part of a page that scripts make of its values
# Words of heads of what is folded there, and of the index, whose cells are said in the entries.
OF_SCREENS = {
    *("below", "entry", "further", "glance", "groups", "index"),
    *("leads", "reported", "settled", "unbeaten", "variables"),
}


# ------------------------------------------------------------------------------------- texts


def text_of_page(text: str, *, is_drawn: bool) -> str:
    """Return what a page says, with the words of its drawings or without."""
    left_out = "script|style|math" if is_drawn else "script|style|math|svg"
    text = re.sub(rf"<({left_out})\b.*?</\1>", " ", text, flags=re.DOTALL)
    blocks = "td|th|p|div|text|tspan|figcaption|li|dd|dt|h[1-6]|tr|option|summary"
    return html.unescape(re.sub(r"<[^>]+>", "", re.sub(rf"<({blocks})\b", r" <\1", text)))


def text_of_paper(folder: Path) -> str:
    """Return what the article and its supplement say in print."""
    files = [folder / "report.pdf", folder / "supplement.pdf"]
    return "\n".join(
        subprocess.run(["pdftotext", file, "-"], capture_output=True, text=True, check=True).stdout
        for file in files
        if file.exists()
    )


def stray_blanks(page: str, paper: str) -> list[str]:
    """Return where a page or paper has two blanks between words, or one before a sign."""
    # what is no running text of a page; signs of ends of sentences stand close to what is before
    text = re.sub(r"<(script|style|math|svg|pre)\b.*?</\1>", "·", page, flags=re.DOTALL)
    inline = r"</?(?:a|abbr|b|bdi|code|em|i|q|span|strong|sub|sup|var)\b[^>]*>"
    text = html.unescape(re.sub(inline, "", text))
    leaders = re.compile(r"(?:\. ){3,}")  # of a table of contents in print
    lines = [*text.splitlines(), *(line for line in paper.splitlines() if not leaders.search(line))]
    return [line for line in lines if STRAY.search(line)]


def letters(text: str) -> str:
    """Return the letters alone, so that no hyphen or space matters."""
    return re.sub(r"[^a-z]", "", text.lower())


def differing_numbers(page: str, paper: str) -> tuple[set[str], set[str]]:
    """Return the numbers that a page says and no paper, and those with decimals the other way.

    Whole numbers of a paper are those of its pages, too, but for those of the index of data sets,
    which sums up on the page what their entries have.
    """
    rest = re.sub(r'<table class="num index\b.*?</table>', " ", page, flags=re.DOTALL)
    text, drawn = (text_of_page(page, is_drawn=is_drawn) for is_drawn in (False, True))
    printed = {*NUMBER.findall(paper), *WHOLE.findall(paper)}
    said = {*NUMBER.findall(text), *WHOLE.findall(text_of_page(rest, is_drawn=False))}
    return said - printed, set(NUMBER.findall(paper)) - set(NUMBER.findall(drawn))


def words_of_paper_alone(page: str, paper: str) -> set[str]:
    """Return the words that are printed and not on the page."""
    text = text_of_page(page, is_drawn=True)
    of_page, whole = letters(text), set(re.findall(r"[a-z]+", text.lower()))
    of_paper = set(re.findall(r"[a-z]{4,}", re.sub(r"-\n", "", paper).lower()))
    unknown = {word for word in of_paper if word not in of_page} - PAPER
    # Of a word that goes on in the next column the halves are joined to other words.
    return {word for word in unknown if not _is_joined(word, of_page, whole)}


def words_of_page_alone(tree: Element, paper: str) -> set[str]:
    """Return the words that are on the page and not printed, but those of what works by hand."""
    of_paper = letters(paper)
    (main,) = tree.iter("main")
    words = set(re.findall(r"[a-z]{4,}", " ".join(_parts_in(main)).lower()))
    return {word for word in words if word not in of_paper} - OF_SCREENS


def _parts_in(element: Element) -> Iterator[str]:
    """Yield what an element says, in parts that are whole words."""
    is_left_out = element.tag.rpartition("}")[2] in (*LEFT_OUT, *CONTROLS)
    if is_left_out or element.get("id") == EXPLORER or element.get("class") in ("sr", "hint"):
        return
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            yield from _parts_in(child)
        yield child.tail or ""


def _is_joined(word: str, of_page: str, whole: set[str]) -> bool:
    """Whether a word is two that a page has, or the beginning of one and a whole short one."""
    ends = range(SHORTEST, len(word) - SHORTEST + 1)
    return any(word[:i] in of_page and word[i:] in of_page for i in ends) or any(
        word[i:] in whole and any(w.startswith(word[:i]) for w in whole)
        for i in range(SHORTEST, len(word) - 1)
    )


# ----------------------------------------------------------------------------------- elements


def tree_of(page: str) -> Element:
    """Return the elements of a page."""
    found: Element = tinyhtml5.parse(page, namespace_html_elements=False)
    return found


def words_in(element: Element) -> str:
    """Return what an element says, drawings left out."""
    if element.tag in LEFT_OUT:
        return ""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            parts.append(words_in(child))
        parts.append(child.tail or "")
    return "".join(parts)


def labels_of_page(tree: Element) -> set[str]:
    """Return the numbers of the figures and tables of a page."""
    return {label for f in tree.iter("figure") if LABEL.fullmatch(label := _label(f))}


def labels_of_paper(paper: str) -> set[str]:
    """Return the numbers of the figures and tables in print, whose captions begin lines."""
    return {match[0] for match in re.finditer(rf"^{LABEL.pattern}(?=\.)", paper, re.MULTILINE)}


def _label(figure: Element) -> str:
    found = (words_in(e) for e in figure.iter("span") if e.get("class") == "figno")
    return "".join(found).strip()


def uncited(tree: Element) -> list[str]:
    """Return the numbered figures and tables that the text of their section does not name.

    A table that repeats a figure is named with it.
    """
    parents = {child: parent for parent in tree.iter() for child in parent}
    found = []
    for figure in tree.iter("figure"):
        label = _label(figure)
        if not LABEL.fullmatch(label):
            continue
        place = parents[figure]
        while place.tag != "body" and not (place.tag in ("section", "div") and place.get("id")):
            place = parents[place]
        own = {id(e) for e in figure.iter()}
        target = f"#{figure.get('id')}"
        if not any(a.get("href") == target and id(a) not in own for a in place.iter("a")):
            found.append(label)
    return found


# ---------------------------------------------------------------------------------- intervals


def value_of(text: str) -> float:
    """Return a printed number."""
    return float(text.replace(",", "").replace("−", "-"))


def printed_intervals(tree: Element) -> Iterator[tuple[str, float, float, float]]:
    """Yield where an estimate stands with its interval, the lower limit, it and the upper limit."""
    for table in tree.iter("table"):
        heads = [words_in(h).strip() for row in table.iter("thead") for h in row.iter("th")]
        columns = [j for j, head in enumerate(heads) if j and head.endswith("interval")]
        for body in table.iter("tbody"):
            for row in body.iter("tr"):
                cells = [words_in(c).strip() for c in row if c.tag in ("td", "th")]
                for j in columns:
                    limits = BOUNDS.fullmatch(cells[j]) if j < len(cells) else None
                    estimate = re.match(VALUE, cells[j - 1]) if limits else None
                    if limits and estimate:
                        where = f"{table.get('aria-labelledby')}: {cells[0]}, {heads[j]}"
                        yield where, value_of(limits[1]), value_of(estimate[0]), value_of(limits[2])
    for found in SAID.finditer(re.sub(r"\s+", " ", words_in(tree))):
        estimate, lower, upper = (value_of(text) for text in found.groups() if text)
        yield found[0], lower, estimate, upper


def sides_lost(tree: Element, *, has_gaps: bool) -> list[str]:
    """Return the rows whose printed limits do not show on which side of equality the interval is.

    What is better lies on one side, and what is not significant on both, in the digits that stand
    there: "0.00 to 0.01" shows neither. With gaps what lies on one side need not be significant.
    """
    found = []
    for table in tree.iter("table"):
        heads = [words_in(h).strip() for row in table.iter("thead") for h in row.iter("th")]
        columns = [j for j, head in enumerate(heads) if j and head.endswith("interval")]
        for row in table.iter("tr"):
            cells = [words_in(c).strip() for c in row if c.tag in ("td", "th")]
            told = [limits for j in columns if (limits := BOUNDS.fullmatch(cells[j]))]
            if "Decision" not in heads or len(cells) != len(heads) or not told:
                continue
            equal = 1.0 if heads[columns[0] - 1] == "Times" else 0.0
            lower, upper = value_of(told[0][1]), value_of(told[0][2])
            decision = cells[heads.index("Decision")]
            is_apart = lower > equal or upper < equal
            if ("better" in decision and not is_apart) or (
                not has_gaps and "not significant" in decision and not lower < equal < upper
            ):
                found.append(f"{cells[0]}: {told[0][0]}, {decision}")
    return found


def intervals(found: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all results that have an estimate and two limits."""
    if isinstance(found, dict):
        if all(isinstance(found.get(key), float) for key in ("lower", "upper", "estimate")):
            yield path, found
        for key, value in found.items():
            yield from intervals(value, f"{path}/{key}")
    elif isinstance(found, list):
        for i, value in enumerate(found):
            yield from intervals(value, f"{path}/{i}")


def beyond_bounds(results: Any, bounds: dict[str, tuple[float, float]]) -> list[str]:
    """Return where an interval of a difference leaves what the bounds of its measure allow."""
    found = []
    for path, row in intervals(results):
        least, most = next(
            (bounds[name] for name in reversed(path.split("/")) if name in bounds), (-inf, inf)
        )
        widest = (most - least) * (1 + SHARE)
        is_ratio = row.get("scale") == "ratio"
        least, most = (0.0, inf) if is_ratio else (-widest, widest)
        if not least <= row["lower"] <= row["upper"] <= most:
            found.append(path)
    return found


def told_of_wide_alone(tree: Element) -> list[tuple[str, str]]:
    """Return heads of columns that a narrow drawing lacks and its caption tells of."""
    found = []
    for figure in tree.iter("figure"):
        drawn = {e.get("class"): e for e in figure.iter(f"{SVG}svg") if e.get("role") == "img"}
        if not {"desk", "phone"} <= drawn.keys():
            continue
        wide, narrow = (
            {"".join(e.itertext()).strip() for e in drawn[face].iter(f"{SVG}text")}
            for face in ("desk", "phone")
        )
        caption = _words_on_phones(next(figure.iter("figcaption")))
        found += [
            (_label(figure), head)
            for head in sorted(wide - narrow)
            if HEAD.fullmatch(head)
            and re.search(rf"(?i)(?<!candidate )\b{head}\b(?= ?:|,| counts| does)", caption)
        ]
    return found


def _words_on_phones(element: Element) -> str:
    parts = [element.text or ""]
    for child in element:
        if child.get("class") not in ("desk", "tools"):
            parts.append(_words_on_phones(child))
        parts.append(child.tail or "")
    return "".join(parts)
