"""The sentence, the table and the figure say the same of every pair."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.sections.sequential import Options
from reportgen.sections.sequential.analysis import Monitoring, analyse
from reportgen.sections.sequential.figures import tabulate
from reportgen.study.stages import Stages
from reportgen.warehouse import Warehouse
from tests.sections.reading import ERROR, blocks, read
from tests.sections.sequential.watched import AREA, in_stages, report, say, watch

GOLDEN = Path(__file__).parents[2] / "golden"
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
KINDS = {
    "different": (
        "better",
        "worse",
        "better, relevance not established",
        "worse, relevance not established",
    ),
    "slight": ("better, not relevant", "worse, not relevant"),
    "equivalent": ("equivalent", "equivalent, direction not established"),
    "not-distinguished": ("given up",),
    "open": ("open",),
}
SENTENCES = {
    "different": r"(\d+) (?:is|are) significantly different",
    "slight": r"(\d+) of them not relevant",
    "equivalent": r"(\d+) (?:is|are) equivalent",
    "not-distinguished": r"(\d+) (?:is|are) given up",
    "open": r"(\d+) (?:is|are) open",
}
OF_ONE = {
    "different": "significantly different",
    "slight": "significantly different, but not relevant",
    "equivalent": "equivalent within",
    "not-distinguished": "given up",
    "open": "open",
}


def cells(monitoring: Monitoring) -> dict[tuple[str, str], tuple[str, int | None]]:
    """Return by pair what the table has: the words, and after how many replications."""
    table = next(t for t in tabulate({monitoring.measure.name: monitoring}) if t.name == "pairs")
    heads = [column.name for column in table.columns]
    rows = [dict(zip(heads, row, strict=True)) for row in table.rows]
    return {row["pair"]: (row["verdict"], row["decided_at"]) for row in rows}


def check(monitoring: Monitoring, text: str) -> None:
    """Hold the text against the table."""
    table = cells(monitoring)
    ends = [end for _, end in table.values()]
    n = monitoring.n_replications
    settled = None if None in ends else max(end or 0 for end in ends)
    told = re.search(r"(\d+) of (\d+) replications would have settled", text)
    if monitoring.run is None:
        assert (told is not None) == (settled is not None and settled < n)
    if told:
        assert tuple(map(int, told.groups())) == (settled, n)
    headline = re.search(
        r"(?:All \S+ pairs are|The pair is) settled after (\d+) replications", text
    )
    if headline:
        assert int(headline[1]) == settled
    (sentence,) = re.findall(r"(?:In|By) \S+ stages?, at (?:a family-wise )?[^.]*\.", text)
    if len(table) == 1:
        ((words, _),) = table.values()
        (kind,) = [kind for kind, those in KINDS.items() if words in those]
        assert re.search(rf" are {OF_ONE[kind]}[^,]*$", sentence)
    else:
        counts = Counter(words for words, _ in table.values())
        for kind, pattern in SENTENCES.items():
            counted = re.search(pattern, sentence)
            both = KINDS[kind] + (KINDS["slight"] if kind == "different" else ())
            assert int(counted[1] if counted else 0) == sum(counts[w] for w in both)


SLIGHT = np.column_stack(
    [0.1925 + 0.008 * np.random.default_rng(1).normal(size=80), np.full(80, 0.2)]
)
CASES: dict[str, tuple[np.ndarray, dict[str, Any]]] = {
    "all at once": (blocks([0.10, 0.16, 0.30], 60), {}),
    "one given up": (blocks([0.10, 0.101, 0.30], 60, seed=4), {}),
    "a verdict that grows": (SLIGHT, {"relevance": AREA}),
    "three that are near": (blocks([0.1, 0.106, 0.113], 80, seed=2), {"relevance": AREA}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_constructed_course(name: str) -> None:
    values, asked = CASES[name]
    result = watch(values, stage=20, orders=0, **asked)
    said = say(result, stage=20, **asked)
    check(result[ERROR.name], said.sections["sequential"])


@pytest.mark.parametrize("stop", ["decided", "both"])
def test_a_constructed_execution(stop: str) -> None:
    three = blocks([0.1, 0.106, 0.113], 80, seed=2)
    cases = ((SLIGHT[:20], 80), (SLIGHT[:40], 80), (three, 80), (blocks([0.1, 0.2], 20), 20))
    for values, most in cases:
        stages = Stages(20, most, ERROR.name, area=(-0.01, 0.01), stop=stop)  # type: ignore[arg-type]
        result = watch(values, warehouse=in_stages(values, stages.described()), orders=0)
        text = say(result).sections["sequential"]
        check(result[ERROR.name], text)


def test_an_execution_by_ranks() -> None:
    values = blocks([0.1, 0.101, 0.105], 60, seed=2)
    stages = Stages(20, 60, ERROR.name, test="wilcoxon")
    result = watch(values, warehouse=in_stages(values, stages.described()), orders=0)
    check(result[ERROR.name], say(result).sections["sequential"])


@pytest.mark.slow
def test_the_classic_data_sets() -> None:
    """Six candidates on thirteen data sets, in stages of 20 (studies/classics-adaptive.yaml)."""
    counts = json.loads((GOLDEN / "classics.json").read_text())
    del counts["_how"]
    results = []
    for rows in counts.values():
        columns = np.array([*rows.values()], dtype=float).T
        values = columns[:, 1:] / columns[:, :1]
        asked = {"stage": 20, "orders": 0, "relevance": AREA}
        results.append(watch(values, **asked))
    said = read(replace(report(*results), length="full"))
    for i, result in enumerate(results):
        check(result[ERROR.name], said.pages[f"d{i}", "sequential"])


@pytest.mark.slow
def test_the_uci_data_sets(uci621_warehouse: Warehouse) -> None:
    """Every third of them, one with gaps."""
    area = {"Misclassification": (-0.01, 0.01)}
    asked = Options(orders=0, relevance=area)
    results = [
        analyse(uci621_warehouse.only(dataset), asked, np.random.default_rng(1))
        for dataset in uci621_warehouse.datasets[::3]
    ]
    said = read(replace(report(*results), length="full"))
    for i, result in enumerate(results):
        check(result["Misclassification"], said.pages[f"d{i}", "sequential"])
