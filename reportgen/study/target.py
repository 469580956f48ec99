"""The one target that decides in a report: what its decisions speak of."""

from __future__ import annotations

from typing import Literal

from reportgen.performance_measure import Measure, Problem
from reportgen.targets import DecidingTarget
from reportgen.units import REPLICATION, Unit

Asked = Literal["auto", "experiment"]

FEWEST_OF_DOMAIN = 6
"""Data sets from which on they stand for others like them."""


def deciding_target(
    *,
    n_datasets: int = 1,
    unit: Unit = REPLICATION,
    problem: Problem | None = None,
    measure: Measure | None = None,
    has_new_data_error: bool = False,
    is_fixed: bool = False,
    is_of_seeds: bool = False,
    is_setting: bool = False,
    asked: Asked = "auto",
) -> DecidingTarget:
    """Return what the decisions of a design speak of.

    `n_datasets`: data sets of the verdict; 1 for that on one of several.
    `unit`: measurements that no two candidates share speak of a session, also over few data sets.
    `measure`: times, memory and sizes of one data set are those of a session.
    `has_new_data_error`: whether the error for new data of each source is known: the ratio of test
    to distinct learning observations, or the losses of a fixed test sample.
    `is_fixed`: whether all replications of one data set share the test sample.
    `is_of_seeds`: whether replications are random seeds on one split.
    `is_setting`: whether the data set is one setting of a design.
    `asked`: the study's `analysis.target`.

    Examples
    --------
    >>> deciding_target(has_new_data_error=True), deciding_target(), deciding_target(n_datasets=21)
    ('new-data', 'experiment', 'domain')
    """
    if unit.target_over is not None and n_datasets != 1:
        return unit.target_over
    if n_datasets >= FEWEST_OF_DOMAIN:
        return "domain"
    if n_datasets > 1 and unit.target is None:
        return "these-sources" if has_new_data_error and asked == "auto" else "experiment"
    if unit.target is not None:
        return unit.target
    if measure is not None and measure.is_of_machine:
        return "session"
    if problem == "simulation" and not is_fixed:
        return "process"
    if asked == "experiment" or is_setting:
        return "experiment"
    if is_of_seeds:
        return "seeds"
    return "new-data" if has_new_data_error else "experiment"
