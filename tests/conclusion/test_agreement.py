"""No two places of a report disagree: made-up studies, from the call in Python to Markdown."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.conclusion.result import Conclusion
from reportgen.rendering.render_context import MARKDOWN
from reportgen.sections.inference.figures import lay_out_pairs
from reportgen.targets import TARGETS
from tests.conclusion.answers import check_answers, check_results, decided
from tests.conclusion.cases import plain, written
from tests.fuzz.executions import EXAMPLES
from tests.fuzz.numbers import IN_UNIT, KINDS, values_of
from tests.made_up import MADE_UP, report_of, study_in_python
from tests.schemas import results

STUDIES = range(12)
MORE = range(12, EXAMPLES or 50)
NAMES = ("anna", "bert", "cara", "dora", "emil", "fred")
SETS = (1, 1, 1, 2, 4, 7, 12)
SCHEMES: tuple[dict[str, Any], ...] = (
    {},
    {"resampling": {"scheme": "k-fold", "folds": 10}},
    {"resampling": {"scheme": "bootstrap"}, "n": {"data": 200}},
    {"target": "experiment"},
    {"resampling": {"scheme": "repeated-k-fold", "folds": 5, "repeats": 4}},
)
OF_FOLDS = {"k-fold": 10, "repeated-k-fold": 20}  # replications
IN_SIZE = tuple(kind for kind in KINDS if kind not in ("edges", "worlds"))  # others are refused
WITHOUT_PAIRS = ("table", "archetypes", "tree", "no-tree")  # in their reports
ROUNDING = 1e-9  # relative: estimates and limits are sums in different orders


@cache
def study_of(seed: int) -> BenchmarkStudy:
    """Return a study of random size, scheme, values, gaps and costs."""
    rng = np.random.default_rng(seed)
    n_sets, k = SETS[seed % len(SETS)], int(rng.integers(2, len(NAMES) + 1))
    told = dict(SCHEMES[int(rng.integers(len(SCHEMES)))])
    scheme = told.get("resampling", {}).get("scheme", "")
    n = OF_FOLDS.get(scheme, int(rng.choice((1, 5, 6, 12, 30, 60)) if n_sets > 5 else 30))
    n = n if n_sets > 5 or rng.random() < 0.5 else OF_FOLDS.get(scheme, int(rng.integers(5, 40)))
    is_share = bool(rng.random() < 0.7)
    kind = str(rng.choice(("apart", "usual", *IN_UNIT) if is_share else IN_SIZE))
    values = values_of(kind, rng, (n_sets, n, k))
    values = np.clip(np.abs(values), 0, 1) if is_share else values
    if seed % 4 == 3:
        values[:, : n // 3, -1] = np.nan
    sets = ["data"] if n_sets == 1 else [f"set{m + 1}" for m in range(n_sets)]
    places = pd.MultiIndex.from_product(
        [sets, range(1, n + 1), NAMES[:k]], names=["dataset", "replication", "candidate"]
    )
    measure = "misclassification" if is_share else "loss"
    table = pd.DataFrame({measure: values.ravel()}, index=places)
    measures = [{"name": measure, "better": "smaller"}]
    has_costs = bool(rng.random() < 0.4)
    if has_costs:
        times = np.geomspace(1, 20, k)[rng.permutation(k)] * rng.lognormal(0, 0.2, (n_sets, n, k))
        table["fit-time"] = times.ravel()
        measures.append({"name": "fit-time", "better": "smaller"})
    if n_sets > 1:
        told.pop("n", None)
    return reportgen.compare(
        table.dropna().reset_index(),
        measures=measures,
        relevance=0.02 if rng.random() < 0.5 else None,
        seed=seed,
        **told,
    )


def deciding(study: BenchmarkStudy) -> Any:
    """Return what the section says whose verdict decides."""
    if len(study.datasets) > 1:
        return study._over_datasets[study.measures[0]]
    return study.result("inference")[study.measures[0]]


def check_conclusion(study: BenchmarkStudy, found: Conclusion) -> None:
    """The recommendation and the order line follow from the frame of pairs."""
    assert found.verdict is not None
    better = decided(study)
    assert {*found.verdict.better} == better
    advice = found.recommendation
    beaten = {loser for _, loser in better}
    assert {*advice.not_worse} == {*found.verdict.means} - beaten
    named = {*advice.recommended} | ({advice.put_forward} - {None})
    assert named <= {*advice.not_worse} - {*advice.dominated}
    assert not (advice.shown and not TARGETS[advice.target].is_shown)
    assert set(study.pairs(study.measures[0])["target"]) == {advice.target}
    if found.line is not None and found.line.groups:
        groups = found.line.groups
        above = {
            (a, b) for i, g in enumerate(groups) for h in groups[i + 1 :] for a in g for b in h
        }
        assert above == better


def check_intervals(study: BenchmarkStudy) -> None:
    """An estimate lies inside its interval, that inside the bounds, and it decides."""
    bounds = (-1.0, 1.0) if study.measures[0] == "misclassification" else (-np.inf, np.inf)
    rows = study.pairs(study.measures[0]).to_dict(orient="records")
    for row, is_open in zip(rows, deciding(study).pairs.is_open, strict=True):
        low, high, equal = row["lower"], row["upper"], float(row["scale"] == "ratio")
        if np.isnan([low, high]).any():
            assert row["decision"] == "undecided"
            continue
        slack = ROUNDING * abs(row["estimate"])
        assert low - slack <= row["estimate"] <= high + slack
        assert row["scale"] != "difference" or (low >= bounds[0] and high <= bounds[1])
        excludes = low > equal or high < equal
        assert not row["significant"] or excludes
        adverse = row.get("adverse_first" if row["estimate"] < equal else "adverse_second", np.nan)
        is_undone = np.sign(adverse - equal) == -np.sign(row["estimate"] - equal)
        assert row["significant"] == (excludes and not is_undone and not is_open), row


def check_figure(study: BenchmarkStudy) -> None:
    """Rows of the figure, and what the table says of each, are those of the frame."""
    verdict = deciding(study)
    better = decided(study)
    plot = lay_out_pairs(verdict, verdict.number_format, None, ())
    assert {frozenset((r.first, r.second)) for r in plot.rows if r.is_decided} == {
        frozenset(pair) for pair in better
    }
    assert len(plot.rows) == len(study.pairs(study.measures[0]))


def check_abstract(study: BenchmarkStudy, found: Conclusion) -> None:
    """The abstract says whom it recommends, in every format alike."""
    text = plain(written(study._brief).text)
    advice = found.recommendation
    words = text.partition("ecommendation")[2]
    if advice.state in ("won", "best-and-cheapest", "ahead-undecided", "gaps", "cheaper-enough"):
        assert words.startswith(f": {advice.put_forward}")
    elif advice.state == "won-here" and found.verdict.is_pair and found.verdict.unknown:
        assert re.search(r"[).] What holds for new data is not known", text)
    elif advice.state == "won-here":
        assert re.search(rf"\b{advice.put_forward} (makes|has|is) the \w+[^.;]* here[.;]", text)
    elif advice.state == "undecided":
        assert f": no difference between {advice.not_worse[0]}" in words
    elif advice.state == "equivalent":
        first, _, _ = words.partition(".")
        assert all(name in first for name in advice.recommended[:3])
        assert not any(name in first for name in advice.dominated)
    assert ("Recommendation" in repr(study)) is ("Recommendation" in text)
    marked = str(written(study._brief, MARKDOWN).text)
    assert plain(marked.replace("*", "").replace("\\", "")) == text


def check_study(seed: int) -> None:
    """Hold all places of one study against each other."""
    study = study_of(seed)
    found = study.conclusion
    assert found is not None
    if found.verdict is None:
        return
    check_conclusion(study, found)
    check_intervals(study)
    check_answers(study, found.recommendation.target)
    check_figure(study)
    check_abstract(study, found)


@pytest.mark.parametrize("seed", STUDIES)
def test_no_two_places_disagree(seed: int) -> None:
    check_study(seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MADE_UP if name not in WITHOUT_PAIRS])
def test_the_call_from_python_answers_what_results_json_says(name: str) -> None:
    study = study_in_python(MADE_UP[name])
    found = study.conclusion
    assert check_results(study, results(report_of(MADE_UP[name]))) > 0
    if found is not None and found.verdict is not None:
        check_answers(study, found.recommendation.target)


@pytest.mark.slow
def test_no_two_places_of_many_studies_disagree() -> None:
    for seed in MORE:
        check_study(seed)
        study_of.cache_clear()
