"""From replications of one data set to new data sets of the same source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.inference.model import Blocks
from reportgen.sections.inference.result import Method, NewData
from reportgen.stats.interface.pairs import compare_new_data
from reportgen.stats.pairs.shared_data import (
    Assessment,
    Scheme,
    SharedData,
    shared_data,
)
from reportgen.study.comparison import area_on, comparison_scale
from reportgen.warehouse import Performances, Warehouse

Array = NDArray[np.float64]


def shared_of(warehouse: Warehouse, performances: Performances) -> SharedData:
    """Return how strongly the replications of a data set depend on each other.

    Parameters
    ----------
    warehouse : Warehouse
        With the problem, the resampling scheme and the data set's facts.
    performances : Performances
        With the sizes of the samples.
    """
    scheme = warehouse.resampling_of(performances.dataset)
    return shared_data(
        warehouse.problem,
        cast("Scheme | None", scheme.get("scheme")),
        assessment=cast("Assessment | None", scheme.get("assessment")),
        n_distinct=performances.n_distinct,
        n_test=performances.n_test,
        n_observations=_whole(warehouse.facts.get(performances.dataset, {}), "n_observations"),
        fraction=_real(scheme, "fraction"),
        n_folds=_whole(scheme, "folds"),
    )


def _whole(facts: Mapping[str, object], key: str) -> int | None:
    found = facts.get(key)
    return int(found) if isinstance(found, int | float) else None


def _real(facts: Mapping[str, object], key: str) -> float | None:
    found = facts.get(key)
    return float(found) if isinstance(found, int | float) else None


def generalise(
    blocks: Blocks,
    shared: SharedData,
    alpha: float,
    area: tuple[float, float] | None,
    bounds: tuple[float | None, float | None],
) -> tuple[NewData, Method | None]:
    """Compare all pairs for new data sets of the same source.

    Parameters
    ----------
    blocks : Blocks
        Of two or more candidates.
    shared : SharedData
    alpha : float
    area : tuple of two floats or None
        The study's area of equivalence.
    bounds : tuple of two (float or None)
        Of the values.

    Returns
    -------
    found : NewData
    method : Method or None
        None where the ratio is not known, and for simulations, whose
        replications are independent.
    """
    found = NewData(
        shared.ratio,
        shared.test_share,
        shared.learnt_share,
        shared.n_observations,
        shared.source,
        shared.reason,
    )
    if shared.ratio is None or shared.source == "independent":
        return found, None
    scale = comparison_scale(blocks.measure, blocks.values, area)
    table = compare_new_data(
        blocks.values,
        shared.ratio,
        blocks.candidates,
        better=blocks.measure.better,
        alpha=alpha,
        relevance=area_on(scale, area),
        scale=scale,
        test_share=shared.test_share,
        n_observations=None if shared.n_observations is None else round(shared.n_observations),
        bounds=bounds,
    )
    pairs = replace(table, target="generating-process")
    n = int(pairs.extra["n"].max())
    return (
        replace(found, pairs=pairs),
        Method("new-data", "approximate", "t", None, n, pairs),
    )
