"""Families of data sets, and how much each data set counts: facts that go along with results."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from math import isfinite

from reportgen.study.errors import listed, shown, suggestion
from reportgen.study.target import FEWEST_OF_DOMAIN

log = logging.getLogger(__name__)

Refuse = Callable[[str, str, str], Exception]
"""Returns the error for a key, what was found there, and what is allowed."""
FAMILY, WEIGHT, WEIGHTING = "family", "weight", "weighting"
EQUAL, BY_FAMILY, GIVEN = "equal", "family", "given"
"""How data sets are weighted, where no column says it."""


def family_facts(
    datasets: Sequence[str],
    family: Mapping[str, str],
    weights: str | Mapping[str, float],
    refuse: Refuse,
    *,
    weighting: str = GIVEN,
) -> dict[str, dict[str, object]]:
    """Return what is known of each data set: `family`, `weight` and `weighting`.

    `family`: of data sets that have one.
    `weights`: "equal", "family", or of every data set.
    `weighting`: where the weights come from.
    Result: without what is not given; of equal weights nothing.
    """
    if len(datasets) < FEWEST_OF_DOMAIN and (family or weights != EQUAL):
        log.warning(
            "families and weights of %d data sets are not used: so few stand for themselves",
            len(datasets),
        )
    known: dict[str, dict[str, object]] = {
        d: {FAMILY: family[d]} if d in family else {} for d in datasets
    }
    if weights == EQUAL:
        return known
    if weights == BY_FAMILY:
        if not family:
            raise refuse("weights", "family without families", "equal, or families: … with it")
        return {d: {**own, WEIGHTING: BY_FAMILY} for d, own in known.items()}
    if isinstance(weights, str):
        raise refuse("weights", shown(weights), "equal, family, or a number a data set")
    _check_names("weights", weights, datasets, refuse)
    missing = [d for d in datasets if d not in weights]
    if missing:
        raise refuse("weights", f"no weight of {listed(missing)}", "a number a data set")
    for name, weight in weights.items():
        if not (isfinite(weight) and weight > 0):
            raise refuse("weights", f"{weight:g} of {shown(name)}", "numbers above 0")
    return {d: {**own, WEIGHT: float(weights[d]), WEIGHTING: weighting} for d, own in known.items()}


def family_of_each(
    given: Mapping[str, Sequence[str]], datasets: Sequence[str], refuse: Refuse
) -> dict[str, str]:
    """Return the family of each data set that has one, of data sets by family."""
    found: dict[str, str] = {}
    for family, members in given.items():
        _check_names("families", members, datasets, refuse)
        for name in members:
            if found.get(name, family) != family:
                both = f"{shown(name)} in {shown(found[name])} and {shown(family)}"
                raise refuse("families", both, "each data set in one family")
            found[name] = family
    return found


def _check_names(
    key: str, names: Sequence[str] | Mapping[str, float], known: Sequence[str], refuse: Refuse
) -> None:
    """Refuse names that no data set has."""
    for name in names:
        if name not in known:
            allowed = f"{listed(known)}{suggestion(name, known)}"
            raise refuse(key, f"no data set {shown(name)}", allowed)
