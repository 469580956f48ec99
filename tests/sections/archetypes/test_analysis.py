from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reportgen.errors import AnalysisError, StudyError
from reportgen.rendering.results_json import plain
from reportgen.sections.archetypes import Options, applies
from reportgen.sections.archetypes.analysis import Group
from reportgen.sections.archetypes.table import view_of
from reportgen.stats.archetypal_analysis import LEAST_GAIN, choice
from reportgen.stats.archetypal_analysis.stability import Restarts
from reportgen.stats.subsamples import SubsampleSupport
from reportgen.study.manifest import load_study
from reportgen.warehouse.files import read_warehouse, write_warehouse
from tests.schemas import validator_of
from tests.sections.archetypes.making import (
    NAMES,
    ROWS,
    analysed,
    domain,
    outliers_of_rows,
    table,
    tell,
    triangle,
)
from tests.sections.reading import COST, ERROR


@pytest.fixture(scope="module")
def found():
    return analysed(domain())


def test_candidates_are_made_of_their_archetypes(found):
    assert (found.rows, found.n_rows, found.k, found.elbow) == ("replications", 32, 3, 3)
    assert found.profiles[0].members == ("anna", "bert")
    assert {p.members for p in found.profiles[1:]} == {("cara",), ("dora",)}
    cara = next(p for p in found.profiles if p.members == ("cara",))
    assert set(cara.high) == {"d0", "d1", "d2"}
    assert min(found.percentiles[cara.number - 1][:3]) > 0.85
    assert all(g.returned == 1 for g in found.groups)
    assert max(p.distance for p in found.profiles) < 0.25
    assert (found.n_restarts, found.n_agreeing, found.is_of_restart) == (2, 2, False)
    assert found.recurrence == SubsampleSupport(1.0, 4, 4, 6)
    assert found.is_reportable
    assert 0 <= found.restart_distance < 0.001


def test_a_fresh_start_that_is_better_is_taken(monkeypatch):
    better = []

    def halved(rows, fit, n_starts, rng, **_):
        better.append(replace(fit, objective=fit.objective / 2, archetypes=fit.archetypes + 1))
        return Restarts(better[0], True, np.array([0.0, 0.3]), pairwise=1.4)

    monkeypatch.setattr(choice, "restarts", halved)
    found = analysed(domain(), samples=0)
    assert found.rss[3] == found.steps[2].rss == better[0].objective
    assert sorted(found.archetypes) == sorted(map(tuple, better[0].archetypes.tolist()))
    assert (found.n_restarts, found.n_agreeing, found.restart_distance) == (2, 1, 0)
    assert found.n_returning == 2  # .3 is within .35 of 1.4
    assert found.is_of_restart


def test_a_result_adds_up(found):
    assert found.alpha.sum(axis=1) == pytest.approx(1)
    assert found.beta.sum(axis=1) == pytest.approx(1)
    rows = view_of(domain(), Options()).values
    assert found.beta @ rows == pytest.approx(np.array(found.archetypes))
    assert [s.rss for s in found.steps] == list(found.rss.values())
    assert found.steps[0].rss == pytest.approx(31 * 6)
    assert (np.diff(list(found.rss.values())) < 0).all()
    assert found.explained == pytest.approx(1 - found.rss[3] / found.rss[1])
    means = found.alpha[np.array(found.labels) == "cara"].mean(axis=0)
    assert found.groups[2].shares == pytest.approx(tuple(means))
    assert found.profiles[0].n_rows == (found.alpha[:, 0] >= 0.5).sum()
    means = [np.mean(row) for row in found.percentiles]
    assert means == sorted(means)


def test_results_fit_the_schema(found):
    result = plain(found)
    validator_of("archetypes").validate(result)
    assert set(result["rss"]) == {"1", "2", "3", "4"}
    assert not {"values", "distances", "between"} & set(result)
    assert len(result["alpha"]) == 32


def test_the_manifest_says_how_many():
    found = analysed(domain(), k=2, samples=0)
    assert (found.k, found.elbow, found.is_by_elbow) == (2, 3, False)
    assert len(found.archetypes) == 2
    assert found.profiles[0].distance is None
    assert analysed(domain(), k=1, samples=0).n_restarts == 0
    with pytest.raises(AnalysisError, match="k: found 40; allowed 1 to 32"):
        analysed(domain(), k=40)


@pytest.mark.slow
def test_a_large_table_has_fewer_subsamples_and_says_so():
    few, many = triangle(1_333), triangle(1_334)  # 3,999 and 4,002 values
    numbers = [
        Options(**own).n_samples(x.size) for own in ({}, {"samples": 7}) for x in (few, many)
    ]
    assert numbers == [200, 50, 7, 7]
    said, found = tell(table(many), k=3, samples=None)
    assert (found.n_samples, found.recurrence.n_subsamples) == (50, 50)
    assert "of 50 samples of 843 of the 1,334 rows" in said.sections["archetypes"]


def test_rows_are_what_is_asked_for():
    warehouse = domain()
    means = analysed(warehouse, rows="candidates")
    assert (means.labels, means.numbers, means.n_samples) == (NAMES, None, 4)
    assert (means.recurrence.size, means.recurrence.n_units) == (4, 6)  # of the data sets
    assert view_of(warehouse, Options(rows="candidates")).values == pytest.approx(
        warehouse.frame.pivot_table("value", "candidate", "dataset", observed=True).to_numpy()
    )
    turned = analysed(warehouse, rows="datasets", k=2, samples=2)
    assert (turned.recurrence.size, turned.recurrence.n_units) == (4, 6)
    assert analysed(warehouse, rows="datasets", k=4, samples=2).recurrence is None  # all are rows
    assert turned.columns == NAMES
    assert turned.labels == tuple(f"d{i}" for i in range(6))
    assert view_of(domain(b=1), Options()).kind == "candidates"
    own = warehouse.frame.pivot_table(
        "value", ["candidate", "replication"], "dataset", observed=True
    )
    view = view_of(warehouse, Options())
    assert (view.values == own.to_numpy()).all()
    assert view.numbers == tuple(own.index.get_level_values("replication"))


def test_measures_stand_side_by_side():
    warehouse = domain(measures=(ERROR, COST))
    view = view_of(warehouse, Options(measures=["cost", "misclassification"]))
    assert view.columns[0] == "d0, cost"
    assert view.sources[6] == ("d0", "misclassification")
    assert view.values[:, :6] == pytest.approx(11 * view.values[:, 6:], abs=0.4)
    frame = warehouse.frame
    partly = frame[~((frame["measure"] == "cost") & (frame["replication"] > 5))]
    view = view_of(warehouse.of(partly, warehouse.measures), Options(measures=["cost", ERROR.name]))
    rows = [i for i, b in enumerate(view.numbers) if b == 6]
    assert np.isnan(view.values[rows, :6]).all()
    assert np.isfinite(view.values[rows, 6:]).all()


@pytest.mark.slow
def test_gaps_are_used_or_left_out():
    warehouse = domain(b=20, gaps=0.04)
    found = analysed(warehouse, samples=0)
    assert 0 < found.n_gaps < 40
    assert found.n_dropped == 0
    assert found.profiles[0].members == ("anna", "bert")
    robust = analysed(warehouse, fit="robust", samples=0)
    assert (robust.n_gaps, robust.n_dropped) == (0, found.n_gaps)
    assert robust.n_rows == found.n_rows - found.n_gaps


def test_samples_without_archetypes_are_counted():
    corners = np.vstack([np.repeat([[9.0, 9]], 9, axis=0), [[0, 0], [0, 9], [9, 0]]])
    found = analysed(table(corners), k=4, samples=8)
    assert 0 < found.n_failed <= found.n_samples == 8  # not all corners are drawn
    assert found.recurrence.share <= 1 - found.n_failed / 8
    found = analysed(table(triangle(4)), k=4, samples=1)
    assert (found.recurrence, found.n_samples) == (None, 0)  # three rows have no four archetypes
    assert found.profiles[0].distance is None
    assert found.n_distinct == found.n_rows == 4
    assert analysed(table(np.vstack([triangle(4)] * 2)), k=2, samples=0).n_distinct == 4


@pytest.mark.parametrize(
    ("share", "n_returning", "is_reportable"),
    [(0.49, 4, False), (0.5, 4, True), (0.8, 4, True), (0.8, 2, True), (1.0, 1, False)],
)
def test_archetypes_are_a_finding_where_samples_and_starts_return(
    found, share, n_returning, is_reportable
):
    own = replace(
        found,
        recurrence=SubsampleSupport(share, 200, 4, 6),
        n_restarts=4,
        n_returning=n_returning,
    )
    assert own.is_reportable is is_reportable
    assert not replace(own, recurrence=None).is_reportable


def test_the_number_of_samples_changes_no_archetypes():
    few, many = (analysed(table(triangle(30)), k=3, samples=n) for n in (2, 6))
    assert few.archetypes == many.archetypes
    assert analysed(table(triangle(30)), k=3, samples=6) == many


def test_weights_go_by_candidate():
    warehouse = domain()
    found = analysed(warehouse, fit="weighted", row_weights={"cara": 0}, k=2, samples=0)
    assert found.profiles[0].members == ("anna", "bert")
    assert "dora" in found.profiles[1].members
    assert not any("cara" in dict(p.sources) for p in found.profiles)
    with pytest.raises(AnalysisError, match=r"found 'carla'; .* did you mean cara"):
        analysed(warehouse, fit="weighted", row_weights={"carla": 0})
    with pytest.raises(AnalysisError, match="0 for every row"):
        analysed(warehouse, fit="weighted", row_weights=dict.fromkeys(NAMES, 0))
    faults = Options(row_weights={"cara": 2}, measures=["tyme"]).faults_among(["time"])
    assert [f.place for f in faults] == [("measures", 0), ("row_weights",)]


@pytest.mark.slow
@pytest.mark.parametrize("n_outliers", [3, 9])
def test_outliers_of_a_table_are_found_and_named(n_outliers):
    found = outliers_of_rows(n_outliers)
    assert found.elbow == 3
    assert (found.rows, found.groups) == ("table", ())
    assert (found.row_weights[-n_outliers:] == 0).all()
    # Mixtures are nearly exact here, so that the bound is near the largest of their residuals.
    assert n_outliers <= found.n_outliers <= n_outliers + 3
    assert not any(set(p.nearest) & set(ROWS[-n_outliers:]) for p in found.profiles)
    plain_fit = analysed(table(triangle(60, n_outliers)), samples=0)
    assert max(np.max(a) for a in plain_fit.archetypes) > 50


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.ones((5, 2)), "one-point"),
        (np.column_stack([np.arange(5.0), np.full(5, np.nan)]), "too-few-columns"),
        (np.array([[1.0, 2], [3, 4]]), "too-few-rows"),
        (np.array([[1, np.nan], [np.nan, 2], [3, np.nan]]), "no-complete-row"),
    ],
)
def test_what_has_no_archetypes_says_why(values, reason):
    assert analysed(table(values)).unavailable == reason


def test_it_applies_to_domains_and_tables(tmp_path):
    assert applies(domain())
    assert not applies(domain().only("d0"))
    write_warehouse(table(triangle(), tuple(f"r{i}" for i in range(60))), tmp_path)
    again = read_warehouse(tmp_path)
    assert again.is_table
    assert applies(again)
    assert view_of(again, Options()).labels[7] == "r7"


def test_a_group_names_its_parts_where_there_are_several():
    group = Group("anna", 8, (0.2, 0.45, 0.35), None, None, 0)
    assert group.parts == ((0.45, 2), (0.35, 3), (0.2, 1))
    assert replace(group, shares=(0.9, 0.05, 0.05)).parts == ()
    assert replace(group, shares=(0.19, 0.19, 0.19)).parts == ()


def test_groups_wander_where_samples_make_them_of_another(found):
    assert found.is_firm
    assert found.n_made == sum((found.alpha >= 0.5).any(axis=1))
    assert [p.number for p in found.owned] == [p.number for p in found.profiles if p.members]
    first, *rest = found.groups
    moved = replace(found, groups=(replace(first, returned=0.89), *rest))
    assert (moved.wandering, moved.is_firm) == (("anna",), False)
    assert replace(found, groups=()).wandering == ()
    assert not replace(found, groups=()).is_firm


@pytest.mark.slow
def test_outliers_come_the_farthest_first():
    found = outliers_of_rows(3)
    place = [ROWS.index(label) for label in found.outliers]
    assert len(place) == found.n_outliers
    assert (np.diff(found.residuals[place]) <= 0).all()
    assert replace(found, fit="original").outliers == ()


def test_a_former_option_says_what_became_of_it(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("results: r.csv\nsections:\n  - archetypes: {least_gain: 0.1}\n")
    limit = f"{100 * LEAST_GAIN:g}% of what a single point leaves"
    with pytest.raises(StudyError, match=f"found a key that is gone .*{limit}.*allowed"):
        load_study(path, {"archetypes": Options})
