"""The grammar of claims, with and without the names that are known."""

from __future__ import annotations

from math import inf, log

import pytest

from reportgen.errors import StudyError
from reportgen.performance_measure import Measure
from reportgen.study.claims import (
    Claim,
    Names,
    bounds_of,
    claim_fault,
    limit_of,
    place_of,
    read_claim,
)

NAMES = Names(("lda", "svm", "rf", "a on b"), ("error", "fit-time"), ("iris", "b", "on sale"))
ERROR, AUC = Measure("error"), Measure("auc", "larger", "share", (0, 1))
TIME, SIZE = Measure("fit-time", unit_symbol="s"), Measure("model-size", unit_symbol="bytes")

FORMS = {
    "svm better than lda": Claim("", "better", "svm", "lda"),
    "svm is better than lda on fit-time": Claim("", "better", "svm", "lda", measure="fit-time"),
    "svm better than lda on iris": Claim("", "better", "svm", "lda", dataset="iris"),
    "svm better than lda on iris on error": Claim(
        "", "better", "svm", "lda", measure="error", dataset="iris"
    ),
    "svm better than lda on error on on sale": Claim(
        "", "better", "svm", "lda", measure="error", dataset="on sale"
    ),
    "svm better than lda in the domain": Claim("", "better", "svm", "lda", is_of_domain=True),
    "svm better than a on b": Claim("", "better", "svm", "a on b"),
    "a on b better than svm on b": Claim("", "better", "a on b", "svm", dataset="b"),
    "svm not worse than lda by 0.02": Claim("", "not-worse", "svm", "lda", 0.02),
    "rf within 1e-2 of svm": Claim("", "within", "rf", "svm", 0.01),
    "rf equivalent to svm": Claim("", "equivalent", "rf", "svm"),
    "rf equivalent to svm by 0.01": Claim("", "within", "rf", "svm", 0.01),
    "rf among the best": Claim("", "best", "rf"),
    "rf is among the best on fit-time in the domain": Claim(
        "", "best", "rf", measure="fit-time", is_of_domain=True
    ),
    "fit-time of rf below 2 s": Claim("", "below", "rf", "", 2.0, "s", "fit-time"),
    "fit-time of rf is below 2ms on iris": Claim(
        "", "below", "rf", "", 2.0, "ms", "fit-time", "iris"
    ),
    "error of rf above 0.1": Claim("", "above", "rf", "", 0.1, "", "error"),
    "consensus starts with svm": Claim("", "consensus", "svm"),
    "the consensus starts with svm on iris": Claim("", "consensus", "svm", dataset="iris"),
    "no failures": Claim("", "failures"),
    "no failures on iris": Claim("", "failures", dataset="iris"),
    "tree splits on obs.n": Claim("", "tree", characteristic="obs.n"),
    "tree splits on obs.n on fit-time": Claim(
        "", "tree", measure="fit-time", characteristic="obs.n"
    ),
}


def fields(claim: Claim) -> tuple[object, ...]:
    return tuple(getattr(claim, name) for name in Claim.__slots__ if name != "text")


@pytest.mark.parametrize("text", FORMS)
def test_every_form_is_read(text: str) -> None:
    found = read_claim(f" {text} ", NAMES)
    assert found.text == text
    assert fields(found) == fields(FORMS[text])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("svm < lda", r"^expect: found 'svm < lda'; allowed 'A better than B'"),
        ("svm within 2% of lda", r"own unit: 0\.02 for two points of a share\)$"),
        ("smv better than lda", "found the candidate 'smv'.*; did you mean svm"),
        ("svm better than lda on irs", "found the data set 'irs'; .*; did you mean iris"),
        ("time of rf below 2 s", "found the measure 'time'; allowed error, fit-time"),
        ("svm better than svm", "found 'svm' twice; allowed two candidates"),
        ("no failures on fit-time", "found the data set 'fit-time'|found a measure"),
        ("svm better than lda on iris in the domain", "found the data set 'iris' and the domain"),
        ("", "found ''"),
    ],
)
def test_what_is_wrong_is_told(text: str, error: str) -> None:
    with pytest.raises(StudyError, match=error):
        read_claim(text, NAMES)


def test_what_is_given_beside_the_text_completes_it() -> None:
    found = read_claim("svm better than lda", NAMES, measure="fit-time", dataset="iris")
    assert (found.measure, found.dataset) == ("fit-time", "iris")
    assert fields(read_claim(found.text, NAMES)) == fields(found)
    own = read_claim("svm better than lda on error", NAMES, measure="fit-time")
    assert (own.text, own.measure) == ("svm better than lda on error", "error")


def test_names_that_are_not_known_are_taken_as_they_are() -> None:
    assert read_claim("smv better than lda").first == "smv"
    with pytest.raises(StudyError, match="found a list"):
        read_claim(["svm better than lda"])


@pytest.mark.parametrize(
    ("text", "measure", "scale", "area", "bounds"),
    [
        ("a better than b", ERROR, "difference", None, (-inf, 0)),
        ("a better than b", AUC, "difference", None, (0, inf)),
        ("a better than b", TIME, "ratio", (1 / 1.1, 1.1), (-inf, 0)),
        ("a not worse than b by 0.02", AUC, "difference", None, (-0.02, inf)),
        ("a not worse than b by 1.2", TIME, "ratio", None, (-inf, log(1.2))),
        ("a within 1.2 of b", TIME, "ratio", None, (-log(1.2), log(1.2))),
        ("a equivalent to b", ERROR, "difference", (-0.01, 0.01), (-0.01, 0.01)),
        ("a among the best", ERROR, "difference", (-0.01, 0.01), (-inf, 0.01)),
        ("a among the best", AUC, "difference", (-0.01, 0.01), (-0.01, inf)),
        ("error of a below 3", ERROR, "difference", None, (-inf, 0)),
        ("error of a above 3", ERROR, "difference", None, (0, inf)),
    ],
)
def test_bounds(text: str, measure: Measure, scale: str, area: object, bounds: object) -> None:
    claim = read_claim(text)
    assert bounds_of(claim, measure, scale, area) == pytest.approx(bounds)  # type: ignore[arg-type]
    assert claim_fault(claim, measure, scale, area) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "measure", "limit"),
    [
        ("fit-time of a below 2 min", TIME, 120.0),
        ("fit-time of a below 300 us", TIME, 0.0003),
        ("fit-time of a below 2", TIME, 2.0),
        ("model-size of a below 3 MiB", SIZE, 3 * 2**20),
        ("auc of a above 85 %", AUC, 0.85),
        ("cost of a below 5 EUR", Measure("cost", unit_symbol="EUR"), 5.0),
    ],
)
def test_limits_have_units(text: str, measure: Measure, limit: float) -> None:
    assert limit_of(read_claim(text), measure) == pytest.approx(limit, rel=1e-12)
    assert claim_fault(read_claim(text), measure, "difference", None) is None


@pytest.mark.parametrize(
    ("text", "measure", "scale", "error"),
    [
        ("a equivalent to b", ERROR, "difference", "found no area of equivalence of error"),
        ("a among the best", ERROR, "difference", "allowed analysis.relevance.error"),
        ("a within 0.5 of b", TIME, "ratio", "allowed a factor above 1"),
        ("fit-time of a below 2 MB", TIME, "ratio", "found the unit 'MB'; allowed us"),
        ("error of a below 2 s", ERROR, "difference", "allowed none, as error has"),
        ("fit-time of a below 0 s", TIME, "ratio", "allowed a limit above 0"),
    ],
)
def test_claims_without_bounds(text: str, measure: Measure, scale: str, error: str) -> None:
    assert error in str(claim_fault(read_claim(text), measure, scale, None))  # type: ignore[arg-type]


def test_place_of_an_interval() -> None:
    nan = float("nan")
    assert place_of(-1, 1, (-2, 2)) == "inside"
    assert place_of(-3, 1, (-2, 2)) == "undecided"
    assert place_of(3, 4, (-2, 2)) == place_of(-4, -3, (-2, 2)) == "outside"
    assert place_of(nan, nan, (-2, 2)) == "undecided"
