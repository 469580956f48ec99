"""What the section says, held against its numbers."""

from __future__ import annotations

import pytest

from tests.sections.reading import faults
from tests.sections.sensitivity.making import SCHEMES, TURNING, design, tell


@pytest.fixture(scope="module")
def turning():
    return tell(design(TURNING))[0]


def test_what_turns_is_said_first(turning):
    assert turning.findings[0].startswith(
        "1 of 3 pairs turns with the setting of line: anna is better than bert at (b2 = 0, n = 50) "
        "and (b2 = 0, n = 150) and worse at (b2 = 1, n = 50) and (b2 = 1, n = 150)."
    )
    body = turning.sections["sensitivity"]
    assert "The study varies b2 (three levels) and n (two levels) of line: six settings." in body
    assert "no sample from a domain" in body
    assert "The six settings have three different relations" in body
    assert "Two of three pairs come out the same in all six settings with tests." in body
    assert "From b2 = 0 to 1 the share of pairs that are decided stays at 100%" in body
    assert not faults(turning.whole)


def test_what_is_decided_in_part_or_nowhere():
    made = [({"b2": b2}, (0.2, 0.2 + gap, 0.2)) for b2, gap in ((0.0, 0.0), (1.0, 0.1))]
    said, _ = tell(design(made))
    assert said.findings[0].startswith(
        "2 of 3 pairs of line are decided in some of the two settings only; none turns."
    )
    body = said.sections["sensitivity"]
    assert "No pair turns" in body
    assert "Decided in some settings only: anna and bert; bert and cara." in body
    assert "One of three pairs is decided nowhere, which is no proof of being equal." in body
    assert "goes from 0% to 67%" in body
    assert not faults(said.whole)


def test_nothing_changes():
    made = [({"n": n}, (0.2, 0.3, 0.4)) for n in (50, 100)]
    said, _ = tell(design(made, more=["iris"]))
    assert said.findings[0].startswith("All two settings of line with tests decide alike.") or (
        said.findings[0].startswith("Both settings of line with tests decide alike.")
    )
    body = said.sections["sensitivity"]
    assert "The relation is the same in both settings: anna > bert > cara." in body
    assert "no sample from a domain" not in body
    assert "anyway" not in body
    assert not faults(said.whole)


def test_two_candidates():
    made = [({"n": n}, (0.2, 0.2 + gap)) for n, gap in ((50, 0.0), (100, 0.1))]
    said, _ = tell(design(made, ("anna", "bert"), n_blocks=(12, 24)))
    body = said.sections["sensitivity"]
    assert "The pair does not turn" in body
    more = "with more replications at the latter (24, not 12) intervals are narrower anyway"
    assert f" as wide; {more}." in body
    assert "The pair is decided in one of two settings." in body
    assert not faults(said.whole)


def test_schemes_are_told_with_their_limits():
    said, result = tell(design(SCHEMES, n_blocks=(12, 12, 1), sd=0.015))
    body = said.sections["sensitivity"]
    assert "a learning sample of bootstrap has 63%, 5 x 10-fold has 90%" in body
    assert "Replications of 5 x 10-fold are dependent" in body
    assert "With 5 x 10-fold the mean is 4.00 points lower than with bootstrap" in body
    assert "One of three comparisons comes out otherwise, none with the other candidate" in body
    assert "There is only one replication of hold-out" in body
    assert "There are no tests to compare." in body
    assert "One of the settings has no tests." in body
    assert "How samples are drawn changes 1 of 3 comparisons" in "\n".join(said.findings)
    assert not faults(said.whole)
    assert result["misclassification"]["line"].schemes[0].n_changed == 1


def test_no_tests_at_all():
    said, _ = tell(design(SCHEMES[:2], n_blocks=1))
    body = said.sections["sensitivity"]
    assert "No setting has tests, so that nothing is said of decisions." in body
    assert "What can be distinguished" not in body
    assert not said.findings
    assert not faults(said.whole)
