"""Tables of what stands beside the block model: roads, effects, a reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.document import Column, Table
from reportgen.notation import Scale
from reportgen.sections.inference.beside import Control, Law, Road, RoadName
from reportgen.sections.inference.further import AgainstReference, Effect, ReferencePair
from reportgen.sections.inference.result import MeasureInference, Pair
from reportgen.warehouse import Target

MOST_NAMED = 3  # pairs that a cell names; beyond, it counts them

METHODS: Mapping[RoadName, str] = {
    "block-model": "Block model, pooled variance",
    "pairwise-variance": "Means, own variance of each pair",
    "sign-flip": "Sign flips of replications, step-down",
    "permutation-t": "Paired t, permuted",
    "closed-means": "Means permuted, closed testing",
    "joint-ranks": "Joint ranks",
    "closed-ranks": "Ranks, closed testing",
    "aligned-ranks": "Aligned ranks",
    "signed-rank-holm": "Signed ranks, Holm",
    "signed-rank-shaffer": "Signed ranks, Shaffer",
    "corrected-t": "Corrected resampled t, Holm",
}
TARGETS: Mapping[Target, str] = {
    "conditional": "this data set",
    "generating-process": "new data of the source",
    "domain": "the domain",
}
CONTROLS: Mapping[Control, str] = {
    "strong": "always",
    "strong-if-alike": "if differences vary alike",
    "global-null": "only if all are alike",
    "approximate": "approximately",
}
LAWS: Mapping[Law, str] = {
    "exact": "exact",
    "monte-carlo": "random permutations",
    "asymptotic": "limit law",
    "t": "t",
    "studentized-range": "studentized range",
    "max-t": "largest |t|",
}


def roads_table(found: MeasureInference) -> Table:
    """One row a method: what it answers, what it holds, and what it comes to.

    Shaffer's adjustment is left out where it comes to what Holm's does.
    """
    columns = (
        Column("method", "Method", "text"),
        Column("law", "p-values by", "text"),
        Column("target", "Speaks of", "text"),
        Column("controls", "Error held", "text"),
        Column("replications", "Replications", "count"),
        Column("distinguished", "Distinguished", "count"),
        Column("smallest_p", "Smallest p", "pvalue"),
        Column("differing", "Differs over", "text"),
    )
    holm = found.road.get("signed-rank-holm")
    rows = tuple(
        _road_row(road)
        for road in found.roads
        if road.name != "signed-rank-shaffer" or holm is None or road.differing != holm.differing
    )
    return Table("roads", found.measure.name, columns, rows, is_wide=True)


def _road_row(road: Road) -> tuple[object, ...]:
    n = len(road.differing)
    named = ", ".join(f"{first}–{second}" for first, second in road.differing)
    return (
        METHODS[road.name],
        LAWS[road.law],
        TARGETS[road.target],
        CONTROLS[road.controls],
        road.n_blocks,
        road.n_distinguished,
        road.smallest_p,
        (f"{n} pairs" if n > MOST_NAMED else named) or None,
    )


def effects_table(
    name: str, found: MeasureInference, effects: Sequence[Effect], at: Scale
) -> Table:
    """One row a pair, the better mean first: positive, or above one half, where that is better."""
    place = {name: i for i, name in enumerate(found.order)}
    bounds = {frozenset((p.first, p.second)): p for p in found.pairs}
    is_main = any(effect.unpaired_superiority is not None for effect in found.effects)
    columns = (
        Column("pair", "Pair", "pair"),
        Column("advantage", "Advantage", "difference"),
        Column("interval", "its interval", "difference-interval"),
        *((Column("equivalence_bound", "Equivalent within ±", "difference"),) if bounds else ()),
        Column("d", "d", "number"),
        Column("d_interval", "its interval", "number-interval"),
        Column("superiority", "A12, paired", "number"),
        Column("superiority_interval", "its interval", "number-interval"),
        Column("cliff_delta", "Cliff’s delta", "number"),
        *(
            (
                Column("unpaired_superiority", "A12, all pairs", "number"),
                Column("unpaired_interval", "its interval", "number-interval"),
            )
            if is_main
            else ()
        ),
    )
    ordered = sorted(effects, key=lambda e: sorted((place[e.first], place[e.second])))
    rows = tuple(
        _effect_row(
            e,
            place[e.first] > place[e.second],
            found,
            bounds.get(frozenset((e.first, e.second))) if bounds else None,
            has_bound=bool(bounds),
            is_main=is_main,
        )
        for e in ordered
    )
    return Table(name, found.measure.name, columns, rows, at, is_wide=True)


def _effect_row(
    effect: Effect,
    is_turned: bool,
    found: MeasureInference,
    pair: Pair | None,
    *,
    has_bound: bool,
    is_main: bool,
) -> tuple[object, ...]:
    names = (effect.second, effect.first) if is_turned else (effect.first, effect.second)
    sign = 1 if is_turned == found.measure.is_smaller_better else -1  # of an advantage
    unpaired = (
        _share(effect.unpaired_superiority, is_turned),
        _shares(effect.unpaired_interval, is_turned),
    )
    return (
        names,
        sign * effect.difference,
        _signed(effect.difference_interval, sign),
        *((pair.equivalence_bound if pair else None,) if has_bound else ()),
        None if effect.d is None else sign * effect.d,
        _signed(effect.d_interval, sign),
        _share(effect.superiority, is_turned),
        _shares(effect.superiority_interval, is_turned),
        -effect.cliff_delta if is_turned else effect.cliff_delta,
        *(unpaired if is_main else ()),
    )


def _signed(bounds: tuple[float, float] | None, sign: int) -> tuple[float, float] | None:
    if bounds is None:
        return None
    return bounds if sign > 0 else (-bounds[1], -bounds[0])


def _share(x: float | None, is_turned: bool) -> float | None:
    return 1 - x if x is not None and is_turned else x


def _shares(bounds: tuple[float, float] | None, is_turned: bool) -> tuple[float, float] | None:
    return (1 - bounds[1], 1 - bounds[0]) if bounds is not None and is_turned else bounds


def against_table(against: AgainstReference, found: MeasureInference, at: Scale) -> Table:
    """One row a candidate, by its mean: its advantage over the reference."""
    place = {name: i for i, name in enumerate(found.order)}
    has_means = against.critical_value is not None
    means = (
        Column("advantage", "Advantage", "difference"),
        Column("interval", f"{100 * (1 - found.alpha):g}% interval", "difference-interval"),
        Column("p_value", "p, means", "pvalue"),
    )
    columns = (
        Column("candidate", "Candidate", "candidate"),
        *(means if has_means else ()),
        Column("p_value_ranks", "p, ranks", "pvalue"),
        Column("p_value_permutation", "p, ranks permuted", "pvalue"),
        *((Column("decision", "Decision", "text"),) if has_means else ()),
    )
    sign = -1 if found.measure.is_smaller_better else 1
    rows = tuple(
        (
            pair.candidate,
            *(_means_of(pair, sign) if has_means else ()),
            pair.p_value_ranks,
            pair.p_value_permutation,
            *((_decided(pair, found),) if has_means else ()),
        )
        for pair in sorted(against.pairs, key=lambda p: place[p.candidate])
    )
    return Table("against", found.measure.name, columns, rows, at)


def _means_of(pair: ReferencePair, sign: int) -> tuple[object, ...]:
    if pair.estimate is None or pair.lower is None or pair.upper is None:
        return (None, None, None)
    return sign * pair.estimate, _signed((pair.lower, pair.upper), sign), pair.p_value


def _decided(pair: ReferencePair, found: MeasureInference) -> str:
    """Write what is decided of a candidate against the reference."""
    decision = pair.decision or "undecided"
    if decision == "equivalent":
        return "equivalent, though distinguished" if pair.significant else "equivalent"
    if decision == "undecided":
        return "undecided" if found.relevance else "not distinguished"
    if not found.relevance:
        return decision
    word, _, is_relevant = decision.partition("-")
    return f"relevantly {word}" if is_relevant else f"{word}, relevance open"
