"""Tables of the inference: pairs with their decisions, methods, effects, means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.methods import METHODS
from reportgen.notation import NumberFormat, level_words
from reportgen.report import (
    ADVANTAGE,
    CANDIDATE,
    DATASET,
    MEAN_RANK,
    METHOD,
    P_VALUE,
    PAIR,
    ColumnOf,
    Rows,
    Table,
    with_values,
)
from reportgen.sections.inference.result import (
    Control,
    Effect,
    InferenceResult,
    Law,
    ManyToOne,
    MeasureInference,
    Method,
    has_leader_pairs,
)
from reportgen.stats.blocks.model import EqualityTest
from reportgen.stats.columns import Column, negative
from reportgen.stats.pair_table import Pair, PairTable, numbers_or_none
from reportgen.stats.verdict import Verdict
from reportgen.targets import GENERALISATIONS

MOST_NAMED = 3  # pairs that a cell names; beyond, it counts them
MOST_TABULATED = 3  # measures that have an overview over all data sets

WORST_RANK = "Mean rank, failures last"

QUIET = ("equivalent", "undecided")

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
    "bootstrap": "bootstrap",
}


def tabulate(result: InferenceResult) -> tuple[Table, ...]:
    """Lay out the pairs and the means of every measure.

    Where the candidates are too many for a figure of all pairs, "leader-pairs" has those of the
    best mean with the next ones, which the article shows; "pairs" always has all of them.
    """
    return tuple(table for found in result.values() for table in _tables(found))


def _tables(found: MeasureInference) -> Iterable[Table]:
    if found.pairs:
        yield _pairs("pairs", found, found.arranged)
        if has_leader_pairs(found):
            yield _pairs("leader-pairs", found, found.rivals)
    if found.rank_sums is not None or found.mixed_model is not None:
        yield _model(found)
    if found.deciding_method and found.methods:
        yield _methods(found, found.deciding_method)
    if found.effects:
        yield _effects("effects", found, found.effects)
    if found.many_to_one:
        yield _reference_table(found.many_to_one, found)


def _pairs(name: str, found: MeasureInference, pairs: PairTable) -> Table:
    """One row a pair, the better mean first."""
    own, of_ranks = numbers_or_none(pairs.adjusted_p_value), p_values_of(found.rank_pairs, pairs)
    has_ranks = any(p is not None for p in of_ranks)
    p_values = [(Column("p_value", "p, means" if has_ranks else "p", "pvalue"), own)]
    if has_ranks:
        p_values.append((Column("p_value_ranks", "p, ranks", "pvalue"), of_ranks))
    return pairs_table(
        name,
        found,
        pairs,
        p_values=p_values,
        counts=Column("replications", "Won – tied – lost", "counts"),
        number_format=found.number_format,
    )


def p_values_of(others: PairTable | None, pairs: PairTable) -> list[float | None]:
    """Return the adjusted p-values of some pairs by another method, None where it has none."""
    if not others:
        return [None] * len(pairs)
    rows = others.rows_of(pairs)
    return numbers_or_none(np.where(rows >= 0, others.adjusted_p_value[rows], np.nan))


def pairs_table(
    name: str,
    found: Verdict,
    pairs: PairTable,
    *,
    p_values: Sequence[tuple[Column, Sequence[float | None]]],
    counts: Column,
    number_format: NumberFormat,
) -> Table:
    """Lay out one row a pair; rows without a relevant difference are quiet.

    The advantage is positive, or above 1, where the first is better, whatever the measure's
    direction. Without an area of equivalence a column has the least one in which a pair would be
    equivalent.

    `name`: of the table.
    `p_values`: columns of p-values, and what is in them.
    `counts`: of how often the first is better, equal and worse.
    """
    estimate, lower, upper = found.advantages(pairs)
    level = f"{level_words(found.alpha)} interval"
    columns: list[tuple[Column, Any]] = [
        (PAIR, pairs.both),
        (Column("advantage", "Times" if found.is_ratio else "Advantage", "difference"), estimate),
        (Column("interval", level, "difference-interval"), Rows(lower, upper)),
        *((column, np.array(values, np.float64)) for column, values in p_values),
    ]
    if "wins" in pairs.extra:  # samples that nobody shares have none
        columns.append((counts, Rows(*(pairs.extra[key] for key in ("wins", "ties", "losses")))))
    if found.relevance is None:
        words = "Equivalent within" if found.is_ratio else "Equivalent within ±"
        bound = Column("equivalence_bound", words, "difference")
        columns.append((bound, pairs.equivalence_bounds))
    columns.append((Column("decision", "Decision", "decision"), pairs.words))
    return Table(
        name,
        found.measure.name,
        tuple(column for column, _ in columns),
        Rows(*(cells for _, cells in columns)),
        number_format,
        quiet=tuple(decision in QUIET for decision in pairs.decision),
        is_wide=True,
    )


def _model(found: MeasureInference) -> Table:
    """One row a candidate, in the order of the means; with gaps also how many values it has."""
    model = found.mixed_model
    has_counts = model is not None and found.has_gaps
    last = found.worst_rank if found.has_gaps else None
    columns: list[ColumnOf[str]] = [(CANDIDATE, lambda name: name)]
    if model is not None and has_counts:
        counts = model.n_values
        columns.append((Column("n", "Values", "count"), lambda name: counts[name]))
    means = model.coefficients if model else {}
    errors = model.standard_errors if model else {}
    sums, n_blocks = found.rank_sums or {}, found.n_blocks
    columns += [
        (Column("mean", "Mean", "value", found.measure.better), means.get),
        (Column("standard_error", "Standard error", "difference"), errors.get),
        (Column("rank_sum", "Rank sum", "rank", "smaller"), sums.get),
        (
            MEAN_RANK,
            lambda name: sums[name] / n_blocks if name in sums else None,
        ),
    ]
    if last:
        failed = Column("mean_worst_rank", WORST_RANK, "rank", "smaller")
        columns.append((failed, lambda name: last.rank_sums[name] / last.n_blocks))
    return Table.of(
        found.order,
        columns,
        name="model",
        measure=found.measure.name,
        number_format=found.value_format,
    )


def _methods(found: MeasureInference, chosen: Method) -> Table:
    """One row a method: what it tests, which error it controls, and its decisions."""
    # The verdict's comes first. A number of replications that all have is left to the caption.
    is_varied = found.common_units is None
    columns: list[ColumnOf[Method]] = [
        (METHOD, lambda m: METHODS[m.name].title),
        (Column("law", "p-values by", "text"), lambda m: LAWS[m.law]),
        (Column("target", "Speaks of", "text"), lambda m: GENERALISATIONS[m.target].words),
        (Column("controls", "Error held", "text"), lambda m: CONTROLS[m.controls]),
        (
            Column("replications", "Replications", "count", is_shown=is_varied),
            lambda m: m.n_units,
        ),
        (Column("decided", "Significant", "count"), lambda m: m.pairs.n_significant),
        (Column("smallest_p", "Smallest\u00a0p", "pvalue"), lambda m: m.pairs.smallest_p_value),
        (Column("differing", "Differs over", "text"), lambda m: _differing(m, found)),
    ]
    methods = (chosen, *found.methods.values())
    return Table.of(methods, columns, name="methods", measure=found.measure.name, is_wide=True)


def _differing(method: Method, found: MeasureInference) -> str | None:
    """Name the pairs on which a method and the verdict differ, or count them."""
    pairs = method.differing(found.pairs)
    if len(pairs) > MOST_NAMED:
        return f"{len(pairs)} pairs"
    return ", ".join(f"{first}–{second}" for first, second in pairs.both) or None


def _effects(name: str, found: MeasureInference, effects: Sequence[Effect]) -> Table:
    """One row a pair, the better mean first: positive, or above one half, where that is better."""
    place = {name: i for i, name in enumerate(found.order)}
    ordered = sorted(
        (e if place[e.first] < place[e.second] else e.reversed() for e in effects),
        key=lambda e: (place[e.first], place[e.second]),
    )
    smaller = found.measure.is_smaller_better

    def of_advantage(get: Callable[[Effect], Any]) -> Callable[[Effect], Any]:
        """Read the sign of a difference so that it is positive where the first is better."""
        return (lambda e: negative(get(e))) if smaller else get

    columns: list[ColumnOf[Effect]] = [
        PAIR,
        (ADVANTAGE, of_advantage(lambda e: e.difference)),
        (
            Column("interval", "its interval", "difference-interval"),
            of_advantage(lambda e: e.difference_interval),
        ),
        (Column("d", "d", "number"), of_advantage(lambda e: e.d)),
        (
            Column("d_interval", "its interval", "number-interval"),
            of_advantage(lambda e: e.d_interval),
        ),
        Column("superiority", "A12, paired", "number"),
        Column("superiority_interval", "its interval", "number-interval"),
        Column("cliff_delta", "Cliff’s delta", "number"),
    ]
    if found.pairs and not found.is_ratio:
        both = [(e.first, e.second) for e in ordered]
        rows = found.pairs.rows_between(both)
        limits = np.where(rows >= 0, found.pairs.equivalence_bounds[rows], np.nan)
        bounds = dict(zip(both, numbers_or_none(limits), strict=True))
        bound = Column("equivalence_bound", "Equivalent within ±", "difference")
        columns.insert(3, (bound, lambda e: bounds[e.first, e.second]))
    if any(effect.unpaired_superiority is not None for effect in found.effects):
        columns += [
            Column("unpaired_superiority", "A12, all pairs", "number"),
            Column("unpaired_interval", "its interval", "number-interval"),
        ]
    return Table.of(
        ordered,
        columns,
        name=name,
        measure=found.measure.name,
        number_format=found.value_format,
        is_wide=True,
    )


def _reference_table(reference: ManyToOne, found: MeasureInference) -> Table:
    """One row a candidate, by its mean: its advantage over the reference."""
    place = {name: i for i, name in enumerate(found.order)}
    has_means = reference.critical_value is not None
    columns: list[ColumnOf[Pair]] = [(CANDIDATE, lambda p: p.first)]
    if has_means:
        level = level_words(found.alpha)
        columns += [
            (
                ADVANTAGE,
                lambda p: found.advantage(p)[0],
            ),
            (
                Column("interval", f"{level} interval", "difference-interval"),
                lambda p: found.advantage(p)[1],
            ),
            (Column("p_value", "p, means", "pvalue"), lambda p: p.adjusted_p_value),
        ]
    columns += [
        Column("p_value_ranks", "p, ranks", "pvalue"),
        Column("p_value_permutation", "p, ranks permuted", "pvalue"),
    ]
    if has_means:
        columns.append((Column("decision", "By Dunnett", "text"), lambda p: p.words))
    return Table.of(
        sorted(reference.pairs, key=lambda p: place[p.first]),
        columns,
        name="many-to-one",
        measure=found.measure.name,
        number_format=found.value_format,
    )


def overview(results: Mapping[str, InferenceResult]) -> tuple[Table, ...]:
    """Lay out the tests of all data sets, one table a measure.

    `results`: what `analyse` returned, by data set.
    Result: "overview" of the first measures that could be tested somewhere.
    """
    names = list(dict.fromkeys(name for result in results.values() for name in result))
    found = (
        (name, {data: r[name] for data, r in results.items() if name in r})
        for name in names[:MOST_TABULATED]
    )
    return tuple(
        _overview(name, rows) for name, rows in found if any(r.pairs for r in rows.values())
    )


def _overview(measure: str, found: Mapping[str, MeasureInference]) -> Table:
    """One row a data set; columns without any value are left out."""
    columns: list[ColumnOf[MeasureInference]] = [
        (Column("f", "F", "statistic"), lambda r: (test := _equality(r)) and test.statistic),
        (P_VALUE, lambda r: (test := _equality(r)) and test.p_value),
        (
            Column("p_value_friedman", "p, ranks", "pvalue"),
            lambda r: r.friedman and r.friedman.p_value,
        ),
        (Column("epsilon", "ε", "number"), lambda r: r.sphericity),
        (
            Column("decided", "Significant", "count"),
            lambda r: r.pairs.n_significant if r.pairs and not r.pairs.is_open.all() else None,
        ),
        (
            Column("conditional", "in these samples", "count"),
            lambda r: (
                r.conditional_pairs.n_significant
                if r.is_of_new_data and not r.is_untested_here
                else None
            ),
        ),
        (
            Column("other_decided", "by the other variance", "count"),
            lambda r: (
                r.other_variance.pairs.n_significant
                if r.other_variance and not r.is_untested_here
                else None
            ),
        ),
        (
            Column("other_differing", "otherwise", "count"),
            lambda r: (
                r.n_variance_changes
                if r.other_variance and not (r.is_open or r.is_untested_here)
                else None
            ),
        ),
        (
            Column("new_data", "for new data", "count"),
            lambda r: (m := r.methods.get("new-data")) and m.pairs.n_significant,
        ),
        (
            Column("p_value_residuals", "p, normal residuals", "pvalue"),
            lambda r: r.diagnostics and r.diagnostics.residuals.p_value,
        ),
        (
            Column("p_value_spread", "p, equal scatter", "pvalue"),
            lambda r: r.diagnostics and r.diagnostics.spread and r.diagnostics.spread.p_value,
        ),
    ]
    known = with_values(columns, found.values())
    return Table.of(
        found.items(),
        [
            (DATASET, lambda row: row[0]),
            *((column, lambda row, get=get: get(row[1])) for column, get in known),
        ],
        name="overview",
        measure=measure,
        is_wide=True,
    )


def _equality(found: MeasureInference) -> EqualityTest | None:
    return found.mixed_model.equality_test if found.mixed_model else None
