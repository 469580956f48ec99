"""What the section says, held against its numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from reportgen.stats.archetypes.choice import NEAR
from reportgen.stats.archetypes.descent import Limits
from reportgen.stats.archetypes.stability import AGREEING
from reportgen.stats.subsamples import Recurrence
from tests.sections.archetypes.making import (
    ROWS,
    domain,
    outliers_of_rows,
    say,
    table,
    tell,
    triangle,
)
from tests.sections.reading import COST, ERROR, faults

TO_THE_END = " fresh starts, taken to the end,"
ONE_TO_THE_END = " fresh start, taken to the end,"
MATCHED = " archetypes: matched,"
UNIT = " of a usual row’s distance from the middle"
OTHERS = " archetypes; another set of starts might find better ones."
FAILED = " the fit failed, as fewer than three different rows lie on "


@pytest.fixture(scope="module")
def of_domain():
    return tell(domain())


def test_findings_say_who_is_made_of_what(of_domain):
    said, result = of_domain
    share = f"{100 * result.explained:.1f}%"
    assert said.findings[0].startswith(
        f"Three archetypes explain {share} of how the candidates differ: anna and bert are made of "
        "archetype 1, low on "
    )
    assert not faults(said.whole)


def test_each_archetype_is_described(of_domain):
    said, result = of_domain
    body = said.sections["archetypes"]
    one = next(x for x in body.splitlines() if x.startswith("Archetype 1 is low on"))
    assert f"low on {len(result.profiles[0].low)} of 6 data sets and nowhere high" in one
    assert one.endswith("anna and bert are made of it.")
    cara = next(p for p in result.profiles if p.members == ("cara",))
    line = next(x for x in body.splitlines() if x.startswith(f"Archetype {cara.number} is"))
    assert "high on d0, d1 and d2" in line
    assert "cara is made of it." in line
    assert "low is good" in body
    assert "A row is a candidate in one replication, 32 in all" in body
    assert "Three are taken, by the elbow" in body
    assert "In 4 samples of 4 of the 6 data sets all archetypes come back" in body
    assert "They return together in 100% of all 4 samples, none farther" in body
    assert "is made of the same one in" in body


def test_a_mixture_is_not_half_of_one(of_domain):
    _, result = of_domain
    mixed = replace(result.groups[0], shares=(0.4985, 0.5015 - 0.01, 0.01), main=None)
    body = say(domain(), replace(result, groups=(mixed, *result.groups[1:]))).sections["archetypes"]
    assert "anna is a mixture of 1 (49.9%) and 2 (49.1%)." in body  # 49.85 would be 50


def test_the_limits_that_are_told_are_those_of_the_fits(of_domain):
    said, _ = of_domain
    powers = str.maketrans("⁻0123456789", "-0123456789") | str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
    told = re.findall(r"(?:(\d)·)?10(⁻[⁰¹²³⁴⁵⁶⁷⁸⁹])", said.methods)
    limits = [float(f"{factor or 1}e{power.translate(powers)}") for factor, power in told]
    assert limits == [Limits().decrease, Limits().gap, NEAR.decrease, NEAR.gap]


@pytest.mark.parametrize(
    ("n", "n_all", "distance", "sentence"),
    [
        (
            4,
            4,
            0.021,
            f"All four{TO_THE_END} come to the same{MATCHED} they are at most 0.03{UNIT}",
        ),
        (
            1,
            1,
            0.0,
            f"The one{ONE_TO_THE_END} comes to the same{MATCHED} they are less than 0.01{UNIT}",
        ),
        (
            3,
            4,
            0.009,
            f"Three of four{TO_THE_END} come to these{MATCHED} theirs are less than 0.01",
        ),
        (3, 4, 0.009, f"{UNIT} away. The other ends elsewhere."),
        (2, 4, 0.05, f"at most 0.05{UNIT} away. The others end elsewhere."),
        (1, 4, 0.0, f"Only one of four{TO_THE_END} comes to these{OTHERS}"),
        (0, 4, None, f"None of four{TO_THE_END} comes to these{OTHERS}"),
        (0, 1, None, f"The one{ONE_TO_THE_END} does not come to these{OTHERS}"),
    ],
)
def test_it_is_told_how_many_starts_agree(of_domain, n, n_all, distance, sentence):
    result = replace(of_domain[1], n_restarts=n_all, n_agreeing=n, restart_distance=distance)
    said = say(domain(), result)
    assert sentence in said.whole
    assert said.whole.count("fresh start") == 1
    assert "better than all before" not in said.whole
    assert not faults(said.whole)


def test_it_is_told_where_a_fresh_start_was_the_best(of_domain):
    said = say(domain(), replace(of_domain[1], is_of_restart=True))
    assert "apart. The best of them was better than all before, and is what is shown." in said.whole
    assert f"less than {AGREEING} of a usual row’s distance from its match" in said.methods


def test_what_the_study_asks_for_is_told():
    said, _ = tell(domain(measures=(ERROR, COST)), k=2, rows="candidates", measures=["cost"])
    body = said.sections["archetypes"]
    assert "The study asks for two; the elbow would be at three." in body
    assert "A row is a candidate, with its mean on every data set" in body
    assert "The values are cost: low is good." in body
    assert "In 4 samples of 4 of the 6 data sets" in body
    assert not faults(said.whole)


def test_as_many_archetypes_as_rows_are_no_finding():
    said, result = tell(domain(), k=4, rows="candidates")
    assert (result.n_distinct, result.explained) == (4, pytest.approx(1))
    assert said.findings == ()
    body = said.sections["archetypes"]
    assert "as many as there are rows: each is an archetype of its own." in body
    assert "explain 100.0%" not in said.whole
    twice = say(domain(), replace(result, n_rows=5), k=4).sections["archetypes"]
    assert "as many as there are different rows" in twice


def test_what_is_left_is_told_from_nothing(of_domain):
    _, result = of_domain
    steps = [*result.steps]
    steps[2] = replace(steps[2], explained=1.0)
    said = say(domain(), replace(result, steps=tuple(steps)))
    assert said.findings[0].startswith("Three archetypes explain all of how the candidates differ")
    assert "Together they leave nothing: every row is exactly" in said.sections["archetypes"]


@pytest.mark.parametrize(
    ("n_failed", "sentence"),
    [
        (
            12,
            "In 12 of 20 samples of 4 of the 6 data sets"
            + FAILED
            + "their hull. In the other eight all archetypes come",
        ),
        (
            20,
            "In all 20 samples of the data sets"
            + FAILED
            + "their hull: how steady the archetypes are is not known.",
        ),
    ],
)
def test_samples_that_failed_are_told(of_domain, n_failed, sentence):
    _, result = of_domain
    said = say(domain(), replace(result, n_samples=20, n_failed=n_failed))
    body = said.sections["archetypes"]
    assert sentence in body
    assert ("come back" in body) == (n_failed == 12)
    assert not faults(said.whole)


def test_data_sets_as_rows_and_columns_of_several_measures():
    said, _ = tell(domain(measures=(ERROR, COST)), rows="datasets", measures=["cost", ERROR.name])
    assert "columns are candidates’ means, measure by measure" in said.sections["archetypes"]
    assert not faults(said.whole)


def test_outliers_of_a_table_are_told():
    result = outliers_of_rows(3)
    said = say(table(triangle(60, 3), ROWS), result, fit="robust")
    assert said.findings[0].startswith("Three archetypes explain")
    assert said.findings[1].startswith(f"{result.n_outliers} of 60 rows are outliers")
    body = said.sections["archetypes"]
    assert result.n_outliers >= 3
    assert "The table has 60 rows in 3 columns." in body
    assert f"{result.n_outliers} of 60 rows are farther than the bound c from all mixtures" in body
    assert "Tukey’s bisquare" in said.methods
    assert "candidate" not in body
    assert not faults(said.whole)


def test_unclear_archetypes_are_not_called_stable():
    rows = np.random.default_rng(8).standard_normal((25, 6))
    said, result = tell(table(rows), k=3, samples=12)
    assert any(p.is_unstable for p in result.profiles)
    assert "all archetypes come back" not in said.whole
    assert not result.is_reportable
    assert said.findings == ()
    assert "archetype" not in " ".join(said.findings)


@pytest.mark.parametrize("rows", ["replications", "datasets"])
@pytest.mark.parametrize(
    ("share", "n_returning", "telling"),
    [
        (0.49, 2, None),
        (0.5, 2, "(descriptive: no error rate; they return in 50% of 200 subsamples"),
        (0.79, 2, "(descriptive: no error rate; they return in 79% of 200 subsamples"),
        (0.8, 2, "(descriptive: no error rate)."),
        (0.8, 0, None),
    ],
)
def test_findings_hang_on_the_share(of_domain, rows, share, n_returning, telling):
    result = replace(
        of_domain[1],
        rows=rows,
        recurrence=Recurrence(share, 200, 13, 21),
        n_returning=n_returning,
    )
    said = say(domain(), result)
    assert len(said.findings) == (telling is not None)
    assert telling is None or telling in said.findings[0]
    assert "(descriptive" not in said.sections["archetypes"]
    assert not faults(said.whole)


def test_a_table_tells_of_its_rows():
    result = tell(table(triangle(60)), k=3)[1]
    share = Recurrence(0.6, 200, 38, 60)
    said = say(table(triangle(60)), replace(result, recurrence=share))
    assert "they return in 60% of 200 subsamples of the rows)" in said.findings[0]
    assert "samples of 38 of the 60 rows" in said.sections["archetypes"]
    silent = say(table(triangle(60)), replace(result, recurrence=replace(share, share=0.4)))
    assert silent.findings == ()


def test_too_few_rows_are_said_to_be_too_few():
    said, result = tell(table(triangle(5)), k=3)
    assert result.recurrence is None
    assert said.findings == ()
    what = "With five rows it cannot be assessed whether they return in samples of these."
    assert what in said.sections["archetypes"]
    assert what not in tell(table(triangle(5)), k=3, samples=0)[0].whole


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (np.ones((5, 2)), "All rows are the same"),
        (np.array([[1.0, 2], [3, 4]]), "Two rows are too few"),
        (np.array([[1, np.nan], [np.nan, 2], [3, np.nan]]), "and every row has one"),
    ],
)
def test_nothing_to_look_for(values, sentence):
    said, _ = tell(table(values))
    assert sentence in said.sections["archetypes"]
    assert said.findings == ()
