"""From replications of one data set to new data sets of the same source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import cast

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.inference.blocks import Blocks
from reportgen.sections.inference.further import Corrected, CorrectedPair
from reportgen.sections.inference.tested import Listed, Tested
from reportgen.stats.corrected_t import CorrectedPairs, corrected_pairs
from reportgen.stats.correlated_t import DifferencePosterior, correlated_t
from reportgen.stats.shared_data import Assessment, Scheme, SharedData, shared_data
from reportgen.warehouse import Performances, Warehouse

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Beyond:
    """The corrected t of all pairs.

    Attributes
    ----------
    corrected : Corrected
    tested : Tested or None
        None where the correction is not known.
    """

    corrected: Corrected
    tested: Tested | None


def shared_of(warehouse: Warehouse, performances: Performances) -> SharedData:
    """Return how strongly the replications of a data set depend on each other.

    Parameters
    ----------
    warehouse : Warehouse
        With the problem, the resampling scheme and the data set's facts.
    performances : Performances
        With the sizes of the samples.
    """
    told = warehouse.resampling_of(performances.dataset)
    return shared_data(
        warehouse.problem,
        cast("Scheme | None", told.get("scheme")),
        assessment=cast("Assessment | None", told.get("assessment")),
        n_distinct=performances.n_distinct,
        n_test=performances.n_test,
        n_observations=_whole(warehouse.facts.get(performances.dataset, {}), "n_observations"),
        fraction=_real(told, "fraction"),
        n_folds=_whole(told, "folds"),
    )


def _whole(facts: Mapping[str, object], key: str) -> int | None:
    found = facts.get(key)
    return int(found) if isinstance(found, int | float) else None


def _real(facts: Mapping[str, object], key: str) -> float | None:
    found = facts.get(key)
    return float(found) if isinstance(found, int | float) else None


def beyond(
    blocks: Blocks, shared: SharedData, alpha: float, area: tuple[float, float] | None
) -> Beyond:
    """Compare all pairs for new data sets of the same source.

    Parameters
    ----------
    blocks : Blocks
        Of two or more candidates.
    shared : SharedData
    alpha : float
    area : tuple of two floats or None
        Area of equivalence, for the posterior probabilities.

    Returns
    -------
    Beyond
        Of simulations, whose replications are independent, without pairs.
    """
    told = Corrected(shared.ratio, shared.correlation, shared.source, shared.reason)
    if shared.ratio is None or shared.source == "independent":
        return Beyond(told, None)
    found = corrected_pairs(blocks.values, shared.ratio, alpha)
    if not (found.n_blocks >= 2).any():
        return Beyond(told, None)
    posterior = correlated_t(found, area) if area else None
    pairs = tuple(
        _pair(found, posterior, row, blocks)
        for row in range(len(found.estimates))
        if found.n_blocks[row] >= 2
    )
    corrected = Corrected(shared.ratio, shared.correlation, shared.source, None, pairs)
    return Beyond(corrected, _tested(found))


def _tested(found: CorrectedPairs) -> Tested:
    """Name the corrected tests as a road, adjusted by Holm."""
    df = set(found.df[np.isfinite(found.df)].tolist())
    return Tested(
        "corrected-t",
        "approximate",
        "t",
        found.holm_p_values,
        np.nan_to_num(found.estimates),
        int(found.n_blocks.max()),
        target="generating-process",
        listed=Listed(
            "corrected-t",
            "pairwise",
            found.estimates,
            found.statistics,
            df.pop() if len(df) == 1 else None,
            found.joint_lower,
            found.joint_upper,
        ),
    )


def _pair(
    found: CorrectedPairs, posterior: DifferencePosterior | None, row: int, blocks: Blocks
) -> CorrectedPair:
    i, j = int(found.first[row]), int(found.second[row])
    chances = (posterior.left, posterior.rope, posterior.right) if posterior else ()
    below, inside, above = (_finite(chance[row]) for chance in chances) if chances else (None,) * 3
    return CorrectedPair(
        first=blocks.candidates[i],
        second=blocks.candidates[j],
        n_blocks=int(found.n_blocks[row]),
        estimate=float(found.estimates[row]),
        standard_error=float(found.standard_errors[row]),
        limit_standard_error=float(found.limit_standard_errors[row]),
        df=float(found.df[row]),
        p_value=float(found.p_values[row]),
        p_value_holm=float(found.holm_p_values[row]),
        lower=float(found.lower[row]),
        upper=float(found.upper[row]),
        joint_lower=float(found.joint_lower[row]),
        joint_upper=float(found.joint_upper[row]),
        significant=bool(found.holm_p_values[row] <= found.alpha),
        below=below,
        inside=inside,
        above=above,
    )


def _finite(x: float) -> float | None:
    return float(x) if isfinite(x) else None
