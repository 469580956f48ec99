"""Where values are missing: the table of the design section."""

from __future__ import annotations

from reportgen.document import Column, DatasetDesign, Design, Table
from reportgen.rendering.appendix import Listing

MOST_ROWS = (
    30  # data sets of the table, those with the most missing values; all are in results.json
)
MOST_COLUMNS = 10  # candidates with a column of their own; more are listed in one


def gaps_table(design: Design) -> Listing:
    """Count missing values by candidate and, where there are several, by data set.

    Parameters
    ----------
    design : Design

    Returns
    -------
    Listing
        Of the table "gaps", whose rows are data sets with missing values; of
        one data set, its candidates with missing values.
    """
    gappy = [dataset for dataset in design.datasets if dataset.missing]
    if len(design.datasets) == 1:
        return Listing(_of_candidates(design))
    most = sorted(gappy, key=lambda d: -d.n_missing)[:MOST_ROWS]
    shown = [dataset for dataset in gappy if dataset in most]
    return Listing(_of_datasets(design, shown), len(gappy) - len(shown))


def _of_candidates(design: Design) -> Table:
    """One row a candidate with missing values."""
    (dataset,) = design.datasets
    n_cells = dataset.n_replications * len(design.measures)
    columns = (
        Column("candidate", "Candidate", "candidate"),
        Column("n_missing", "Missing values", "count"),
        Column("n_values", "of", "count"),
    )
    rows = tuple((name, count, n_cells) for name, count in dataset.missing.items())
    return Table("gaps", "", columns, rows)


def _of_datasets(design: Design, datasets: list[DatasetDesign]) -> Table:
    """One row a data set, one column a candidate with missing values, or all in one."""
    names = [name for name in design.candidates if any(name in d.missing for d in datasets)]
    is_split = len(names) <= MOST_COLUMNS
    split = tuple(Column(f"candidate_{i}", name, "count") for i, name in enumerate(names))
    columns = (
        Column("dataset", "Data set", "dataset"),
        Column("n_incomplete", "Incomplete replications", "count"),
        Column("n_replications", "of", "count"),
        *(split if is_split else (Column("candidates", "Missing values", "text"),)),
    )
    rows = tuple(
        (
            d.name,
            d.n_incomplete,
            d.n_replications,
            *([d.missing.get(name) for name in names] if is_split else [_listed(d)]),
        )
        for d in datasets
    )
    return Table("gaps", "", columns, rows, is_wide=is_split and len(names) > 4)


def _listed(dataset: DatasetDesign) -> str:
    """Write the candidates with the most missing values, and how many more there are."""
    counts = sorted(dataset.missing.items(), key=lambda item: -item[1])
    texts = [f"{name} {count}" for name, count in counts[:MOST_COLUMNS]]
    more = len(counts) - len(texts)
    return ", ".join([*texts, *([f"+ {more}"] if more else [])])
