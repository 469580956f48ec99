"""The whole analysis: results.json that makes sense, or a refusal; and what may change nothing."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen import pipeline
from reportgen.errors import ReportgenError
from tests.fuzz.executions import FEWER, FUZZ
from tests.fuzz.manifests import section_options
from tests.fuzz.outcome import REFUSED, answer, check_refusal, command, leaves
from tests.fuzz.tables import Table, tidy_tables, wide_tables

QUICK: dict[str, dict[str, Any]] = {
    "archetypes": {"starts": 2, "samples": 4, "most": 3},
    "psychoanalysis": {"permutations": 19, "resamples": 2},
    "sequential": {"orders": 5},
}
"""Options that save time and leave nothing out."""


@dataclass(frozen=True)
class Wishes:
    """What a manifest says beside the results.

    Attributes
    ----------
    analysis : dict
        The block of that name.
    options : dict of str to dict
        Options of sections, where these apply.
    about : str
        What is known of the data sets: "nothing", "characteristics" or "settings".
    expect : tuple of str
    """

    analysis: dict[str, Any] = field(default_factory=dict)
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    about: str = "nothing"
    facts: tuple[float | str, ...] = ()
    expect: tuple[str, ...] = ()


def manifest(table: Table, folder: Path, wishes: Wishes) -> dict[str, Any]:
    """Write a table, and return a manifest of it."""
    name = table.write(folder).name
    own = {"wide": name} if table.is_wide else {"file": name}
    unit = {"unit": "sample"} if table.unit == "sample" else {}
    if wishes.about != "nothing":
        datasets = dict.fromkeys(row[0] for row in table.rows if row)
        rows = zip(datasets, cycle(wishes.facts), cycle(wishes.facts[1:]), strict=False)
        with (folder / "about.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("dataset", "size", "kind"), *rows])
        own[wishes.about] = "about.csv"
    sides = {"loss": "smaller", "score": "larger", "misclassification": "smaller"}
    measures = [{"name": m, "better": sides.get(m, "larger")} for m in table.measures]
    return {"seed": 7, "results": own | unit, "measures": measures} | {
        "analysis": wishes.analysis,
        "expect": list(wishes.expect),
    }


NONE = Wishes()
FILES = ("results.csv", "study.yaml", "about.csv")
SECTIONS = (
    *("items", "domain", "psychoanalysis", "archetypes", "sensitivity", "aggregate", "eda"),
    *("inference", "frontier", "preferences", "consensus", "sequential"),
)


def analysed(table: Table, wishes: Wishes = NONE) -> dict[str, Any] | None:
    """Analyse a table by all sections that it allows; None where it is refused."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        content = manifest(table, folder, wishes)
        path = folder / "study.yaml"
        path.write_text(json.dumps(content), "utf-8")
        try:
            job = pipeline.open_job(path, folder / "first")
            warehouse, _ = pipeline.measure(job)
        except ReportgenError as error:
            check_refusal(str(error), FILES)
            return None
        fitting = [
            name
            for name, section in job.sections.items()
            if section.applies(warehouse) and name != "plan"  # which asks for a key of analysis
        ]
        chosen = [{n: QUICK.get(n, {}) | wishes.options.get(n, {})} for n in fitting]
        path.write_text(json.dumps(content | {"sections": chosen}), "utf-8")
        output = folder / "output"
        places = [*FILES, "data set ", "measure ", "sections.", "analysis.", *table.measures]
        run = ("run", path, "-o", output, "--format", "json", "--jobs", "1")
        if command(*run, places=places, failing=bool(wishes.expect)).exit_code == REFUSED:
            return None
        return answer(output / "study")


@st.composite
def analyses(draw: st.DrawFn, measures: tuple[str, ...]) -> dict[str, Any]:
    """Draw options of the analysis."""
    size = draw(st.sampled_from((1e-90, 0.01, 0.1, 1.0, 1e90)))
    own = {
        "alpha": draw(st.sampled_from((0.05, 1e-9, 0.5, 0.999))),
        "relevance": {m: [-size, size] for m in measures if draw(st.booleans())},
        "df": draw(st.sampled_from(("exact", "asymptotic"))),
        "family": draw(st.sampled_from(("dataset-measure", "study"))),
        "variance": draw(st.sampled_from(("own", "pooled"))),
        "missing": draw(st.sampled_from(("available", "complete-dataset", "complete-domain"))),
    }
    return {key: own[key] for key in draw(st.sets(st.sampled_from(sorted(own))))}


FACTS = st.sampled_from((0.0, 1.0, 2.0, 1e300, 1e-300, "NA", "a", "b", "", "<b>"))


@st.composite
def studies(draw: st.DrawFn) -> tuple[Table, Wishes]:
    """Draw a table, and what its manifest says beside it."""
    usual = tidy_tables(faults=["none"]) | wide_tables(faults=["none"])
    many = tidy_tables(is_plain=True, faults=["none"], smallest=(1, 20, 2), largest=(3, 26, 3))
    table = draw(tidy_tables() | wide_tables() | usual | usual | many | many)
    asked = draw(st.just([]) | st.lists(st.sampled_from(SECTIONS), max_size=2, unique=True))
    options = {name: draw(section_options(name)) for name in asked}
    about = draw(st.sampled_from(("nothing", "characteristics", "settings")))
    facts = draw(st.tuples(FACTS, FACTS, FACTS))
    first, last = table.candidates[0], table.candidates[-1]
    claims = (f"{first} better than {last}", f"{last} among the best", "no failures")
    expect = draw(st.lists(st.sampled_from(claims), max_size=2, unique=True))
    analysis = draw(analyses(table.measures))
    return table, Wishes(analysis, options, about, facts, tuple(expect))


@pytest.mark.slow
@FUZZ
@given(studies())
def test_the_whole_analysis(study: tuple[Table, Wishes]) -> None:
    analysed(*study)


WHOLE = tidy_tables(is_plain=True, faults=["none"])


def numbers(found: dict[str, Any]) -> dict[tuple[str, ...], Any]:
    """Return what the sections and the conclusion say, by place."""
    return dict(leaves({key: found[key] for key in ("sections", "conclusion")}))


@pytest.mark.slow
@FEWER
@given(WHOLE, st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(table: Table, seed: int) -> None:
    found, other = analysed(table), analysed(table.shuffled(seed))
    assert (found is None) == (other is None)
    if found and other:
        assert numbers(found) == numbers(other)


@pytest.mark.slow
@FEWER
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
    at = table.header.index("candidate")
    rows = tuple((*row[:at], f"name {row[at]}", *row[at + 1 :]) for row in table.rows)
    return replace(table, rows=rows, candidates=tuple(f"name {c}" for c in table.candidates))


@pytest.mark.slow
@FEWER
@given(WHOLE, st.sampled_from((-200, -7, 1, 60)))
def test_another_unit_changes_no_p_value_and_no_decision(table: Table, power: int) -> None:
    with np.errstate(over="ignore"):
        rescaled = scaled(table, power)
    if scaled(rescaled, -power) != table:  # beyond what doubles hold: these are other numbers
        return
    found, other = analysed(table), analysed(rescaled)
    if not (found and other):
        return
    same = ("p_value", "adjusted_p_value", "decision", "significant", "favoured", "wins", "ties")
    mine, others = numbers(found), numbers(other)
    for place, x in mine.items():
        if place[-1] in same and "sections" in place and "inference" in place:
            own = pytest.approx(x, rel=1e-6) if isinstance(x, float) else x
            assert others[place] == own, (place, power)


def scaled(table: Table, power: int) -> Table:
    """Return the table with its losses and scores times a power of two."""

    def cell(row: tuple[Any, ...], head: str, x: Any) -> Any:
        own = row[table.header.index("measure")] if head == "value" else head
        return float(np.ldexp(x, power)) if own in ("loss", "score") and x is not None else x

    rows = tuple(
        tuple(cell(row, head, x) for head, x in zip(table.header, row, strict=True))
        for row in table.rows
    )
    return replace(table, rows=rows)
