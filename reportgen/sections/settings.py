"""Data sets that are settings of one: what tests that take them for independent have to say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def base_of(warehouse: Warehouse, dataset: str) -> str | None:
    """Return which data set one is a setting of; None where the study does not vary it."""
    setting = warehouse.facts.get(dataset, {}).get("setting")
    return str(setting["base"]) if isinstance(setting, Mapping) else None


def bases_of(warehouse: Warehouse, datasets: Sequence[str]) -> dict[str, int]:
    """Count the settings of every data set of which there are several.

    Parameters
    ----------
    warehouse : Warehouse
    datasets : sequence of str

    Returns
    -------
    dict of str to int
        In the order of their first settings; a way of drawing samples makes settings as a
        factor does.
    """
    found = Counter(base_of(warehouse, dataset) for dataset in datasets)
    return {base: n for base, n in found.items() if base is not None and n > 1}


def shares_observations(warehouse: Warehouse) -> bool:
    """Whether settings of one data set may hold the same observations: all but a simulation's."""
    return warehouse.problem != "simulation"
