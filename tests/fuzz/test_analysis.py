"""The whole analysis: results.json that makes sense, or a refusal; and what may change nothing."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen import pipeline
from reportgen.errors import ReportgenError
from tests.fuzz.executions import FUZZ
from tests.fuzz.outcome import answer, check_refusal, command, leaves
from tests.fuzz.tables import Table, tidy_tables, wide_tables


QUICK: dict[str, dict[str, Any]] = {
    "archetypes": {"starts": 2, "samples": 4, "most": 3},
    "psychoanalysis": {"permutations": 19, "resamples": 2},
    "sequential": {"orders": 5},
}
"""Options that save time and leave nothing out."""


def manifest(table: Table, folder: Path, analysis: dict[str, Any]) -> dict[str, Any]:
    """Write a table, and return a manifest of it."""
    name = table.write(folder).name
    own = {"wide": name} if table.is_wide else {"file": name}
    unit = {"unit": "sample"} if table.unit == "sample" else {}
    sides = {"loss": "smaller", "score": "larger", "misclassification": "smaller"}
    measures = [{"name": m, "better": sides.get(m, "larger")} for m in table.measures]
    return {"seed": 7, "results": own | unit, "measures": measures, "analysis": analysis}


def analysed(table: Table, analysis: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """Analyse a table by all sections that it allows; None where it is refused."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        content = manifest(table, folder, analysis or {})
        path = folder / "study.yaml"
        path.write_text(json.dumps(content), "utf-8")
        try:
            job = pipeline.open_job(path, folder / "first")
            warehouse, _ = pipeline.measure(job)
        except ReportgenError as error:
            check_refusal(str(error), ["results.csv", "study.yaml"])
            return None
        fitting = [n for n, section in job.sections.items() if section.applies(warehouse)]
        chosen = [{n: QUICK.get(n, {})} for n in fitting]
        path.write_text(json.dumps(content | {"sections": chosen}), "utf-8")
        output = folder / "output"
        places = ["results.csv", "study.yaml", "data set ", "measure ", *table.measures]
        run = ("run", path, "-o", output, "--format", "json", "--jobs", "1")
        if command(*run, places=places).exit_code:
            return None
        return answer(output / "study")


@st.composite
def analyses(draw: st.DrawFn, measures: tuple[str, ...]) -> dict[str, Any]:
    """Draw options of the analysis."""
    size = draw(st.sampled_from((1e-300, 0.01, 0.1, 1.0, 1e300)))
    own = {
        "alpha": draw(st.sampled_from((0.05, 1e-9, 0.5, 0.999))),
        "relevance": {m: [-size, size] for m in measures if draw(st.booleans())},
        "df": draw(st.sampled_from(("exact", "asymptotic"))),
        "family": draw(st.sampled_from(("dataset-measure", "study"))),
        "variance": draw(st.sampled_from(("own", "pooled"))),
        "missing": draw(st.sampled_from(("available", "complete-dataset", "complete-domain"))),
    }
    return {key: own[key] for key in draw(st.sets(st.sampled_from(sorted(own))))}


@st.composite
def studies(draw: st.DrawFn) -> tuple[Table, dict[str, Any]]:
    """Draw a table, and options of its analysis."""
    table = draw(tidy_tables() | wide_tables())
    return table, draw(analyses(table.measures))


@pytest.mark.slow
@FUZZ
@given(studies())
def test_the_whole_analysis(study: tuple[Table, dict[str, Any]]) -> None:
    analysed(*study)


WHOLE = tidy_tables(is_plain=True, faults=["none"])


def numbers(found: dict[str, Any]) -> dict[tuple[str, ...], Any]:
    """Return what the sections and the conclusion say, by place."""
    return dict(leaves({key: found[key] for key in ("sections", "conclusion")}))


@pytest.mark.slow
@FUZZ
@given(WHOLE, st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(table: Table, seed: int) -> None:
    found, other = analysed(table), analysed(table.shuffled(seed))
    assert (found is None) == (other is None)
    if found and other:
        assert numbers(found) == numbers(other)


@pytest.mark.slow
@FUZZ
@given(WHOLE)
def test_names_in_the_same_order_change_no_number(table: Table) -> None:
    found, other = analysed(table), analysed(renamed(table))
    assert (found is None) == (other is None)
    if found and other:
        pairs = zip(leaves(found["sections"]), leaves(other["sections"]), strict=True)
        for (place, x), (_, y) in pairs:
            assert x == y or isinstance(x, str), place


def renamed(table: Table) -> Table:
    """Return the table with longer names of the candidates, in the same order."""
    from dataclasses import replace

    at = table.header.index("candidate")
    rows = tuple((*row[:at], f"name {row[at]}", *row[at + 1 :]) for row in table.rows)
    return replace(table, rows=rows, candidates=tuple(f"name {c}" for c in table.candidates))


@pytest.mark.slow
@FUZZ
@given(WHOLE, st.sampled_from((-200, -7, 1, 60)))
def test_another_unit_changes_no_p_value_and_no_decision(table: Table, power: int) -> None:
    found, other = analysed(table), analysed(scaled(table, power))
    if not (found and other):
        return
    same = ("p_value", "adjusted_p_value", "decision", "significant", "favoured", "wins", "ties")
    mine, others = numbers(found), numbers(other)
    for place, x in mine.items():
        if place[-1] in same and "sections" in place and "inference" in place:
            assert others[place] == (pytest.approx(x, rel=1e-6) if isinstance(x, float) else x)


def scaled(table: Table, power: int) -> Table:
    """Return the table with its losses and scores times a power of two."""
    from dataclasses import replace

    def cell(row: tuple[Any, ...], head: str, x: Any) -> Any:
        own = row[table.header.index("measure")] if head == "value" else head
        return float(np.ldexp(x, power)) if own in ("loss", "score") and x is not None else x

    rows = tuple(
        tuple(cell(row, head, x) for head, x in zip(table.header, row, strict=True))
        for row in table.rows
    )
    return replace(table, rows=rows)
