"""Domains and tables with known archetypes, and the section's report of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from reportgen.performance_measure import Measure
from reportgen.report import Figure, SectionContent
from reportgen.sections.archetypes import Options
from reportgen.sections.archetypes.analysis import ArchetypesResult, analyse
from reportgen.sections.archetypes.figures import tabulate
from reportgen.warehouse import Warehouse
from tests.builders import placeholder, report_with, warehouse_of
from tests.sections.reading import ERROR, Said, read

ROWS = tuple(f"r{i}" for i in range(60))
FEW = {"most": 4, "starts": 2, "samples": 4}

# Candidates a and b do well everywhere, c badly on the first three data sets, d on the others.
NAMES = ("anna", "bert", "cara", "dora")
MEANS = np.array(
    [
        [0.10, 0.12, 0.11, 0.10, 0.12, 0.11],
        [0.11, 0.11, 0.12, 0.11, 0.11, 0.12],
        [0.40, 0.42, 0.44, 0.12, 0.13, 0.11],
        [0.12, 0.11, 0.13, 0.41, 0.40, 0.45],
    ]
)


def domain(
    b: int = 8, sd: float = 0.004, measures: tuple[Measure, ...] = (ERROR,), gaps: float = 0.0
) -> Warehouse:
    """Return a domain of six data sets and four candidates."""
    rng = np.random.default_rng(3)
    cubes = {}
    for i, measure in enumerate(measures):
        values = MEANS[:, None, :] * (1 + 10 * i) + sd * rng.standard_normal((4, b, 6))
        values[rng.random(values.shape) < gaps] = np.nan
        cubes[measure] = {f"d{m}": values[:, :, m].T for m in range(6)}
    return warehouse_of(cubes, NAMES)


def table(values: np.ndarray, labels: tuple[str, ...] = ()) -> Warehouse:
    """Return a table as the exchange keeps it."""
    columns = [f"x{j}" for j in range(values.shape[1])]
    facts = {"mine": {"is_table": True, "labels": list(labels)}}
    return warehouse_of({Measure("value"): values}, columns, dataset="mine", facts=facts)


def triangle(n: int = 60, n_outliers: int = 0) -> np.ndarray:
    """Return rows in a triangle, the last ones far away."""
    rng = np.random.default_rng(5)
    corners = np.array([[0.0, 0.0, 1.0], [9, 1, 0], [1, 9, 5]])
    rows = rng.dirichlet(np.full(3, 0.6), n) @ corners + 0.05 * rng.standard_normal((n, 3))
    if n_outliers:
        far = np.array([60.0, 60, -40])
        rows[-n_outliers:] = far + rng.standard_normal((n_outliers, 3))
    return rows


def analysed(warehouse: Warehouse, **options: Any) -> ArchetypesResult:
    """Analyse with few starts and samples."""
    return analyse(warehouse, Options(**{**FEW, **options}), np.random.default_rng(1))


@cache
def outliers_of_rows(n_outliers: int) -> ArchetypesResult:
    """Fit robust archetypes to 60 rows in a triangle, the last of them outliers."""
    return analysed(table(triangle(60, n_outliers), ROWS), fit="robust")


def tell(warehouse: Warehouse, **options: Any) -> tuple[Said, ArchetypesResult]:
    """Analyse, write the section, and read it."""
    result = analysed(warehouse, **options)
    return say(warehouse, result, **options), result


def say(
    warehouse: Warehouse, result: ArchetypesResult, *, is_listed: bool = True, **options: Any
) -> Said:
    """Write the section of a result, and read it."""
    chosen = Options(**{**FEW, **options})
    content = SectionContent(
        "archetypes",
        None,
        result,
        chosen,
        blanks(result),
        tabulate(result),
        is_listed=is_listed,
    )
    shown = report_with(warehouse, content, n_replications=8, is_table=warehouse.is_table)
    return read(shown)


def blanks(result: ArchetypesResult) -> tuple[Figure, ...]:
    """Return empty drawings of the figures that are always there."""
    if result.unavailable:
        return ()
    names = ["scree", "profiles"]
    if result.k > 1:
        names.append("corners")
    return tuple(placeholder(name) for name in names)
