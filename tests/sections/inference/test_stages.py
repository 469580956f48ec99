"""The verdict of an execution in stages: gaps count against who has them alone."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.performance_measure import Measure
from reportgen.sections.inference.analysis import paired_max_t_method
from reportgen.sections.inference.verdict import by_stages
from reportgen.stats.pair_table import PairTable
from reportgen.study.stages import Stages
from tests.builders import warehouse_of
from tests.made_up import MadeUp, report_of, text_of
from tests.sections.sequential import watched

ERROR = Measure("error")
STAGES = Stages(20, 60, "error")


def verdict(values: np.ndarray) -> tuple[PairTable, PairTable]:
    """Return the pairs by stages, and by their own variances."""
    warehouse = warehouse_of({ERROR: values}, "abc")
    performances = warehouse.performances("d", "error")
    blocks = performances.present
    own = paired_max_t_method(blocks, 0.05, None, lambda: np.random.default_rng(1))
    return by_stages(own, performances, STAGES).pairs, own.pairs


def made() -> np.ndarray:
    """Return values of which the stages decide on a pair that one look at all of them leaves."""
    return np.random.default_rng(18).normal([0, 0.42, 0.2], size=(60, 3))


def test_a_gap_of_a_third_or_of_the_one_behind_changes_nothing():
    values = made()
    stages, own = verdict(values)
    assert (stages.between("a", "b").decision, own.between("a", "b").decision) == (
        "better",
        "undecided",
    )
    for column in (1, 2):
        less = values.copy()
        less[59, column] = np.nan
        found = verdict(less)[0].between("a", "b")
        assert (found.decision, found.is_undone_by_gaps) == ("better", False)


def test_gaps_of_the_one_ahead_undo_what_they_might_explain():
    values = made()
    values[np.arange(0, 60, 3), 0] = np.nan
    values[:, 1] += 0.3
    found = verdict(values)[0].between("a", "b")
    assert (found.decision, found.is_undone_by_gaps) == ("undecided", True)


@pytest.mark.parametrize("n_lost", [0, 3])
def test_methods_say_that_gaps_are_held_by_one_look_at_all_replications(n_lost: int) -> None:
    values = np.random.default_rng(1).normal([0.2, 0.3, 0.4], 0.03, size=(60, 3))
    values[:n_lost, 0] = np.nan
    warehouse = watched.in_stages(values, STAGES.described(), measure=ERROR)
    report = report_of(MadeUp(lambda: warehouse, ("inference",)))
    words = "by the limits of one look at all replications: this can only take decisions away."
    assert (words in text_of(report)) == bool(n_lost)
