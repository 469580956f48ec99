"""Functions of arrays return the numbers of results.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from reportgen import stats
from reportgen.stats.arguments import SEED as DEFAULT_SEED
from reportgen.stats.pair_table import PairTable
from reportgen.streams import stream
from reportgen.study.schema import SEED as SEED_OF_STUDIES
from tests.stats.functions.conftest import DATASETS, MEASURES, NAMES, SEED, SIZE, Reported

AREA = (-0.01, 0.01)
BETTER = dict(zip(MEASURES, ("smaller", "larger"), strict=True))
UNSET = {"target"}  # arrays do not say what they are a sample of
LAST_BITS = 1e-11  # relative: sums over replications depend on how an array lies in memory

measures = pytest.mark.parametrize("measure", MEASURES)


def assert_same_pairs(
    found: PairTable, expected: Sequence[Mapping[str, Any]], tolerance: float = 0.0
) -> None:
    """Compare the rows of a table with those of results.json."""
    columns = found.columns()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert len(rows) == len(expected) > 0
    for row, own in zip(rows, expected, strict=True):
        shared = (set(row) & set(own)) - UNSET
        assert {"estimate", "p_value", "adjusted_p_value", "decision"} <= shared
        is_real = {k for k in shared if isinstance(own[k], float)}
        numbers = {k: own[k] for k in is_real}
        assert {k: row[k] for k in is_real} == pytest.approx(numbers, rel=tolerance, abs=0)
        assert {k: row[k] for k in shared - is_real} == {k: own[k] for k in shared - is_real}


def means_of(reported: Reported, measure: str) -> np.ndarray:
    return reported.values[measure].mean(axis=1)


def test_default_seed_is_that_of_studies() -> None:
    assert DEFAULT_SEED == SEED_OF_STUDIES == SEED


@pytest.mark.slow
@measures
def test_friedman(reported: Reported, measure: str) -> None:
    own = reported.sections["inference"]["d00"][measure]
    found = stats.friedman(reported.values[measure][0], NAMES, better=BETTER[measure])
    assert found.statistic == own["friedman"]["statistic"]
    assert found.p_value == own["friedman"]["p_value"]
    assert found.iman_davenport.statistic == own["iman_davenport"]["statistic"]
    assert found.iman_davenport.p_value == own["iman_davenport"]["p_value"]
    sums = dict(zip(NAMES, (found.average_ranks * found.n_blocks).tolist(), strict=True))
    assert sums == pytest.approx(own["rank_sums"])


@measures
def test_compare_pairs(reported: Reported, measure: str) -> None:
    own = reported.sections["inference"]["d03"][measure]["methods"]["own-variance"]
    values = reported.values[measure][3]
    found = stats.compare_pairs(values, NAMES, better=BETTER[measure], relevance=AREA)
    assert_same_pairs(found, own["pairs"])
    assert {"tost_lower", "wins", "skewness"} <= set(own["pairs"][0])
    assert len({pair["decision"] for pair in own["pairs"]}) > 2


@measures
def test_signed_rank(reported: Reported, measure: str) -> None:
    method = reported.sections["inference"]["d03"][measure]["methods"]["signed-rank-holm"]
    found = stats.signed_rank(reported.values[measure][3], NAMES, better=BETTER[measure])
    assert_same_pairs(found, method["pairs"])


@measures
def test_compare_new_data(reported: Reported, measure: str) -> None:
    own = reported.sections["inference"]["d03"][measure]["new_data"]
    found = stats.compare_new_data(
        reported.values[measure][3],
        1 / 9,
        NAMES,
        better=BETTER[measure],
        relevance=AREA,
        test_share=1 / 10,
    )
    assert_same_pairs(found, own["pairs"])


@measures
def test_nemenyi(reported: Reported, measure: str) -> None:
    own = reported.sections["domain"]["across"][measure]
    found = stats.nemenyi(means_of(reported, measure), NAMES, better=BETTER[measure])
    assert dict(zip(NAMES, found.average_ranks.tolist(), strict=True)) == own["mean_ranks"]
    assert found.critical_difference == own["critical_difference"]
    several = [list(group) for group in found.groups if len(group) > 1]
    assert several == [group for group in own["rank_groups"] if len(group) > 1]
    p_values = {(p["first"], p["second"]): p["nemenyi_p_value"] for p in own["pairs"]}
    for first, second, _, p, _ in found.to_frame().itertuples(index=False):
        assert p == p_values.get((first, second), p_values.get((second, first)))


@measures
def test_bayesian_signed_rank(reported: Reported, measure: str) -> None:
    """The section draws for the measures in their order, after their models."""
    across = reported.sections["domain"]["across"][measure]
    streams = stream(SEED, "domain").spawn(2 * len(MEASURES))
    found = stats.bayesian_signed_rank(
        means_of(reported, measure),
        NAMES,
        better=BETTER[measure],
        relevance=AREA,
        rng=streams[len(MEASURES) + MEASURES.index(measure)],
    )
    own = {(p["first"], p["second"]): p for p in across["pairs"]}
    words = ("better", "equivalent", "worse")
    for row in found.to_frame().to_dict("records"):
        pair, step = own.get((row["first"], row["second"])), 1
        if pair is None:
            pair, step = own[row["second"], row["first"]], -1
        assert [row[w] for w in words[::step]] == [pair[f"posterior_{w}"] for w in words]
        assert row["error"] == pair["posterior_error"]


@measures
@pytest.mark.parametrize("structure", ["interaction", "unstructured"])
def test_domain_model(reported: Reported, measure: str, structure: str) -> None:
    own = reported.sections["domain"]["mixed_model"][measure][structure]
    found = stats.domain_model(
        reported.values[measure],
        NAMES,
        better=BETTER[measure],
        relevance=AREA,
        structure=structure,
    )
    assert_same_pairs(found.pairs, own["pairs"], LAST_BITS)
    frame = found.to_frame().set_index("candidate")
    for column, expected in (
        ("mean", own["coefficients"]),
        ("standard_error", own["standard_errors"]),
        ("lower", {name: low for name, (low, _) in own["intervals"].items()}),
        ("upper", {name: high for name, (_, high) in own["intervals"].items()}),
    ):
        assert frame[column].to_dict() == pytest.approx(expected, rel=LAST_BITS)
    p_value = own["equality_test"]["p_value"]
    assert found.model.equality.p_value == pytest.approx(p_value, rel=LAST_BITS)


@measures
def test_own_variances_over_data_sets(reported: Reported, measure: str) -> None:
    own = reported.sections["domain"]["verdict"][measure]
    found = stats.compare_pairs(
        means_of(reported, measure), NAMES, better=BETTER[measure], relevance=AREA
    )
    assert_same_pairs(found, own["pairs"], LAST_BITS)


def test_consensus(reported: Reported) -> None:
    own = reported.sections["domain"]["consensus"]["misclassification"]
    relations = []
    for dataset in DATASETS:
        (relation,) = (
            relation
            for relation in reported.sections["preferences"][dataset]
            if (relation["measure"], relation["by"]) == ("misclassification", "verdict")
        )
        assert relation["candidates"] == [*NAMES]
        relations.append(relation["incidence"])
    found = stats.consensus(relations, NAMES)
    assert (found.criterion, found.lower_bound) == (own["criterion"], own["lower_bound"])
    assert found.n_optimal == own["n_optimal"]
    incidences = [relation.astype(int).tolist() for relation in found.relations]
    assert incidences == [relation["incidence"] for relation in own["relations"]]


def test_bradley_terry(reported: Reported) -> None:
    own = reported.sections["psychoanalysis"]["misclassification"]["bradley_terry"]["pooled"]
    found = stats.bradley_terry(reported.values["misclassification"], NAMES)
    frame = found.to_frame().set_index("candidate")
    assert frame["worth"].to_dict() == own["worths"]
    assert frame["log_worth"].to_dict() == own["log_worths"]
    assert found.covariance.tolist() == own["covariance"]
    assert found.log_nu == own["log_nu"]


def test_worth_tree(reported: Reported) -> None:
    root = reported.sections["psychoanalysis"]["misclassification"]["tree"]
    found = stats.worth_tree(
        reported.values["misclassification"],
        {"size": SIZE, "same": np.ones(len(SIZE))},
        NAMES,
        rng=stream(SEED, "psychoanalysis"),
    )
    assert root["split"]["characteristic"] == "size"

    def walk(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [node, *(below for child in node["children"] for below in walk(child))]

    nodes = {node["number"]: node for node in walk(root)}
    frame = found.to_frame()
    assert set(frame["node"]) == set(nodes)
    for number, rows in frame.groupby("node"):
        own = nodes[number]
        assert rows.set_index("candidate")["worth"].to_dict() == own["worths"]
        assert set(rows["n_units"]) == {own["n"]}
    p_value = frame.loc[frame["node"] == 1, "p_value"].iloc[0]
    assert p_value == root["split"]["p_value"]


@pytest.mark.slow
def test_archetypes(reported: Reported) -> None:
    own = reported.sections["archetypes"]
    assert own["columns"] == [*DATASETS]
    rows = reported.values["misclassification"].transpose(2, 1, 0).reshape(-1, len(DATASETS))
    by_replication = reported.values["misclassification"].transpose(1, 2, 0)
    tables = (rows, by_replication.reshape(-1, len(DATASETS)))
    found = [
        stats.archetypes(table, names=DATASETS, rng=stream(SEED, "archetypes")) for table in tables
    ]
    shown = [each.archetypes.tolist() for each in found]
    assert own["archetypes"] in shown
    best = found[shown.index(own["archetypes"])]
    assert (best.scree.elbow, len(best.archetypes)) == (own["elbow"], own["k"])


def test_sequential_procedures(reported: Reported) -> None:
    entries = reported.sections["sequential"]["d00"]["misclassification"][:6]
    values = reported.values["misclassification"][0]
    tests = {
        "combination": stats.sequential_combination_test(values, NAMES, relevance=AREA, stage=10),
        "group": stats.sequential_group_test(values, NAMES, stage=10),
        "e-process": stats.sequential_e_process(values, NAMES),
    }
    frames = {key: test.to_frame() for key, test in tests.items()}
    pairs = [(entry["first"], entry["second"]) for entry in entries]
    for frame in frames.values():
        assert [*zip(frame["first"], frame["second"], strict=True)] == pairs
    combination, group, process = (
        frame.replace({np.nan: None}).to_dict("records") for frame in frames.values()
    )
    z = tests["group"].details["z"]
    for i, entry in enumerate(entries):
        assert combination[i]["verdict"] == entry["verdict"]
        assert combination[i]["decided_at"] == entry["decided_at"]
        assert combination[i]["estimate"] == entry["estimate"]
        own = entry["group_sequential"]
        assert tests["group"].details["boundaries"].tolist() == own["boundaries"]
        assert z[i].tolist() == pytest.approx(own["z"], rel=1e-12)
        assert group[i]["decided_at"] == own["replication"]
        anytime = entry["anytime"]
        assert process[i]["p_value"] == anytime["p_value"]
        assert (process[i]["losses"], process[i]["wins"]) == (anytime["wins"], anytime["losses"])
        assert process[i]["decided_at"] == anytime["sign_decided_at"]
    assert len({row["verdict"] for row in combination}) > 1
    assert {row["decision"] for row in group} > {"undecided"}
