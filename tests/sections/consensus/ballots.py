"""Ensembles by their chains, and reports of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.report import Report, SectionContent
from reportgen.sections.consensus import Options
from reportgen.sections.consensus.analysis import Ballot, ConsensusResult, find_consensus
from reportgen.sections.consensus.tables import tabulate
from tests.builders import report_with, warehouse_of
from tests.sections.reading import ERROR, NAMES, faults
from tests.sections.section_blocks import blocks_of

LETTERS = {name[0]: name for name in NAMES}


def ballot(chain: str, name: str, weight: float = 1.0) -> Ballot:
    """Return a member by its chain, as in "a ~ b < c", or by its pairs, as in "ab bc"."""
    if "<" in chain or "~" in chain or len(chain) == 1:
        groups = [part.split("~") for part in chain.replace(" ", "").split("<")]
        place = {letter: i for i, group in enumerate(groups) for letter in group}
        names = sorted(place)
        rows = tuple(tuple(int(place[i] < place[j]) for j in names) for i in names)
    else:
        letters, pairs = chain.split(":")
        names = sorted(letters)
        better = set(pairs.split())
        rows = tuple(tuple(int(f"{i}{j}" in better) for j in names) for i in names)
    return Ballot(name, tuple(LETTERS[n] for n in names), rows, weight)


def ensemble(*chains: str, weights: tuple[float, ...] = (), **options: Any) -> ConsensusResult:
    """Return the consensus of some chains."""
    given = weights or (1.0,) * len(chains)
    ballots = [
        ballot(c, f"rule-{i}", w) for i, (c, w) in enumerate(zip(chains, given, strict=True))
    ]
    return find_consensus(ballots, NAMES, **options)


def chains(result: ConsensusResult) -> list[str]:
    """Return the optima as text."""
    found = [o.chain for o in result.relations if o.chain is not None]
    return sorted(" < ".join(" ~ ".join(n[0] for n in group) for group in c) for c in found)


def report(*results: ConsensusResult) -> Report:
    """Return a report of consensus alone, one result a data set."""
    names = max((r.candidates for r in results), key=len) or NAMES[:2]
    datasets = [f"d{i}" for i, _ in enumerate(results)] if len(results) > 1 else ["d"]
    values = {ERROR: {d: np.random.default_rng(1).random((3, len(names))) for d in datasets}}
    contents = [
        SectionContent(
            "consensus",
            dataset,
            result,
            Options(order_class=result.order_class, limit=result.limit),
            (),
            tabulate(result),
        )
        for dataset, result in zip(datasets, results, strict=True)
    ]
    return report_with(warehouse_of(values, names), *contents)


def say(result: ConsensusResult, *others: ConsensusResult) -> str:
    """Return what is said of a data set, of the first of several; it must be sound."""
    made = report(result, *others)
    said = blocks_of(made, made.contents[0])
    for text in said.values():
        assert faults(text) == []
    return said["body"]
