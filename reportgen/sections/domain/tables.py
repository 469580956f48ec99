"""Tables of the domain: consensus, means, pairs, variances, methods and parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np

from reportgen.notation import MEASURE_WORDS, Scale, scale
from reportgen.report import Column, Kind, Table
from reportgen.sections.consensus.result import ConsensusResult
from reportgen.sections.domain.result import (
    AcrossRanks,
    ComparisonMethod,
    Distances,
    DomainFit,
    DomainResult,
    DomainVerdict,
    Subdomain,
)
from reportgen.sections.inference.tables import pairs_table
from reportgen.stats.pair_table import Pair, PairTable

METHODS: dict[ComparisonMethod, tuple[str, str]] = {
    "means": ("Exploratory: means", "who is better on average, by how much counts; no test"),
    "mean-ranks": ("Exploratory: mean ranks", "who stands higher on average; no test"),
    "consensus": ("Consensus: of the relations", "what most data sets say, each one vote; no test"),
    "own-variance": ("Means: own variances", "whose mean over data sets like these is better"),
    "interaction": ("Model: one variance", "the same, one variance for all pairs"),
    "unstructured": ("Model: free covariance", "the same, a covariance of all candidates"),
    "signed-ranks": ("Tests: signed ranks, Holm", "who tends to be better, whatever the outliers"),
    "bayesian": ("Tests: Bayesian signed ranks", "how probable it is, given a prior; 95% or more"),
}


MOST_NAMED = 15  # data sets of a part


def across_tables(result: DomainResult) -> Iterator[Table]:
    """Lay out comparisons by one value per data set, the methods, and the parts of the domain."""
    for measure, across in result.across.items():
        if across.pairs is not None:
            yield _across(result, measure, across, across.pairs)
    for measure in result.agreement:
        yield _agreement(result, measure)
    if result.subdomains is not None:
        yield _subdomains(result)
    if result.stability is not None:
        yield _stability(result)


def _across(result: DomainResult, measure: str, across: AcrossRanks, pairs: PairTable) -> Table:
    """One row a pair, the better mean rank first."""
    sign = -1 if result.measures[measure].is_smaller_better else 1
    columns: list[tuple[Column, Callable[[Pair], object]]] = [
        (Column("pair", "Pair", "pair"), lambda p: (p.first, p.second)),
        (Column("advantage", "Mean advantage", "difference"), lambda p: sign * p.mean_difference),
        (Column("nemenyi", "p, Nemenyi", "pvalue"), lambda p: p.nemenyi_p_value),
        (
            Column("p_value", "p, signed ranks (Holm)", "pvalue"),
            lambda p: p.adjusted_p_value,
        ),
    ]
    if across.n_posteriors > 0:
        columns.append((Column("better", "P(better)", "rank"), lambda p: p.posterior_better))
        if across.has_area:
            equivalent = Column("equivalent", "P(equivalent)", "rank")
            columns.append((equivalent, lambda p: p.posterior_equivalent))
        columns.append((Column("worse", "P(worse)", "rank"), lambda p: p.posterior_worse))
    means = (x for row in result.rows for x in row.means.values())
    return Table.of(
        pairs,
        columns,
        name="across",
        measure=measure,
        scale=scale(result.measures[measure], means if measure == result.main else ()),
        quiet=lambda p: p.favoured is None,
        is_wide=True,
    )


def _answers(result: DomainResult, method: ComparisonMethod) -> tuple[str, str]:
    """Return the name of a method and what it answers; of settings it speaks of these alone."""
    if method == "own-variance" and result.settings:
        return METHODS[method][0], "whose mean over these data sets is better"
    return METHODS[method]


def _agreement(result: DomainResult, measure: str) -> Table:
    """One row a method: what it answers, its order, and how far it is from the decision."""
    found = result.agreement[measure]
    verdict = result.verdict.get(measure)
    deciding = verdict.method if verdict else None
    decided = next((set(r.better) for r in found.methods if r.method == deciding), None)
    columns = [
        Column("method", "Method", "text"),
        Column("answers", "What it answers", "text"),
        Column("order", "Order", "order"),
        Column("best", "Not beaten", "text"),
        Column("pairs", f"Pairs ordered, of {found.n_pairs}", "count"),
    ]
    if decided is not None:
        columns.append(Column("n_changed", "Otherwise than decided", "count"))
    rows = tuple(
        (
            *_answers(result, r.method),
            r.order,
            ", ".join(r.best) if len(r.best) < 5 else f"{len(r.best)} candidates",
            len(r.better),
            *(() if decided is None else (len({frozenset(p) for p in decided ^ set(r.better)}),)),
        )
        for r in found.methods
    )
    return Table("agreement", measure, tuple(columns), rows, is_wide=True)


def _subdomains(result: DomainResult) -> Table:
    """One row a part of the domain."""
    columns = (
        Column("part", "Part", "text"),
        Column("n", "Data sets", "count"),
        Column("datasets", "Which", "text"),
        Column("order", "Consensus", "order"),
        Column("distance", "Mean distance", "number"),
        Column("returns", "Returns", "number"),
    )
    parts = result.subdomains.parts if result.subdomains else ()
    rows = tuple(_part(i, part) for i, part in enumerate(parts, 1))
    return Table("subdomains", result.main, columns, rows, is_wide=True)


def _part(i: int, part: Subdomain) -> tuple[object, ...]:
    found = part.consensus
    n = len(part.datasets)
    chain = found.relations[0].chain if found.n_optimal == 1 else None
    if chain is None and found.agreement is not None:
        chain = found.agreement.chain
    mean = None if found.criterion is None else found.criterion / n
    rest = n - MOST_NAMED
    names = ", ".join(part.datasets[:MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
    return str(i), n, names, chain, mean, part.returns


def _stability(result: DomainResult) -> Table:
    """One row a pair: how often resampled data sets say of it what all say."""
    columns = (
        Column("pair", "Pair", "pair"),
        Column("before", "First before second", "number"),
        Column("level", "Neither", "number"),
        Column("after", "Second before first", "number"),
        Column("returns", "Returns", "number"),
    )
    pairs = result.stability.pairs if result.stability else ()
    rows = tuple(((p.first, p.second), p.before, p.level, p.after, p.returns) for p in pairs)
    return Table("stability", result.main, columns, rows)


LARGEST_FULL = 12  # candidates up to which a report shows all pairs
MOST_LISTED = 5  # optima of one consensus that the table lists
ALL = "all measures"

STRUCTURES = {"interaction": "independent interactions", "unstructured": "free covariance"}


def tabulate(result: DomainResult) -> tuple[Table, ...]:
    """Lay out what the report shows, and the means and ranks of all data sets as files.

    With more than `LARGEST_FULL` candidates "leader-pairs" has the comparisons
    that a report can show; "pairs" always has all of them.
    """
    return tuple(_tables(result))


def _tables(result: DomainResult) -> Iterator[Table]:
    if any(found.relations for found in result.consensus.values()):
        yield _consensus(result)
    if any(row.means for row in result.rows):
        yield _means(result)
    if result.distances is not None:
        yield _distances(result, result.distances)
    yield from across_tables(result)
    for measure, verdict in result.verdict.items():
        yield _model(result, verdict)
        yield _pairs("pairs", result, verdict, verdict.best_first)
        if len(verdict.order) > LARGEST_FULL:
            yield _pairs("leader-pairs", result, verdict, _of_leaders(verdict))
        if result.fits(measure):
            yield _variances(result, measure)
        if verdict.influence:
            yield _influence(verdict)
        yield incidence_table(verdict)


# ------------------------------------------------------------------------------- consensus


def _consensus(result: DomainResult) -> Table:
    """One row an optimum of every measure, then those of all measures together."""
    columns = (
        Column("ensemble", "Relations by", "text"),
        Column("members", "Data sets", "count"),
        Column("optimum", "Optimum", "text"),
        Column("order", "Consensus", "order"),
        Column("criterion", "Distance", "number"),
    )
    found = {MEASURE_WORDS.get(m, m): c for m, c in result.consensus.items()}
    if result.consensus_all is not None and result.consensus_all.relations:
        found[ALL] = result.consensus_all
    rows = tuple(row for words, c in found.items() for row in _optima(words, c))
    return Table("consensus", "", columns, rows, is_wide=True)


def _optima(words: str, found: ConsensusResult) -> Iterator[tuple[object, ...]]:
    n = str(found.n_optimal) if found.n_optimal else f"more than {len(found.relations)}"
    datasets = len({member.id for member in found.members})
    for i, relation in enumerate(found.relations[:MOST_LISTED]):
        which = "the only one" if found.n_optimal == 1 else f"{i + 1} of {n}"
        yield words, datasets, which, relation.chain, found.criterion


# ------------------------------------------------------------------------------- data sets


def _means(result: DomainResult) -> Table:
    """One row a data set in the order of the tree: its order, then the candidates' means."""
    names = [n for n in result.candidates if any(n in row.means for row in result.rows)]
    columns = (
        Column("dataset", "Data set", "dataset"),
        Column("order", "Order", "order"),
        *(Column(f"mean {name}", name, "value") for name in names),
    )
    rows = tuple((r.name, r.chain, *(r.means.get(n) for n in names)) for r in result.rows)
    means = [x for row in result.rows for x in row.means.values()]
    return Table("means", result.main, columns, rows, scale(result.main_measure, means))


def _distances(result: DomainResult, apart: Distances) -> Table:
    """One row and one column a data set that has a relation, in the order of the tree."""
    place = {name: i for i, name in enumerate(apart.datasets)}
    names = [name for name in result.leaf_order if name in place]
    at = [place[name] for name in names]
    matrix = np.array(apart.matrix, dtype=np.int64)[np.ix_(at, at)]
    columns = (Column("dataset", "Data set", "dataset"), *(Column(n, n, "count") for n in names))
    rows = tuple((name, *row) for name, row in zip(names, matrix.tolist(), strict=True))
    return Table("distances", result.main, columns, rows)


# ----------------------------------------------------------------------------------- model


def value_scale(verdict: DomainVerdict) -> Scale:
    """Return how values are written."""
    return scale(verdict.measure, verdict.means.values())


def pair_scale(verdict: DomainVerdict) -> Scale:
    """Return how the differences, or ratios, of pairs are written."""
    return scale(verdict.measure, verdict.means.values(), is_ratio=verdict.is_ratio)


def _model(result: DomainResult, verdict: DomainVerdict) -> Table:
    """One row a candidate: its mean and interval, intervals by models, its mean rank."""
    measure = verdict.measure
    others = () if verdict.is_ratio else result.others(measure.name)
    columns = (
        Column("candidate", "Candidate", "candidate"),
        Column("mean", "Geometric mean" if verdict.is_ratio else "Mean", "value", measure.better),
        Column("interval", f"{100 * (1 - verdict.alpha):g}% interval", "interval"),
        *(
            Column(f"interval_{fit.structure}", STRUCTURES[fit.structure].capitalize(), "interval")
            for fit in others
        ),
        Column("mean_rank", "Mean rank", "rank", "smaller"),
    )
    ranks = result.across[measure.name].mean_ranks
    nothing = (None, None)
    rows = tuple(
        (
            name,
            verdict.means[name],
            verdict.intervals.get(name, nothing),
            *(fit.intervals.get(name, nothing) for fit in others),
            ranks.get(name),
        )
        for name in verdict.order
    )
    return Table("model", measure.name, columns, rows, value_scale(verdict))


def _of_leaders(verdict: DomainVerdict) -> tuple[Pair, ...]:
    """Return pairs with the best mean."""
    return tuple(p for p in verdict.best_first if p.first == verdict.order[0])


def _pairs(
    name: str, result: DomainResult, verdict: DomainVerdict, pairs: tuple[Pair, ...]
) -> Table:
    """One row a pair, the better mean first."""
    p_values: list[tuple[Column, Callable[[Pair], float | None]]] = [
        (Column("p_value", "p", "pvalue"), lambda p: p.adjusted_p_value)
    ]
    p_values += [_model_p_values(fit) for fit in result.others(verdict.measure.name)]
    return pairs_table(
        name,
        verdict,
        pairs,
        p_values=p_values,
        counts=Column("datasets", "Data sets better – tied – worse", "counts"),
        scale=pair_scale(verdict),
    )


def _model_p_values(fit: DomainFit) -> tuple[Column, Callable[[Pair], float | None]]:
    """Return the column of the p-values by another model."""
    found = {frozenset((p.first, p.second)): p.adjusted_p_value for p in fit.pairs}
    column = Column(f"p_value_{fit.structure}", f"p, {STRUCTURES[fit.structure]}", "pvalue")
    return column, lambda p: found.get(frozenset((p.first, p.second)))


def _influence(verdict: DomainVerdict) -> Table:
    """One row a data set without which the verdict is another one: means without it."""
    columns = (
        Column("dataset", "Without", "dataset"),
        Column("n_changes", "Pairs decided otherwise", "count"),
        Column("leaders", "Not decided worse", "text"),
        *(Column(f"mean {name}", name, "value") for name in verdict.order),
    )
    rows = tuple(
        (
            found.dataset,
            len(found.changes),
            ", ".join(found.leaders_without),
            *(found.means_without.get(name) for name in verdict.order),
        )
        for found in verdict.influence or ()
    )
    where = verdict.measure.name
    return Table("influence", where, columns, rows, value_scale(verdict), is_wide=True)


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
    ("dataset", "Data sets"),
    ("interaction", "Data set by candidate"),
    ("replication", "Replications"),
    ("residual", "Residual"),
)


def _variances(result: DomainResult, measure: str) -> Table:
    """One row a component of the variance, or a candidate's over data sets."""
    fits = result.fits(measure)
    kind: Kind = "difference"
    level = f"{100 * (1 - result.bases[measure].alpha):g}%"
    columns = (
        Column("component", "Component", "text"),
        *(Column(s, STRUCTURES[s].capitalize(), kind) for s in fits),
        Column("interval", f"{level} interval", "difference-interval"),
    )
    deviations = {s: _deviations(fit) for s, fit in fits.items()}
    bounds = _bounds(fits["interaction"])
    labels = dict.fromkeys(label for own in deviations.values() for label in own)
    order = [words for _, words in COMPONENTS]
    ranked = sorted(labels, key=lambda w: (w in order, order.index(w) if w in order else 0))
    rows = tuple(
        (label, *(own.get(label) for own in deviations.values()), bounds.get(label))
        for label in ranked
    )
    fit = fits["interaction"]
    at = scale(result.measures[measure], fit.coefficients.values())
    return Table("variances", measure, columns, rows, at)


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
        f"{name} over data sets": sqrt(max(v, 0.0))
        for name, v in zip(fit.coefficients, diagonal, strict=True)
    }
    return free | found
