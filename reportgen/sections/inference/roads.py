"""Every road to all pairs, held against the chosen one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np

from reportgen.sections.inference.beside import Omission, OtherPair, Road, RoadName
from reportgen.sections.inference.result import Pair
from reportgen.sections.inference.tested import Listed, Tested
from reportgen.stats.relevance import Decision, decide
from reportgen.warehouse import Measure, Target


@dataclass(frozen=True, slots=True)
class Roads:
    """All roads, the chosen one first, and the pairs of those that list their own.

    Attributes
    ----------
    roads : tuple of Road
    other_pairs : tuple of OtherPair
    omitted : mapping of str to str
        Roads that cannot be gone, and why.
    """

    roads: tuple[Road, ...]
    other_pairs: tuple[OtherPair, ...]
    omitted: Mapping[RoadName, Omission]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The chosen method's pairs, and how decisions on them are made.

    Attributes
    ----------
    measure : Measure
    alpha : float
    area : tuple of two floats or None
    target : str
        Of what is conditional on the data set.
    pairs : tuple of Pair
        In lexical order of the candidates.
    """

    measure: Measure
    alpha: float
    area: tuple[float, float] | None
    target: Target
    pairs: tuple[Pair, ...]

    def roads(self, tests: Iterable[Tested], omitted: Mapping[RoadName, Omission]) -> Roads:
        """Hold other methods against the chosen one, which is the first.

        Parameters
        ----------
        tests : iterable of Tested
        omitted : mapping of str to str
        """
        first, *others = tests
        return Roads(
            roads=tuple(self._road(tested) for tested in (first, *others)),
            other_pairs=tuple(
                self._row(tested, tested.listed, i)
                for tested in others
                if tested.listed is not None
                for i in range(len(self.pairs))
                if isfinite(float(tested.p_values[i]))
            ),
            omitted=dict(omitted),
        )

    def _road(self, tested: Tested) -> Road:
        is_clear = tested.p_values <= self.alpha
        known = tested.p_values[np.isfinite(tested.p_values)]
        p_values = tuple(p if isfinite(p) else None for p in tested.p_values.tolist())
        favoured = [self._favoured(pair, tested, i) for i, pair in enumerate(self.pairs)]
        parting = [
            (p, who) for p, who in zip(self.pairs, favoured, strict=True) if p.favoured != who
        ]
        return Road(
            name=tested.name,
            target=tested.target or self.target,
            controls=tested.controls,
            law=tested.law,
            n_draws=tested.n_draws,
            n_blocks=tested.n_blocks,
            n_distinguished=int(is_clear.sum()),
            smallest_p=float(known.min()) if len(known) else 1.0,
            p_values=p_values,
            differing=tuple((pair.first, pair.second) for pair, _ in parting),
            favoured=tuple(who for _, who in parting),
        )

    def _favoured(self, pair: Pair, tested: Tested, i: int) -> str | None:
        """Return who is better by another method; None where it does not tell them apart."""
        way = self._way(tested, i)
        if not tested.p_values[i] <= self.alpha or way == 0:
            return None
        return pair.first if way < 0 else pair.second

    def _way(self, tested: Tested, i: int) -> float:
        """Return a number that is negative where the first is better."""
        way = float(tested.differences[i])
        return way if tested.is_ranked or self.measure.is_smaller_better else -way

    def _row(self, tested: Tested, listed: Listed, i: int) -> OtherPair:
        pair, p_value = self.pairs[i], float(tested.p_values[i])
        bounds = None
        if listed.lower is not None and listed.upper is not None:
            bounds = (float(listed.lower[i]), float(listed.upper[i]))
        statistic = float(listed.statistics[i])
        return OtherPair(
            first=pair.first,
            second=pair.second,
            estimate=float(listed.estimates[i]),
            statistic=statistic if isfinite(statistic) else None,
            lower=bounds[0] if bounds else None,
            upper=bounds[1] if bounds else None,
            p_value=p_value,
            df=listed.df,
            method=listed.method,
            variance=listed.variance,
            target=tested.target or self.target,
            significant=p_value <= self.alpha,
            decision=self._decision(tested, i, bounds),
        )

    def _decision(self, tested: Tested, i: int, bounds: tuple[float, float] | None) -> Decision:
        """Decide by the interval, and where it leaves a pair undecided by the p-value."""
        smaller, decision = self.measure.is_smaller_better, None
        if bounds is not None:
            decision = decide(*bounds, self.area, smaller)
        way = self._way(tested, i)
        if decision not in (None, "undecided") or way == 0:
            return decision or "undecided"
        if tested.p_values[i] <= self.alpha:
            return "better" if way < 0 else "worse"
        return "undecided"
