"""The tables of relations and incidences."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.rendering.results_json import plain
from reportgen.rendering.tables import format_cells, table_series
from reportgen.report import Table
from reportgen.sections.preferences import analysis
from reportgen.sections.preferences.analysis import PreferencesResult
from reportgen.sections.preferences.figures import LARGEST_MATRIX, tabulate
from tests.builders import make_warehouse
from tests.schemas import validator_of
from tests.sections.preferences.reading import prefer


def found(*entries: dict[str, object], k: int = 3) -> PreferencesResult:
    values = np.arange(k) + np.array([[0.1, 0.0]]).T[:, [0] * k]
    return prefer(make_warehouse(values, "abcdefghijklmnop"[:k]), *entries)


def table(result: PreferencesResult, name: str, measure: str = "") -> Table:
    (only,) = [t for t in tabulate(result) if (t.name, t.measure) == (name, measure)]
    return only


def test_relations_have_their_class_and_chain() -> None:
    result = found(
        {"measure": "error", "by": "mean"},
        {"measure": "error", "by": "mean", "epsilon": 1.5, "name": "near"},
        {"measure": "error", "by": "mixed-model"},
    )
    relations = table(result, "relations")
    assert [c.name for c in relations.columns] == [
        "id", "measure", "by", "order_class", "chain", "n_violations",
    ]  # fmt: skip
    assert relations.rows == (
        ("error/mean", "error", "mean", "linear", (("a",), ("b",), ("c",)), 0),
        ("near", "error", "mean", "semiorder", None, 1),
        ("error/mixed-model", "error", "mixed-model", None, None, None),  # no variation
    )
    assert format_cells(relations)[0][4].parts == ("a", ">", "b", ">", "c")
    assert table_series(relations).rows[1][4] is None


def test_without_names_measure_and_rule_are_not_repeated() -> None:
    relations = table(found({"measure": "error", "by": "mean"}), "relations")
    assert [c.name for c in relations.columns] == ["id", "order_class", "chain", "n_violations"]


def test_an_incidence_says_who_is_better_than_whom() -> None:
    result = found({"measure": "error", "by": "mean"}, {"measure": "error", "by": "mixed-model"})
    incidence = table(result, "incidence", "error/mean")
    assert incidence.rows == (("a", None, 1, 1), ("b", 0, None, 1), ("c", 0, 0, None))
    assert [t.measure for t in tabulate(result)] == ["", "error/mean"]


def test_large_incidences_are_left_to_the_results() -> None:
    entry = {"measure": "error", "by": "mean"}
    assert len(tabulate(found(entry, k=LARGEST_MATRIX))) == 2
    assert len(tabulate(found(entry, k=LARGEST_MATRIX + 1))) == 1


def test_results_have_the_incidence_of_a_weak_order_of_few_candidates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(analysis, "MOST_COMPACT", 3)
    entries: list[dict[str, object]] = [
        {"measure": "error", "by": "mean"},
        {"measure": "error", "by": "mean", "epsilon": 1.5, "name": "near"},
    ]
    few, many = (found(*entries, k=k) for k in (3, 4))
    assert all(plain(own)["incidence"] == [*map(list, own.incidence)] for own in few)
    chain, near = (plain(own) for own in many)
    assert (chain["incidence"], chain["chain"]) == (None, [["a"], ["b"], ["c"], ["d"]])
    assert (len(near["incidence"]), near["chain"]) == (4, None)
    for own in (chain, near):
        validator_of("preference").validate(own)


def test_results_have_the_chain_of_the_rest_where_a_candidate_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those that are missing are related to none, so that it says the whole relation."""
    monkeypatch.setattr(analysis, "MOST_COMPACT", 3)
    values = np.arange(5) + np.array([[0.1, 0.0]]).T[:, [0] * 5]
    values[:, 1] = np.nan
    (own,) = prefer(make_warehouse(values, "abcde"), {"measure": "error", "by": "mean"})
    told = plain(own)
    assert (told["incidence"], told["chain"]) == (None, None)
    assert told["chain_of_rest"] == [["a"], ["c"], ["d"], ["e"]]
    place = {name: k for k, (name,) in enumerate(told["chain_of_rest"])}
    follows = [
        [int(i in place and j in place and place[i] < place[j]) for j in own.candidates]
        for i in own.candidates
    ]
    assert follows == [*map(list, own.incidence)]
    validator_of("preference").validate(told)
