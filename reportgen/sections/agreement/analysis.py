"""Whether scores and battles of the same candidates order them alike."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.random import Generator

from reportgen.sections.agreement import Options
from reportgen.sections.agreement.result import AgreementResult, Standing
from reportgen.sections.domain.result import DomainResult
from reportgen.sections.frontier.analysis import deciding_verdict, means_of
from reportgen.sections.frontier.result import Frontier, Location, Place
from reportgen.sections.inference.analysis import analyse as infer
from reportgen.sections.inference.result import InferenceResult, MeasureInference
from reportgen.sections.items.result import ItemsResult
from reportgen.stats.worths.battles import Battles
from reportgen.warehouse import Warehouse


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    *,
    inference: Mapping[str, InferenceResult],
    domain: DomainResult | None = None,
    items: ItemsResult | None = None,
) -> AgreementResult | None:
    """Hold the verdict on the main measure against that of the battles beside it.

    `rng`: for critical values of the battles.
    `inference`, `domain`, `items`: with the verdict on the main measure.
    Result: None where one of them compares nothing.
    """
    measure, battles = warehouse.measures[0], warehouse.battles
    own = deciding_verdict(warehouse, measure, inference, domain, items)
    if battles is None or own is None or not own.pairs:
        return None
    other = infer(battles, options, rng).get(battles.measures[0].name)
    if other is None or not other.pairs:
        return None
    scale, means = means_of(warehouse, measure, options)
    points, n_battles = _points(battles, other)
    common = [name for name in own.order if name in points and name in means]
    plane = Frontier(
        unit="replication",
        n_units=0,  # neither a line through means nor a middle of values is drawn
        alpha=options.alpha,
        main_scale=scale,
        scale="difference",
        area=None,
        places=tuple(Place(name, means[name], points[name], None, ()) for name in common),
        frontier=(),
        missing_candidates=(),
        ratios=(),
        ratios_by=None,
        intervals_by="replications" if len(warehouse.datasets) == 1 else "datasets",
        target=other.target,
        main_measure=measure,
        measure=other.measure,
        measures=(measure, other.measure),
    )
    standings = tuple(
        Standing(
            name,
            means[name].mean,
            own.rank_ranges[name],
            points[name].mean,
            other.rank_ranges[name],
            points[name].n,
        )
        for name in common
    )
    return AgreementResult.between(
        own, other, n_battles=n_battles, standings=standings, plane=plane
    )


def _points(warehouse: Warehouse, verdict: MeasureInference) -> tuple[dict[str, Location], int]:
    """Return the Elo score of each candidate with its interval, and how many battles there are."""
    blocks = warehouse.performances(warehouse.datasets[0], verdict.measure.name).present
    battles = Battles.of_values(blocks.values)
    assert verdict.deciding_method is not None
    intervals = verdict.deciding_method.mean_intervals
    found = {}
    for name, n in zip(blocks.candidates, battles.of_each.tolist(), strict=True):
        own, point = intervals[name], verdict.means[name]
        found[name] = Location(int(n), point, own, own, point, None)
    return found, len(battles)
