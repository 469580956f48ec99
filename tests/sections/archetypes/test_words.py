"""What the section says, held against its numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from reportgen.stats.subsamples import SubsampleSupport
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


@pytest.fixture(scope="module")
def of_domain():
    return tell(domain())


def test_an_article_says_who_is_made_of_what(of_domain):
    said, result = of_domain
    article = said.article["archetypes"]
    assert (
        f"Three archetypes explain {100 * result.explained:.1f}% of how the candidates" in article
    )
    low = f"low on {len(result.profiles[0].low)} of 6 data sets and nowhere high"
    assert f"{low} (anna and bert)" in article
    assert re.search(r"; high on d0, d1 and d2 and low on \w+ \(cara\)", article)
    assert not re.search(r"(?:archetype|made of) \d", said.whole)  # numbers say nothing
    assert "They return in 100% of 4 subsamples of the data sets; this is descriptive." in article
    assert len(article.splitlines()[0].split()) <= 95
    assert re.search(r"anna and bert; \w+; \w+: each group near one corner\.", article)
    assert not said.remarks
    assert not faults(said.whole)


def test_many_candidates_are_counted(of_domain):
    _, result = of_domain
    first, *rest = result.profiles
    crowd = tuple(f"c{i}" for i in range(7))
    article = say(
        domain(), replace(result, profiles=(replace(first, members=crowd), *rest))
    ).article
    assert "nowhere high (seven candidates); " in article["archetypes"]
    assert "9 of 4 candidates are made of one archetype" in article["archetypes"]
    assert "c6" not in article["archetypes"]


def test_the_supplement_says_how_many_and_how_steady(of_domain):
    said, _ = of_domain
    body = said.sections["archetypes"].removeprefix(said.article["archetypes"])
    assert "Three are taken" in body
    assert "return in" not in body  # which the article says
    assert "Every candidate that is made of one archetype is made of the same one" in body
    assert "The archetypes" not in body  # drawn once


def test_what_was_not_asked_for_is_one_remark(of_domain):
    _, result = of_domain
    said = say(domain(), result, is_listed=False)
    assert said.article["archetypes"] == ""
    remark = said.remark("Archetypes")
    assert remark.startswith("Three archetypes explain")
    assert re.search(r": (low|high) on [^;]+ \(anna and bert\); [^;]+ \(\w+\); ", remark)
    assert "archetype 1" not in remark
    body = said.sections["archetypes"]
    assert "The elbow is at" not in body
    assert "Archetypes" not in said.brief_methods
    assert not faults(said.whole)


@pytest.mark.parametrize("rows", ["replications", "datasets"])
@pytest.mark.parametrize(
    ("share", "n_returning", "is_told"),
    [(0.49, 2, False), (0.5, 2, True), (0.8, 2, True), (0.8, 0, False)],
)
def test_a_remark_hangs_on_the_share(of_domain, rows, share, n_returning, is_told):
    again = SubsampleSupport(share, 200, 13, 21)
    result = replace(of_domain[1], rows=rows, recurrence=again, n_returning=n_returning)
    said = say(domain(), result, is_listed=False)
    assert len(said.remarks) == is_told
    body = said.sections["archetypes"]
    assert (f"All three return in {100 * share:.0f}% of 200 samples" in body) == is_told
    told = (
        f"They return in {100 * share:.0f}% of 200 subsamples of the data sets; this is descriptive"
    )
    assert (told in said.whole) == is_told
    assert ("they are no finding" in body) != is_told
    assert ("Values of the archetypes" in body) == is_told
    assert not faults(said.whole)


def test_a_mixture_is_not_half_of_one(of_domain):
    _, result = of_domain
    mixed = replace(result.groups[0], shares=(0.4985, 0.5015 - 0.01, 0.01), main=None)
    body = say(domain(), replace(result, groups=(mixed, *result.groups[1:]))).sections["archetypes"]
    assert "anna is a mixture of 1 (49.9%) and 2 (49.2%)." in body  # 49.85 would be 50


@pytest.mark.parametrize(
    ("n", "n_all", "sentence"),
    [
        (4, 4, "Four of four fresh starts come to these archetypes."),
        (1, 1, "One of one fresh start comes to these archetypes."),
        (2, 4, "Two of four fresh starts come to these archetypes."),
        (1, 4, "One of four fresh starts comes to these archetypes; another set of starts"),
        (0, 4, "None of four fresh starts comes to these archetypes; another set of starts"),
    ],
)
def test_it_is_told_how_many_starts_agree(of_domain, n, n_all, sentence):
    result = replace(of_domain[1], n_restarts=n_all, n_agreeing=n)
    said = say(domain(), result)
    assert sentence in said.whole
    assert "better than all before" not in said.whole
    assert not faults(said.whole)


def test_it_is_told_where_a_fresh_start_was_the_best(of_domain):
    said = say(domain(), replace(of_domain[1], is_of_restart=True))
    assert "The best of them was better than all before, and is what is shown." in said.whole


def test_what_the_study_asks_for_is_told():
    said, _ = tell(domain(measures=(ERROR, COST)), k=2, rows="candidates", measures=["cost"])
    assert "The study asks for two; the elbow is at three." in said.sections["archetypes"]
    assert not faults(said.whole)


def test_an_elbow_at_the_last_number_is_said_to_be_there(of_domain) -> None:
    result = of_domain[1]
    cut = replace(result, elbow=3, k=3, is_by_elbow=False, steps=result.steps[:3])
    said = say(domain(), cut)
    assert "The elbow is at three, the last number that was fitted." in said.whole
    assert "the last number that was fitted" not in say(domain(), result).whole


def test_as_many_archetypes_as_rows_are_no_finding():
    said, result = tell(domain(), k=4, rows="candidates")
    assert (result.n_distinct, result.explained) == (4, pytest.approx(1))
    assert not result.is_finding
    assert "Each row is an archetype of its own" in said.article["archetypes"]
    assert "The archetypes are the rows." in said.article["archetypes"]
    assert "explain 100.0%" not in said.whole
    twice = say(domain(), replace(result, n_rows=5), k=4)
    assert "Each different row is an archetype" in twice.article["archetypes"]
    assert not say(domain(), result, is_listed=False, k=4).remarks


def test_one_archetype_has_no_corners():
    said, result = tell(domain(), k=1)
    assert result.k == 1
    assert "no second one explains enough" in said.article["archetypes"]
    assert "at a corner" not in said.whole
    assert not faults(said.whole)


def test_what_is_left_is_told_from_nothing(of_domain):
    _, result = of_domain
    steps = [*result.steps]
    steps[2] = replace(steps[2], explained=1.0)
    said = say(domain(), replace(result, steps=tuple(steps)))
    assert (
        "Three archetypes explain all of how the candidates’ replications differ"
        in said.article["archetypes"]
    )
    assert "Three archetypes explain all." in said.article["archetypes"]


def test_samples_that_failed_are_told(of_domain):
    said = say(domain(), replace(of_domain[1], n_samples=20, n_failed=12))
    assert "In 12 of 20 samples the fit failed" in said.sections["archetypes"]
    assert not faults(said.whole)


def test_data_sets_as_rows_and_columns_of_several_measures():
    said, _ = tell(domain(measures=(ERROR, COST)), rows="datasets", measures=["cost", ERROR.name])
    assert "of how the data sets differ" in said.article["archetypes"]
    assert not faults(said.whole)


def test_outliers_of_a_table_are_told():
    result = outliers_of_rows(3)
    said = say(table(triangle(60, 3), ROWS), result, is_listed=False, fit="robust")
    assert "Three are taken" in said.article["archetypes"]
    assert "Open: rows without weight." in said.article["archetypes"]
    body = said.sections["archetypes"]
    named = f"{result.n_outliers} of 60 rows are too far from all mixtures to have any weight: "
    assert named in body
    assert set(result.outliers) >= {"r57", "r58", "r59"}
    assert all(label in body for label in result.outliers)
    largest = result.alpha[~result.is_outside].max(axis=1)
    n, k = sum(largest >= 0.5), 60 - result.n_outliers
    assert f"{n} of {k} rows with weight are made of one archetype by half or more" in said.whole
    assert "Tukey’s bisquare" in said.methods
    assert "here without outliers" in said.brief_methods
    assert "candidate" not in body
    assert not faults(said.whole)


def test_unclear_archetypes_are_no_finding():
    rows = np.random.default_rng(8).standard_normal((25, 6))
    said, result = tell(table(rows), k=3, samples=12)
    assert not result.is_finding
    assert "Three archetypes, exploratory." in said.article["archetypes"]


def test_too_few_rows_are_said_to_be_too_few():
    said, result = tell(table(triangle(5)), k=3)
    assert result.recurrence is None
    what = "There are too few rows to assess whether they return in samples of these."
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
    assert not said.remarks
    assert sentence in said.article["archetypes"]


@pytest.mark.parametrize("n_members", [0, 1])
def test_all_of_four_archetypes_are_told(of_domain, n_members: int) -> None:
    _, result = of_domain
    first = result.profiles[0]
    fourth = replace(first, number=4, members=("dora",)[:n_members])
    groups = tuple(replace(g, shares=(*g.shares, 0.0, 0.0, 0.0)) for g in result.groups)
    result = replace(result, groups=groups)
    article = say(domain(), replace(result, profiles=(*result.profiles, fourth))).article
    assert ("nowhere high (dora)." in article["archetypes"]) == bool(n_members)
    many = (*result.profiles, *(replace(fourth, number=n) for n in (4, 5, 6)))
    article = say(domain(), replace(result, profiles=many)).article
    assert "; two more are drawn. " in article["archetypes"]
    article = say(domain(), replace(result, profiles=many[:-1])).article
    assert "; one more is drawn. " in article["archetypes"]


def test_no_archetype_is_named_by_whom_samples_make_of_another(of_domain):
    _, result = of_domain
    groups = tuple(replace(g, returned=0.5) if g.name == "anna" else g for g in result.groups)
    article = say(domain(), replace(result, groups=groups)).article["archetypes"]
    assert "of 6 data sets and nowhere high (bert); " in article
    assert "anna" not in article.split(". ")[0]
