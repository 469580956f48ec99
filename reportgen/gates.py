"""The outcomes of expectations in words, and for other programs: JUnit, Markdown, annotations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree as ET

from reportgen.file_writing import open_pipe, write_bytes, write_text
from reportgen.rendering.exports import markdown_table
from reportgen.rendering.markup import github_text
from reportgen.rendering.tables import cell_text, format_cells
from reportgen.sections.expectations.result import ClaimTest, ExpectationsResult, Family, Outcome
from reportgen.sections.expectations.tables import tabulate, tabulate_claims
from reportgen.sections.expectations.words import (
    contrast_words,
    count_words,
    family_words,
    found_words,
)
from reportgen.targets import TARGETS, target_words

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MOST_BYTES = 1024 * 1000  # of a step's summary; GitHub takes 1,024 kB
SEVERITIES = {"fails": "major", "undecided": "minor"}
COLOURS: dict[Outcome, str] = {"fails": "#b3261e", "undecided": "#7a5c00", "holds": "#2e6b34"}
LETTER, MARGIN, HEIGHT = 6.6, 7.0, 20  # px of a badge: mean width of a letter of 11 px
MOST = 10  # of a kind that GitHub shows of one step
KINDS = ("error", "warning")


def lines_of(result: ExpectationsResult) -> tuple[str, ...]:
    """Write a line a claim: its outcome, the claim, and the numbers behind it."""
    width = max(len(gate.claim) for gate in result.gates)
    return tuple(
        f"{gate.outcome:<9}  {gate.claim:<{width}}  {numbers}".rstrip()
        for gate, numbers in zip(result.gates, details_of(result), strict=True)
    )


def details_of(result: ExpectationsResult) -> tuple[str, ...]:
    """Write behind each claim what was found."""
    table = tabulate_claims(result)  # first − second, first / second
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, map(cell_text, row), strict=True)) for row in format_cells(table)]
    return tuple(
        _detail(gate, row, result.family) for gate, row in zip(result.gates, rows, strict=True)
    )


def _detail(gate: ClaimTest, row: dict[str, str], family: Family) -> str:
    """Write a claim's contrast with its interval, and why it is undecided."""
    contrast, parts = gate.deciding, list[str]()
    if contrast is not None and contrast.estimate is not None:
        unit = "" if row["unit"] in ("ratio", "–") else f" {row['unit']}"
        where = "over all data sets" if gate.dataset is None else f"on {gate.dataset}"
        if not TARGETS[contrast.target].is_shown:
            where += f" {target_words(contrast.target)}"
        kind = "mean" if contrast.second is None else "pair"
        label = family_words(family, alone=kind if contrast.is_open else "")
        bounds = f" ({label}: {row['interval']})" if contrast.lower is not None else ""
        number = f"{row['estimate']}{unit}{bounds}"
        parts.append(f"{gate.measure} {where}: {contrast_words(contrast)} = {number}")
    if words := found_words(gate):
        parts.append(words)
    return "; ".join(parts)


def summary_of(result: ExpectationsResult) -> str:
    """Write how many claims have which outcome, and how often that errs."""
    warned = [gate for gate in result.of_outcome("undecided") if not gate.stops]
    text = count_words(result) + (" (a warning)" if warned else "")
    if not result.tested:
        return f"{text}; checks have no error rate"
    contrasts = "contrast" if result.n_contrasts == 1 else "contrasts"
    sure = f"at most {100 * result.alpha:g}%"
    rough = f"nominally {100 * result.alpha:g}%, approximately"
    promise = f"any is wrong with a probability of {sure if result.is_promised else rough}"
    n = len(result.checks)
    checks = f"; {n} {'is a check' if n == 1 else 'are checks'}, without an error rate" if n else ""
    return f"{text}; {result.n_contrasts} distinct {contrasts}: {promise}{checks}"


def write_junit(result: ExpectationsResult, path: Path, name: str) -> None:
    """Write a test suite with a case for each claim, as JUnit has it.

    An undecided claim is skipped, or a failure where the study takes it for one.

    `name`: of the study.
    """
    counts = {
        "tests": len(result.gates),
        "failures": sum(gate.stops for gate in result.gates),
        "skipped": sum(g.outcome == "undecided" and not g.stops for g in result.gates),
        "errors": 0,
    }
    numbers = {key: str(n) for key, n in counts.items()}
    suites = ET.Element("testsuites", numbers)
    suite = ET.SubElement(suites, "testsuite", {"name": _xml(name), **numbers})
    for gate, detail in zip(result.gates, details_of(result), strict=True):
        place = {"classname": _xml(f"{name}.expectations"), "name": _xml(gate.claim), "time": "0"}
        case = ET.SubElement(suite, "testcase", place)
        message = _xml(detail or gate.outcome)
        if gate.stops:
            found = ET.SubElement(case, "failure", {"message": message, "type": gate.outcome})
            found.text = message
        elif gate.outcome == "undecided":
            ET.SubElement(case, "skipped", {"message": f"undecided: {message}"})
    write_bytes(path, ET.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n")


def _xml(text: str) -> str:
    """Replace characters that no XML may hold; the others are the writer's affair."""
    return NO_XML.sub("\ufffd", text)


def write_code_quality(
    result: ExpectationsResult, path: Path, manifest: str, lines: Mapping[int, int]
) -> None:
    """Write what does not hold in the form of GitLab's reports of code quality.

    `manifest`: the file that the claims are in.
    `lines`: its lines, by the place of a claim; 1 where there is none.
    """
    details = details_of(result)
    found = [
        {
            "description": f"{gate.outcome}: {gate.claim}" + (f" ({detail})" if detail else ""),
            "check_name": "reportgen-expectation",
            "fingerprint": sha256(f"{manifest}\0{gate.claim}".encode()).hexdigest(),
            "severity": SEVERITIES["fails" if gate.stops else gate.outcome],
            "location": {"path": manifest, "lines": {"begin": lines.get(i, 1)}},
        }
        for i, (gate, detail) in enumerate(zip(result.gates, details, strict=True))
        if gate.outcome != "holds"
    ]
    write_text(path, json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def summary_markdown(result: ExpectationsResult, name: str, most: int = MOST_BYTES) -> str:
    """Write the outcomes in GitHub's Markdown, with as many rows as there is room for.

    `name`: of the study.
    `most`: bytes.
    Result: what does not hold comes first; rows that are left out are counted. Empty where not even
    the head has room.
    """
    table = tabulate(result)[0]
    place = {"fails": 0, "undecided": 1, "holds": 2}
    order = sorted(range(len(result.gates)), key=lambda i: place[result.gates[i].outcome])
    head, rule, *rows = markdown_table(table).splitlines()
    kept = [f"### Expectations of {github_text(name)}", "", github_text(summary_of(result)), ""]
    kept += [result.sign_words, ""] if result.sign_words else []
    kept += [head, rule]
    left = f"\n{len(rows):,} more\n"
    n_bytes = sum(len(line.encode()) + 1 for line in kept) + len(left)
    if n_bytes > most:
        return ""
    n_kept = 0
    for i in order:
        n_bytes += len(rows[i].encode()) + 1
        if n_bytes > most:
            break
        kept.append(rows[i])
        n_kept += 1
    if n_kept < len(rows):
        kept.append(f"\n{len(rows) - n_kept:,} more")
    return "\n".join(kept) + "\n"


def append_summary(result: ExpectationsResult, path: Path, name: str) -> None:
    """Append the outcomes to a job's summary, within what GitHub takes of one step.

    `path`: made where it is missing.
    `name`: of the study.
    """
    there = path.stat().st_size if path.is_file() else 0
    with open_pipe(path), path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(summary_markdown(result, name, MOST_BYTES - there))


def write_badge(result: ExpectationsResult, path: Path) -> None:
    """Write a badge as SVG: how many claims have which outcome."""
    here = f" {target_words('experiment')}" if result.targets == ("experiment",) else ""
    words = (f"expectations{here}", count_words(result))
    worst = next(outcome for outcome in COLOURS if result.of_outcome(outcome))
    widths = [2 * MARGIN + LETTER * len(text) for text in words]
    write_bytes(path, ET.tostring(_badge(words, widths, COLOURS[worst]), encoding="utf-8") + b"\n")


def _badge(words: Sequence[str], widths: Sequence[float], colour: str) -> ET.Element:
    """Draw two boxes with a text each."""
    label = ": ".join(words)
    size = {"width": f"{sum(widths):.0f}", "height": str(HEIGHT)}
    svg = ET.Element(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", **size, "role": "img", "aria-label": label},
    )
    ET.SubElement(svg, "title").text = label
    left = 0.0
    for text, width, fill in zip(words, widths, ("#444", colour), strict=True):
        box = {"x": f"{left:.1f}", "width": f"{width:.1f}", "height": str(HEIGHT), "fill": fill}
        ET.SubElement(svg, "rect", box)
        look = {"fill": "#fff", "font-family": "sans-serif", "font-size": "11"}
        at = {"x": f"{left + width / 2:.1f}", "y": "14", "text-anchor": "middle"}
        ET.SubElement(svg, "text", {**at, **look}).text = text
        left += width
    return svg


def github_commands(
    result: ExpectationsResult, manifest: str = "", lines: Mapping[int, int] | None = None
) -> tuple[str, ...]:
    """Write what does not hold as commands that GitHub shows beside the job.

    `manifest`: the file that the claims are in; empty where there is none.
    `lines`: its lines, by the place of a claim.
    Result: failures are errors, what is undecided and only warned of warnings. Where there are more
    than ten of a kind, the last counts the rest.
    """
    texts: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for i, (gate, detail) in enumerate(zip(result.gates, details_of(result), strict=True)):
        if gate.outcome == "holds":
            continue
        place = {"file": manifest, "line": str((lines or {}).get(i, 1))} if manifest else {}
        kind = "error" if gate.stops else "warning"
        title = {"title": f"{gate.outcome}: {gate.claim}"}
        texts[kind].append(_command(kind, place | title, detail or gate.outcome))
    return tuple(line for kind in KINDS for line in _at_most(kind, texts[kind]))


def _at_most(kind: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield as many lines as are shown, the last one counting what is left out."""
    if len(lines) <= MOST:
        yield from lines
        return
    yield from lines[: MOST - 1]
    left = len(lines) - MOST + 1
    title = {"title": f"{left} more expectations"}
    yield _command(kind, title, f"{left} more do not hold: see the job's log")


def _command(kind: str, properties: Mapping[str, str], message: str) -> str:
    r"""Write a workflow command, whatever its texts hold.

    >>> _command("error", {"title": "a, b: c"}, "100%\nsure")
    '::error title=a%2C b%3A c::100%25%0Asure'
    """
    given = ",".join(
        f"{key}={_escaped(text).replace(':', '%3A').replace(',', '%2C')}"
        for key, text in properties.items()
    )
    return f"::{kind} {given}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
