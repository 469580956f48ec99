"""Planned looks at battles that accumulate, and the level of each of them.

Who looks several times at data that grow has more than one chance to be wrong. The level is spent
over the looks by a function of the share of the planned battles that are there, as group sequential
tests spend it; each look decides at what is spent there, so that the levels add up to the study's,
whatever depends on what, and whichever look is the last.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import floor, log10
from typing import Any

from reportgen.data_classes import dataclass
from reportgen.warehouse import Warehouse

LOOKS = "looks"  # our name for them among the facts of a data set
LEAST = 1e-6  # level of a look: below, nothing is decided, and no reader can tell it from 0

BIT = 1e-9  # of a last digit: what rounding to binary takes away


@dataclass(frozen=True, slots=True)
class Looks:
    """Planned looks, and how many battles there are.

    Attributes
    ----------
    planned : tuple of int
        Battles at each look; the last of them is the most there will be.
    n_there : int
        Battles in the results, at least those of the first look.
    rule : {"obrien-fleming", "pocock"}
        How the level is spent.
    """

    planned: tuple[int, ...]
    n_there: int
    rule: str = "obrien-fleming"

    @property
    def number(self) -> int:
        """The number of the look at hand, from 1: the last one whose battles are there."""
        return sum(n <= self.n_there for n in self.planned)

    @property
    def n(self) -> int:
        """The battles of the look at hand."""
        return self.planned[self.number - 1]

    def levels(self, alpha: float) -> tuple[float, ...]:
        """Return the level of each planned look, in few digits and of sum `alpha` at most.

        >>> Looks((500, 1000, 1500, 2000), 1200).levels(0.05)
        (1.4e-05, 0.003, 0.016, 0.0309)
        """
        from reportgen.stats.sequential.stages import SPENDINGS

        spending = SPENDINGS[self.rule]
        shares = [0.0, *(n / self.planned[-1] for n in self.planned)]
        spent = [2 * spending(share, alpha / 2) for share in shares]
        own = [_rounded_down(after - before, 2) for before, after in pairwise(spent[:-1])]
        return *own, _rounded_down(alpha - sum(own), 3) if own else alpha

    def level(self, alpha: float) -> float:
        """Return the level of the look at hand."""
        found: float = self.levels(alpha)[self.number - 1]
        return found

    def described(self) -> dict[str, Any]:
        """Return it as plain values, from which `of` makes it again."""
        return {"at": list(self.planned), "rule": self.rule, "n_there": self.n_there}

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Looks:
        """Return the looks that a warehouse describes."""
        return cls(tuple(described["at"]), int(described["n_there"]), str(described["rule"]))


def _rounded_down(level: float, digits: int) -> float:
    """Round a level down, so that the intervals' level is one that can be read."""
    if level <= LEAST:
        return LEAST
    places = digits - 1 - floor(log10(level))
    unit = 10.0**places
    return round(floor(level * unit + BIT) / unit, places)


def looks_of(warehouse: Warehouse) -> Looks | None:
    """Return the looks that were planned at the battles of a warehouse; None where none were."""
    for dataset in warehouse.datasets:
        found = warehouse.facts.get(dataset, {}).get(LOOKS)
        if isinstance(found, Mapping):
            return Looks.of(found)
    return None
