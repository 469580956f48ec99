"""A measure that some data sets lack: nothing is said of it beyond those that have it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from reportgen.report import Report
from reportgen.sections.domain.result import DomainResult
from reportgen.sections.frontier.analysis import FrontierResult
from reportgen.warehouse import Warehouse
from tests.made_up import MadeUp, report_of, text_of
from tests.sections.reading import ACCURACY, SCORE, faults

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

NAMES = ("anna", "bert", "cara")
N_BLOCKS = 8
SECTIONS = ("eda", "inference", "preferences", "consensus", "frontier", "aggregate", "domain")


def partly(n_own: int, n_datasets: int, *, has_rows: bool) -> Warehouse:
    """Return accuracies, best of the last candidate, of the first data sets, and scores of all.

    `has_rows`: whether the other data sets have rows without values.
    """
    rng = np.random.default_rng(5)
    rows = []
    for m in range(n_datasets):
        for b in range(N_BLOCKS):
            for k, name in enumerate(NAMES):
                key = {"dataset": f"d{m + 1}", "replication": b, "candidate": name}
                own = 0.7 + 0.05 * k + 0.02 * rng.normal()
                if m < n_own or has_rows:
                    value = own if m < n_own else np.nan
                    rows.append({**key, "measure": ACCURACY.name, "value": value})
                score = 60 - 10 * k + rng.normal() - (30 if m >= n_own else 0)
                rows.append({**key, "measure": SCORE.name, "value": score})
    return Warehouse.of(pd.DataFrame(rows), (ACCURACY, SCORE))


@cache
def told(n_own: int, n_datasets: int, *, has_rows: bool) -> tuple[Report, str]:
    """Return the report on such data, and all that it says."""
    study = MadeUp(lambda: partly(n_own, n_datasets, has_rows=has_rows), sections=SECTIONS)
    report = report_of(study)
    return report, text_of(report)


def result_of(report: Report, section: str) -> object:
    return report.of_section(section)[0].result


@pytest.mark.slow
@pytest.mark.parametrize("has_rows", [False, True])
def test_means_are_of_data_sets_that_have_both(has_rows: bool) -> None:
    """By pandas: the mean scores of the frontier are those of the seven data sets alone."""
    report, text = told(7, 9, has_rows=has_rows)
    frame = partly(7, 9, has_rows=has_rows).frame
    scores = frame[(frame["measure"] == "score") & frame["dataset"].isin(list_of(7))]
    means = scores.groupby("candidate", observed=True)["value"].mean()
    found = result_of(report, "frontier")
    assert isinstance(found, FrontierResult)
    frontier = found.against["score"]
    assert frontier.n_units == 7
    for place in frontier.places:
        assert place.other.n == place.main.n == 7
        assert place.other.mean == pytest.approx(means[place.candidate])
    assert "Means over the seven data sets that have both measures" in text
    assert not faults(text)


def list_of(n: int) -> list[str]:
    return [f"d{m + 1}" for m in range(n)]


@pytest.mark.parametrize("has_rows", [False, True])
def test_a_domain_is_that_of_the_data_sets_with_values(has_rows: bool) -> None:
    report, text = told(7, 9, has_rows=has_rows)
    found = result_of(report, "domain")
    assert isinstance(found, DomainResult)
    assert sorted(row.name for row in found.rows) == list_of(7)
    assert found.unmeasured == ("d8", "d9")
    assert found.verdict["accuracy"].n_datasets == 7
    assert found.verdict["score"].n_datasets == 9
    assert "cara has the best mean on each of the seven data sets with accuracy" in text
    assert "best mean on every data set" not in text
    assert text.count("of the others nothing is said here") == 2  # the domain, and its scores


@pytest.mark.slow
@pytest.mark.parametrize("has_rows", [False, True])
def test_a_measure_of_one_data_set_says_nothing_over_data_sets(has_rows: bool) -> None:
    """The verdict over data sets, and who is best everywhere, are of the other measure, as told."""
    report, text = told(1, 3, has_rows=has_rows)
    found = result_of(report, "domain")
    assert isinstance(found, DomainResult)
    assert found.main == "score"
    assert set(found.bases) == {"score"}
    assert found.replaced == ACCURACY
    assert "anna has the best mean score on every data set" in text
    assert "Fewer than two data sets have values of accuracy" in text
    frontier = result_of(report, "frontier")
    assert isinstance(frontier, FrontierResult)
    assert not frontier.against
    conclusion = report.conclusion
    assert conclusion is not None
    assert conclusion.verdict is None
    assert conclusion.untested is not None
    assert {d: m.name for d, m in conclusion.untested.others.items()} == dict.fromkeys(
        ("d2", "d3"), "score"
    )
    assert "cara alone is unbeaten on d1; by score anna alone on d2; anna alone on d3" in text
    assert "By score anna is best, and alone" in text
    assert not faults(text)
