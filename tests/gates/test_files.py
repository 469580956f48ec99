"""Files and annotations of outcomes: well formed whatever the names, and within the limits."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from reportgen.gates import (
    MOST_BYTES,
    append_summary,
    github_commands,
    lines_of,
    summary_markdown,
    summary_of,
    write_badge,
    write_code_quality,
    write_junit,
)
from tests.gates.making import HOSTILE, gate, result

FOUR = result(
    gate("holds"),
    gate("fails", "a within 1 of b"),
    gate("undecided", "b better than a"),
    gate("undecided", "b within 1 of a", on_undecided="fail"),
)


def test_lines_and_summary() -> None:
    lines = lines_of(FOUR)
    assert (
        lines[0] == "holds      a better than b  "
        "error on d: a − b = −10.00 pp (95% interval: −20.00 to −5.00)"
    )
    assert lines[2].endswith("; the interval holds a bound")
    assert summary_of(FOUR) == (
        "1 holds, 1 fails, 2 undecided (a warning); 1 distinct contrast: any is wrong with a "
        "probability of at most 5%"
    )
    facts = result(gate("holds", "no failures", kind="check", relation="failures", contrasts=()))
    assert summary_of(facts) == "1 holds; checks have no error rate"


def test_junit(tmp_path: Path) -> None:
    write_junit(FOUR, tmp_path / "j.xml", "nightly")
    suite = ET.parse(tmp_path / "j.xml").getroot()[0]
    assert suite.attrib == {
        "name": "nightly",
        "tests": "4",
        "failures": "2",
        "skipped": "1",
        "errors": "0",
    }
    passed, failed, skipped, strict = suite
    assert not list(passed)
    assert [x.tag for x in failed] == ["failure"]
    assert [x.tag for x in skipped] == ["skipped"]
    assert strict[0].attrib["type"] == "undecided"
    assert passed.attrib["name"] == "a better than b"
    assert passed.attrib["classname"] == "nightly.expectations"


@pytest.mark.parametrize("outcome", ["holds", "fails", "undecided"])
def test_hostile_names_stay_text(tmp_path: Path, outcome: str) -> None:
    found = result(gate(outcome, HOSTILE))  # type: ignore[arg-type]
    write_junit(found, tmp_path / "j.xml", HOSTILE)
    (case,) = ET.parse(tmp_path / "j.xml").getroot().iter("testcase")
    shown = HOSTILE.replace("\x00", "\ufffd").replace("\x1b", "\ufffd")
    assert case.attrib["name"] == shown
    write_badge(found, tmp_path / "b.svg")
    assert ET.parse(tmp_path / "b.svg").getroot().tag == "{http://www.w3.org/2000/svg}svg"
    text = summary_markdown(found, HOSTILE)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
    assert "<b>" not in text
    assert "`" not in text


def test_annotations_are_escaped() -> None:
    (line,) = github_commands(result(gate("fails", HOSTILE)), "a, b.yaml", {0: 7})
    assert line.startswith("::error file=a%2C b.yaml,line=7,title=fails%3A <b> & ")
    assert "\n" not in line
    assert "\r" not in line
    properties, message = line.removeprefix("::error ").split("::", 1)
    assert "%3A%3Aerror%3A%3A100%25%0D%0A" in properties
    assert message == "error on d: a − b = −10.00 pp (95%25 interval: −20.00 to −5.00)"


@pytest.mark.parametrize(("n", "shown"), [(1, 1), (10, 10), (11, 10), (40, 10)])
def test_at_most_ten_of_a_kind(n: int, shown: int) -> None:
    gates = [gate("fails", f"f{i}") for i in range(n)] + [gate("undecided", "u"), gate("holds")]
    lines = github_commands(result(*gates))
    errors = [line for line in lines if line.startswith("::error ")]
    assert len(errors) == shown
    assert len(lines) == shown + 1
    assert lines[-1].startswith("::warning title=undecided%3A u::")
    if n > shown:
        assert errors[-1].startswith(f"::error title={n - 9} more expectations::")


def test_a_summary_says_which_sign_is_better() -> None:
    text = summary_markdown(result(gate("holds")), "nightly")
    assert "Of two candidates: the advantage of the first; positive" in text
    assert "| 10.00 | 5.00 to 20.00 |" in text
    mean = gate("holds", "error of a below 0.3")
    (own,) = mean.contrasts
    alone = replace(mean, contrasts=(replace(own, second=None),))
    assert "Of two candidates" not in summary_markdown(result(alone), "nightly")


def test_a_summary_fits_into_a_step(tmp_path: Path) -> None:
    gates = [gate("holds", f"{i} {'x' * 900}") for i in range(1500)]
    file = tmp_path / "summary.md"
    file.write_text("before\n" * 1000, encoding="utf-8")
    append_summary(result(*gates, gate("fails", "the one that fails")), file, "nightly")
    written = file.read_text(encoding="utf-8")
    assert file.stat().st_size <= MOST_BYTES <= 1024 * 1024
    assert written.startswith("before\n")
    assert written.index("the one that fails") < written.index("0 xxx")
    rows = written.count("\n| ") - 2  # without head and rule
    assert written.endswith(f"\n{1501 - rows:,} more\n")
    append_summary(FOUR, file, "nightly")
    assert file.stat().st_size <= MOST_BYTES


def test_code_quality(tmp_path: Path) -> None:
    write_code_quality(FOUR, tmp_path / "q.json", "study.yaml", {1: 5})
    issues = json.loads((tmp_path / "q.json").read_text(encoding="utf-8"))
    assert [issue["severity"] for issue in issues] == ["major", "minor", "major"]
    assert issues[0]["location"] == {"path": "study.yaml", "lines": {"begin": 5}}
    assert len({issue["fingerprint"] for issue in issues}) == 3
    assert set(issues[0]) == {"description", "check_name", "fingerprint", "severity", "location"}


def test_badge(tmp_path: Path) -> None:
    write_badge(FOUR, tmp_path / "b.svg")
    svg = ET.parse(tmp_path / "b.svg").getroot()
    assert svg.attrib["aria-label"] == "expectations: 1 holds, 1 fails, 2 undecided"
    boxes = [float(x.attrib["width"]) for x in svg if x.tag.endswith("rect")]
    assert sum(boxes) == pytest.approx(float(svg.attrib["width"]), abs=1)
