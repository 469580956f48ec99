"""What all data sets have in common: one table, and what is said of it once."""

from __future__ import annotations

import numpy as np
import pytest

import reportgen
from reportgen.sections.inference import result
from reportgen.sections.inference.result import InferenceResult
from reportgen.sections.inference.tables import overview
from tests.sections.reading import ERROR, NAMES, TIME, Said, blocks, faults, report_of, tell

SEVERAL = 6  # data sets: more than five have short pages


def values_of(seed: int) -> np.ndarray:
    """Three candidates of which the third varies fifty times as much."""
    rng = np.random.default_rng(seed)
    return 0.2 + rng.normal(size=(60, 3)) * [0.001, 0.001, 0.05] + [0, 0.002, 0.1]


@pytest.fixture(scope="module")
def said() -> Said:
    of = {f"d{i}": {ERROR: values_of(i), TIME: blocks((1, 2, 3), 60)} for i in range(SEVERAL)}
    return tell(of, NAMES[:3])


@pytest.fixture(scope="module")
def results(said: Said) -> dict[str, InferenceResult]:
    return {d: said.results["inference", d] for d in (f"d{i}" for i in range(SEVERAL))}


@pytest.mark.slow
def test_a_table_holds_what_every_data_set_comes_to(results: dict[str, InferenceResult]) -> None:
    tables = overview(results)
    assert [table.measure for table in tables] == ["misclassification", "fit-time"]
    names = [column.name for column in tables[0].columns]
    assert "p_value_residuals" in names
    assert "p_value_residuals" not in [
        c.name for c in tables[1].columns
    ]  # of the main measure only
    assert "corrected" not in names  # nobody said how replications were drawn
    for row in tables[0].rows:
        cells = dict(zip(names, row, strict=True))
        found = results[cells["dataset"]]["misclassification"]
        assert found.mixed_model is not None
        assert found.mixed_model.equality_test is not None
        assert cells["f"] == found.mixed_model.equality_test.statistic
        assert cells["epsilon"] == found.sphericity
        assert cells["decided"] == found.pairs.n_significant
        pooled = found.methods["block-model"].pairs
        assert cells["other_decided"] == pooled.n_significant
        pairs = zip(found.pairs.decision, pooled.decision, strict=True)
        assert cells["other_differing"] == sum(p != q for p, q in pairs)


def test_what_is_not_tested_has_no_count_of_significant_differences() -> None:
    of = {f"d{i}": {ERROR: values_of(i)[: 5 if i else 60]} for i in range(SEVERAL)}
    said = tell(of, NAMES[:3])
    table = overview({d: said.results["inference", d] for d in of})[0]
    place = [column.name for column in table.columns].index("decided")
    first, *others = (row[place] for row in table.rows)
    assert first == 3
    assert others == [None] * (SEVERAL - 1)


def test_what_holds_for_all_data_sets_is_said_once(said: Said) -> None:
    text = said.index
    assert faults(said.whole) == []
    assert text.count("do not say how the replications were drawn") == 1
    assert text.count("are conditional on each data set") == 1
    assert said.pages == {}
    for entry in said.entries.values():
        assert "target" not in entry
        assert "3 differences are significant (Figure" in entry


def test_pairs_of_very_many_candidates_are_told_and_not_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(result, "MOST_COMPACT", 2)
    of = {f"d{i}": {ERROR: values_of(i)} for i in range(SEVERAL)}
    said = tell(of, NAMES[:3])
    assert said.index.count("the pairs of 3 candidates are not drawn: they are in the tables") == 1
    assert all("differences are significant." in entry for entry in said.entries.values())


def test_one_data_set_needs_no_overview() -> None:
    report = report_of({"d": {ERROR: values_of(1)}}, NAMES[:3])
    assert all(not content.overview for content in report.contents)


@pytest.mark.parametrize("n", [5, 10])
def test_nothing_is_counted_of_replications_too_few_to_test(n: int) -> None:
    """Where new data decide, five folds have a verdict and no tests of their own."""
    rng = np.random.default_rng(1)
    values = {
        f"d{m}": {k: x + rng.normal(0, 0.02, n) for k, x in {"a": 0.1, "b": 0.3, "c": 0.2}.items()}
        for m in range(2)
    }
    folds = {"scheme": "k-fold", "folds": n}
    study = reportgen.compare(values, better="smaller", resampling=folds, n={"d0": 300, "d1": 300})
    (table,) = overview({name: study.result("inference", name) for name in values})
    own = {"conditional", "other_decided", "other_differing"}
    assert own & {c.name for c in table.columns} == (own if n >= 6 else set())


def test_data_sets_without_a_test_are_counted() -> None:
    few = {f"d{i}": {ERROR: blocks((0.1, 0.2, 0.3), 5)} for i in range(SEVERAL)}
    words = f"On all {SEVERAL} data sets no pair is tested, as replications are too few."
    assert words in tell(few, NAMES[:3]).whole
