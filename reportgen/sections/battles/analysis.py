"""What battles tell: worths, win rates, effects of the order, and whether worths explain them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.notation import NumberFormat, number_format
from reportgen.performance_measure import STYLED, Measure
from reportgen.sections.inference.result import InferenceResult, MeasureInference
from reportgen.stats.arrays import Interval
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
    OrderEffect,
    Transitivity,
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

LARGE = 3.0  # standard deviations: a pair whose outcomes the worths do not explain
FEW_DF = 10.0  # from which half-widths of 95% are at most a seventh larger than those of many
MUCH = 1.1  # ratio of standard errors from which clusters, or misfit, are worth a word
MOST_NAMED = 3


COVARIATES = ("category", "language", "turn", "length", "judge")
"""What battles are divided by, beside their clusters."""
MOST_JUDGES = 20  # judges, or prompts, up to which they are levels of their own
MOST_CIRCULAR = 10


@dataclass(frozen=True, slots=True)
class Contender:
    """One candidate in its battles.

    Attributes
    ----------
    candidate : str
    points : float
        Elo, of sum 0.
    interval : tuple of two floats
        For itself, not simultaneous.
    n, wins, ties, losses : int
        Battles, and how they ended.
    ranks : tuple of two ints
        The ranks that it can have by the decided pairs.
    is_tied_with_first : bool
        Whether the one with most points is not decided better; true of that one itself.
    """

    candidate: str
    points: float
    interval: Interval
    n: int
    wins: int
    ties: int
    losses: int
    ranks: tuple[int, int]
    is_tied_with_first: bool

    @property
    def win_rate(self) -> float:
        """The share of its battles that it has won, ties counted half."""
        return (self.wins + self.ties / 2) / max(1, self.n)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two candidates in their battles against each other.

    Attributes
    ----------
    first, second : str
        The one with more points first.
    wins, ties, losses : int
        Of the first.
    expected : float
        The share that the worths expect the first to win, ties counted half.
    residual : float
        Observed less expected share, in its standard deviation if battles are independent.
    """

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    expected: float
    residual: float

    @property
    def n(self) -> int:
        """Their battles."""
        return self.wins + self.ties + self.losses

    @property
    def share(self) -> float:
        """The share that the first has won, ties counted half."""
        return (self.wins + self.ties / 2) / self.n


@dataclass(frozen=True, slots=True)
class GroupTest:
    """Whether worths are the same along a covariate, in a group of battles.

    Attributes
    ----------
    covariate : str
    statistic : float
    p_value : float
        Adjusted for the covariates tested there.
    unit : {"battle", "cluster", "flips"}
        What was taken for independent: battles, clusters, or clusters whose signs are drawn.
    """

    covariate: str
    statistic: float
    p_value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group of battles, a node of the tree.

    Attributes
    ----------
    number : int
        1 of all battles, then the first part and all below it before the second.
    covariate : str
        By which the group above is divided; empty of all battles.
    levels : tuple of str
        Those that come here.
    n : int
    points : mapping of str to float
        Elo in this group, in the order of all battles.
    errors : mapping of str to float
        Their standard errors.
    tests : tuple of GroupTest
        Smallest p-value first.
    is_leaf : bool
    path : tuple of tuple of str
        Covariate and levels of every division on the way here.
    """

    number: int
    covariate: str
    levels: tuple[str, ...]
    n: int
    points: Mapping[str, float]
    errors: Mapping[str, float]
    tests: tuple[GroupTest, ...]
    is_leaf: bool
    path: tuple[tuple[str, ...], ...]

    @property
    def first(self) -> str:
        """The candidate with most points here."""
        return max(self.points, key=lambda name: self.points[name])


@dataclass(frozen=True, slots=True)
class StyleEffect:
    """What a difference in style is worth.

    Attributes
    ----------
    name : str
    points, standard_error : float
        Elo, for one standard deviation of the difference.
    p_value : float
        By itself.
    """

    name: str
    points: float
    standard_error: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Styled:
    """Worths with style held equal.

    Attributes
    ----------
    effects : tuple of StyleEffect
    points : mapping of str to float
        Elo, in the order of the points without style.
    intervals : mapping of str to tuple of two float
        Each for itself.
    """

    effects: tuple[StyleEffect, ...]
    points: Mapping[str, float]
    intervals: Mapping[str, Interval]

    @property
    def first(self) -> str:
        """The candidate with most points."""
        return max(self.points, key=lambda name: self.points[name])


@dataclass(frozen=True, slots=True)
class OtherTies:
    """Worths by Rao and Kupper's ties.

    Attributes
    ----------
    points : mapping of str to float
        Elo.
    threshold : float
        Elo points by which a judge has to see two differ before one is said to win.
    gain : float
        Their log likelihood less that of Davidson's ties.
    """

    points: Mapping[str, float]
    threshold: float
    gain: float


@dataclass(frozen=True, slots=True)
class CircularTriple:
    """Three candidates of which each wins more often than it loses against the next.

    Attributes
    ----------
    candidates : tuple of three str
    shares : tuple of three float
        Of the battles with the next one, ties counted half.
    p_value : float
        That all three are preferred to the next, adjusted for all triples.
    """

    candidates: tuple[str, str, str]
    shares: tuple[float, float, float]
    p_value: float


@dataclass(frozen=True, slots=True)
class Ask:
    """A pair to ask next.

    Attributes
    ----------
    first, second : str
    gain : float
        What a battle of these two tells about who is first, over that of two drawn at random.
    """

    first: str
    second: str
    gain: float


@dataclass(frozen=True, slots=True)
class Look:
    """A planned look at battles that accumulate.

    Attributes
    ----------
    n : int
        Battles.
    level : float
        At which it decides.
    is_done : bool
        Whether its battles are there; if not, the rest is empty.
    first : str
        The candidate with most points; empty where battles do not link all candidates yet.
    tied : tuple of str
        Those that it is not significantly better than.
    n_decided, n_pairs : int
        Pairs with a significant difference, and all that are decided on.
    """

    n: int
    level: float
    is_done: bool
    first: str = ""
    tied: tuple[str, ...] = ()
    n_decided: int = 0
    n_pairs: int = 0

    @property
    def establishes(self) -> bool:
        """Whether its first is significantly better than every other candidate."""
        return bool(self.first) and not self.tied


@dataclass(frozen=True)
class BattlesResult:
    """The battles of one data set.

    Attributes
    ----------
    measure : str
    alpha : float
    n, n_ties, n_both_bad : int
        Battles, those without a winner, and of these the ones in which both were bad.
    contenders : tuple of Contender
        Most points first.
    meetings : tuple of Meeting
        Pairs that have met, in the order of the points.
    cluster : str
        What battles of one cluster share: judge, prompt, ...; empty without clusters.
    n_clusters : int
        0 without clusters.
    df : float or None
        Smallest degrees of freedom of a pair; None without clusters.
    ratio : float
        Standard errors of the pairs over those of independent battles that the worths explain:
        their median.
    nu : float
        Strength of ties: their odds against a win among equals.
    is_penalised : bool
        Whether some candidate wins or loses so often that the estimate had to be drawn towards 0.
    order : OrderEffect or None
        None where it is not known which one was shown first.
    transitivity : Transitivity
    reference : str or None
        The candidate whose pairs alone are decided on, so that nobody is tied with the first.
    groups : tuple of Group
        The tree over what is known of battles: all of them first; empty where nothing is known.
    styled : Styled or None
        None where no style is known.
    other_ties : OtherTies or None
        None without ties, or a finite estimate.
    circular : tuple of CircularTriple
        Those observed, smallest p-value first, ten at most.
    asks : tuple of Ask
        The pairs to ask next; empty where the first is significantly better than all others.
    n_to_decide : int or None
        About how many battles in all it takes for the difference of the two with most points to be
        significant, were it as estimated, in half of such studies; None where it is.
    looks : tuple of Look
        The planned looks; empty where none were planned. All else is of the last one that is done.
    overall_alpha : float
        The level of all looks together.
    spending : str
        How it is spent; empty where no looks were planned.
    n_after : int
        Battles that are there after the last look that is done, which are left out.
    """

    measure: str
    alpha: float
    n: int
    n_ties: int
    n_both_bad: int
    contenders: tuple[Contender, ...]
    meetings: tuple[Meeting, ...]
    cluster: str
    n_clusters: int
    df: float | None
    ratio: float
    nu: float
    is_penalised: bool
    order: OrderEffect | None
    transitivity: Transitivity
    measured: Measure = field(default=Measure(""), metadata=HIDDEN)
    reference: str | None = None
    groups: tuple[Group, ...] = ()
    styled: Styled | None = None
    other_ties: OtherTies | None = None
    circular: tuple[CircularTriple, ...] = ()
    asks: tuple[Ask, ...] = ()
    n_to_decide: int | None = None
    looks: tuple[Look, ...] = ()
    overall_alpha: float = 0.05
    spending: str = ""
    n_after: int = 0

    @property
    def look(self) -> int:
        """The number of the look at hand, from 1; 0 where none were planned."""
        return sum(own.is_done for own in self.looks)

    @property
    def following(self) -> Look | None:
        """The look after the one at hand; None after the last."""
        return next((own for own in self.looks if not own.is_done), None)

    @property
    def established_at(self) -> int | None:
        """The first look at which the first of now was significantly better than all others."""
        numbered = enumerate(self.looks, 1)
        own = self.first.candidate
        return next((i for i, x in numbered if x.establishes and x.first == own), None)

    @property
    def leaves(self) -> tuple[Group, ...]:
        """The groups that are not divided, where all battles are."""
        return tuple(g for g in self.groups if g.is_leaf) if len(self.groups) > 1 else ()

    @property
    def dividing(self) -> GroupTest | None:
        """The test by which all battles are divided; None where they are not."""
        if len(self.groups) < 2:
            return None
        name = self.groups[1].covariate
        return next(t for t in self.groups[0].tests if t.covariate == name)

    @property
    def changes_first(self) -> bool:
        """Whether the groups have different candidates with most points."""
        return len({g.first for g in self.leaves}) > 1

    @property
    def shown_circles(self) -> tuple[CircularTriple, ...]:
        """The circular triples that are decided."""
        return tuple(c for c in self.circular if c.p_value < self.alpha)

    @property
    def most_apart(self) -> float:
        """By how many points a candidate's Elo differs at most between the two laws of ties."""
        if self.other_ties is None:
            return 0.0
        other = self.other_ties.points
        return max(abs(c.points - other[c.candidate]) for c in self.contenders)

    @property
    def about_to_decide(self) -> int | None:
        """`n_to_decide` in two digits, rounded up: no more of them are known."""
        if self.n_to_decide is None:
            return None
        unit = int("1" + "0" * max(0, len(str(self.n_to_decide)) - 2))
        return -(-self.n_to_decide // unit) * unit

    @property
    def number_format(self) -> NumberFormat:
        """How points are written."""
        points = [c.points for c in self.contenders]
        return number_format(self.measured, points, intervals=[c.interval for c in self.contenders])

    @property
    def first(self) -> Contender:
        """The one with most points."""
        return self.contenders[0]

    @property
    def tied(self) -> tuple[str, ...]:
        """The others that are tied with the first, most points first."""
        return tuple(c.candidate for c in self.contenders[1:] if c.is_tied_with_first)

    @property
    def has_order_effect(self) -> bool:
        """Whether it is decided that being shown first brings something."""
        return self.order is not None and self.order.p_value < self.alpha

    @property
    def is_intransitive(self) -> bool:
        """Whether it is decided that worths do not explain who is preferred over whom."""
        return self.transitivity.p_value < self.alpha

    @property
    def has_few_clusters(self) -> bool:
        """Whether there are so few clusters, or so unequal ones, that intervals are wide for it."""
        return self.df is not None and self.df < FEW_DF

    @property
    def has_wider_errors(self) -> bool:
        """Whether standard errors are clearly larger than those of independent battles."""
        return self.ratio >= MUCH

    @cached_property
    def unexplained(self) -> tuple[Meeting, ...]:
        """The pairs that worths explain worst, of those beyond chance."""
        far = [m for m in self.meetings if abs(m.residual) > LARGE]
        return tuple(sorted(far, key=lambda m: -abs(m.residual))[:MOST_NAMED])


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
