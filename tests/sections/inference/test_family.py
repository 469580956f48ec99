"""One adjustment over the data sets and measures of a study."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from reportgen.sections.inference.analysis import InferenceResult, Options, analyse, settle
from reportgen.stats.multiplicity import holm
from reportgen.warehouse import Measure, Warehouse
from tests.sections.reading import ACCURACY, ERROR, NAMES, blocks, faults, tell

EXACT = 1e-9  # relative: closed forms
MEASURES = [Measure("error"), Measure("gain", better="larger")]
AREA = {"error": (-0.02, 0.02)}


def _warehouse(n_datasets: int = 3) -> Warehouse:
    """Two measures of four candidates in 12 replications, differences from none to clear."""
    rng = np.random.default_rng(8)
    names = ["dataset", "replication", "candidate", "measure", "value"]
    rows = [
        (f"d{d}", b, f"c{k}", m, 0.3 + sign * 0.006 * d * k + 0.01 * rng.normal())
        for d in range(1, n_datasets + 1)
        for b in range(12)
        for k in range(4)
        for m, sign in (("error", 1), ("gain", -1))
        if (d, b, k) not in ((2, 3, 1), (2, 5, 0))
    ]
    return Warehouse.of(pd.DataFrame(rows, columns=names), MEASURES)


def _found(warehouse: Warehouse, **options: object) -> dict[str, InferenceResult]:
    rng = np.random.default_rng
    return {
        d: analyse(warehouse.only(d), Options(**options), rng(1))  # type: ignore[arg-type]
        for d in warehouse.datasets
    }


@pytest.fixture(scope="module")
def alone() -> dict[str, InferenceResult]:
    return _found(_warehouse(), relevance=AREA)


@pytest.fixture(scope="module")
def settled(alone: dict[str, InferenceResult]) -> dict[str, InferenceResult]:
    return settle(alone, Options(relevance=AREA, family="study"))


def test_p_values_are_holms_over_every_pair_there_is(
    alone: dict[str, InferenceResult], settled: dict[str, InferenceResult]
) -> None:
    before = [p for found in alone.values() for m in found.values() for p in m.pairs]
    after = [p for found in settled.values() for m in found.values() for p in m.pairs]
    own = np.array([2 * t.sf(abs(p.statistic), p.df) for p in before])
    np.testing.assert_allclose([p.p_value for p in after], holm(own), rtol=EXACT)
    assert len(after) == 36
    assert [p.estimate for p in after] == [p.estimate for p in before]


def test_intervals_hold_together_and_decisions_follow_from_them(
    settled: dict[str, InferenceResult],
) -> None:
    seen = set()
    for found in chain.from_iterable(own.values() for own in settled.values()):
        df = found.critical_df
        assert found.critical_value == pytest.approx(t.isf(0.05 / 72, df), rel=EXACT)
        for p in found.pairs:
            half = found.critical_value * p.standard_error
            assert (p.lower, p.upper) == (p.estimate - half, p.estimate + half)
            assert p.method == "bonferroni"
            assert p.significant == (p.p_value <= 0.05)
            assert p.significant or p.lower <= 0 <= p.upper
            assert (p.decision == "undecided") <= (not p.significant)
            seen.add(p.decision)
        beaten = {p.second if p.favoured == p.first else p.first for p in found.pairs if p.favoured}
        assert set(found.leaders) == set(found.order) - beaten
    assert {"better", "better-relevant", "undecided"} <= seen


def test_what_is_told_of_the_family(
    alone: dict[str, InferenceResult], settled: dict[str, InferenceResult]
) -> None:
    for dataset, own in settled.items():
        for measure, found in own.items():
            told, before = found.family, alone[dataset][measure]
            assert told is not None
            assert (told.n_pairs, told.n_families) == (36, 6)
            assert (told.n_datasets, told.n_measures) == (3, 2)
            assert told.n_alone == sum(p.significant for p in before.pairs)
            assert found.roads == before.roads
            assert [p.p_value for p in found.rank_pairs] == [
                min(1.0, 6 * p.p_value) for p in before.rank_pairs
            ]
            lenient = [p.tost_interval for p in found.pairs]
            assert all((both is None) == (measure == "gain") for both in lenient)
    lost = [f.family.n_alone - sum(p.significant for p in f.pairs)  # type: ignore[union-attr]
            for own in settled.values() for f in own.values()]  # fmt: skip
    assert max(lost) > 0


def test_one_family_keeps_its_joint_law(alone: dict[str, InferenceResult]) -> None:
    one = {"d1": {"error": alone["d1"]["error"]}}
    assert settle(one, Options(relevance=AREA, family="study")) == one
    assert settle(alone, Options(relevance=AREA)) == alone


# ------------------------------------------------------------------------------------ words


@pytest.fixture(scope="module")
def values() -> dict[str, dict[Measure, np.ndarray]]:
    means = [0.1, 0.121, 0.2]
    return {
        d: {ERROR: blocks(means, 12, seed=seed), ACCURACY: 1 - blocks(means, 12, seed=seed + 1)}
        for d, seed in (("x", 2), ("y", 4))
    }


def test_the_report_says_what_one_adjustment_covers(
    values: dict[str, dict[Measure, np.ndarray]],
) -> None:
    said = tell(values, NAMES[:3], family="study", only=("inference",))
    result = said.results["inference", "x"]["misclassification"]
    kept = sum(p.significant for p in result.pairs)
    assert result.family.n_alone > kept > 0
    text = "\n".join([*said.sections.values(), *said.pages.values()])
    covers = "adjusted over the whole study, 12 of them on 2 data sets in 2 measures"
    assert covers in text
    lost = f"only, {result.family.n_alone} of those here would be distinguished, not {kept}."
    assert lost in text
    assert "adjusted for all 12 pairs of the study" in text
    assert "one adjustment over all its data sets and measures" in said.methods
    assert "nothing is adjusted over" not in said.methods
    assert not faults(text)


def test_nothing_is_said_of_a_family_that_is_none(
    values: dict[str, dict[Measure, np.ndarray]],
) -> None:
    one = {ERROR: values["x"][ERROR]}
    said = tell(one, NAMES[:3], family="study", only=("inference",))
    assert said.results["inference", "d"]["misclassification"].family is None
    text = "\n".join(said.sections.values())
    assert "whole study" not in text
    assert "adjusted for all 3 pairs;" in text
