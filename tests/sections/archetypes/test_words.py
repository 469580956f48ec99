"""What the section says, held against its numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from reportgen.stats.archetypes import Limits
from reportgen.stats.archetypes.choice import NEAR
from tests.sections.archetypes.making import domain, say, table, tell, triangle
from tests.sections.reading import COST, ERROR, faults


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
    assert "In 4 samples of the rows all archetypes come back" in body
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


def test_what_the_study_asks_for_is_told():
    said, _ = tell(domain(measures=(ERROR, COST)), k=2, rows="candidates", measures=["cost"])
    body = said.sections["archetypes"]
    assert "The study asks for two; the elbow would be at three." in body
    assert "A row is a candidate, with its mean on every data set" in body
    assert "The values are cost: low is good." in body
    assert "samples of the rows" not in body
    assert not faults(said.whole)


def test_data_sets_as_rows_and_columns_of_several_measures():
    said, _ = tell(domain(measures=(ERROR, COST)), rows="datasets", measures=["cost", ERROR.name])
    assert "archetypes of data sets explain" in said.findings[0]
    assert "columns are candidates’ means, measure by measure" in said.sections["archetypes"]
    assert not faults(said.whole)


def test_outliers_of_a_table_are_told():
    said, result = tell(table(triangle(60, 4), tuple(f"r{i}" for i in range(60))), fit="robust")
    assert said.findings[0].startswith("Three archetypes explain")
    assert said.findings[1].startswith(f"{result.n_outliers} of 60 rows are outliers")
    body = said.sections["archetypes"]
    assert result.n_outliers >= 4
    assert "The table has 60 rows in 3 columns." in body
    assert f"{result.n_outliers} of 60 rows are farther than the bound c from all mixtures" in body
    assert "Tukey’s bisquare" in said.methods
    assert "candidate" not in body
    assert not faults(said.whole)


def test_unclear_archetypes_are_not_called_stable():
    rows = np.random.default_rng(8).standard_normal((25, 6))
    said, result = tell(table(rows), k=4, samples=6)
    assert any(p.is_unstable for p in result.profiles)
    assert "all archetypes come back" not in said.whole
    assert "do not come back in samples" in said.whole or "does not come back" in said.whole


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
