"""What is found of single data sets of a domain: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.sections.domain.basis import Groups
from reportgen.stats.relations.relations import OrderClass


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """One data set on the main measure: what a row of the summary plot shows.

    Attributes
    ----------
    name : str
    unavailable : bool
        Whether there is no relation.
    order_class : str
        Of its relation; "none" where there is none, or it is no order.
    chain : tuple of tuples of str, or None
        Classes of a weak order, best first, candidates without a value left
        out; None where it is none.
    order : tuple of str
        Candidates by the chain, then by mean; by mean alone without a chain.
    is_better_than_next : tuple of bool
        For each of `order` but the last: whether the relation puts it before
        the next.
    level_groups : tuple of tuples of str
        Without a chain: the maximal runs of `order` of which none is better
        than another, singles left out.
    best : tuple of str
        Candidates that no other is better than.
    means, medians : mapping of str to float
        Over all values; candidates without a value left out.
    n_missing : int
        Values that lack on the main measure.
    is_uneven : bool
        Whether means of candidates that have values rest on different replications.
    """

    name: str
    unavailable: bool
    order_class: OrderClass
    chain: Groups | None
    order: tuple[str, ...]
    is_better_than_next: tuple[bool, ...]
    level_groups: Groups
    best: tuple[str, ...]
    means: Mapping[str, float]
    medians: Mapping[str, float]
    n_missing: int
    is_uneven: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """What a box plot of one candidate on one data set shows.

    Attributes
    ----------
    lower, middle, upper : float
        Quartiles.
    low, high : float
        Ends of the whiskers: the outermost values within 1.5 times the
        interquartile range of the box.
    outside : tuple of float
        Values beyond, each once.
    """

    lower: float
    middle: float
    upper: float
    low: float
    high: float
    outside: tuple[float, ...]
