"""Many candidates: who may be first, in the table, in the abstract and from Python."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import reportgen as rg
from reportgen.api.study import BenchmarkStudy
from reportgen.sections.domain.tables import tabulate


def study(n_candidates: int, seed: int = 2) -> BenchmarkStudy:
    rng = np.random.default_rng(seed)
    means = np.linspace(0.3, 0.5, n_candidates)
    values = means + 0.03 * rng.normal(size=(24, n_candidates)) + 0.05 * rng.normal(size=(24, 1))
    names = [f"c{k:02d}" for k in range(n_candidates)]
    rows = [f"set {letter}" for letter in "abcdefghijklmnopqrstuvwx"]
    return rg.compare(pd.DataFrame(values, rows, names), measure="misclassification")


@pytest.fixture(scope="module")
def many() -> BenchmarkStudy:
    """Return a study of fourteen candidates."""
    return study(14)


@pytest.mark.slow
def test_ranges_are_a_frame(many: BenchmarkStudy) -> None:
    frame = many.rank_ranges()
    pairs = many.pairs()
    for row in frame.itertuples():
        worse = (pairs.favoured == row.candidate).sum()
        involved = pairs[(pairs["first"] == row.candidate) | (pairs["second"] == row.candidate)]
        better = involved.favoured.notna() & (involved.favoured != row.candidate)
        assert (row.rank_from, row.rank_to) == (1 + better.sum(), 14 - worse)
        assert row.may_be_first == (row.rank_from == 1)
    assert set(frame.level) == {0.95}
    assert set(frame.target) == {"domain"}
    found = many.result("domain").verdict["misclassification"]
    assert set(found.may_be_first) == {*frame[frame.may_be_first].candidate}
    assert found.may_be_first == found.leaders


def test_the_abstract_says_who_may_be_first(many: BenchmarkStudy) -> None:
    text = " ".join(str(many).split())
    first = many.rank_ranges().query("may_be_first").candidate
    assert len(first) == 4
    assert "Any of four may be first (95%, all ranks at once): c00 has the rank 1 to 4" in text
    assert "rank" in text.split("significantly better than")[1][:8]


def test_few_candidates_need_no_ranges() -> None:
    assert "may be first" not in str(study(9))


def test_the_table_of_candidates_has_them(many: BenchmarkStudy) -> None:
    (table,) = (t for t in tabulate(many.result("domain")) if t.name == "model")
    heads = [column.name for column in table.columns]
    own = many.rank_ranges().set_index("candidate")
    at = {name: heads.index(name) for name in ("candidate", "first_rank", "last_rank")}
    for row in table.rows:
        name = row[at["candidate"]]
        assert row[at["first_rank"]] == own.rank_from[name]
        assert row[at["last_rank"]] == own.rank_to[name]
