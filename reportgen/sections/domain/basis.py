"""The data of the models of a domain: names and counts, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from reportgen.warehouse import Measure, Target

Groups = tuple[tuple[str, ...], ...]
Structure = Literal["interaction", "unstructured"]
STRUCTURES: tuple[Structure, ...] = ("interaction", "unstructured")

Unavailable = Literal[
    "one-candidate",
    "no-blocks",
    "too-few-datasets",
    "too-few-replications",
    "no-variation",
    "no-differences",
    "not-identified",
]


@dataclass(frozen=True, slots=True)
class DomainBasis:
    """The data of the domain model of one measure.

    Attributes
    ----------
    measure : Measure
    model : {"mixed-model", "block-model"}
        Of all replications; of one value a data set and candidate, their mean,
        where replications do not make a domain model.
    alpha : float
    relevance : tuple of two floats or None
        Area of equivalence of differences; a model compares by difference.
    unavailable : str or None
        Why there is no domain model of all replications.
    datasets, left_out : tuple of str
        Data sets that went in, and those without two replications that go in;
        of means, those without a value, or all of them where only complete
        ones go in.
    candidates, absent : tuple of str
        Candidates that went in, and those without any value.
    lacking : mapping of str to tuple of str
        Candidates without a value by data set, of those that went in and have
        some.
    parts : tuple of tuples of str
        The candidates, parted where no data set links them, directly or through
        others; one part when the design is connected.
    missing : {"complete", "available", "complete-dataset", "complete-domain"}
        Which values went in: all, as there are no gaps; all there are; those of
        replications that are complete on their data set; of replications that
        are complete on all data sets.
    n_replications : mapping of str to int
        That went in, by data set.
    n_dropped : int
        Replications that were left out.
    n_values : int
        That went in.
    sphericity : float or None
        Greenhouse-Geisser epsilon of the data sets' means; 1 means that all
        differences vary alike over data sets.
    target : {"domain", "conditional"}
        What p-values and intervals of the models speak of; conditional where several data sets
        are settings of one.
    """

    measure: Measure
    model: Literal["mixed-model", "block-model"]
    alpha: float
    relevance: tuple[float, float] | None
    unavailable: Unavailable | None
    datasets: tuple[str, ...]
    left_out: tuple[str, ...]
    candidates: tuple[str, ...]
    absent: tuple[str, ...]
    missing: str
    n_replications: Mapping[str, int]
    n_dropped: int
    n_values: int
    sphericity: float | None
    target: Target = "domain"
    lacking: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parts: Groups = ()

    @property
    def most_replications(self) -> int:
        """Replications of the data set that has most; 0 without one."""
        return max(self.n_replications.values(), default=0)
