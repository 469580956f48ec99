"""Any claim: one answer of `check` and `gate`, the same under other names, or a clear refusal."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.errors import StudyError
from reportgen.sections.expectations.result import ClaimTest
from reportgen.study.claims import Names, read_claim
from tests.fuzz.executions import FUZZ
from tests.fuzz.manifests import HOSTILE, design_files
from tests.fuzz.names import names, rare
from tests.fuzz.outcome import check_refusal

PLACES = ("claim '", "check", "expect", "gate")
OUTCOMES = {"holds", "fails", "undecided"}
NUMBERS = (
    "0",
    "0.02",
    "1e-300",
    "1e300",
    "1e999",
    "-1",
    "0.5pp",
    "2%",
    "nan",
    "1,5",
    "٣",
    "9" * 400,
)
UNITS = ("", " s", "ms", " %", " GiB", " parsec", " on", " µs")
WORDS = (
    *("better than", "is better than", "not worse than", "within", "of", "equivalent to", "by"),
    *("among the best", "below", "above", "the consensus starts with", "no failures", "on"),
    *("tree splits on", "in the domain", "in this experiment", "a", "b", "on gpu", "one", "two"),
    *("error", "fit-time", "0.02", "2 s", "%", "\n", "\t", "."),
)
ODD = ("better than b", "a on one", "error of a", "x by 0.1", "no failures", "a among the best")
"""Names that hold words of the grammar."""


def study_of(candidates: tuple[str, ...], datasets: tuple[str, ...]) -> BenchmarkStudy:
    """Return a study of two measures with these names, of the same values."""
    rng = np.random.default_rng(5)
    shape = (2, len(datasets), len(candidates), 8)
    error, time = rng.uniform(0.1, 0.4, shape)[0], rng.lognormal(0, 0.2, shape)[1]
    rows = [
        {"dataset": d, "candidate": c, "replication": k, "error": error[i, j, k]}
        | {"fit-time": time[i, j, k]}
        for i, d in enumerate(datasets)
        for j, c in enumerate(candidates)
        for k in range(8)
    ]
    measures = [
        {"name": "error", "better": "smaller", "bounds": [0, 1]},
        {"name": "fit-time", "better": "smaller", "unit": "s"},
    ]
    return reportgen.compare(
        rows, measures=measures, analysis={"relevance": {"error": [-0.05, 0.05]}}
    )


@cache
def plain() -> BenchmarkStudy:
    return study_of(("a", "b", "b on gpu"), ("one", "two"))


LEVELS = ("model a", "model b", "prompt x", "prompt y", "best prompt of a", "best model of x")
"""Levels of two factors, and best settings."""


@cache
def of_factors() -> BenchmarkStudy:
    """Return a study whose candidates are models under prompts."""
    head, *rows = design_files()["prompts.csv"]
    table = {name: [row[k] for row in rows] for k, name in enumerate(head)}
    return reportgen.compare(
        table | {"correct": [int(text) for text in table["correct"]]},
        columns={"candidate": ["model", "prompt"]},
        measures=[{"name": "accuracy", "column": "correct"}],
        unit="item",
    )


@st.composite
def sentences(draw: st.DrawFn, candidates: tuple[str, ...], datasets: tuple[str, ...]) -> str:
    """Draw a claim of the grammar, its names mostly those that are known."""
    name = st.sampled_from((*candidates, *candidates)) | names
    first, second = draw(name), draw(name)
    amount = draw(st.sampled_from(NUMBERS)) + draw(st.sampled_from(UNITS))
    measure = draw(st.sampled_from(("error", "fit-time", "auc")) | names)
    text = draw(
        st.sampled_from(
            (
                f"{first} better than {second}",
                f"{first} is not worse than {second} by {amount}",
                f"{first} within {amount} of {second}",
                f"{first} equivalent to {second}",
                f"{first} equivalent to {second} by {amount}",
                f"{first} among the best",
                f"{measure} of {first} below {amount}",
                f"{measure} of {first} above {amount}",
                f"consensus starts with {first}",
                "no failures",
                f"tree splits on {second}",
            )
        )
    )
    for place in draw(st.lists(st.sampled_from((measure, *datasets)) | names, max_size=2)):
        text += f" on {place}"
    return text + draw(st.sampled_from(("", "", " in the domain", " in this experiment")))


def answered(ask: Callable[[], object]) -> tuple[ClaimTest, ...] | None:
    """Return the answers; None where a claim is refused clearly."""
    try:
        found = tuple(ask())  # type: ignore[call-overload]
    except StudyError as error:
        check_refusal(str(error), PLACES)
        return None
    for own in found:
        assert own.outcome in OUTCOMES
        numbers = (own.lower, own.estimate, own.upper)
        if None not in numbers:
            assert own.lower <= own.estimate <= own.upper
    return found


def faces(study: BenchmarkStudy, *claims: str) -> tuple[ClaimTest, ...] | None:
    """Return the answer that check and gate share."""
    checked, gated = answered(lambda: study.check(*claims)), answered(lambda: study.gate(*claims))
    assert checked == gated
    return checked


@FUZZ
@given(st.data())
def test_a_sentence(data: st.DataObject) -> None:
    study = plain()
    faces(study, data.draw(sentences(study.candidates, study.datasets)))


@FUZZ
@given(st.data())
def test_a_sentence_of_levels(data: st.DataObject) -> None:
    study = of_factors()
    faces(study, data.draw(sentences((*LEVELS, *study.candidates), study.datasets)))


@FUZZ
@given(st.lists(st.sampled_from((*LEVELS, *WORDS, "best", "of")), max_size=9).map(" ".join))
def test_any_text_of_levels(text: str) -> None:
    faces(of_factors(), text)


@FUZZ
@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join) | rare | st.text())
def test_any_text(text: str) -> None:
    faces(plain(), text)


@FUZZ
@given(st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=2))
def test_what_is_no_text(claims: list[object]) -> None:
    faces(plain(), *claims)  # type: ignore[arg-type]


@FUZZ
@given(st.data())
def test_claims_together_have_no_other_order(data: st.DataObject) -> None:
    study = plain()
    claims = data.draw(
        st.lists(sentences(study.candidates, study.datasets), min_size=2, max_size=4)
    )
    found, turned = faces(study, *claims), faces(study, *reversed(claims))
    assert (found is None) == (turned is None)
    if found is not None and turned is not None:
        assert [x.outcome for x in found] == [x.outcome for x in reversed(turned)]


@FUZZ
@given(st.lists(names | st.sampled_from(ODD), min_size=2, max_size=3, unique=True), st.data())
def test_names_that_hold_words_of_the_grammar(candidates: list[str], data: st.DataObject) -> None:
    """A claim that is written of names is read as of these names, or nothing else fits them."""
    known = Names(tuple(candidates), ("error",), ("one",))
    first, second = data.draw(st.permutations(candidates))[:2]
    assume(all(x and x == x.strip() and x.isprintable() for x in candidates))
    text = f"{first} better than {second}"
    try:
        claim = read_claim(text, known)
    except StudyError as error:
        check_refusal(str(error), PLACES)
        raise AssertionError(f"refused: {error}") from error
    parts = [claim.first, claim.second, claim.measure, claim.dataset]
    assert {x for x in parts if x} <= {*candidates, "error", "one"}


def test_the_study_answers() -> None:
    """Claims that hold a number are answered, so that these tests do not try refusals alone."""
    found = faces(plain(), "a not worse than b by 0.3", "fit-time of a below 900 s", "no failures")
    assert found is not None
    assert {x.outcome for x in found} <= OUTCOMES
    with pytest.raises(StudyError, match="allowed"):
        plain().check("a better")
