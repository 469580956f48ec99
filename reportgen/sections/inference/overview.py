"""One table over all data sets: what was tested, and whether the block model suits it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reportgen.document import Column, Table
from reportgen.sections.inference.result import InferenceResult, MeasureInference

MOST_TABULATED = 3  # measures


def overview(results: Mapping[str, InferenceResult]) -> tuple[Table, ...]:
    """Lay out the tests of all data sets, one table a measure.

    Parameters
    ----------
    results : mapping of str to dict
        What `analyse` returned, by data set.

    Returns
    -------
    tuple of Table
        "overview" of the first measures that could be tested somewhere.
    """
    names = list(dict.fromkeys(name for result in results.values() for name in result))
    found = (
        (name, {data: r[name] for data, r in results.items() if name in r})
        for name in names[:MOST_TABULATED]
    )
    return tuple(_table(name, rows) for name, rows in found if any(r.pairs for r in rows.values()))


def _table(measure: str, found: Mapping[str, MeasureInference]) -> Table:
    """One row a data set; columns that nothing stands in are left out."""
    all_columns = (
        Column("dataset", "Data set", "dataset"),
        Column("f", "F", "number"),
        Column("p_value", "p", "pvalue"),
        Column("p_value_friedman", "p, ranks", "pvalue"),
        Column("distinguished", "Distinguished", "count"),
        Column("epsilon", "ε", "number"),
        Column("own_distinguished", "by own variances", "count"),
        Column("own_differing", "decided otherwise", "count"),
        Column("corrected", "for new data", "count"),
        Column("p_value_residuals", "p, normal residuals", "pvalue"),
        Column("p_value_spread", "p, equal scatter", "pvalue"),
    )
    rows = [(data, *_cells(result)) for data, result in found.items()]
    kept = [i for i in range(len(all_columns)) if any(row[i] is not None for row in rows)]
    return Table(
        "overview",
        measure,
        tuple(all_columns[i] for i in kept),
        tuple(tuple(row[i] for i in kept) for row in rows),
        is_wide=True,
    )


def _cells(found: MeasureInference) -> Iterable[object]:
    """Return what stands in a row, None for what could not be computed."""
    model, seen = found.mixed_model, found.diagnostics
    test = model.equality_test if model else None
    own, corrected = found.road.get("pairwise-variance"), found.road.get("corrected-t")
    return (
        test.statistic if test else None,
        test.p_value if test else None,
        found.friedman.p_value if found.friedman else None,
        sum(pair.significant for pair in found.pairs) if found.pairs else None,
        found.sphericity,
        own.n_distinguished if own else None,
        len(found.otherwise) if own else None,
        corrected.n_distinguished if corrected else None,
        seen.residuals.p_value if seen else None,
        seen.spread.p_value if seen and seen.spread else None,
    )
