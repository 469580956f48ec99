"""What battles tell: worths, win rates, effects of the order, and whether worths explain them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from reportgen.performance_measure import STYLED
from reportgen.sections.battles.result import (
    Ask,
    BattlesResult,
    CircularTriple,
    Contender,
    Group,
    GroupTest,
    Look,
    Meeting,
    OtherTies,
    Styled,
    StyleEffect,
)
from reportgen.sections.inference.result import InferenceResult, MeasureInference
from reportgen.stats.pair_table import Pair, PairTable
from reportgen.stats.worths.battle_models import (
    battles_to_decide,
    circles,
    fit_rao_kupper,
    fit_style,
    next_pairs,
)
from reportgen.stats.worths.battle_tree import BattleNode, Covariate, covariate_of, grow_battles
from reportgen.stats.worths.battles import (
    BattleModel,
    Battles,
    battle_pairs,
    fit_battles,
    order_effect,
    transitivity,
)
from reportgen.stats.worths.bradley_terry import probabilities, statistics
from reportgen.stats.worths.comparisons import groups_of_links
from reportgen.stats.worths.elo import POINTS
from reportgen.study.looks import Looks, looks_of
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse

COVARIATES = ("category", "language", "turn", "length", "judge")
"""What battles are divided by, beside their clusters."""
MOST_JUDGES = 20  # judges, or prompts, up to which they are levels of their own
MOST_CIRCULAR = 10


def analyse(
    warehouse: Warehouse,
    options: AnalysisOptions,
    rng: Generator,
    *,
    inference: InferenceResult,
) -> BattlesResult | None:
    """Describe the battles of a data set by its main measure.

    `rng`: for p-values by permutation.
    `inference`: the verdict of the same battles.
    Result: None where there is no verdict.
    """
    dataset, measure = warehouse.datasets[0], warehouse.measures[0]
    verdict = inference.get(measure.name)
    if verdict is None or not verdict.pairs:
        return None
    blocks = warehouse.performances(dataset, measure.name).present
    battles = Battles.of_values(blocks.values, blocks.clusters)
    fitted = fit_battles(battles)
    table = _table(warehouse, blocks.replications)
    shown, n_bad = _known(table, blocks.candidates)
    in_order = None if shown is None else battles.shown_first(shown)
    cluster = str(warehouse.facts.get(dataset, {}).get("cluster", ""))
    lead = verdict.pairs.between(*verdict.order[:2])
    is_open = lead is not None and lead.favoured is None and verdict.reference is None
    return BattlesResult(
        measure=measure.name,
        alpha=options.alpha,
        n=len(battles),
        n_ties=int((battles.outcome == 0).sum()),
        n_both_bad=n_bad,
        contenders=tuple(_contenders(battles, fitted, verdict)),
        meetings=tuple(_meetings(battles, fitted, verdict)),
        cluster=cluster if fitted.n_clusters else "",
        n_clusters=fitted.n_clusters,
        df=fitted.estimates.df if fitted.n_clusters else None,
        ratio=fitted.ratio,
        nu=fitted.model.nu,
        is_penalised=fitted.model.penalised,
        order=None if in_order is None else order_effect(in_order, fitted.model),
        transitivity=transitivity(battles, fitted.model),
        measured=measure,
        reference=verdict.reference,
        groups=_groups(battles, table, cluster, verdict, options.alpha, rng),
        styled=_styled(in_order, table, fitted, verdict),
        other_ties=_other_ties(battles, fitted, verdict),
        circular=tuple(
            CircularTriple(_three(c.candidates, verdict.candidates), c.shares, c.p_value)
            for c in circles(battles)[:MOST_CIRCULAR]
        ),
        asks=tuple(_asks(battles, fitted, verdict)),
        n_to_decide=_needed(lead, len(battles)) if lead is not None and is_open else None,
        **_looks(looks_of(warehouse), battles, verdict, options, rng),
    )


def _looks(
    looks: Looks | None,
    battles: Battles,
    verdict: MeasureInference,
    options: AnalysisOptions,
    rng: Generator,
) -> dict[str, Any]:
    """Return what each planned look has decided, at its level, and what is left out."""
    if looks is None:
        return {"overall_alpha": options.overall_alpha}
    levels = looks.levels(options.overall_alpha)
    found = []
    for number, (n, level) in enumerate(zip(looks.planned, levels, strict=True), 1):
        if number > looks.number:
            found.append(Look(n, level, is_done=False))
        elif number == looks.number:
            assert verdict.pairs is not None
            found.append(_look(n, level, verdict.order[0], verdict.pairs))
        else:
            own = battles.earliest(n)
            linked = groups_of_links(np.column_stack([own.first, own.second]), own.n_candidates)
            if linked.any():  # there are several groups: nothing says which is better
                found.append(Look(n, level, is_done=True))
                continue
            fitted = fit_battles(own)
            table = battle_pairs(own, fitted, level, rng)
            pairs = table.named(verdict.candidates, "", is_smaller_better=False)
            first = verdict.candidates[int(fitted.points.argmax())]
            found.append(_look(n, level, first, pairs.only_with(verdict.reference)))
    return {
        "looks": tuple(found),
        "overall_alpha": options.overall_alpha,
        "spending": looks.rule,
        "n_after": looks.n_there - looks.n,
    }


def _look(n: int, level: float, first: str, pairs: PairTable) -> Look:
    """Return what a look has decided."""
    names = dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second))
    own = {name: pairs.between(first, name) for name in names if name != first}
    tied = tuple(n for n, pair in own.items() if pair is None or pair.favoured != first)
    return Look(n, level, True, first, tied, sum(p.significant for p in pairs), len(pairs))


def _needed(lead: Pair, n: int) -> int | None:
    """Return how many battles decide a pair; None where its interval is not known."""
    if lead.lower is None or lead.upper is None or not lead.standard_error or not lead.estimate:
        return None
    critical = (lead.upper - lead.lower) / (2 * lead.standard_error)
    return battles_to_decide(lead.estimate, lead.standard_error, critical, n)


def _table(warehouse: Warehouse, replications: np.ndarray) -> pd.DataFrame:
    """Return what is known of each battle."""
    return warehouse.characteristics.set_index("replication").reindex(replications)


def _known(table: pd.DataFrame, candidates: tuple[str, ...]) -> tuple[np.ndarray | None, int]:
    """Return the candidate that was shown first in each battle, and in how many both were bad."""
    n_bad = int(table["both bad"].sum()) if "both bad" in table else 0
    if "first" not in table:
        return None, n_bad
    place = {name: k for k, name in enumerate(candidates)}
    shown = table["first"].astype(object).map(place)
    return (None if shown.isna().any() else shown.to_numpy(np.intp)), n_bad


def _groups(
    battles: Battles,
    table: pd.DataFrame,
    cluster: str,
    verdict: MeasureInference,
    alpha: float,
    rng: Generator,
) -> tuple[Group, ...]:
    """Divide battles by what is known of them."""
    found: list[Covariate] = []
    for name in (n for n in (*COVARIATES, cluster) if n and n in table):
        is_own = name == cluster
        own = table[name]
        values = (
            own.to_numpy(np.float64)
            if own.dtype.kind == "f"
            else own.astype(object).where(own.notna(), None).tolist()
        )
        if is_own and not 2 <= own.nunique() <= MOST_JUDGES:
            continue
        covariate = covariate_of(name, values, is_of_cluster=is_own)
        if covariate is not None and name not in [c.name for c in found]:
            found.append(covariate)
    if not found:
        return ()
    root = grow_battles(battles, found, alpha=alpha, seed=int(rng.integers(2**31)))
    return tuple(_walk(root, verdict, ()))


def _walk(
    node: BattleNode, verdict: MeasureInference, path: tuple[tuple[str, ...], ...]
) -> Iterator[Group]:
    own = (*path, node.condition) if node.condition else path
    errors = np.sqrt(np.maximum(np.diag(node.model.estimates.covariance), 0.0))
    places = {name: verdict.candidates.index(name) for name in verdict.order}
    yield Group(
        node.number,
        node.condition[0] if node.condition else "",
        node.condition[1:],
        node.n,
        {name: float(node.model.points[k]) for name, k in places.items()},
        {name: float(errors[k]) for name, k in places.items()},
        tuple(GroupTest(t.covariate, t.statistic, t.adjusted, t.unit) for t in node.tests),
        not node.children,
        own,
    )
    for child in node.children:
        yield from _walk(child, verdict, own)


def _styled(
    battles: Battles | None, table: pd.DataFrame, fitted: BattleModel, verdict: MeasureInference
) -> Styled | None:
    """Hold style equal, where it is known."""
    names = [str(c) for c in table.columns if str(c).startswith(STYLED)]
    if battles is None or not names:
        return None
    style = table[names].to_numpy(np.float64)
    if not np.isfinite(style).all():
        return None
    found = fit_style(battles, style, fitted.model)
    if found is None:
        return None
    held = replace(fitted, estimates=found.estimates, own_df=found.own_df)
    lower, upper = held.intervals(verdict.alpha)
    places = {name: verdict.candidates.index(name) for name in verdict.order}
    rows = zip(names, found.effects, found.standard_errors, found.p_values, strict=True)
    return Styled(
        tuple(StyleEffect(n.removeprefix(STYLED), *map(float, own)) for n, *own in rows),
        {name: float(found.points[k]) for name, k in places.items()},
        {name: (float(lower[k]), float(upper[k])) for name, k in places.items()},
    )


def _other_ties(
    battles: Battles, fitted: BattleModel, verdict: MeasureInference
) -> OtherTies | None:
    """Estimate worths by another law of ties."""
    own = None if fitted.model.penalised or not fitted.model.has_ties else fit_rao_kupper(
        battles.counts
    )  # fmt: skip
    if own is None:
        return None
    points = {n: float(own.points[verdict.candidates.index(n)]) for n in verdict.order}
    gain = own.log_likelihood - fitted.model.log_likelihood
    return OtherTies(points, POINTS * own.threshold, float(gain))


def _asks(battles: Battles, fitted: BattleModel, verdict: MeasureInference) -> Iterator[Ask]:
    """Yield the pairs to ask next."""
    if verdict.reference is not None:
        return
    first = verdict.order[0]
    others = {n: verdict.pairs.between(first, n) for n in verdict.candidates if n != first}
    is_open = [
        (own := others.get(name)) is None or own.favoured != first for name in verdict.candidates
    ]
    for ask in next_pairs(battles, fitted, np.array(is_open)):
        a, b = verdict.candidates[ask.first], verdict.candidates[ask.second]
        yield Ask(a, b, ask.gain)


def _three(places: tuple[int, int, int], names: tuple[str, ...]) -> tuple[str, str, str]:
    a, b, c = places
    return names[a], names[b], names[c]


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
