"""What the section says, held against its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from reportgen.performance_measure import Measure
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.frontier.making import find, tell
from tests.sections.frontier.test_analysis import NAMES, constant, domain
from tests.sections.reading import ACCURACY, COST, ERROR, SCORE, TIME, faults

MOST_WORDS, MOST_IN_CAPTION = 95, 60
SPEED = Measure("throughput", "larger", "1/s", scale="ratio")
SIZE = Measure("model-size", "smaller", "bytes")
PREDICT = Measure("predict-time", "smaller", "s", (0.0, None))
NAN = np.nan


def of(error, other, first=ERROR, second=TIME, n_blocks=12) -> Warehouse:
    values = {first: constant(error, n_blocks), second: constant(other, n_blocks)}
    return warehouse_of(values, NAMES[: len(error)])


CASES = {
    "usual": of([0.3, 0.1, 0.2, 0.15], [1, 4, 2, 80]),
    "one alone": of([0.1, 0.3, 0.2], [1, 4, 2]),
    "none surpassed": of([0.3, 0.1, 0.2], [1, 4, 2]),
    "two, one surpassed": of([0.1, 0.3], [1, 4]),
    "two, none surpassed": of([0.3, 0.1], [1, 4]),
    "two that are level": of([0.1, 0.1], [1, 1]),
    "two, level on one": of([0.1, 0.2], [1, 1]),
    "ties": of([0.1, 0.1, 0.2, 0.1], [1, 1, 1, 2]),
    "no times": of([0.3, 0.1, 0.2, 0.35], [5, 7, 9, 12], second=COST),
    "larger is better": of([0.3, 0.1, 0.2, 0.35], [5, 7, 9, 1], ACCURACY, SCORE),
    "larger ratios": of([0.3, 0.1, 0.2, 0.35], [5, 7, 9, 1], second=SPEED),
    "sizes": of([0.3, 0.1, 0.2, 0.35], [5, 7, 9, 1000], second=SIZE),
    "absent": of([0.3, NAN, 0.2, 0.1], [1, 2, 4, NAN]),
    "nothing": of([0.3, NAN, NAN], [1, NAN, 4]),
    "few": of([0.3, 0.2, 0.1], [1, 2, 3], n_blocks=5),
    "domain": domain()[0],
    "domain with gaps": domain(gaps=[("d3", 1)])[0],
    "two data sets": domain(2, 1)[0],
}


@pytest.fixture(scope="module")
def said() -> dict[str, dict[str, str]]:
    return {name: tell(warehouse) for name, warehouse in CASES.items()}


def texts(said: dict[str, dict[str, str]]) -> Iterator[tuple[str, str, str]]:
    for name, blocks in said.items():
        for block, text in blocks.items():
            yield name, block, text


def test_nothing_unsound_is_said(said):
    for _, _, text in texts(said):
        assert not faults(text)


def test_words_keep_to_their_budget(said):
    for _, block, text in texts(said):
        if block == "article":
            lines = text.splitlines()
            captions = [line for line in lines if re.match(r"(Figure|Table) ", line)]
            words = [line for line in lines if line not in captions]
            assert sum(len(line.split()) for line in words) <= MOST_WORDS
            assert max((len(line.split()) for line in captions), default=0) <= MOST_IN_CAPTION


def test_titles_are_those_of_the_measures(said):
    titles = {name: blocks["title"] for name, blocks in said.items()}
    assert titles["usual"] == titles["domain"] == "Error against time"
    assert titles["larger is better"] == "Accuracy against score"
    assert titles["sizes"] == "Error against size"
    assert titles["nothing"] == "Efficient frontier"
    own = Measure("gain", "larger")
    mixed = {own: constant([0.2, 0.1]), TIME: constant([0.2, 0.1])}
    assert tell(warehouse_of(mixed, "ab"))["title"] == "Efficient frontier: gain against time"
    both = {m: constant([0.2, 0.1]) for m in (ERROR, TIME, PREDICT)}
    assert tell(warehouse_of(both, "ab"))["title"] == "Error against fitting time"


def named(text: str) -> set[str]:
    return {name for name in (*NAMES, *"abc") if re.search(rf"\b{name}\b", text)}


@pytest.mark.parametrize("name", [n for n in CASES if n != "nothing"])
def test_headlines_name_those_who_are_not_surpassed(said, name):
    found = find(CASES[name]).chosen
    (caption,) = [x for x in said[name]["article"].splitlines() if x.startswith("Figure 1 ")]
    headline = caption.split(".")[0]
    if found.surpassed:
        assert named(headline) - {"a"} == set(found.frontier) - {"a"}
        assert ("surpassed on both" in headline) == found.is_strict
    else:
        assert re.search(r"No candidate is surpassed", headline)
    assert ("Dashed" in caption) == found.has_line
    assert ("not tested" in caption) == found.has_line
    assert ("the middle" in caption) == found.has_middle


def test_how_many_times_as_long(said):
    assert "dora takes 20 times as long as bert" in said["usual"]["article"]
    assert (
        "anna has the shortest mean time, dora takes 80 times as long" in said["usual"]["article"]
    )
    assert "dora has 143 times the mean size of bert" in said["sizes"]["article"]
    assert "bert has 7.0 times the mean throughput of dora" in said["larger ratios"]["article"]
    assert "times" not in said["no times"]["article"]
    assert "times" not in said["larger is better"]["article"]
    assert "takes" not in said["two that are level"]["article"]


def test_who_is_decided_worse_is_named(said):
    words = (
        "anna and cara are there for their mean time alone: by error they are significantly worse"
    )
    assert words in said["usual"]["article"]
    assert "significantly worse than another" not in said["domain"]["article"]  # without a verdict


def test_absent_candidates_are_named(said):
    assert "bert and dora lack values" in said["absent"]["article"]
    assert "lack" not in said["usual"]["article"]


def test_a_table_stands_beside_the_words_of_one_data_set_and_behind_a_domain(said):
    assert "Table 1" in said["usual"]["article"]
    assert "Table 1" not in said["domain"]["article"]
    assert "Table 1" in said["domain"]["body"]
    assert said["usual"]["body"] == ""


def test_other_measures_have_tables():
    values = {m: constant([0.3, 0.1, 0.2]) for m in (ERROR, COST)} | {TIME: constant([1, 2, 3])}
    body = tell(warehouse_of(values, NAMES[:3]))["body"]
    assert body.startswith("Error against cost: bert alone is on the efficient frontier")
    assert "Table" in body


def test_many_are_counted():
    k = 30
    made = {ERROR: constant(np.linspace(0.4, 0.1, k)), TIME: constant(np.linspace(1, 9, k))}
    made[TIME][:, 3] += 20
    article = tell(warehouse_of(made, [f"method {i}" for i in range(k)]))["article"]
    assert "29 candidates" in article
    assert not faults(article)
    hostile = tell(warehouse_of(made, [f"<b>{i}</b>" for i in range(k)]))["article"]
    assert "<b>3</b> takes" not in hostile or "&lt;" not in hostile  # plain() has unescaped it
