"""One convention of sign, and one count of first places, in all that a report says.

An advantage is that of the candidate that is named first, and positive where it is better. A first
place is that of a candidate than which no other is better: those that tie have it each. Both are
computed here from `results.json` and the values, and read in tables, data of figures and sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import isfinite, log
from typing import Any

import numpy as np
import pytest

from reportgen.report import Report, Table
from reportgen.stats.descriptive import shared_places
from tests.builders import warehouse_of
from tests.conclusion import cases
from tests.made_up import FOUR, MADE_UP, MadeUp, report_of
from tests.schemas import results
from tests.sections.reading import Said, read

STUDIES = ("one-dataset", "domain", "gaps", "stages", "settings")
EXACT = ("pairs", "leader-pairs")  # tables of the estimates that decide; others have their own
ADVANTAGES = ("advantage", "difference")  # columns that say by how much the first is better
DIGITS = 1e-9  # relative: the same number, computed twice
SMALL = 1e-3  # of the largest advantage: other estimates may have another sign below
NUMBER = r"(−?\d[\d,]*(?:\.\d+)?)"

Key = tuple[str | None, str, str, str]


@pytest.fixture(scope="module", params=STUDIES)
def report(request: pytest.FixtureRequest) -> Report:
    return report_of(MADE_UP[request.param])


@pytest.fixture(scope="module")
def said(report: Report) -> Said:
    return read(report)


@pytest.fixture(scope="module")
def truth(report: Report) -> Mapping[Key, float]:
    """By data set (None over all), measure, first and second: the first's advantage, 0 if equal.

    Of ratios it is a logarithm.
    """
    found = results(report)
    smaller = {m["name"]: m["better"] == "smaller" for m in found["design"]["measures"]}
    return {
        (dataset, measure, *names): sign * (-way if smaller[measure] else way)
        for dataset, measure, pair in _pairs(found["sections"])
        if pair["estimate"] is not None
        for way in [log(pair["estimate"]) if pair["scale"] == "ratio" else pair["estimate"]]
        for sign, names in (
            (1, (pair["first"], pair["second"])),
            (-1, (pair["second"], pair["first"])),
        )
    }


def _pairs(sections: Mapping[str, Any]) -> Iterator[tuple[str | None, str, Mapping[str, Any]]]:
    for dataset, measured in sections.get("inference", {}).items():
        for measure, found in measured.items():
            for pair in found["pairs"] or ():
                yield dataset, measure, pair
    for measure, found in (sections.get("domain") or {}).get("verdict", {}).items():
        for pair in (found or {}).get("pairs") or ():
            yield None, measure, pair


def rows_of(table: Table) -> Iterator[tuple[str, str, float]]:
    """Yield the pairs of a table and their advantages."""
    names = [column.name for column in table.columns]
    advantage = next((names.index(name) for name in ADVANTAGES if name in names), None)
    if advantage is None or "pair" not in names:
        return
    for row in table.rows:
        if row[advantage] is not None and isfinite(row[advantage]):
            first, second = row[names.index("pair")]
            yield first, second, row[advantage]


def of_ratio(report: Report, measure: str) -> bool:
    return report.design.measure(measure).is_compared_by_ratio


def wrong_signs(report: Report, truth: Mapping[Key, float]) -> list[str]:
    """Return the rows of tables and of figures' data that have another advantage."""
    found, n_read = [], 0
    largest = {key[:2]: max(abs(x) for k, x in truth.items() if k[:2] == key[:2]) for key in truth}
    for content in report.contents:
        places = [
            (f"table {t.name}", t.measure, first, second, x, t.name in EXACT)
            for t in content.tables
            for first, second, x in rows_of(t)
        ]
        for figure in content.figures:
            columns = figure.data.columns
            if {"first", "second", "advantage"} <= {*columns}:
                i, j, k = (columns.index(c) for c in ("first", "second", "advantage"))
                places += [
                    (f"figure {figure.name}", figure.measure, row[i], row[j], row[k], True)
                    for row in figure.data.rows
                    if row[k] is not None and isfinite(row[k])
                ]
        for where, measure, first, second, x, is_exact in places:
            key = (content.dataset, measure, first, second)
            if key not in truth:
                continue
            n_read += 1
            is_ratio = of_ratio(report, measure) and x > 0
            value = log(x) if is_ratio else x
            scale = largest[key[:2]]
            close = abs(value - truth[key]) <= DIGITS * scale
            alike = value * truth[key] > 0 or abs(truth[key]) <= SMALL * scale
            if not (close if is_exact else alike):
                found.append(f"{content.name} {where}: {key} has {value}, not {truth[key]}")
    assert n_read
    return found


@pytest.mark.slow
def test_tables_and_figures_have_the_advantage_of_the_first(
    report: Report, truth: Mapping[Key, float]
) -> None:
    assert wrong_signs(report, truth) == []


def test_a_turned_sign_is_found(report: Report, truth: Mapping[Key, float]) -> None:
    turned = {key: -x for key, x in truth.items()}
    assert len(wrong_signs(report, turned)) >= len({key[2:] for key in truth}) / 2


NEXT = re.compile(
    rf"; (\w+)(?:, the (?:next|best other),)? has [^;]*?; (\w+)’s advantage is {NUMBER}"
)
BY = re.compile(rf"(\w+) is significantly better than (\w+)[^.;]*?, by {NUMBER}")
NEW = re.compile(rf"interval of the advantage of (\w+) over (\w+)[^.]*? is {NUMBER} to {NUMBER}")


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def claims(text: str) -> Iterator[tuple[str, str, float]]:
    """Yield first, second and advantage of the sentences that name one."""
    for second, first, x in NEXT.findall(text):
        yield first, second, number(x)
    for first, second, x in BY.findall(text):
        yield first, second, number(x)
    for first, second, lower, upper in NEW.findall(text):
        yield first, second, (number(lower) + number(upper)) / 2


def wrong_sentences(report: Report, text: str, truth: Mapping[Key, float]) -> list[str]:
    """Return the advantages that a text states with another sign than on any data set."""
    main = report.design.measures[0].name
    return [
        f"{first}, {second}: {x}"
        for first, second, x in claims(text)
        if not any(
            x * y > 0 for (_, m, a, b), y in truth.items() if (m, a, b) == (main, first, second)
        )
    ]


def test_sentences_have_the_sign_of_the_results(
    report: Report, said: Said, truth: Mapping[Key, float]
) -> None:
    assert wrong_sentences(report, said.abstract, truth) == []
    main = report.design.measures[0].name
    if not report.design.factors:  # whose abstract speaks of changes
        assert list(claims(said.abstract))
        turned = {key: -x for key, x in truth.items() if key[1] == main}
        over = {key: x for key, x in turned.items() if key[0] is None} or turned
        assert wrong_sentences(report, said.abstract, over)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b, the next, has 2.00%; a’s advantage is −1.20 points", ("a", "b", -1.2)),
        ("a is significantly better than b (Figure 1), by 1.20 points", ("a", "b", 1.2)),
        (
            "The interval of the advantage of a over b on new data is −2.00 to 1.00",
            ("a", "b", -0.5),
        ),
    ],
)
def test_sentences_are_read(text: str, expected: tuple[str, str, float]) -> None:
    assert list(claims(f"a has 1.00%; {text}")) == [expected]


# ------------------------------------------------------------------------------ first places


def counted(report: Report) -> Mapping[tuple[str | None, str], Mapping[str, int]]:
    """By data set and measure: in how many complete replications no other is better."""
    values = {c.dataset: c.result for c in report.contents if c.name == "eda"}
    found = {}
    for dataset, measured in values.items():
        for name, seen in measured.items():
            own = seen.values[np.isfinite(seen.values).all(axis=1)]
            best = own.min(axis=1) if seen.measure.is_smaller_better else own.max(axis=1)
            counts = (own == best[:, np.newaxis]).sum(axis=0).tolist()
            found[dataset, name] = dict(zip(seen.candidates, counts, strict=True))
    return found


BEST = re.compile(r"(\w+) is best(?:, and alone,)?(?: or tied(?: for best)?)? in (?:all )?([\d,]+)")
FIRST = re.compile(r"First places in [\d,]+ \w+: ([^.]*)\.")


def test_first_places_are_counted_once(report: Report, said: Said) -> None:
    told = counted(report)
    written = results(report)["sections"]["eda"]
    n_figures = 0
    for content in (c for c in report.contents if c.name == "eda"):
        for name in content.result:
            counts = told[content.dataset, name]
            own = written[content.dataset][name]
            assert {row["candidate"]: row["n_best"] for row in own["summary"]} == counts
            if own["podium"]:
                assert own["podium"]["places"][0] == counts
            (table,) = (t for t in content.tables if (t.name, t.measure) == ("summary", name))
            names = [column.name for column in table.columns]
            if "n_best" in names:
                rows = {row[0]: row[names.index("n_best")] for row in table.rows}
                assert rows == counts
        for figure in (f for f in content.figures if f.name.startswith("podium")):
            n_figures += 1
            counts = told[content.dataset, figure.measure]
            place = figure.data.columns.index("place")
            first = [row[1] for row in figure.data.rows if row[place] == 1]
            assert {name: first.count(name) for name in counts} == counts
            (listed,) = FIRST.findall(figure.alt)
            each = (one.rsplit(" ", 1) for one in listed.split(", "))
            assert {name: int(n) for name, n in each} == counts
    texts = {None: "\n".join(said.sections.values())} | dict(said.entries)
    sentences = [(d, *found) for d, text in texts.items() for found in BEST.findall(text)]
    for dataset, name, n in sentences:
        possible = [own.get(name) for (d, _), own in told.items() if dataset in (None, d)]
        assert int(n.replace(",", "")) in possible, (dataset, name, n)
    assert n_figures
    assert sentences


def test_those_that_tie_have_the_first_place_each() -> None:
    values = np.array([[0.1, 0.1, 0.3], [0.2, 0.1, 0.1], [0.3, 0.2, 0.1]])
    assert shared_places(values).tolist() == [[1, 1, 3], [3, 1, 1], [3, 2, 1]]
    assert shared_places(values, is_smaller_better=False).tolist() == [
        [2, 2, 1],
        [1, 2, 2],
        [1, 2, 3],
    ]


def test_ties_of_a_study_are_counted_for_each() -> None:
    errors = cases.errors((0.10, 0.103, 0.15, 0.25), 60, 0.01)
    coarse = {measure: np.round(values, 2) for measure, values in errors.items()}
    study = MadeUp(lambda: warehouse_of(coarse, FOUR), ("eda", "inference"))
    report = report_of(study)
    (content,) = (c for c in report.contents if c.name == "eda")
    (counts,) = counted(report).values()
    (seen,) = content.result.values()
    assert sum(counts.values()) > seen.podium.n_blocks
    test_first_places_are_counted_once(report, read(report))
