"""Any table: `check` and `import` have an answer, or an error that names the file and the row."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import reportgen
from reportgen.errors import ReportgenError
from reportgen.stats.arrays import LEAST_SIZE
from tests.fuzz.executions import FUZZ
from tests.fuzz.names import rare
from tests.fuzz.outcome import Outcome, check_refusal, command
from tests.fuzz.tables import LARGER, OPEN, Table, forms, tidy_tables, wide_tables

IMPORTED = "imported.parquet"


def read(folder: Path, table: Table, form: str) -> Outcome:
    """Import a table; what is written is read again."""
    path = table.write(folder, form)
    measure = table.measures[0]
    side = "larger" if measure == LARGER else "smaller"
    wide = ("--measure", measure, "--better", f"{measure}={side}") if table.is_wide else ()
    better = ("--better", f"{OPEN}=larger") if OPEN in table.measures else ()
    to = folder / IMPORTED
    found = command("import", path, "-o", to, *better, *wide, places=[path.name, "--better"])
    if not found.exit_code:
        again = command("check", to, "-o", folder, places=[to.name])
        assert not again.exit_code, again
    return found


def values(table: Table) -> dict[tuple[str, str, str], list[float]]:
    """Return the values of a table by data set, candidate and measure, in ascending order."""
    n = 1 if not table.is_wide else len(table.header) - len(table.candidates)
    found: dict[tuple[str, str, str], list[float]] = {}
    for row in table.rows:
        cells = dict(zip(table.header, row, strict=True))
        if table.is_wide:
            named = zip(table.candidates, row[n:], strict=True)
            of = [((str(row[0]), c, table.measures[0]), x) for c, x in named]
        elif "measure" in cells:
            of = [((cells["dataset"], cells["candidate"], cells["measure"]), cells["value"])]
        else:
            own = (cells["dataset"], cells["candidate"])
            of = [((*own, m), cells[m]) for m in table.measures]
        for key, x in of:
            if x is not None:
                found.setdefault(key, []).append(x)
    return {key: sorted(own) for key, own in found.items()}


@FUZZ
@given(tidy_tables() | wide_tables(), forms)
def test_import(table: Table, form: str) -> None:
    with TemporaryDirectory() as folder:
        read(Path(folder), table, form)


TINY = Table(
    header=("dataset", "replication", "c1", "c2", "c3"),
    rows=(
        ("d1", "1", 3.172792096032393e-301, 3.6108090717505794e-301, 3.5652185380916937e-301),
        ("d1", "2", 2.3484213841978194e-301, 3.6526779333365588e-301, 3.6231872861820052e-301),
        ("d1", "3", 2.7315233823198572e-301, 3.4905590520981768e-301, 3.582286198093038e-301),
    ),
    is_wide=True,
    unit="replication",
    measures=("loss",),
    candidates=("c1", "c2", "c3"),
    fault="none",
)


@pytest.mark.slow
@FUZZ
@example(TINY, "csv")
@given(
    tidy_tables(is_plain=True, faults=["none"], units=["replication"])
    | wide_tables(is_plain=True, faults=["none"]),
    forms,
)
def test_what_is_imported_is_what_was_written(table: Table, form: str) -> None:
    """Plain names and nothing wrong: every value is there, to the last digit.

    Candidates whose values are of another size than all others are told, or asked for.
    """
    expected = values(table)
    with TemporaryDirectory() as folder:
        found = read(Path(folder), table, form)
        if not expected:
            assert found.exit_code
            return
        if found.exit_code:
            known = (
                "from 0 to",
                "negative",
                "`columns: {ignore:",
                "take another unit",
                "rows and columns with the same names",
            )
            assert any(words in found.refusal for words in known), found
            return
        frame = pd.read_parquet(Path(folder) / IMPORTED).dropna(subset="value")
    keys = [frame[name].astype(str) for name in ("dataset", "candidate", "measure")]
    expected = {
        key: sorted(0.0 if abs(x) < LEAST_SIZE else x for x in own) for key, own in expected.items()
    }
    by_key = {key: sorted(own) for key, own in frame["value"].groupby(keys)}
    left_out = found.told.partition("left out: ")[2].partition("\n")[0]
    kept = {key: own for key, own in expected.items() if f"{key[1]} (" not in left_out}
    assert by_key == kept
    assert table.is_wide or kept == expected


@FUZZ
@given(tidy_tables(), forms)
def test_check_of_a_file(table: Table, form: str) -> None:
    with TemporaryDirectory() as folder:
        path = table.write(Path(folder), form)
        command("check", path, "-o", folder, places=[path.name])


@FUZZ
@given(st.binary(max_size=60), st.sampled_from((".csv", ".json", ".parquet", ".rds", ".RData")))
def test_any_bytes_in_place_of_a_table(content: bytes, kind: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"results{kind}"
        path.write_bytes(content)
        command("check", path, "-o", folder, places=[path.name])


CELLS = st.one_of(
    st.floats(),
    st.sampled_from([0.5, 0.25, None, True, "x", "0.5", 3, 10**30, 1 + 2j, b"x", [1], {"a": 1}]),
    st.sampled_from([pd.NA, pd.NaT, pd.Timestamp(2020, 1, 1), np.float32(0.1), np.int8(1)]),
)
KINDS = ("object", "category", "Float64", "Int64", "string", "bool", "datetime64[ns]", "float32")


@st.composite
def objects(draw: st.DrawFn) -> Any:
    """Draw what a user of Python may pass for results."""
    n, k = draw(st.integers(0, 6)), draw(st.integers(0, 4))
    heads = draw(st.lists(rare | st.integers(0, 3), min_size=k, max_size=k))
    columns = [draw(st.lists(CELLS, min_size=n, max_size=n)) for _ in heads]
    kind = draw(st.sampled_from(("mapping", "lists", "array", "frame", "frame", "index", "tidy")))
    if kind == "mapping":
        return dict(zip(heads, columns, strict=True))
    if kind == "lists":
        return columns
    if kind == "array":
        shape = draw(st.lists(st.integers(0, 4), max_size=4))
        return draw(st.sampled_from((0.5, np.nan, 1e300, 0))) * np.ones(shape)
    frame = pd.DataFrame(dict(enumerate(columns)), index=range(n))
    frame.columns = pd.Index(heads, dtype=object)
    if kind == "index" and k > 1:
        own = [draw(st.sampled_from(("dataset", "fold", None, "x"))) for _ in range(2)]
        frame.index = pd.MultiIndex.from_product([range(n), ["a"]], names=own)
    if kind == "tidy" and k:
        frame.columns = pd.Index(["candidate", *heads[1:]], dtype=object)
    if k and not frame.columns.has_duplicates:
        try:
            with np.errstate(invalid="ignore", over="ignore"):  # a cast that a kind cannot hold
                return frame.astype({frame.columns[0]: draw(st.sampled_from(KINDS))})
        except (TypeError, ValueError, OverflowError):
            return frame
    return frame


@FUZZ
@given(objects(), st.sampled_from((None, "smaller", "larger")))
def test_compare(results: Any, better: Any) -> None:
    keywords = {} if better is None else {"better": better}
    try:
        study = reportgen.compare(results, measure="loss", **keywords)
    except ReportgenError as error:
        check_refusal(str(error), ["data"])
        return
    assert len(study.candidates) > 0
    assert str(study)
