"""Any table of battles, of sources of variation, of factors or of families, and any plan of one."""

from __future__ import annotations

import csv
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.executions import FUZZ
from tests.fuzz.manifests import BASES, FILES, design_files
from tests.fuzz.names import names
from tests.fuzz.outcome import answer, command

MANIFESTS = {file: text for text in BASES for file in design_files() if file in text}
CELLS = (
    *(
        "",
        " ",
        "0",
        "1",
        "-1",
        "nan",
        "inf",
        "1e400",
        "1,5",
        "tie",
        "model_a",
        "a",
        "b",
        "d0",
        "s1",
    ),
    *("true", "x" * 5000, "\u202e", "\u200b", "=1+1", "<b>", "2026-01-01", "both bad", "\x00"),
)
NUMBERS = ("0.01", "2pp", "5%", "0", "-1", "nan", "1e999", "1e-300", "", "x", "0.1", "0.999", "1,5")
Rows = list[list[str]]


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, Rows]:
    """Draw the file of a design in which cells, rows or columns were changed."""
    file = draw(st.sampled_from(sorted(MANIFESTS)))
    rows = deepcopy(design_files()[file])
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(rows) - 1))
        column = draw(st.integers(0, len(rows[at]) - 1))
        match draw(
            st.sampled_from(("cell", "cell", "name", "row", "twice", "rows", "column", "all"))
        ):
            case "cell":
                rows[at][column] = draw(st.sampled_from(CELLS))
            case "name":
                rows[at][column] = draw(names)
            case "row" if len(rows) > 1:
                del rows[at]
            case "twice":
                rows.insert(at, list(rows[at]))
            case "rows":
                rows = rows[: at + 1]
            case "column" if len(rows[0]) > 1 and len({*map(len, rows)}) == 1:
                rows = [row[:column] + row[column + 1 :] for row in rows]
            case "all" if len({*map(len, rows)}) == 1:
                cell = draw(st.sampled_from(CELLS))
                rows = [rows[0], *([*row[:column], cell, *row[column + 1 :]] for row in rows[1:])]
    return file, rows


def write(folder: Path, file: str, rows: Rows) -> Path:
    """Write a table with its manifest."""
    with (folder / file).open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(rows)
    text = MANIFESTS[file].replace("formats: [qmd]", "formats: [json]")
    (folder / "study.yaml").write_text(text.partition("expect:")[0], "utf-8")
    return folder / "study.yaml"


@FUZZ
@given(tables())
def test_a_table_of_a_design(table: tuple[str, Rows]) -> None:
    """It is refused, with the file or a key, or gives a report whose numbers make sense."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = write(folder, *table)
        places = [*FILES, "sections", "claim", "analysis"]
        words = ("run", path, "-o", folder / "out", "--format", "json", "--jobs", "1", "-q")
        if not command(*words, places=places).exit_code:
            answer(folder / "out" / "study")


@pytest.mark.slow
@FUZZ
@given(
    st.sampled_from(NUMBERS),
    st.lists(
        st.one_of(
            st.tuples(st.just("--power"), st.sampled_from(("0.01", "0.9", "1e-300"))),
            st.tuples(
                st.just("--pair"), st.sampled_from(("a,b", "a,a", "a", "a,x", ",", "")) | names
            ),
            st.tuples(st.just("--cost"), st.sampled_from(("fit=1", "unit=nan", "=1", "x")) | names),
            st.tuples(st.just("--sd"), st.sampled_from(("dataset=0.1", "seed=-1", "rest")) | names),
            st.tuples(st.just("--measure"), st.just("error") | names),
        ),
        max_size=3,
    ),
)
def test_a_plan(detect: str, options: list[tuple[str, str]]) -> None:
    words = [f"{name}={value}" for name, value in options]
    with TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "families.csv").open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(design_files()["families.csv"])
        places = ["families", "--", "plan", "results"]
        command("plan", folder / "families.csv", f"--detect={detect}", *words, places=places)
