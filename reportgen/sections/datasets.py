"""Data sets and their settings as analyses see them, and how parts of an analysis are mapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from reportgen.warehouse import Warehouse

FEWEST_DATASETS = 2  # with values of a measure, of which anything is said over data sets
MOST_COMPACT = 30
"""Candidates up to which a compact result has relations, their consensus and tests of ranks: of
many more these take minutes, and no verdict rests on them. So many have their pairs drawn on each
of many data sets, too, and their counts of places written where these are 0."""

MOST_SQUARED = 300
"""Candidates up to which results.json has matrices that follow from what else is there."""


class Mapper(Protocol):
    """Like `map`: applies a function to each of many tasks and keeps their order."""

    def __call__(self, function: Any, *tasks: Iterable[Any]) -> Iterable[Any]:
        """Return the results, one after the other."""


def in_turn(function: Any, *tasks: Iterable[Any]) -> Iterable[Any]:
    """Apply a function to one task after the other, in this process."""
    return map(function, *tasks)


def base_of(warehouse: Warehouse, dataset: str) -> str | None:
    """Return which data set one is a setting of; None where the study does not vary it."""
    setting = warehouse.facts.get(dataset, {}).get("setting")
    return str(setting["base"]) if isinstance(setting, Mapping) else None


def n_bases(warehouse: Warehouse) -> int:
    """Count the data sets, all settings of one as one."""
    return len({base_of(warehouse, dataset) or dataset for dataset in warehouse.datasets})


def bases_of(warehouse: Warehouse, datasets: Sequence[str]) -> dict[str, int]:
    """Count the settings of every data set of which there are several.

    Result: in the order of their first settings; a way of drawing samples makes settings as a
    factor does.
    """
    found = Counter(base_of(warehouse, dataset) for dataset in datasets)
    return {base: n for base, n in found.items() if base is not None and n > 1}


def shares_observations(warehouse: Warehouse) -> bool:
    """Whether settings of one data set may hold the same observations: all but a simulation's."""
    return warehouse.problem != "simulation"


def joins_datasets(warehouse: Warehouse) -> bool:
    """Whether several data sets, not settings of one, have values of the same measure."""
    if n_bases(warehouse) < FEWEST_DATASETS:
        return False
    counts = [have_values(warehouse, own.name).sum() for own in warehouse.compared]
    return max(counts, default=0) >= FEWEST_DATASETS


def have_values(warehouse: Warehouse, measure: str | None = None) -> NDArray[np.bool_]:
    """Return which data sets have a value of a measure, or of any, shape (M,)."""
    import numpy as np

    frame = warehouse.frame
    is_there = np.isfinite(frame["value"].to_numpy(np.float64))
    if measure is not None:
        is_there &= (frame["measure"] == measure).to_numpy()
    found = np.zeros(len(warehouse.datasets), dtype=np.bool_)
    found[frame["dataset"].cat.codes.to_numpy()[is_there]] = True
    return found


def settings_of(warehouse: Warehouse) -> dict[str, dict[str, dict[str, str | float | int]]]:
    """Return the settings of every data set that is varied: base, data set, factor, level."""
    found: dict[str, dict[str, dict[str, str | float | int]]] = {}
    for dataset in warehouse.datasets:
        setting: Any = warehouse.facts.get(dataset, {}).get("setting")
        if isinstance(setting, Mapping) and setting.get("factors"):
            own = found.setdefault(str(setting["base"]), {})
            own[dataset] = dict(setting["factors"])
    return found
