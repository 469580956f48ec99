"""What the section says, held against its numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sections.reading import faults
from tests.sections.sensitivity.making import SCHEMES, TURNING, design, tell


@pytest.fixture(scope="module")
def turning():
    return tell(design(TURNING))[0]


def test_what_turns_is_said_first(turning):
    article = turning.article["sensitivity"]
    assert article.startswith("One of three pairs is reversed by b2 and n (Figure 1).")
    assert "From b2 = 0 to 1 the share of significant differences stays at 100%" in article
    assert len(article.splitlines()[0].split()) <= 95
    body = turning.sections["sensitivity"].removeprefix(article)
    assert "The six settings have three different orders" in body
    assert "**" not in turning.brief_methods
    assert not faults(turning.whole)


def test_what_is_decided_in_part_or_nowhere():
    made = [({"b2": b2}, (0.2, 0.2 + gap, 0.2)) for b2, gap in ((0.0, 0.0), (1.0, 0.1))]
    said, _ = tell(design(made))
    article = said.article["sensitivity"]
    assert article.startswith(
        "Two of three differences are significant in some of the two settings only (Figure 1), "
        "always in favour of the same candidate."
    )
    assert "Two of three decisions change with the setting." in article
    assert "goes from 0% to 67%" in article
    assert "A panel for each" not in article
    assert not faults(said.whole)


def test_nothing_changes():
    made = [({"n": n}, (0.2, 0.3, 0.4)) for n in (50, 100)]
    said, _ = tell(design(made, more=["iris"]))
    article = said.article["sensitivity"]
    assert article.startswith("All three pairs come out the same in both settings (Figure 1).")
    assert "No decision changes with the setting. The two candidates with the best mean" in article
    assert "The order is the same in both settings." in said.sections["sensitivity"]
    assert "replications at the latter" not in article
    assert not faults(said.whole)


def test_nothing_is_decided():
    made = [({"n": n}, (0.2, 0.2, 0.2)) for n in (50, 100)]
    said, _ = tell(design(made))
    article = said.article["sensitivity"]
    assert article.startswith(
        "No difference is significant in any of the two settings (Figure 1), which is"
    )
    assert "No decision changes with the setting." in article
    assert not faults(said.whole)


def test_two_candidates():
    made = [({"n": n}, (0.2, 0.2 + gap)) for n, gap in ((50, 0.0), (100, 0.1))]
    said, _ = tell(design(made, ("anna", "bert"), n_blocks=(12, 24)))
    article = said.article["sensitivity"]
    assert (
        "The difference is significant in one of two settings (Figure 1), each time for anna."
        in article
    )
    assert "The decision changes with the setting." in article
    assert "(with more replications at the latter: 24, not 12)" in article
    assert not faults(said.whole)


def test_two_candidates_that_turn():
    made = [({"n": n}, (0.2, 0.2 + gap)) for n, gap in ((50, -0.1), (100, 0.1))]
    said, _ = tell(design(made, ("anna", "bert")))
    assert said.article["sensitivity"].startswith("The pair is reversed by n (Figure 1).")
    assert "The pair is reversed by the setting." in said.article["sensitivity"]
    assert not faults(said.whole)


@pytest.mark.slow
def test_thirty_candidates_and_many_settings():
    names = tuple(f"c{i}" for i in range(30))
    made = [
        ({"n": n, "m": m}, tuple(0.1 + 0.01 * (i * (n + m) % 30) for i in range(30)))
        for n in range(2)
        for m in range(7)
    ]
    said, result = tell(design(made, names, n_blocks=6, sd=0.001))
    assert len(result["misclassification"]["line"].shown) == 6
    assert "The pairs that change most." in said.article["sensitivity"]
    assert not faults(said.whole)


def test_schemes_are_told_with_their_limits():
    said, result = tell(design(SCHEMES, n_blocks=(12, 12, 1), sd=0.014))
    body = said.sections["sensitivity"]
    assert "a learning sample of bootstrap has 63%, 5 × 10-fold has 90%" in body
    assert "Replications of 5 × 10-fold are dependent" in body
    assert "With 5 × 10-fold the mean is 4.00 points lower than with bootstrap" in body
    assert "one of three comparisons comes out otherwise, none with the other candidate" in body
    assert "There is only one replication of hold-out" in body
    assert "there are no tests to compare." in body
    article = said.article["sensitivity"]
    assert "One of three differences is significant in some of the two settings only" in article
    assert "In place of bootstrap, 5 × 10-fold changes one of three comparisons." in article
    assert "intervals of each setting with tests; filled: significant." in article
    assert not faults(said.whole)
    assert result["misclassification"]["line"].schemes[0].n_changed == 1


def test_the_table_of_levels_names_measure_and_unit(turning):
    means = "Mean misclassification error in per cent of each candidate"
    width = "; half width: of the simultaneous intervals."
    assert f"{means} over all other levels{width}" in turning.article["sensitivity"]
    one, _ = tell(design(SCHEMES, n_blocks=(12, 12, 1)))
    assert means + width in one.article["sensitivity"]
    seven = [f"c{i}" for i in range(7)]
    made = [({"n": n}, np.linspace(0.1, 0.4, 7)) for n in (50, 100)]
    many, _ = tell(design(made, seven))
    assert "Half width: of the simultaneous intervals." in many.article["sensitivity"]
    assert means not in many.article["sensitivity"]


def test_no_tests_at_all():
    said, _ = tell(design(SCHEMES[:2], n_blocks=1))
    article = said.article["sensitivity"]
    assert "Means by level. Mean misclassification error in per cent of each candidate." in article
    assert article.startswith(
        "Fewer than two settings have tests, so that decisions cannot be compared."
    )
    assert "Figure" not in article
    assert not faults(said.whole)
