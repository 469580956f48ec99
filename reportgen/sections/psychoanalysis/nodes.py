"""The tree of worths as it is reported: nodes, how they are divided, and what was tested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.warehouse import Target

HIDDEN = {"results": False}
SAME = 1e-6  # relative difference of worths that are equal but for where the fit has ended

Array = NDArray[np.float64]
Ending = Literal[
    "stable", "small", "deep", "separated", "untestable", "uniform", "no-cut", "pruned"
]


@dataclass(frozen=True, slots=True)
class NodeTest:
    """Whether worths change along one characteristic in one node.

    Attributes
    ----------
    p_value : float
        Adjusted for the characteristics that were tested in the node.
    p_value_alone : float
    n_permutations : int
        0 for an asymptotic p-value.
    critical_value : float
        That the statistic exceeds when the adjusted p-value is at most alpha; infinite where so
        few permutations cannot reach it.
    levels : tuple of str
        Of a categorical one.
    places, path : ndarray
        Values at which a break may lie, and the statistic there; codes and contributions of
        categories.
    """

    characteristic: str
    statistic: float
    df: int
    p_value: float
    p_value_alone: float
    n_permutations: int
    n_units: int
    target: Target
    critical_value: float
    levels: tuple[str, ...]
    places: Array = field(metadata=HIDDEN)
    path: Array = field(metadata=HIDDEN)

    @property
    def has_equal_places(self) -> bool:
        """Whether breaks between units of one value were looked at, as R does."""
        return len(np.unique(self.places)) < len(self.places)


@dataclass(frozen=True, slots=True)
class NumericSplit:
    """A division at a cutpoint: units with this value or less go to the first child.

    Attributes
    ----------
    p_value : float
        Adjusted.
    missing_first : bool
        Whether units without a value go to the first child.
    same : tuple of str
        Other characteristics that could divide the units in the same way.
    alike : tuple of str
        Further ones that go with it: absolute rank correlation of .8 or more over the units.
    """

    characteristic: str
    cutpoint: float
    p_value: float
    missing_first: bool
    same: tuple[str, ...]
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LevelSplit:
    """A division of categories: units with one of `levels` go to the first child."""

    characteristic: str
    levels: tuple[str, ...]
    other_levels: tuple[str, ...]
    p_value: float
    missing_first: bool
    same: tuple[str, ...]
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """What the way to a node says of one characteristic.

    Attributes
    ----------
    above, up_to : float or None
        Bounds of a numeric one.
    levels : tuple of str
        Of a categorical one.
    """

    characteristic: str
    above: float | None = None
    up_to: float | None = None
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of the tree of worths, and what is below it.

    Attributes
    ----------
    number : int
        1 for the root, then the first child and all below it before the second.
    n, n_samples : int
        Units of the test, and learning samples.
    datasets : mapping of str to int
        Learning samples of each data set in the node.
    conditions : tuple of Condition
        The way from the root.
    split : NumericSplit, LevelSplit or None
    worths, log_worths : mapping of str to float
    log_nu : float
    order : tuple of str
        Candidates, the largest worth first.
    is_separated : bool
        Whether worths have no finite estimate; penalised ones then stand here.
    rising, falling : tuple of str
        Whose worths go up or down without end.
    ending : str or None
        Why there are no children.
    tests : tuple of NodeTest
        Of the characteristics that could be tested, the smallest p-value first.
    children : tuple of TreeNode
        None or two.
    """

    number: int
    n: int
    n_samples: int
    datasets: Mapping[str, int]
    conditions: tuple[Condition, ...]
    split: NumericSplit | LevelSplit | None
    worths: Mapping[str, float]
    log_worths: Mapping[str, float]
    log_nu: float
    log_likelihood: float
    order: tuple[str, ...]
    is_separated: bool
    rising: tuple[str, ...]
    falling: tuple[str, ...]
    ending: Ending | None
    tests: tuple[NodeTest, ...]
    children: tuple[TreeNode, ...]

    def walk(self) -> Iterator[TreeNode]:
        """Yield this node and all below it, in the order of their numbers."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def leaves(self) -> tuple[TreeNode, ...]:
        """The nodes without children."""
        return tuple(node for node in self.walk() if not node.children)

    @property
    def inner(self) -> tuple[TreeNode, ...]:
        """The nodes with children."""
        return tuple(node for node in self.walk() if node.children)

    @property
    def ranks(self) -> tuple[tuple[str, ...], ...]:
        """The candidates by worth, the largest first; those of one worth together."""
        found: list[list[str]] = []
        for name in self.order:
            if found and self.worths[name] >= self.worths[found[-1][0]] * (1 - SAME):
                found[-1].append(name)
            else:
                found.append([name])
        return tuple(tuple(sorted(group, key=list(self.worths).index)) for group in found)
