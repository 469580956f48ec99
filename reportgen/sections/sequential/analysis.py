"""Monitoring and stopping on one data set (Eugster 2011, chapter 6): pairs, and all candidates.

The pairs are followed in stages, by group sequential tests and by a test that is valid at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reportgen.data_classes import dataclass
from reportgen.errors import AnalysisError
from reportgen.performance_measure import Scale
from reportgen.sections.inference.result import MeasureInference, Method
from reportgen.sections.sequential import Options
from reportgen.sections.sequential.result import (
    Anytime,
    Choice,
    FixedVerdict,
    GroupSequential,
    Monitored,
    Monitoring,
    RandomOrders,
    SequentialResult,
    StageResult,
    StagesRun,
    Unavailable,
)
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import holm
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import compare_by_scale
from reportgen.stats.sequential.anytime import sign_process
from reportgen.stats.sequential.group import boundaries_of, first_rejections, group_statistics
from reportgen.stats.sequential.orders import order_free, order_looks
from reportgen.stats.sequential.paths import (
    SequentialPath,
    block_f_path,
    friedman_path,
    point_of_consecutive_significance,
    pseudo_median,
    skewness_of,
)
from reportgen.stats.sequential.recursive import RecursiveTest
from reportgen.stats.sequential.stages import (
    OF_MEANS,
    SPENDINGS,
    Answers,
    Multiplicity,
    PairStages,
    Quantity,
    StagePlan,
    Verdict,
    answers_after,
    answers_of,
    group_stages,
    held_by,
    is_closed,
    judged,
    settled,
    stages_of_pairs,
)
from reportgen.study.comparison import area_on, comparison_scale, comparison_values, half_width
from reportgen.study.stages import Stages, stages_of
from reportgen.targets import Target
from reportgen.warehouse import Performances, Warehouse

Key = TypeVar("Key", bound=Hashable)
Pairs = tuple[tuple[int, int], ...]
ByStage = tuple[tuple[Answers, ...], ...]

MOST_MONITORED = 15  # candidates up to which all pairs are monitored when none are named
FIXED = (30, 100)  # replications of which the verdicts of fixed designs are shown
LOOKS_OF_ORDERS = 20  # at which random orders are tested, about
ESTIMATES: Mapping[Quantity, Callable[[Array], Any]] = {
    "mean": np.mean,
    "pseudo-median": pseudo_median,
    "median": np.median,
}


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    inference: Mapping[str, MeasureInference] | None = None,
) -> SequentialResult:
    """Follow the comparisons of one data set over its replications.

    `warehouse`: of one data set.
    `options`: where the execution went by stages, its own rule comes before them.
    `rng`: draws the random orders.
    `inference`: by measure: the verdicts with all replications.
    Result: by measure.
    Raises AnalysisError if the options name a pair of unknown candidates.
    """
    own = stages_of(warehouse)
    for fault in () if own else options.unknown_pairs(warehouse.candidates):
        raise AnalysisError(f"sections: sequential: pairs: {fault}")
    names = (own.measure,) if own else options.measures or (warehouse.measures[0].name,)
    dataset = warehouse.datasets[0]
    requests = [
        _request_of(warehouse.performances(dataset, name), warehouse, options, own)
        for name in names
    ]
    n_family = sum(a.n_compared for a in requests)
    requests = [replace(a, n_family=n_family) for a in requests]
    stages = [stages_of_pairs(a.differences, a.ends, a.plan, a.area) for a in requests]
    answers = _answers_in_family(requests, stages)
    return {
        a.performances.measure.name: _monitoring(a, parts, found, _verdicts_of(a, inference), rng)
        for a, parts, found in zip(requests, stages, answers, strict=True)
    }


# --- what is compared


@dataclass(frozen=True, slots=True)
class Request:
    """The values of one measure, and the comparisons that are followed."""

    performances: Performances
    rule: Stages  # of the execution, else of the section
    scale: Scale
    values: Array  # (B, K), whose differences are tested; NaN where there is no value
    pairs: Pairs
    run: StagesRun | None
    choice: Choice
    n_compared: int  # pairs among which these are: of all where it took results to choose
    target: Target
    options: Options
    n_family: int = 0  # hypotheses, which may be of other measures, too

    @property
    def plan(self) -> StagePlan:
        """The test of the pairs."""
        return self.rule.plan

    @property
    def ends(self) -> tuple[int, ...]:
        """Replications at the end of each stage there is."""
        return self.run.ends if self.run else self.rule.ends

    @property
    def differences(self) -> tuple[Array, ...]:
        """First - second of each pair, NaN where one has no value."""
        return tuple(self.values[:, i] - self.values[:, j] for i, j in self.pairs)

    @property
    def is_part(self) -> bool:
        """Whether there are more comparisons than those that are monitored."""
        return self.n_compared > len(self.pairs)

    @property
    def own_alpha(self) -> float:
        """Level of this measure: its share by the number of pairs."""
        return self.rule.alpha * self.n_compared / max(self.n_family, self.n_compared, 1)

    @property
    def relevance(self) -> tuple[float, float] | None:
        """Area of equivalence; None for a test that is not one of means."""
        return area_on(self.scale, self.rule.area) if self.plan.quantity == "mean" else None

    @property
    def area(self) -> float | None:
        """Differences of the values up to which do not matter."""
        return None if self.relevance is None else half_width(self.scale, self.relevance)

    @property
    def burn_in(self) -> int:
        """Replications before the first look; never so few that the test is undefined."""
        return max(2, self.options.burn_in)

    def measured(self, differences: ArrayLike) -> Array:
        """Return differences of the values as differences, or ratios, of performances."""
        with np.errstate(over="ignore"):  # a ratio beyond floating point is infinite
            return np.exp(differences) if self.scale == "ratio" else np.asarray(differences)

    def names(self, pair: tuple[int, int]) -> tuple[str, str]:
        """Return the two candidates."""
        return self.performances.candidates[pair[0]], self.performances.candidates[pair[1]]


def _request_of(
    performances: Performances, warehouse: Warehouse, options: Options, own: Stages | None
) -> Request:
    """Put together what is compared, of candidates that have values."""
    measure = performances.measure
    rule = own or Stages(
        options.stage,
        max(1, len(performances.values)),
        measure.name,
        alpha=options.alpha,
        area=options.relevance.get(measure.name),
        pairs=options.pairs,
    )
    scale = comparison_scale(measure, performances.values, rule.area)
    values = comparison_values(performances.values, scale)
    present = [k for k in range(values.shape[1]) if np.isfinite(values[:, k]).any()]
    reference = options.reference if own is None else None
    pairs, choice = _chosen_pairs(performances, present, rule, reference)
    n_compared = len(present) * (len(present) - 1) // 2 if choice == "best" else len(pairs)
    run = stages_run(warehouse, performances)
    return Request(
        performances, rule, scale, values, pairs, run, choice, n_compared, warehouse.target, options
    )


def _chosen_pairs(
    performances: Performances, present: Sequence[int], rule: Stages, reference: str | None
) -> tuple[Pairs, Choice]:
    """Return the pairs that are monitored, as columns, and how they were chosen."""
    # Of many candidates all pairs are too many to follow. Those with the reference candidate are
    # fixed beforehand; those with the best mean are not, so all pairs there are stay in the family.
    names = performances.candidates
    if rule.pairs:
        named = [(names.index(i), names.index(j)) for i, j in rule.pairs]
        return tuple(pair for pair in named if set(pair) <= set(present)), "named"
    pairs = tuple(combinations(present, 2))
    if len(present) <= MOST_MONITORED:
        return pairs, "all"
    if reference in [names[k] for k in present]:
        leader = names.index(str(reference))
        return tuple(pair for pair in pairs if leader in pair), "reference"
    values = performances.values[:, present]
    means = np.nanmean(np.where(np.isfinite(values), values, np.nan), axis=0)
    lead = np.argmin(means if performances.measure.is_smaller_better else -means)
    return tuple(pair for pair in pairs if present[int(lead)] in pair), "best"


def stages_run(warehouse: Warehouse, performances: Performances) -> StagesRun | None:
    """Return what was run on one data set; None where the execution did not go by stages."""
    stages = stages_of(warehouse)
    if stages is None:
        return None
    rows = warehouse.frame[warehouse.frame["measure"] == performances.measure.name]
    ends_of = rows.groupby("candidate", observed=True)["replication"].max()
    last = {name: int(ends_of.get(name, 0)) for name in performances.candidates}
    n = max(last.values())
    ends = tuple(end for end in stages.ends if end <= n)
    begins = (0, *ends)
    measured = tuple(
        tuple(name for name in performances.candidates if last[name] > begin)
        for begin in begins[: len(ends)]
    )
    dropped = {name: end for name, end in last.items() if end < n}
    seconds, seconds_fixed = _seconds(warehouse, performances, last, stages.most)
    return StagesRun(
        ends,
        stages.most,
        measured,
        sum(last.values()),
        stages.most * len(last),
        is_decided=n < stages.most,
        drop=stages.drop,
        dropped=dict(sorted(dropped.items(), key=lambda item: item[1])),
        seconds=seconds,
        seconds_fixed=seconds_fixed,
        is_equivalence_of_ranks=stages.area is not None and stages.plan.quantity != "mean",
    )


def _seconds(
    warehouse: Warehouse, performances: Performances, counts: Mapping[str, int], most: int
) -> tuple[float | None, float | None]:
    """Return the seconds of the fits, and about that of a fixed design."""
    means = warehouse.facts.get(performances.dataset, {}).get("fit_seconds")
    if not isinstance(means, Mapping) or set(means) != set(counts):
        return None, None
    each = np.array([float(means[name]) for name in counts])
    return float(each @ np.array(list(counts.values()))), float(each.sum() * most)


# --- the family


def _multiplicity_of(request: Request) -> Multiplicity:
    """Return the method that controls the family-wise level."""
    own = request.plan.multiplicity
    if request.is_part and request.run is None:
        return "bonferroni"
    if own == "closed":
        return "closed" if is_closed(request.values.shape[1], request.pairs) else "holm"
    return held_by(own, request.n_family)


def _answers_in_family(
    requests: Sequence[Request], stages: Sequence[tuple[PairStages, ...]]
) -> list[ByStage]:
    """Return by measure and stage the answers on the monitored pairs of all measures together."""
    # An execution in stages, which is of one measure, has judged all its pairs. Pairs that results
    # have chosen get their share of the level among all there are: whichever are chosen, the
    # family-wise level holds.
    first = requests[0]
    if first.run is not None and first.is_part:
        places = [_every_pair(first).index(pair) for pair in first.pairs]
        rows = judged(first.values, _every_pair(first), first.ends, first.plan, first.area)
        return [tuple(tuple(row[place] for place in places) for row in rows)]
    if any(a.is_part for a in requests):
        return [
            answers_after(parts, _shared_plan(a), len(a.ends))
            for a, parts in zip(requests, stages, strict=True)
        ]
    if len(requests) == 1:
        return [answers_of(first.values, first.pairs, stages[0], first.ends, first.plan)]
    family = [pair for pairs in stages for pair in pairs]
    joint = answers_after(family, first.plan, len(first.ends))
    bounds = np.cumsum([0, *map(len, stages)]).tolist()
    return [tuple(row[low:high] for row in joint) for low, high in pairwise(bounds)]


def _shared_plan(request: Request) -> StagePlan:
    """Return the plan for the monitored pairs of a family."""
    if not request.is_part:
        return request.plan
    share = request.plan.alpha * len(request.pairs) / request.n_family
    return replace(request.plan, alpha=share, multiplicity="bonferroni")


def _every_pair(request: Request) -> Pairs:
    """Return all pairs of candidates that have values."""
    there = np.flatnonzero(np.isfinite(request.values).any(axis=0)).tolist()
    return tuple(combinations(there, 2))


def _all_settled(request: Request, run: StagesRun, answers: Sequence[Answers]) -> bool:
    """Return whether no comparison of candidates that were still measured is open."""
    kept = set(run.candidates[-1]) if run.candidates else set()
    pairs = request.pairs
    if request.is_part:
        pairs = _every_pair(request)
        answers = judged(request.values, pairs, request.ends, request.plan, request.area)[-1]
    return all(
        answer.is_settled(request.rule.stop) or not set(request.names(pair)) <= kept
        for pair, answer in zip(pairs, answers, strict=True)
    )


# --- one measure


def _verdicts_of(
    request: Request, inference: Mapping[str, MeasureInference] | None
) -> Method | None:
    """Return what decides on the pairs of a measure in this experiment."""
    found = (inference or {}).get(request.performances.measure.name)
    return None if found is None or found.unavailable else found.conditional


def _monitoring(
    request: Request,
    stages: tuple[PairStages, ...],
    answers: Sequence[Sequence[Answers]],
    verdicts: Method | None,
    rng: Generator,
) -> Monitoring:
    """Follow one measure."""
    rule, run = request.rule, request.run
    if run is not None:
        is_decided = run.is_decided or _all_settled(request, run, answers[-1])
        run = replace(run, is_decided=is_decided)
    facts: dict[str, Any] = {
        "measure": request.performances.measure,
        "alpha": rule.alpha,
        "relevance": request.relevance,
        "is_area_unused": rule.area is not None and request.relevance is None,
        "target": request.target,
        "n_replications": len(request.values),
        "run": run,
    }
    pairs = _monitor_pairs(request, stages, answers, verdicts, rng) if request.pairs else ()
    if not pairs:
        why: Unavailable = "too-few-replications" if request.pairs else "one-candidate"
        return Monitoring(entries=(), unavailable=why, **facts)
    omnibus = _monitor_omnibus(request)
    return Monitoring(
        entries=(*pairs, *((omnibus,) if omnibus else ())),
        ends=request.ends,
        n_stages=request.plan.n_stages,
        test=rule.test,
        quantity=request.plan.quantity,
        rule=rule.rule,
        combination=rule.combination,
        multiplicity=_multiplicity_of(request),
        n_family=request.n_family,
        choice=request.choice,
        n_compared=request.n_compared,
        stop=rule.stop,
        **facts,
    )


def _monitor_omnibus(request: Request) -> Monitored | None:
    """Follow the test that all candidates are alike; None with two candidates or few values."""
    present = np.isfinite(request.values).any(axis=0)
    values = request.values[:, present]
    complete = np.flatnonzero(np.isfinite(values).all(axis=1))
    if present.sum() < 3 or len(complete) < request.burn_in:
        return None
    is_of_means = request.plan.test in OF_MEANS
    path = (block_f_path if is_of_means else friedman_path)(values[complete], request.burn_in)
    alpha = request.rule.alpha
    point = float(point_of_consecutive_significance(path, alpha))
    p_values = group_stages(values, request.ends, request.plan)
    test = request.plan.tested(p_values.tolist(), alpha) if len(p_values) else None
    return Monitored(
        None,
        None,
        "block-f" if is_of_means else "friedman",
        request.burn_in,
        request.target,
        tuple((complete[path.n - 1] + 1).tolist()),
        tuple(path.p_values.tolist()),
        tuple(path.statistics.tolist()),
        tuple(path.effects.tolist()),
        None,
        len(complete),
        int(complete[int(point) - 1]) + 1 if np.isfinite(point) else None,
        alpha,
        _stage_results(test, request.ends) if test else (),
        None,
        test.p_value if test else None,
        test.decision if test and test.is_decided else "undecided",  # type: ignore[arg-type]
        scale=request.scale,
    )


# --- the pairs


@dataclass(frozen=True, slots=True)
class PairSeries:
    """A pair that has enough values, and its path."""

    place: int  # among the pairs that are requested
    differences: Array  # (n,), of the replications with both
    replications: NDArray[np.intp]  # how many there were by then
    path: SequentialPath
    skewness: float

    @property
    def looks(self) -> NDArray[np.intp]:
        """Replications at each look of the path."""
        return self.replications[self.path.n - 1]


def _pair_series(request: Request) -> tuple[PairSeries, ...]:
    """Follow the pairs with enough values; those with as many at once."""
    there = [np.flatnonzero(np.isfinite(d)) for d in request.differences]
    found = []
    for n, places in _alike(map(len, there)):
        if n < request.burn_in:
            continue
        stacked = np.stack([request.differences[place][there[place]] for place in places])
        paths = request.plan.follow(stacked, request.burn_in)
        rows = zip(paths.statistics, paths.p_values, paths.effects, strict=True)
        skewness = skewness_of(stacked).tolist()
        found += [
            PairSeries(place, d, there[place] + 1, SequentialPath(paths.n, *row), own)
            for place, d, row, own in zip(places, stacked, rows, skewness, strict=True)
        ]
    return tuple(sorted(found, key=lambda series: series.place))


def _alike(keys: Iterable[Key]) -> Iterable[tuple[Key, list[int]]]:
    """Return the places that have the same key, in the order of the first ones."""
    places: dict[Key, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return places.items()


def _monitor_pairs(
    request: Request,
    stages: Sequence[PairStages],
    answers: Sequence[Sequence[Answers]],
    verdicts: Method | None,
    rng: Generator,
) -> tuple[Monitored, ...]:
    """Monitor the pairs that have enough values."""
    all_series = _pair_series(request)
    if not all_series:
        return ()
    groups = _group_tests(request, all_series)
    anytime = _anytime_tests(request, all_series)
    at = _fixed_verdicts(request, all_series, verdicts, rng)
    random_orders = _random_orders(request, all_series, rng)
    found = []
    for i, series in enumerate(all_series):
        given = [row[series.place] for row in answers]
        own, decided_at = settled(request.ends, given, request.rule.stop)
        found.append(
            replace(
                _entry(request, series, stages[series.place]),
                verdict=own.verdict,
                decided_at=decided_at,
                at=at[i],
                random_orders=random_orders[i],
                group_sequential=groups[i],
                anytime=anytime[i],
            )
        )
    return tuple(found)


def _entry(request: Request, series: PairSeries, stages: PairStages) -> Monitored:
    """Put together the path of a pair and its test in stages, alone."""
    first, second = request.names(request.pairs[series.place])
    alpha, path = request.rule.alpha, series.path
    quantity = request.plan.quantity
    point = float(point_of_consecutive_significance(path, alpha))
    sides = stages.sides(request.plan, alpha)
    outcome = stages.difference(request.plan, alpha)
    smallest = min(sides, key=lambda s: sides[s].p_value, default=None)
    side = outcome.direction or smallest
    test = sides[side] if side else None
    p = None if test is None else min(1.0, test.p_value * len(sides))
    effects = request.measured(path.effects) if quantity == "mean" else path.effects
    return Monitored(
        first,
        second,
        request.rule.test,
        request.burn_in,
        request.target,
        tuple(series.looks.tolist()),
        tuple(path.p_values.tolist()),
        tuple(path.statistics.tolist()),
        tuple(effects.tolist()),
        float(request.measured(ESTIMATES[quantity](series.differences))),
        len(series.differences),
        int(series.replications[int(point) - 1]) if np.isfinite(point) else None,
        alpha,
        _stage_results(test, request.ends) if test else (),
        side,
        p,
        "undecided" if outcome.decision == "go on" else outcome.decision,
        quantity,
        series.skewness,
        request.scale,
    )


def _stage_results(test: RecursiveTest, ends: Sequence[int]) -> tuple[StageResult, ...]:
    """Return the stages of a test with their replications."""
    return tuple(
        StageResult(
            end,
            stage.p_value,
            stage.alpha_star,
            stage.alpha_1,
            stage.alpha_0,
            stage.c,
            "go-on" if stage.decision == "go on" else stage.decision,
        )
        for stage, end in zip(test.stages, ends, strict=False)
    )


def _fixed_verdicts(
    request: Request, all_series: Sequence[PairSeries], verdicts: Method | None, rng: Generator
) -> list[tuple[FixedVerdict, ...]]:
    """Return the verdicts of fixed designs; none where the stages themselves decide."""
    # The last of them is the verdict of the report. The others are by the same rule, where it is
    # that of all pairs' own variances.
    n_all = len(request.values)
    seed = int(rng.integers(2**32))  # one for all numbers of replications: only these differ
    tables: dict[int, PairTable] = {}
    if not request.run and (verdicts is None or verdicts.name == "own-variance"):
        tables = {n: _fixed_table(request, n, seed) for n in FIXED if n < n_all}
    if not request.run:
        tables[n_all] = _fixed_table(request, n_all, seed) if verdicts is None else verdicts.pairs
    found: list[list[FixedVerdict]] = [[] for _ in all_series]
    for n, table in tables.items():
        for i, series in enumerate(all_series):
            first, second = request.names(request.pairs[series.place])
            is_there = {first, second} <= set(table.candidates)
            pair = table.between(first, second) if is_there else None
            if pair is not None and pair.estimate is not None:
                p_values = pair.p_value, pair.adjusted_p_value
                found[i].append(FixedVerdict(n, *p_values, pair.decision, pair.way))
    return [tuple(row) for row in found]


def _fixed_table(request: Request, n: int, seed: int) -> PairTable:
    """Return the verdicts of a design of n replications."""
    performances = request.performances
    there = np.flatnonzero(np.isfinite(request.values).any(axis=0))
    values = np.where(np.isfinite(performances.values), performances.values, np.nan)[:n, there]
    rng = np.random.default_rng(seed)
    table = compare_by_scale(values, request.scale, request.rule.alpha, rng)
    names = [performances.candidates[k] for k in there]
    return table.named(names, request.target, performances.measure.is_smaller_better).decided(
        area_on(request.scale, request.rule.area)
    )


def _random_orders(
    request: Request, all_series: Sequence[PairSeries], rng: Generator
) -> list[RandomOrders | None]:
    """Test random orders of the replications at some looks; pairs with as many at once."""
    n_orders, alpha = request.options.orders, request.rule.alpha
    found: list[RandomOrders | None] = [None] * len(all_series)
    for n, places in _alike(len(series.differences) for series in all_series):
        if not n_orders or n <= request.burn_in:
            continue
        looks = order_looks(n, request.burn_in, LOOKS_OF_ORDERS)
        stacked = np.stack([all_series[i].differences for i in places])
        tested = order_free(stacked, looks, request.plan.test, rng, n_orders)
        for i, orders in zip(places, tested, strict=True):
            replications = all_series[i].replications
            stable = orders.stable_from(alpha)
            lower, median, upper = (tuple(row) for row in orders.band().tolist())
            found[i] = RandomOrders(
                n_orders,
                tuple(replications[looks - 1].tolist()),
                lower,
                median,
                upper,
                tuple(orders.share_significant(alpha).tolist()),
                None if stable is None else int(replications[stable - 1]),
            )
    return found


def _group_tests(request: Request, all_series: Sequence[PairSeries]) -> list[GroupSequential]:
    """Test all replications so far at the end of each stage, of each pair."""
    planned, ends = request.rule.ends, request.ends
    shares = tuple(end / planned[-1] for end in planned)
    spending = SPENDINGS["pocock" if request.rule.rule == "pocock" else "obrien-fleming"]
    differences = [request.differences[series.place] for series in all_series]
    z = [*group_statistics(differences, ends, request.plan, request.burn_in)]
    n_compared = request.n_compared if request.is_part else None
    looks = first_rejections(z, shares, spending, request.own_alpha, n_compared=n_compared)
    own = tuple(boundaries_of(shares, spending, request.rule.alpha).upper.tolist())
    found = []
    for row, look in zip(z, looks, strict=True):
        at = look if look is not None and look <= len(ends) else None
        verdict: Verdict = "open" if at is None else _direction(row[at - 1])
        end = None if at is None else ends[at - 1]
        found.append(GroupSequential(own, tuple(row.tolist()), verdict, end))
    return found


def _direction(lead: float) -> Verdict:
    return "greater" if lead > 0 else "less"


def _anytime_tests(request: Request, all_series: Sequence[PairSeries]) -> list[Anytime]:
    """Follow the sign e-process of each pair."""
    signed = np.zeros((len(all_series), len(request.values)))
    for i, series in enumerate(all_series):
        signed[i, series.replications - 1] = series.differences
    process = sign_process(signed)
    p_values = process.p_values
    adjusted = p_values * request.n_compared if request.is_part else holm(p_values)
    return [
        Anytime(
            int(process.wins[i, -1]),
            int(process.losses[i, -1]),
            float(p_values[i, -1]),
            at,
            "open" if at is None else _direction(lead),
        )
        for i, (at, lead) in enumerate(process.first_rejections(adjusted, request.own_alpha))
    ]
