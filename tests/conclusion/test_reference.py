"""What a report says where pairs with a reference alone are decided on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.sections.domain.tables import tabulate

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

NAMES = {"a": 0.23, "b": 0.26, "c": 0.2005, "d": 0.17, "new": 0.20}


def frame_of(n_datasets: int, n_replications: int, means: dict[str, float]) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rows = []
    for m in range(n_datasets):
        level = rng.normal(0, 0.005)
        for b in range(n_replications):
            rows += [
                (f"set{m}", b, name, mean + level + rng.normal(0, 0.01))
                for name, mean in means.items()
            ]
    return pd.DataFrame(rows, columns=["dataset", "replication", "candidate", "error"])


def study_of(n_datasets: int = 1, n: int = 60, means: Any = NAMES, **more: Any) -> Any:
    keywords = {"reference": "new", "comparisons": "reference", "better": "smaller"} | more
    return reportgen.compare(frame_of(n_datasets, n, means), **keywords)


@pytest.fixture(scope="module", params=[(1, 60), (12, 4)], ids=["replications", "data sets"])
def study(request: Any) -> Any:
    return study_of(*request.param)


@pytest.mark.slow
def test_the_headline_speaks_of_the_reference_alone(study: Any) -> None:
    text = " ".join(str(study).split())
    assert "new makes fewer errors than a and b; d makes fewer errors than new;" in text
    assert "c is not shown to differ from new" in text
    assert "simultaneous over the 4 pairs with new" in text
    assert "Recommendation: not new. d is shown to be better." in text
    assert "Order by error: d > new; new > a, b" in text
    assert "tied" not in text


def test_a_candidate_is_counted_against_whom_it_was_compared_with(study: Any) -> None:
    rows = {line.split()[0]: line for line in str(study).splitlines() if " of " in line}
    assert rows["d"].endswith("1 of 1")
    assert rows["new"].endswith("2 of 4")


def test_no_pair_of_two_others_has_a_verdict(study: Any) -> None:
    pairs = study.pairs()
    both = set(zip(pairs["first"], pairs["second"], strict=True))
    assert len(both) == 4
    assert all("new" in pair for pair in both)


def test_a_winner_is_recommended() -> None:
    text = " ".join(str(study_of(12, 4, {**NAMES, "new": 0.10})).split())
    assert "Recommendation: new." in text
    assert "than every other candidate" in text


def test_all_pairs_stay_the_default() -> None:
    text = " ".join(str(study_of(12, 4, comparisons="all")).split())
    assert "simultaneous over all 10 pairs" in text


def test_a_reference_without_a_name_is_refused() -> None:
    with pytest.raises(reportgen.ReportgenError, match="comparisons"):
        study_of(1, 10, reference=None)


def test_claims_keep_their_own_family() -> None:
    found = study_of(12, 4).check("d better than a")
    assert "1 holds" in str(found)


@pytest.mark.slow
def test_methods_of_all_pairs_are_not_said_to_agree(tmp_path: Any) -> None:
    study_of(6, 4).report(tmp_path, formats="html")
    page = (tmp_path / "report.html").read_text()
    assert "methods agree on" not in page
    assert "The verdict compares candidates with" in page


def test_relations_by_verdict_need_all_pairs() -> None:
    (found,) = study_of(12, 6).result("preferences", dataset="set0")
    assert found.unavailable == "reference"
    assert found.order_class == "none"


def test_battles_call_nobody_tied(tmp_path: Any) -> None:
    rng = np.random.default_rng(5)
    both = np.array([rng.choice(3, 2, replace=False) for _ in range(200)])
    names = np.array(["a", "b", "new"])
    frame = pd.DataFrame(
        {
            "model_a": names[both[:, 0]],
            "model_b": names[both[:, 1]],
            "winner": rng.choice(["model_a", "model_b"], 200),
        }
    )
    study = reportgen.compare(frame, reference="new", comparisons="reference", name="arena")
    assert not study.result("battles").tied
    study.report(tmp_path, formats="html")
    assert "would need all pairs" in (tmp_path / "report.html").read_text()


@pytest.mark.slow
def test_the_methods_of_data_sets_without_orders_tell_of_none(tmp_path: Path) -> None:
    """Pairs with a reference alone leave no order of a data set, and so no consensus."""
    rng = np.random.default_rng(4)
    names = ("new", "old", "other")
    values = {f"d{i}": {k: j + rng.random(6) for j, k in enumerate(names)} for i in range(6)}
    for comparisons in ("all", "reference"):
        study = reportgen.compare(
            values, better="smaller", reference="new", comparisons=comparisons
        )
        study.report(tmp_path / comparisons, formats="html")
        page = (tmp_path / comparisons / "report.html").read_text(encoding="utf-8")
        assert ("are its order" in page) == (comparisons == "all")
        table = next(t for t in tabulate(study.result("domain")) if t.name == "datasets")
        assert {row for row, _ in table.marked} == set(range(6))  # each has its best in bold
