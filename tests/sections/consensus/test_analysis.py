"""The section on one data set: options, members, and the dissertation's example."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.errors import AnalysisError, StudyError
from reportgen.pipeline import open_job
from reportgen.sections import find_sections
from reportgen.sections.consensus import Options, analysis
from reportgen.sections.consensus.analysis import ConsensusResult, analyse
from reportgen.sections.preferences import Options as PreferencesOptions
from reportgen.sections.preferences import RelationEntry
from reportgen.stats.consensus_relations.nearest import Consensus, nearest_relations
from reportgen.warehouse import Warehouse

EXACT = 1e-12

DISS = (  # Eugster (2011), section 2.5
    {"measure": "misclassification", "by": "mixed-model"},
    {"name": "worst", "measure": "misclassification", "by": "max"},
    {"measure": "time", "by": "mean"},
)


def monks3(warehouse: Warehouse, n_datasets: int = 1, **options: Any) -> ConsensusResult:
    """Return the consensus of the dissertation's three relations."""
    sections, rng = find_sections(), np.random.default_rng(1)
    tests = sections["inference"].analyse(warehouse, sections["inference"].options(), rng)
    wanted = PreferencesOptions(relations=tuple(RelationEntry(**entry) for entry in DISS))
    relations = sections["preferences"].analyse(warehouse, wanted, rng, inference=tests)
    own = Options(**options)
    return analyse(warehouse, own, rng, preferences=relations, n_datasets=n_datasets)


def better(found: ConsensusResult, i: int = 0) -> set[tuple[str, str]]:
    names = found.candidates
    return {
        (names[a], names[b])
        for a, row in enumerate(found.relations[i].incidence)
        for b, is_better in enumerate(row)
        if is_better
    }


def test_the_weak_order_of_monks3(monks3_warehouse: Warehouse) -> None:
    found = monks3(monks3_warehouse)
    assert (found.criterion, found.n_optimal, found.order_class) == (18.0, 1, "weak")
    chain = found.relations[0].chain
    assert chain is not None
    assert [set(group) for group in chain] == [
        {"svm", "rpart"}, {"lda"}, {"rf"}, {"nnet"}, {"knn"},
    ]  # fmt: skip
    assert [m.id for m in found.members] == ["Misclassification/mixed-model", "worst", "Time/mean"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("weights", "criterion", "key"),
    [
        ({}, 18.0, "SD/O_equal"),
        ({"worst": 1.5, "Time/mean": 0.2}, 9.6, "SD/O_w_1_1.5_0.2"),
    ],
)
def test_both_partial_orders_of_the_dissertation(
    weights: dict[str, float],
    criterion: float,
    key: str,
    monks3_warehouse: Warehouse,
    reference: Path,
) -> None:
    golden = json.loads((reference / "golden" / "single_monks3.json").read_text())
    told = golden["consensus_demo"][key]
    (table,) = told["incidences"]
    found = monks3(monks3_warehouse, order_class="partial", weights=weights)
    assert found.n_optimal == told["n_optimal"] == 1
    assert found.criterion == pytest.approx(criterion, abs=EXACT)
    assert told["criterion"] == pytest.approx(
        criterion + 6 * sum({"tests": 1.0, "worst": 1.0, "Time/mean": 1.0, **weights}.values())
    )
    names = table["rows"]
    rows = np.array(table["data"])
    theirs = {
        (a, b)
        for a, row in zip(names, rows, strict=True)
        for b, x in zip(names, row, strict=True)
        if x
    }
    assert better(found) == {(a, b) for a, b in theirs if a != b}
    assert found.relations[0].best == (("svm", "rpart") if not weights else ("svm",))


def test_in_the_coding_of_relations_the_diagonal_counts(monks3_warehouse: Warehouse) -> None:
    found = monks3(monks3_warehouse, order_class="partial", coding="relations")
    assert (found.criterion, found.n_optimal) == (36.0, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share"), [(1, 10_000), (30, 10_000), (40, 7500), (10_000, 30)])
def test_many_datasets_share_the_work(
    n: int, share: int, monks3_warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    works = []

    def nearest(*ensemble: Any, most_work: int, **settings: Any) -> Consensus:
        works.append(most_work)
        return nearest_relations(*ensemble, most_work=most_work, **settings)

    monkeypatch.setattr(analysis, "nearest_relations", nearest)
    found = monks3(monks3_warehouse, n_datasets=n)
    assert works == [share]
    assert found.is_proven  # six candidates take little


def test_more_optima_than_the_limit(monks3_warehouse: Warehouse) -> None:
    linear = monks3(monks3_warehouse, order_class="linear")
    assert (linear.criterion, linear.n_optimal) == (19.0, 2)
    one = monks3(monks3_warehouse, order_class="linear", limit=1)
    assert (one.n_optimal, one.has_more, len(one.relations)) == (None, True, 1)


def test_a_weight_of_an_unknown_relation(monks3_warehouse: Warehouse) -> None:
    with pytest.raises(AnalysisError, match=r"weights: found 'wors'.*did you mean worst\?"):
        monks3(monks3_warehouse, weights={"wors": 2.0})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("{class: total}", r"class.*'total'.*linear, weak, semiorder, interval, partial"),
        ("{clas: weak}", r"an unknown key.*did you mean class\?"),
        ("{weights: {worst: -1}}", r"worst.*a number from 0"),
        ("{weights: {wurst: 1}}", r"'wurst'; allowed worst, time/mean; did you mean worst\?"),
        ("{weights: {worst: 0, time/mean: 0}}", r"0 for every relation"),
        ("{limit: 0}", r"limit.*a number from 1"),
        ("{coding: r}", r"coding.*strict, relations"),
    ],
)
def test_wrong_options_are_told_before_anything_is_measured(
    options: str, said: str, tmp_path: Path
) -> None:
    manifest = tmp_path / "study.yaml"
    manifest.write_text(
        "measures: [misclassification, time]\n"
        "setup: {problem: real-world, datasets: [monks3], candidates: [lda, knn],\n"
        "  resampling: {scheme: bootstrap, replications: 3}}\n"
        "sections:\n"
        "  - preferences: {relations: [{name: worst, measure: misclassification, by: max},\n"
        "      {measure: time, by: mean}]}\n"
        f"  - consensus: {options}\n"
    )
    with pytest.raises(StudyError, match=said):
        open_job(manifest, tmp_path)


def test_options_by_their_written_names(tmp_path: Path) -> None:
    given = '{"class": "partial", "weights": {"worst": 1.5}, "coding": "relations", "limit": 7}'
    options = Options.model_validate_json(given)
    assert (options.order_class, options.coding, options.limit) == ("partial", "relations", 7)
    assert (options.weight("worst"), options.weight("other")) == (1.5, 1.0)
