"""What battles tell: worths, win rates, effects of the order, and whether worths explain them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from reportgen.sections.battles.result import BattlesResult, Contender, Meeting
from reportgen.sections.inference.model import blocks_of
from reportgen.sections.inference.result import InferenceResult, MeasureInference
from reportgen.stats.worths.battles import (
    BattleModel,
    Battles,
    fit_battles,
    order_effect,
    transitivity,
)
from reportgen.stats.worths.bradley_terry import probabilities, statistics
from reportgen.study.manifest import AnalysisOptions
from reportgen.warehouse import Warehouse

__all__ = ["BattlesResult", "analyse"]


def analyse(
    warehouse: Warehouse,
    options: AnalysisOptions,
    rng: Generator,
    *,
    inference: InferenceResult,
) -> BattlesResult | None:
    """Describe the battles of a data set by its main measure.

    `rng`: not used: nothing here is random.
    `inference`: the verdict of the same battles.
    Result: None where there is no verdict.
    """
    dataset, measure = warehouse.datasets[0], warehouse.measures[0]
    verdict = inference.get(measure.name)
    if verdict is None or not verdict.pairs:
        return None
    blocks = blocks_of(warehouse.performances(dataset, measure.name), warehouse.target)
    battles = Battles.of_values(blocks.values, blocks.clusters)
    fitted = fit_battles(battles)
    shown, n_bad = _known(warehouse, blocks.replications, blocks.candidates)
    in_order = None if shown is None else battles.shown_first(shown)
    return BattlesResult(
        measure=measure.name,
        alpha=options.alpha,
        n=len(battles),
        n_ties=int((battles.outcome == 0).sum()),
        n_both_bad=n_bad,
        contenders=tuple(_contenders(battles, fitted, verdict)),
        meetings=tuple(_meetings(battles, fitted, verdict)),
        cluster=str(warehouse.facts.get(dataset, {}).get("cluster", ""))
        if fitted.n_clusters
        else "",
        n_clusters=fitted.n_clusters,
        ratio=fitted.ratio,
        nu=fitted.model.nu,
        is_penalised=fitted.model.penalised,
        order=None if in_order is None else order_effect(in_order, fitted.model),
        transitivity=transitivity(battles, fitted.model),
        measured=measure,
        reference=verdict.reference,
    )


def _known(
    warehouse: Warehouse, replications: np.ndarray, candidates: tuple[str, ...]
) -> tuple[np.ndarray | None, int]:
    """Return the candidate that was shown first in each battle, and in how many both were bad."""
    table = warehouse.characteristics.set_index("replication").reindex(replications)
    n_bad = int(table["both bad"].sum()) if "both bad" in table else 0
    if "first" not in table:
        return None, n_bad
    place = {name: k for k, name in enumerate(candidates)}
    shown = table["first"].astype(object).map(place)
    return (None if shown.isna().any() else shown.to_numpy(np.intp)), n_bad


def _contenders(
    battles: Battles, fitted: BattleModel, verdict: MeasureInference
) -> Iterator[Contender]:
    wins, ties, _ = battles.wins_and_ties
    lower, upper = fitted.intervals(verdict.alpha)
    ranges, first = verdict.rank_ranges, verdict.order[0]
    has_all = verdict.reference is None  # else nobody is tied: most pairs are not compared
    for name in verdict.order:
        k = verdict.candidates.index(name)
        pair = None if name == first else verdict.pairs.between(first, name)
        yield Contender(
            candidate=name,
            points=float(fitted.points[k]),
            interval=(float(lower[k]), float(upper[k])),
            n=int(wins[k].sum() + ties[k].sum() + wins[:, k].sum()),
            wins=int(wins[k].sum()),
            ties=int(ties[k].sum()),
            losses=int(wins[:, k].sum()),
            ranks=ranges[name],
            is_tied_with_first=has_all and (pair is None or pair.favoured != first),
        )


def _meetings(
    battles: Battles, fitted: BattleModel, verdict: MeasureInference
) -> Iterator[Meeting]:
    wins, ties, _ = battles.wins_and_ties
    model = fitted.model
    features = statistics(battles.n_candidates, model.reference, ties=model.has_ties)
    shares = probabilities(features, model.parameters)
    place = np.zeros((battles.n_candidates,) * 2, dtype=np.intp)
    place[features.first, features.second] = np.arange(len(features.first))
    order = [verdict.candidates.index(name) for name in verdict.order]
    for at, i in enumerate(order):
        for j in order[at + 1 :]:
            n = wins[i, j] + ties[i, j] + wins[j, i]
            if not n:
                continue
            won, tied, lost = shares[place[min(i, j), max(i, j)]]
            won, lost = (won, lost) if i < j else (lost, won)
            expected = float(won + tied / 2)
            variance = float(won + tied / 4) - expected**2
            share = float((wins[i, j] + ties[i, j] / 2) / n)
            residual = (share - expected) / max(variance / n, 1e-300) ** 0.5
            names = verdict.candidates[i], verdict.candidates[j]
            counts = int(wins[i, j]), int(ties[i, j]), int(wins[j, i])
            yield Meeting(*names, *counts, expected, float(residual))
