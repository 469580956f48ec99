"""Studies for the tests: data sets whose order of the candidates goes with a characteristic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reportgen.exchange.design_tables import read_characteristics
from reportgen.report import SectionContent
from reportgen.sections.psychoanalysis import Options, analysis
from reportgen.sections.psychoanalysis.figures import tabulate
from reportgen.sections.psychoanalysis.result import Psychoanalysis
from reportgen.warehouse import Warehouse
from tests.builders import placeholder, report_with, warehouse_of
from tests.sections.reading import ERROR, Said, read

TRIO = ("anna", "bert", "cara")
QUICK = {"permutations": 199, "resamples": 10}


def values_of(
    n_datasets: int, *, step: float, seed: int = 1, n_samples: int = 10
) -> tuple[dict[str, np.ndarray], pd.DataFrame]:
    """Draw errors of three candidates; anna is best where i2r.fcc is large, cara where small."""
    rng = np.random.default_rng(seed)
    fcc = np.round(rng.permutation(np.linspace(0.1, 0.9, n_datasets)), 3)
    names = [f"d{m}" for m in range(n_datasets)]
    values = {}
    for name, x in zip(names, fcc, strict=True):
        side = step * np.sign(x - 0.5)
        means = 0.3 + np.array([-side, 0.0, side]) + 0.01 * rng.normal(size=3)
        values[name] = np.clip(means + 0.07 * rng.normal(size=(n_samples, 3)), 0, 1)
    table = pd.DataFrame(
        {
            "dataset": pd.Series(names, dtype=object),
            "replication": pd.array([pd.NA] * n_datasets, dtype="Int64"),
            "scheme": pd.Series([""] * n_datasets, dtype=object),
            "i2r.fcc": fcc,
            "obs.n": np.round(rng.uniform(100, 1000, n_datasets)),
            "var.n": np.full(n_datasets, 4.0),
            "origin": pd.Series([("lab", "field")[m % 2] for m in range(n_datasets)], dtype=object),
        }
    )
    return values, table


def study(n_datasets: int, *, step: float, **settings: Any) -> Warehouse:
    """Return the warehouse of such a study."""
    values, table = values_of(n_datasets, step=step, **settings)
    return replace(warehouse_of({ERROR: values}, TRIO), characteristics=table)


def sampled(
    warehouse: Warehouse, sd: float = 0.05, *, schemes: tuple[str, ...] = ("",)
) -> Warehouse:
    """Add learning samples whose characteristics scatter around the data sets' own."""
    rng = np.random.default_rng(4)
    whole = warehouse.characteristics
    parts = [whole]
    for scheme, b in product(schemes, range(1, 11)):
        part = whole.assign(replication=pd.array([b] * len(whole), dtype="Int64"), scheme=scheme)
        part["i2r.fcc"] = whole["i2r.fcc"] * (1 + sd * rng.normal(size=len(whole)))
        parts.append(part)
    return replace(warehouse, characteristics=pd.concat(parts, ignore_index=True))


def varied(n_datasets: int, **settings: Any) -> Warehouse:
    """Return a study whose data sets are settings: x parts them as i2r.fcc does, way does not."""
    warehouse = study(n_datasets, **settings)
    table = warehouse.characteristics
    facts = {
        name: {
            "setting": {
                "base": "line",
                "factors": {"x": int(100 * fcc), "way": ("in", "out")[m // 2 % 2], "n": 50},
            }
        }
        for m, (name, fcc) in enumerate(zip(table["dataset"], table["i2r.fcc"], strict=True))
    }
    computed = table.drop(columns=["i2r.fcc", "origin"])
    return replace(warehouse, facts=facts, characteristics=computed, problem="simulation")


def analysed(warehouse: Warehouse, **options: Any) -> Psychoanalysis:
    """Analyse one measure."""
    chosen = Options(**{**QUICK, **options})
    (found,) = analysis.analyse(warehouse, chosen, np.random.default_rng(7)).values()
    return found


def reference_study(data: Path, name: str, folder: Path) -> Warehouse:
    """Return a toy of the reference data with its characteristics, read from files."""
    frame = pd.read_csv(data / f"{name}.csv")
    candidates = ["lda", "qda", "svm"]
    file = folder / f"{name}_characteristics.csv"
    frame.drop(columns=candidates).to_csv(file, index=False)
    values: Mapping[str, np.ndarray] = {
        str(dataset): rows[candidates].to_numpy() for dataset, rows in frame.groupby("dataset")
    }
    warehouse = warehouse_of({ERROR: values}, candidates)
    return replace(warehouse, characteristics=read_characteristics(file, warehouse))


def told(warehouse: Warehouse, **options: Any) -> tuple[Said, Psychoanalysis]:
    """Analyse, write the report without drawings and read it."""
    found = analysed(warehouse, **options)
    return said_of(warehouse, found, **options), found


def said_of(
    warehouse: Warehouse, found: Psychoanalysis, *, is_listed: bool = True, **options: Any
) -> Said:
    """Write the report of a result without drawings and read it."""
    chosen = Options(**{**QUICK, **options})
    measure = found.measure.name
    result = {measure: found}
    names = ["tree"] if found.tree else []
    names += ["variation"] if len(found.schemes) > 1 else []
    figures = tuple(placeholder(n, measure) for n in names)
    content = SectionContent(
        "psychoanalysis",
        None,
        result,
        chosen,
        figures,
        tabulate(result),
        is_listed=is_listed,
    )
    return read(
        report_with(
            warehouse,
            content,
            n_replications=10,
            resampling=warehouse.resampling,
            alpha=chosen.alpha,
        )
    )
