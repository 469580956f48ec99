"""Beside the verdict over data sets: the false discovery rate, and on how many it is shown."""

from __future__ import annotations

import numpy as np
import pytest

import reportgen as rg
from reportgen.api.study import BenchmarkStudy
from reportgen.sections.domain.tables import tabulate
from reportgen.stats.multiplicity.adjustment import benjamini_hochberg

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

NAMES = list("abcdef")
SETS = [f"d{letter}" for letter in "abcdefghijkl"]


def study(n_replications: int = 20, **keywords: object) -> BenchmarkStudy:
    rng = np.random.default_rng(2)
    own = np.linspace(0.3, 0.36, 6) + 0.012 * rng.normal(size=(12, 1, 6))
    values = own + 0.01 * rng.normal(size=(12, n_replications, 6))
    return rg.compare(
        values, measure="misclassification", candidates=NAMES, datasets=SETS, **keywords
    )


@pytest.fixture(scope="module")
def usual() -> BenchmarkStudy:
    """Return a study of twelve data sets whose sampling scheme is not known."""
    return study()


@pytest.mark.slow
def test_the_rate_is_a_further_method(usual: BenchmarkStudy) -> None:
    pairs = usual.pairs()
    assert pairs.fdr_p_value.to_numpy() == pytest.approx(
        benjamini_hochberg(pairs.p_value.to_numpy())
    )
    result = usual.result("domain")
    verdict = result.verdict[result.main]
    assert verdict.false_discovery.n_significant == (pairs.fdr_p_value <= 0.05).sum()
    assert verdict.false_discovery.n_significant > verdict.pairs.n_significant
    (table,) = (t for t in tabulate(result) if t.name == "models")
    (row,) = (row for row in table.rows if row[0] == "False discovery rate")
    assert row[-2] == verdict.false_discovery.n_significant


def test_it_changes_no_verdict(usual: BenchmarkStudy) -> None:
    pairs = usual.pairs()
    decided = pairs.decision.isin(["better", "worse"])
    assert (decided == (pairs.adjusted_p_value < 0.05)).all()
    assert (~decided & (pairs.fdr_p_value <= 0.05)).any()


@pytest.mark.slow
def test_each_data_set_is_asked(usual: BenchmarkStudy) -> None:
    verdict = usual.result("domain").verdict["misclassification"]
    assert verdict.each_for == "experiment"
    pairs = usual.pairs()
    assert (pairs.n_shown <= pairs[["wins", "losses"]].max(axis=1)).all()
    assert pairs.n_shown.max() == 12
    resampled = study(resampling={"scheme": "bootstrap"}, n=dict.fromkeys(SETS, 200))
    new = resampled.result("domain").verdict["misclassification"]
    assert new.each_for == "new-data"
    assert (resampled.pairs().n_shown <= pairs.n_shown).all()  # new data vary more


@pytest.mark.slow
def test_a_larger_family_shows_less() -> None:
    values = {"misclassification": 0.3, "brier": 0.2}
    rng = np.random.default_rng(1)
    rows = [
        {"dataset": d, "replication": b, "candidate": c, "measure": m, "value": x}
        for m, level in values.items()
        for d in SETS
        for b in range(5)
        for k, c in enumerate("abc")
        for x in [level + 0.01 * k + 0.008 * rng.normal()]
    ]
    import pandas as pd

    alone, together = (
        rg.compare(pd.DataFrame(rows), family=f) for f in ("dataset-measure", "study")
    )
    assert (together.pairs().n_shown <= alone.pairs().n_shown).all()
    assert (together.pairs().n_shown < alone.pairs().n_shown).any()


@pytest.mark.slow
def test_one_value_each_shows_nothing() -> None:
    once = study(1)
    assert once.result("domain").verdict["misclassification"].each_for == ""
    assert "n_shown" not in once.pairs()
