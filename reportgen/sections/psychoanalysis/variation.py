"""How the characteristics of learning samples differ from those of the data set as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.sections.psychoanalysis.result import Variation
from reportgen.warehouse import CHARACTERISED

Array = NDArray[np.float64]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
NONE = (None,) * len(QUANTILES)


def vary(table: pd.DataFrame, datasets: Sequence[str]) -> tuple[Variation, ...]:
    """Hold every characteristic of the learning samples against the data set's own.

    Parameters
    ----------
    table : DataFrame
        `Warehouse.characteristics`.
    datasets : sequence of str
        In their order.
    """
    whole = table[table["replication"].isna()].set_index("dataset")
    samples = table[table["replication"].notna()]
    names = [
        c
        for c in table.columns
        if c not in CHARACTERISED and pd.api.types.is_numeric_dtype(table[c])
    ]
    return tuple(_variations(samples, whole, names, datasets))


def own_scheme(resampling: Mapping[str, object]) -> str:
    """Return what the study's own scheme is called; "" where nobody says."""
    scheme, fraction = str(resampling.get("scheme", "")), resampling.get("fraction")
    return f"{scheme} {100 * fraction:.3g}%" if isinstance(fraction, float) else scheme


def _variations(
    samples: pd.DataFrame, whole: pd.DataFrame, names: Sequence[str], datasets: Sequence[str]
) -> Iterator[Variation]:
    groups = dict(iter(samples.groupby(["dataset", "scheme"], sort=False)))
    schemes = list(dict.fromkeys(samples["scheme"]))
    for name in names:
        for scheme in schemes:
            for dataset in datasets:
                rows = groups.get((dataset, scheme))
                if rows is None:
                    continue
                values = rows[name].to_numpy(np.float64, na_value=np.nan)
                values = values[np.isfinite(values)]
                known = float(whole[name].get(dataset, np.nan)) if name in whole else np.nan
                if len(values):
                    yield _variation(name, dataset, scheme, values, known)


def _variation(name: str, dataset: str, scheme: str, values: Array, whole: float) -> Variation:
    quantiles: Sequence[float | None] = NONE
    if np.isfinite(whole) and whole != 0:
        quantiles = np.quantile((values - whole) / abs(whole), QUANTILES).tolist()
    sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return Variation(
        name,
        dataset,
        scheme,
        whole if np.isfinite(whole) else None,
        len(values),
        float(values.mean()),
        sd,
        *quantiles,
    )
