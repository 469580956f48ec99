"""Tables of the domain: consensus, means, pairs, variances, methods and parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from reportgen.measures import MEASURE_WORDS
from reportgen.methods import METHODS, ComparisonMethod
from reportgen.notation import SHARES, NumberFormat, level_words, number, number_format
from reportgen.report import (
    CANDIDATE,
    CHARACTER,
    DATASET,
    MARK_AND_GAP,
    MEAN_RANK,
    METHOD,
    ORDER,
    P_VALUE,
    PAIR,
    ROOM,
    ColumnOf,
    Rows,
    Table,
    entry,
    fitting_columns,
    with_values,
)
from reportgen.sections.consensus.analysis import ConsensusResult
from reportgen.sections.domain.result import (
    AcrossRanks,
    AnovaRow,
    DatasetFamilies,
    DatasetFamily,
    DatasetRow,
    Distances,
    DomainEquality,
    DomainFit,
    DomainResult,
    DomainVerdict,
    FixedEffectsFit,
    MethodOrder,
    Subdomain,
)
from reportgen.sections.inference.result import has_leader_pairs
from reportgen.sections.inference.tables import p_values_of, pairs_table
from reportgen.stats.columns import Column, Kind
from reportgen.stats.pair_table import PairTable, numbers_or_none
from reportgen.stats.ranks.friedman import ImanDavenportTest
from reportgen.stats.verdict import Groups
from reportgen.units import Words
from reportgen.warehouse.rows import natural_order

MOST_NAMED = 15  # data sets of a part
MOST_FAMILIES = 40  # of data sets, that have a row
MOST_DRAWN = 60  # candidates that figures of all of them draw; of more, a table has all
ALL_COLUMNS = 8  # candidates up to which the table of data sets has all
LONGEST_HEAD = 8  # letters of a name in a line of its head, where names are many
COLUMN_GAP, SMALLER = 8.5, 0.9  # pt between columns; size of standard errors
MARK = MARK_AND_GAP - COLUMN_GAP  # of a candidate, in the head of its column
LETTER = 3.8  # of a size or its head, where most letters are narrow
PLUS_MINUS = 1.7  # letters: how wide the sign and its blanks are
MOST_ROWS, MOST_COLUMNS = 30, 10  # of very many data sets and candidates those that a page holds


def across_tables(result: DomainResult) -> Iterator[Table]:
    """Lay out comparisons by one value per data set, the methods, and the parts of the domain."""
    for measure, across in result.across.items():
        if across.pairs is not None:
            yield _across(result, measure, across, across.pairs)
    for measure in result.agreement:
        yield _methods(result, measure)
        yield _agreement(result, measure)
    if result.subdomains is not None:
        yield _subdomains(result)
    if result.stability is not None:
        yield _stability(result)


def _datasets(result: DomainResult) -> Table:
    """One row a data set: sizes, the candidates' means, the baseline, and the slowest."""
    # Of very many data sets those whose means depart most, of very many candidates the best. What
    # the page has no room for is in the file alone.
    rows, names = shown_rows(result), shown_candidates(result)
    measure, timed = result.main_measure, result.measures.get(result.timed or "")
    times = number_format(timed, [r.slowest or 0.0 for r in rows]) if timed else None
    means = [x for row in result.rows for x in row.means.values()]
    at = number_format(measure, means)
    sides: list[ColumnOf[DatasetRow]] = [
        Column("n_observations", "n", "count"),
        *([Column("baseline", "Baseline", "value")] if result.common_baseline is None else ()),
        Column("n_classes", "Classes", "count"),
        Column("n_tested", "Tested", "count"),
    ]
    if times:
        head = f"Slowest, {times.unit_symbol}"
        sides.append(Column("slowest", head, "value", number_format=times))
    known = with_values(sides, rows)
    n_missing = sum(r.n_missing for r in rows)
    gaps: list[ColumnOf[DatasetRow]] = [
        (Column("missing", "Missing", "count"), lambda r: r.n_missing or None)
    ]
    first = CHARACTER * (max((len(row.name) for row in rows), default=0) + 8 * bool(n_missing))
    errors = [e for row in rows for e in row.standard_errors.values()]
    spread = max((len(at.value(e)) + PLUS_MINUS for e in errors), default=0)
    room = ROOM - first - _width(rows, names, at, spread)
    has_errors = bool(spread) and room >= 0
    if not has_errors:
        room = ROOM - first - _width(rows, names, at, 0)
    shown: set[str] = set()
    for column, get in known:
        cells = [get(row) for row in rows]
        width = COLUMN_GAP + LETTER * max(
            len(column.label), *(len(_written(column, x, at)) for x in cells)
        )
        if width <= room:
            shown.add(column.name)
            room -= width
    own = {c.name: (replace(c, is_shown=c.name in shown), get) for c, get in known}
    cell = _estimate if has_errors else _mean
    kind: Kind = "estimate" if has_errors else "value"
    columns: list[ColumnOf[DatasetRow]] = [
        (DATASET, lambda r: r.name),
        *(own[name] for name in ("n_observations", "n_classes", "n_tested") if name in own),
        *(gaps if n_missing else ()),
        *((Column(f"mean {n}", n, kind, candidate=n), partial(cell, n)) for n in names),
        *(own[name] for name in ("baseline", "slowest") if name in own),
    ]
    table = Table.of(
        rows, columns, name="datasets", measure=measure.name, number_format=at, is_wide=True
    )
    is_by_tests = result.is_tested and not result.is_level
    best = (lambda row: row.best) if is_by_tests else result.best_means
    marked = frozenset((i, f"mean {n}") for i, r in enumerate(rows) for n in best(r) if n in names)
    return replace(
        table,
        marked=marked,
        foot=_foot(result, table) if len(rows) == len(result.rows) else (),
    )


def _width(
    rows: Sequence[DatasetRow], names: Sequence[str], at: NumberFormat, spread: float
) -> float:
    """Return the width of the candidates' columns, in points; `spread`: letters of an error."""
    widest = max((len(at.value(x)) for r in rows for x in r.means.values()), default=0)
    cell = CHARACTER * (widest + SMALLER * spread)
    heads = (MARK + CHARACTER * min(len(name), LONGEST_HEAD) for name in names)
    return sum(COLUMN_GAP + max(cell, head) for head in heads)


def _written(column: Column, value: object, at: NumberFormat) -> str:
    if value is None:
        return ""
    number_ = float(str(value))
    return (
        number(number_, 0)
        if column.kind == "count"
        else (column.number_format or at).value(number_)
    )


def _mean(name: str, row: DatasetRow) -> float | None:
    return row.means.get(name)


def _estimate(name: str, row: DatasetRow) -> tuple[float | None, float | None] | None:
    mean = row.means.get(name)
    return None if mean is None else (mean, row.standard_errors.get(name))


def shown_rows(result: DomainResult) -> tuple[DatasetRow, ...]:
    """Return the data sets of the main table: all, or of very many those that depart most."""
    rows = {row.name: row for row in result.rows}
    if result.sort == "name":
        rows = {name: rows[name] for name in natural_order(rows)}
    elif result.sort == "study":
        rows = {name: rows[name] for name in result.datasets if name in rows}
    if result.lists_all:
        return tuple(rows.values())
    departing = result.interaction.most_departing(MOST_ROWS) if result.interaction else ()
    kept = departing or [row.name for row in result.rows[:MOST_ROWS]]
    return tuple(row for name, row in rows.items() if name in kept)


def shown_candidates(result: DomainResult) -> tuple[str, ...]:
    """Return the candidates of the main table: those with a value, of very many the best means."""
    verdict = result.verdict.get(result.main)
    known = [n for n in result.candidates if any(n in row.means for row in result.rows)]
    n = _n_columns(result, known)
    return tuple(known) if n == len(known) else verdict.order[:n] if verdict else tuple(known[:n])


def _n_columns(result: DomainResult, names: Sequence[str]) -> int:
    """Return how many candidates the page has room for, by the longest name: up to eight all."""
    if len(names) <= ALL_COLUMNS:
        return len(names)
    rows = shown_rows(result)
    n_besides = sum((
        any(r.n_tested is not None for r in rows),
        any(r.n_missing for r in rows),
        2 * bool(result.timed),
    ))  # fmt: skip
    beside = max((len(r.name) for r in rows), default=0) + 8 * n_besides
    n = fitting_columns(max(map(len, names), default=0), beside)
    return min(len(names), MOST_COLUMNS, max(3, n))


def _foot(result: DomainResult, table: Table) -> tuple[object, ...]:
    """Return the means over the data sets."""
    verdict = result.verdict.get(result.main)
    if verdict is None or verdict.is_wins:
        return ()
    has_errors = any(column.kind == "estimate" for column in table.columns)
    found: dict[str, object] = {
        f"mean {n}": (x, None) if has_errors else x for n, x in verdict.means.items()
    }
    found["dataset"] = "geometric mean" if verdict.is_ratio else "mean"
    return tuple(found.get(column.name) for column in table.columns)


def _methods(result: DomainResult, measure: str) -> Table:
    """One row a question: consensus, means, ranks."""
    found = result.agreement[measure]
    columns = (
        METHOD,
        Column("question", "Its question", "text"),
        Column("pairs", "Pairs ordered", "count"),
        Column("best", "Best", "text"),
        ORDER,
    )
    rows = tuple(
        (words.short, words.question, len(r.ahead), _few(r.best), r.order if r.ahead else None)
        for r in found.main_methods
        for words in (METHODS[r.method].over,)
    )
    return Table("methods", measure, columns, rows, is_wide=True)


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= 4 else f"{len(names)} candidates"


def _models(result: DomainResult, verdict: DomainVerdict) -> Table:
    """One row a method of the means or ranks: its test that all are equal, and its decisions."""
    measure = verdict.measure.name
    columns = (
        METHOD,
        Column("statistic", "F", "statistic"),
        Column("df", "Degrees of freedom", "text"),
        Column("p_value", "p, all equal", "pvalue"),
        Column("pairs", f"Significant, of {len(verdict.pairs)}", "count"),
        Column("otherwise", "Otherwise than the verdict", "count"),
    )
    rows: list[tuple[object, ...]] = []

    def add(head: str, test: _Test, pairs: PairTable) -> None:
        own = pairs.only_with(verdict.reference)
        rows.append((head, *test, own.n_significant, verdict.n_differing(pairs)))

    if shortest := METHODS[verdict.method].over.shortest:
        add(shortest, NO_TEST, verdict.pairs)
    if "fdr_p_value" in verdict.pairs.extra and len(verdict.pairs) > 1 and not verdict.is_open:
        add("False discovery rate", NO_TEST, verdict.false_discovery)
    for name, fit in result.fits(measure).items():
        add(f"Model, {STRUCTURES[name]}", _test(fit.equality_test), fit.pairs)
    if measure in result.fixed_effects:
        fixed = result.fixed_effects[measure]
        row = fixed.term("candidate")
        test = NO_TEST if row is None else (row.statistic, _df_of(fixed, row), row.p_value)
        add(Words("Model, data sets fixed"), test, fixed.pairs)
    if measure in result.sign_flips:
        of = "families" if verdict.has_relatives else "data sets"
        add(Words(f"Sign flips of {of}"), NO_TEST, result.sign_flips[measure])
    across = result.across.get(measure)
    if across is not None and across.pairs is not None:
        add("Signed ranks, Holm", _test(across.iman_davenport), across.pairs)
    return Table("models", measure, columns, tuple(rows), is_wide=True)


_Test = tuple[float | None, str | None, float | None]
NO_TEST: _Test = (None, None, None)


def _test(found: DomainEquality | ImanDavenportTest | None) -> _Test:
    """Return statistic, degrees of freedom and p-value of a test that all are equal."""
    if found is None:
        return NO_TEST
    return found.statistic, f"{_degrees(found.df1)} and {_degrees(found.df2)}", found.p_value


def _degrees(df: float) -> str:
    return number(df, 0 if abs(df - round(df)) < 0.05 else 1)


def _across(result: DomainResult, measure: str, across: AcrossRanks, pairs: PairTable) -> Table:
    """One row a pair, the better mean rank first."""
    sign = -1 if result.measures[measure].is_smaller_better else 1
    said = pairs.extra
    columns: list[tuple[Column, Any]] = [
        (PAIR, pairs.both),
        (Column("advantage", "Mean advantage", "difference"), sign * said["mean_difference"]),
        (Column("nemenyi", "p, Nemenyi", "pvalue"), said["nemenyi_p_value"]),
        (Column("p_value", "p, signed ranks (Holm)", "pvalue"), pairs.adjusted_p_value),
    ]
    if across.n_posteriors > 0:
        columns.append((Column("better", "P(better)", "rank"), said["posterior_better"]))
        if across.has_area:
            equivalent = Column("equivalent", "P(equivalent)", "rank")
            columns.append((equivalent, said["posterior_equivalent"]))
        columns.append((Column("worse", "P(worse)", "rank"), said["posterior_worse"]))
    means = (x for row in result.rows for x in row.means.values())
    return Table(
        "across",
        measure,
        tuple(column for column, _ in columns),
        Rows(*(cells for _, cells in columns)),
        number_format(result.measures[measure], means if measure == result.main else ()),
        quiet=tuple(way == 0 for way in pairs.direction.tolist()),
        is_wide=True,
    )


def _answer(result: DomainResult, method: ComparisonMethod) -> tuple[str, str]:
    """Return what a method rests on, and what it answers; of settings it speaks of these alone."""
    words = METHODS[method].over
    if method == "own-variance" and result.settings:
        return words.kind, METHODS["sources"].over.answer
    return words.kind, words.answer


def _agreement(result: DomainResult, measure: str) -> Table:
    """One row a method: what it answers, its order, and how far it is from the decision."""
    found = result.agreement[measure]
    verdict = result.verdict.get(measure)
    deciding = verdict.method if verdict else None
    decided = None if deciding is None else found.of(deciding)
    columns: list[ColumnOf[MethodOrder]] = [
        (METHOD, lambda m: _answer(result, m.method)[0]),
        (Column("answers", "What it answers", "text"), lambda m: _answer(result, m.method)[1]),
        ORDER,
        (
            Column("best", "Not beaten", "text"),
            lambda m: ", ".join(m.best) if len(m.best) < 5 else f"{len(m.best)} candidates",
        ),
        (
            Column("pairs", f"Pairs ordered, of {found.n_pairs}", "count"),
            lambda m: len(m.ahead),
        ),
    ]
    if decided is not None:
        changed = Column("n_changed", "Otherwise than the verdict", "count")
        columns.append((changed, lambda m: decided.ahead.n_changed(m.ahead)))
    return Table.of(found.methods, columns, name="agreement", measure=measure, is_wide=True)


def _families(verdict: DomainVerdict, found: DatasetFamilies) -> Table:
    """One row a family of data sets, the largest share of the weight first."""
    rows = found.largest_first[:MOST_FAMILIES]
    columns: list[ColumnOf[DatasetFamily]] = [
        (Column("family", "Family", "text"), lambda row: row.name),
        (Column("n", "Data sets", "count"), lambda row: len(row.datasets)),
        Column("share", "Weight, %", "value", number_format=SHARES),
        Column("best", "Best", "candidate"),
        (Column("mean", "Its mean", "value"), lambda row: row.means[row.best]),
        (
            Column("decided", "Pairs significant there", "count"),
            lambda row: None if row.better is None else len(row.better),
        ),
        (Column("changed", "Pairs otherwise without it", "count"), lambda row: row.n_changed),
        (Column("leaders", "Not beaten without it", "text"), lambda row: _few(row.leaders_without)),
    ]
    return Table.of(
        rows,
        columns,
        name="families",
        measure=verdict.measure.name,
        number_format=verdict.value_format,
        is_wide=True,
    )


def _subdomains(result: DomainResult) -> Table:
    """One row a part of the domain."""
    parts = result.subdomains.parts if result.subdomains else ()
    columns: list[ColumnOf[Subdomain]] = [
        (Column("part", "Part", "text"), lambda part: str(1 + parts.index(part))),
        (Column("n", "Data sets", "count"), lambda part: len(part.datasets)),
        (Column("datasets", "Which", "text"), _names_of_part),
        (Column("order", "Consensus", "order"), _chain_of_part),
        (Column("distance", "Mean distance", "number"), _mean_distance),
        Column("returns", "Returns", "number"),
    ]
    return Table.of(parts, columns, name="subdomains", measure=result.main, is_wide=True)


def _names_of_part(part: Subdomain) -> str:
    rest = len(part.datasets) - MOST_NAMED
    return ", ".join(part.datasets[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _mean_distance(part: Subdomain) -> float | None:
    criterion = part.consensus.criterion
    return None if criterion is None else criterion / len(part.datasets)


def _chain_of_part(part: Subdomain) -> Groups | None:
    """Return the only optimum, else what the optima agree on, where it is a chain."""
    found = part.consensus
    chain = found.relations[0].chain if found.is_unique else None
    if chain is None and found.agreement is not None:
        return found.agreement.chain
    return chain


def _stability(result: DomainResult) -> Table:
    """One row a pair: how often resampled data sets order it as all data sets do."""
    columns = (
        PAIR,
        Column("before", "First before second", "number"),
        Column("level", "Neither", "number"),
        Column("after", "Second before first", "number"),
        Column("returns", "Returns", "number"),
    )
    pairs = result.stability.pairs if result.stability else ()
    return Table.of(pairs, columns, name="stability", measure=result.main)


MOST_LISTED = 5  # optima of one consensus that the table lists
ALL = "all measures"

STRUCTURES = {"interaction": "independent interactions", "unstructured": "free covariance"}


def tabulate(result: DomainResult) -> tuple[Table, ...]:
    """Lay out what the report shows, and the means and ranks of all data sets as files.

    Where the candidates are too many for a figure of all pairs, "leader-pairs" has those of the
    best mean with the next ones, which the article shows; "pairs" always has all of them.
    """
    return tuple(_tables(result))


def _tables(result: DomainResult) -> Iterator[Table]:
    if result.ensembles:
        yield _consensus(result)
    if any(row.means for row in result.rows):
        yield _datasets(result)
        yield _means(result)
    if result.distances is not None and result.distances.matrix:
        yield _distances(result, result.distances)
    yield from across_tables(result)
    for measure, verdict in result.verdict.items():
        yield _model(result, verdict)
        if len(verdict.order) > MOST_DRAWN:
            yield _ranking(verdict)
        yield _models(result, verdict)
        yield _pairs("pairs", result, verdict, verdict.arranged)
        if has_leader_pairs(verdict):
            yield _pairs("leader-pairs", result, verdict, verdict.rivals)
        if result.fits(measure):
            yield _variances(result, measure)
        if measure in result.fixed_effects:
            yield _anova(result, measure)
        if verdict.has_relatives and verdict.dataset_families is not None:
            yield _families(verdict, verdict.dataset_families)
        yield incidence_table(verdict)


# ------------------------------------------------------------------------------- consensus


def _consensus(result: DomainResult) -> Table:
    """One row an optimum of every measure, then those of all measures together."""
    optima = [
        (ALL if measure is None else MEASURE_WORDS.get(measure, measure), found, i)
        for measure, found in result.ensembles
        for i in range(len(found.relations[:MOST_LISTED]))
    ]
    columns: list[ColumnOf[tuple[str, ConsensusResult, int]]] = [
        (Column("ensemble", "Relations by", "text"), lambda row: row[0]),
        (
            Column("members", "Data sets", "count"),
            lambda row: row[1].n_members,
        ),
        (Column("optimum", "Optimum", "text"), lambda row: _number_of_optimum(*row[1:])),
        (Column("order", "Consensus", "order"), lambda row: row[1].relations[row[2]].chain),
        (Column("criterion", "Distance", "number"), lambda row: row[1].criterion),
    ]
    return Table.of(optima, columns, name="consensus", is_wide=True)


def _number_of_optimum(found: ConsensusResult, i: int) -> str:
    n = str(found.n_optimal) if found.n_optimal else f"more than {len(found.relations)}"
    return "the only one" if found.is_unique else f"{i + 1} of {n}"


# ------------------------------------------------------------------------------- data sets


def _means(result: DomainResult) -> Table:
    """One row a data set in the order of the tree: its order, then the candidates' means."""
    names = [n for n in result.candidates if any(n in row.means for row in result.rows)]
    columns: list[ColumnOf[DatasetRow]] = [
        (DATASET, lambda row: row.name),
        (ORDER, lambda row: row.chain),
    ]
    columns += [(Column(f"mean {name}", name, "value"), entry("means", name)) for name in names]
    means = [x for row in result.rows for x in row.means.values()]
    at = number_format(result.main_measure, means)
    return Table.of(result.rows, columns, name="means", measure=result.main, number_format=at)


def _distances(result: DomainResult, apart: Distances) -> Table:
    """One row and one column a data set that has a relation, in the order of the tree."""
    place = {name: i for i, name in enumerate(apart.datasets)}
    names = [name for name in result.leaf_order if name in place]
    at = [place[name] for name in names]
    matrix = apart.between[np.ix_(at, at)]
    columns = (DATASET, *(Column(n, n, "count") for n in names))
    rows = tuple((name, *row) for name, row in zip(names, matrix.tolist(), strict=True))
    return Table("distances", result.main, columns, rows)


# ----------------------------------------------------------------------------------- model


def _model(result: DomainResult, verdict: DomainVerdict) -> Table:
    """One row a candidate: its mean and interval, intervals by models, its mean rank."""
    measure = verdict.measure
    others = () if verdict.is_ratio or verdict.is_wins else result.others(measure.name)
    words = "Geometric mean" if verdict.is_ratio else "Mean"
    words += ", gaps as the worst there" if verdict.is_filled else ""
    level = level_words(verdict.alpha)
    columns: list[ColumnOf[str]] = [
        (CANDIDATE, str),
        (Column("mean", words, "value", measure.better), verdict.means.get),
        (
            Column("interval", f"{level} interval", "interval"),
            _interval_of(verdict.intervals),
        ),
    ]
    columns = columns[:1] if verdict.is_wins else columns
    if verdict.is_filled and not verdict.is_wins:
        own = Column("own_mean", "Mean of its own", "value", measure.better)
        columns.append((own, verdict.own_means.get))
    if verdict.gaps:
        columns.append((Column("n", "Data sets", "count"), verdict.n_values.get))
    for fit in others:
        words = STRUCTURES[fit.structure].capitalize()
        interval = Column(f"interval_{fit.structure}", words, "interval")
        columns.append((interval, _interval_of(fit.intervals)))
    ranks = result.across[measure.name].mean_ranks
    columns.append((MEAN_RANK, ranks.get))
    if not verdict.is_open and len(verdict.order) > 2:
        columns += _ranges(verdict)
    return Table.of(
        verdict.order,
        columns,
        name="model",
        measure=measure.name,
        number_format=verdict.value_format,
    )


def _ranges(verdict: DomainVerdict) -> list[ColumnOf[str]]:
    """Return columns of the ranks that candidates can have by what is decided."""
    ranges: Mapping[str, tuple[int | None, int | None]] = dict(verdict.rank_ranges)
    return [
        (Column("first_rank", "Rank from", "count"), lambda n: ranges.get(n, (None, None))[0]),
        (Column("last_rank", "to", "count"), lambda n: ranges.get(n, (None, None))[1]),
    ]


def _ranking(verdict: DomainVerdict) -> Table:
    """One row a candidate: the ranks it can have, and what the one with the best mean is ahead."""
    names = verdict.pairs.candidates
    better = dict(zip(names, verdict.pairs.incidence.sum(axis=1).tolist(), strict=True))
    worse = dict(zip(names, verdict.pairs.incidence.sum(axis=0).tolist(), strict=True))
    against = verdict.leader_pairs
    rivals = [second for _, second in against.both]
    numbers = map(numbers_or_none, verdict.advantages(against))
    ahead = dict(zip(rivals, zip(*numbers, strict=True), strict=True))
    nothing = (None, None, None)
    p_values = dict(zip(rivals, numbers_or_none(against.adjusted_p_value), strict=True))
    each = (numbers_or_none(against.extra[key]) for key in ("wins", "ties", "losses"))
    counts = dict(zip(rivals, zip(*each, strict=True), strict=True))
    words = "Geometric mean" if verdict.is_ratio else "Mean"
    level = f"{level_words(verdict.alpha)} interval"
    head = "Best: times" if verdict.is_ratio else "Best: advantage"
    measured = verdict.measure.better, verdict.value_format
    mean = Column("mean", words, "value", *measured), verdict.means.get
    columns: list[ColumnOf[str]] = [
        (CANDIDATE, str),
        *(() if verdict.is_wins else [mean]),
        *_ranges(verdict),
        (Column("n_better", "Better than", "count"), better.get),
        (Column("n_worse", "Worse than", "count"), worse.get),
        (Column("advantage", head, "difference"), lambda name: ahead.get(name, nothing)[0]),
        (Column("interval", level, "difference-interval"), lambda n: ahead.get(n, nothing)[1:]),
        (P_VALUE, p_values.get),
        (Column("datasets", "Won – tied – lost", "counts"), counts.get),
    ]
    return Table.of(
        verdict.order,
        columns,
        name="ranking",
        measure=verdict.measure.name,
        number_format=verdict.number_format,
        is_wide=True,
    )


def _interval_of(intervals: Mapping[str, object]) -> Callable[[str], object]:
    """Return a getter of a candidate's interval; its cells are empty where there is none."""
    return lambda name: intervals.get(name, (None, None))


def _pairs(name: str, result: DomainResult, verdict: DomainVerdict, pairs: PairTable) -> Table:
    """One row a pair, the better mean first; in the table of all pairs also p-values by models."""
    own = numbers_or_none(pairs.adjusted_p_value)
    p_values = [(P_VALUE, own)]
    if name == "pairs" and verdict.scale_of_pairs == "difference":  # as the models compare
        p_values += [
            (
                Column(f"p_value_{fit.structure}", f"p, {STRUCTURES[fit.structure]}", "pvalue"),
                p_values_of(fit.pairs, pairs),
            )
            for fit in result.others(verdict.measure.name)
        ]
    return pairs_table(
        name,
        verdict,
        pairs,
        p_values=p_values,
        counts=Column("datasets", "Data sets won – tied – lost", "counts"),
        number_format=verdict.number_format,
    )


def incidence_table(verdict: DomainVerdict) -> Table:
    """Lay out the verdict's relation: a 1 where the row is better than the column."""
    names, pairs = verdict.order, verdict.pairs
    place = [pairs.candidates.index(name) for name in names]
    better = pairs.incidence[np.ix_(place, place)].astype(int).tolist()
    columns = (Column("candidate", "Better", "candidate"), *(Column(n, n, "count") for n in names))
    rows = tuple(
        (a, *(None if i == j else better[i][j] for j in range(len(names))))
        for i, a in enumerate(names)
    )
    return Table("incidence", verdict.measure.name, columns, rows)


COMPONENTS = (
    ("dataset", Words("Data sets")),
    ("interaction", Words("Data set by candidate")),
    ("replication", Words("Replications")),
    ("residual", "Residual"),
)


def _variances(result: DomainResult, measure: str) -> Table:
    """One row a component of the variance, or a candidate's over data sets."""
    fits = result.fits(measure)
    kind: Kind = "difference"
    level = f"{100 * (1 - result.bases[measure].alpha):g}%"
    deviations = {s: _deviations(fit) for s, fit in fits.items()}
    columns: list[ColumnOf[str]] = [
        (Column("component", "Component", "text"), lambda label: label),
        *((Column(s, STRUCTURES[s].capitalize(), kind), deviations[s].get) for s in fits),
        (
            Column("interval", f"{level} interval", "difference-interval"),
            _bounds(fits["interaction"]).get,
        ),
    ]
    labels = dict.fromkeys(label for own in deviations.values() for label in own)
    order = [words for _, words in COMPONENTS]
    ranked = sorted(labels, key=lambda w: (w in order, order.index(w) if w in order else 0))
    at = number_format(result.measures[measure], fits["interaction"].coefficients.values())
    return Table.of(ranked, columns, name="variances", measure=measure, number_format=at)


def _anova(result: DomainResult, measure: str) -> Table:
    """One row a term of the model with data sets as fixed effects."""
    fixed = result.fixed_effects[measure]
    words = {
        "dataset": Words("Data sets"),
        "candidate": "Candidates",
        "interaction": Words("Data set by candidate"),
        "replication": Words("Replications in data sets"),
        "residual": "Residuals",
    }
    columns: list[ColumnOf[AnovaRow]] = [
        (Column("source", "Term", "text"), lambda row: words[row.source]),
        Column("df", "Degrees of freedom", "count"),
        (Column("deviation", "Root of the mean square", "difference"), _root),
        Column("statistic", "F", "statistic"),
        P_VALUE,
    ]
    at = number_format(result.measures[measure], fixed.coefficients.values())
    return Table.of(
        fixed.anova, columns, name="anova", measure=measure, number_format=at, is_wide=True
    )


def _root(row: AnovaRow) -> float:
    return sqrt(row.mean_square)


def _df_of(fixed: FixedEffectsFit, row: AnovaRow) -> str:
    """Write the degrees of freedom of a term and of the residuals."""
    return f"{_degrees(row.df)} and {_degrees(fixed.anova[-1].df)}"


def _bounds(fit: DomainFit) -> dict[str, tuple[float, float]]:
    """Return intervals of standard deviations by what they belong to."""
    words = dict(COMPONENTS)
    return {words[n]: (sqrt(low), sqrt(high)) for n, (low, high) in fit.variance_intervals.items()}


def _deviations(fit: DomainFit) -> dict[str, float]:
    """Return standard deviations by what they belong to."""
    words = dict(COMPONENTS)
    found = {words[name]: sqrt(value) for name, value in fit.variance.items()}
    if fit.covariance is None:
        return found
    diagonal = (row[i] for i, row in enumerate(fit.covariance))
    free = {
        f"of {name}": sqrt(max(v, 0.0)) for name, v in zip(fit.coefficients, diagonal, strict=True)
    }
    return free | found
