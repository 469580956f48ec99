"""Tables of one value per data set, of all roads side by side, and of the parts of a domain."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.document import Column, Table
from reportgen.notation import scale
from reportgen.sections.domain.across_result import AcrossRanks, Road, Subdomain
from reportgen.sections.domain.result import DomainResult
from reportgen.stats.pair_table import Pair, PairTable

ROADS: dict[Road, tuple[str, str]] = {
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
    """Lay out comparisons by one value per data set, the roads, and the parts of the domain."""
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
    has_area, has_posterior = across.has_area, across.n_posteriors > 0
    columns = [
        Column("pair", "Pair", "pair"),
        Column("advantage", "Mean advantage", "difference"),
        Column("nemenyi", "p, Nemenyi", "pvalue"),
        Column("p_value", "p, signed ranks (Holm)", "pvalue"),
    ]
    if has_posterior:
        columns.append(Column("better", "P(better)", "rank"))
        if has_area:
            columns.append(Column("equivalent", "P(equivalent)", "rank"))
        columns.append(Column("worse", "P(worse)", "rank"))
    sign = -1 if result.measures[measure].is_smaller_better else 1
    rows = tuple(
        (
            (p.first, p.second),
            sign * p.mean_difference,
            p.nemenyi_p_value,
            p.adjusted_p_value,
            *(_posterior(p, has_area=has_area) if has_posterior else ()),
        )
        for p in pairs
    )
    means = (x for row in result.rows for x in row.means.values())
    at = scale(result.measures[measure], means if measure == result.main else ())
    quiet = tuple(p.favoured is None for p in pairs)
    return Table("across", measure, tuple(columns), rows, at, quiet, is_wide=True)


def _posterior(pair: Pair, *, has_area: bool) -> tuple[float | None, ...]:
    middle = (pair.posterior_equivalent,) if has_area else ()
    return (pair.posterior_better, *middle, pair.posterior_worse)


def _answers(result: DomainResult, road: Road) -> tuple[str, str]:
    """Return what a road is called and answers; of settings it says nothing but of these."""
    if road == "own-variance" and result.settings:
        return ROADS[road][0], "whose mean over these data sets is better"
    return ROADS[road]


def _agreement(result: DomainResult, measure: str) -> Table:
    """One row a road: what it answers, its order, and how far it is from the decision."""
    found = result.agreement[measure]
    verdict = result.verdict.get(measure)
    deciding = verdict.method if verdict else None
    decided = next((set(r.better) for r in found.roads if r.road == deciding), None)
    columns = [
        Column("road", "Road", "text"),
        Column("answers", "What it answers", "text"),
        Column("order", "Order", "order"),
        Column("best", "Not beaten", "text"),
        Column("pairs", f"Pairs ordered, of {found.n_pairs}", "count"),
    ]
    if decided is not None:
        columns.append(Column("otherwise", "Otherwise than decided", "count"))
    rows = tuple(
        (
            *_answers(result, r.road),
            r.order,
            ", ".join(r.best) if len(r.best) < 5 else f"{len(r.best)} candidates",
            len(r.better),
            *(() if decided is None else (len({frozenset(p) for p in decided ^ set(r.better)}),)),
        )
        for r in found.roads
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
