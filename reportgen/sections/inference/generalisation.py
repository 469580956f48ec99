"""From replications of one data set to new data sets of the same source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.base import base_of
from reportgen.sections.inference.model import Blocks
from reportgen.sections.inference.result import Crossing, Method, NewData
from reportgen.stats.interface.pairs import compare_new_data
from reportgen.stats.pair_table import Scale
from reportgen.stats.pairs.new_data import MeanLosses, SeedComponents, seed_components
from reportgen.stats.pairs.shared_data import (
    Assessment,
    Scheme,
    SharedData,
    shared_data,
)
from reportgen.stats.scaling import scaled
from reportgen.study.comparison import area_on, comparison_scale
from reportgen.study.manifest import AnalysisOptions
from reportgen.study.target import DecidingTarget, deciding_target
from reportgen.warehouse import Performances, Warehouse

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of new data of the source of one data set, beside the replications.

    Attributes
    ----------
    shared : SharedData
        What replications share.
    candidates : tuple of str
    cells : ndarray of shape (B, S, K), or None
        Values of every seed, where replications are means over several.
    seeds_are : {"crossed", "nested", "partial"} or None
        Whether all replications have the same seeds.
    losses : MeanLosses or None
        Of the observations, where values are means of them.
    """

    shared: SharedData
    candidates: tuple[str, ...]
    cells: Array | None = None
    seeds_are: Crossing | None = None
    losses: MeanLosses | None = None

    def rescaled(self, exponent: int) -> Evidence:
        """Return the same of values that are 2 to this power as large."""
        losses = self.losses
        return replace(
            self,
            cells=None if self.cells is None else scaled(self.cells, exponent),
            losses=losses and losses.rescaled(exponent),
        )

    def values_of(self, blocks: Blocks) -> Array:
        """Return the values that are compared: of every seed where all splits have the same."""
        if self.cells is None or self.seeds_are != "crossed":
            return blocks.values
        return self.cells[:, :, self.places(blocks.candidates)]

    def losses_of(self, candidates: Sequence[str]) -> MeanLosses | None:
        """Return the losses of some candidates; None where one has none."""
        if self.losses is None:
            return None
        at = self.places(candidates)
        found = MeanLosses(self.losses.values[:, at], self.losses.n_tested[:, at])
        return found if np.isfinite(found.values).any(axis=0).all() else None

    def cells_of(
        self, first: str, second: str | None, limit: float, *, is_logarithm: bool
    ) -> Array | None:
        """Return the values of every seed of two candidates, or of one and a limit."""
        if self.cells is None or self.seeds_are != "crossed":
            return None
        found = self.cells[:, :, self.places([first, first if second is None else second])]
        found = np.log(found) if is_logarithm else found
        if second is None:
            found[:, :, 1] = np.where(np.isfinite(found[:, :, 0]), limit, np.nan)
        return found

    def losses_between(self, first: str, second: str | None, limit: float) -> MeanLosses | None:
        """Return the losses of two candidates, or of one and a limit."""
        found = self.losses_of([first, first if second is None else second])
        if found is None or second is not None:
            return found
        values = found.values.copy()
        values[:, 1] = np.where(np.isfinite(values[:, 0]), limit, np.nan)
        return MeanLosses(values, found.n_tested)

    def places(self, candidates: Sequence[str]) -> list[int]:
        """Return the columns of some candidates."""
        return [self.candidates.index(name) for name in candidates]


def evidence_of(warehouse: Warehouse, performances: Performances) -> Evidence:
    """Return what a warehouse knows of new data of a data set.

    Parameters
    ----------
    warehouse : Warehouse
        With the problem, the resampling scheme and the data set's facts.
    performances : Performances
        With the sizes of the samples.
    """
    dataset, measure = performances.dataset, performances.measure.name
    shared = shared_of(warehouse, performances)
    if performances.unit != "replication":
        return Evidence(shared, performances.candidates)
    are = warehouse.facts.get(dataset, {}).get("seeds_are")
    losses = warehouse.losses_of(dataset, measure)
    return Evidence(
        shared,
        performances.candidates,
        warehouse.run_values(dataset, measure),
        cast("Crossing | None", are),
        None if losses is None else MeanLosses(*losses),
    )


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


def target_of(
    warehouse: Warehouse,
    performances: Performances,
    shared: SharedData,
    options: AnalysisOptions,
    *,
    has_losses: bool = False,
) -> DecidingTarget:
    """Return what decides on a measure of one data set.

    Parameters
    ----------
    warehouse : Warehouse
    performances : Performances
    shared : SharedData
    options : AnalysisOptions
    has_losses : bool
        Whether the losses of a fixed test sample are known.
    """
    scheme = warehouse.resampling_of(performances.dataset)
    own = warehouse.facts.get(performances.dataset, {})
    return deciding_target(
        unit=performances.unit,
        problem=warehouse.problem,
        measure=performances.measure,
        has_new_data_error=has_losses
        or (shared.ratio is not None and shared.source != "independent"),
        is_fixed=scheme.get("assessment") == "fixed",
        is_of_seeds=own.get("replications_are") == "seeds",
        is_setting=base_of(warehouse, performances.dataset) is not None,
        asked=options.target,
    )


def _whole(facts: Mapping[str, object], key: str) -> int | None:
    found = facts.get(key)
    return int(found) if isinstance(found, int | float) else None


def _real(facts: Mapping[str, object], key: str) -> float | None:
    found = facts.get(key)
    return float(found) if isinstance(found, int | float) else None


def generalise(
    blocks: Blocks,
    evidence: Evidence,
    alpha: float,
    area: tuple[float, float] | None,
    bounds: tuple[float | None, float | None],
) -> tuple[NewData, Method | None]:
    """Compare all pairs for new data sets of the same source.

    Parameters
    ----------
    blocks : Blocks
        Of two or more candidates.
    evidence : Evidence
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
    shared = evidence.shared
    found = NewData(
        shared.ratio,
        shared.test_share,
        shared.learnt_share,
        shared.n_observations,
        shared.source,
        shared.reason,
        n_seeds=None if evidence.cells is None else evidence.cells.shape[1],
        seeds_are=evidence.seeds_are,
    )
    scale = comparison_scale(blocks.measure, blocks.values, area)
    if shared.reason == "scheme-unknown":
        return replace(found, would_hold=_would_hold(blocks, scale, alpha)), None
    if shared.ratio is None or shared.source == "independent":
        return found, None
    values = evidence.values_of(blocks)
    is_whole = scale != "ratio" or bool((values[np.isfinite(values)] > 0).all())
    values = values if is_whole else blocks.values
    losses = evidence.losses_of(blocks.candidates) if scale == "difference" else None
    table = compare_new_data(
        values,
        shared.ratio,
        blocks.candidates,
        better=blocks.measure.better,
        alpha=alpha,
        relevance=area_on(scale, area),
        scale=scale,
        test_share=shared.test_share,
        n_observations=None if shared.n_observations is None else round(shared.n_observations),
        losses=None if losses is None else losses.values,
        n_tested=None if losses is None else losses.n_tested,
        bounds=bounds,
    )
    smaller = blocks.measure.is_smaller_better
    pairs = replace(table.counted(blocks.values, smaller), target="generating-process")
    n = int(pairs.extra["n"].max())
    return (
        replace(
            found,
            pairs=pairs,
            has_losses=losses is not None,
            components=_components(blocks, values, scale, shared),
        ),
        Method("new-data", "approximate", "t", None, n, pairs),
    )


def _would_hold(blocks: Blocks, scale: Scale, alpha: float) -> bool | None:
    """Return whether the best mean would be better than all others, by half of the data a time."""
    table = compare_new_data(
        blocks.values,
        1.0,
        blocks.candidates,
        better=blocks.measure.better,
        alpha=alpha,
        scale=scale,
    )
    if table.is_open.all():
        return None
    lead = _best_first(blocks)[0]
    return bool(table.incidence[lead].sum() == len(blocks.candidates) - 1)


def _best_first(blocks: Blocks) -> list[int]:
    """Return the columns by their means, best first."""
    means = np.nanmean(blocks.values, axis=0)
    signed = means if blocks.measure.is_smaller_better else -means
    return [int(k) for k in np.argsort(signed, kind="stable")]


def _components(
    blocks: Blocks, values: Array, scale: Scale, shared: SharedData
) -> SeedComponents | None:
    """Split the variance of the two best means into seeds, splits and the rest."""
    if values.ndim != 3 or shared.ratio is None:
        return None
    order = _best_first(blocks)
    own = np.log(values) if scale == "ratio" else values
    return seed_components(
        own[:, :, order[0]] - own[:, :, order[1]], shared.ratio, shared.test_share
    )
