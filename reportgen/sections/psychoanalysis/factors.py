"""What a study varies its data sets by: characteristics that are known without computing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.stats.worths.instability import Kind
from reportgen.stats.worths.tree import Characteristic
from reportgen.warehouse import Warehouse

Level = str | float | int


def factors_of(
    warehouse: Warehouse, datasets: Sequence[str]
) -> tuple[list[Characteristic], dict[str, tuple[str, ...]]]:
    """Return what the settings of data sets differ in.

    Parameters
    ----------
    warehouse : Warehouse
    datasets : sequence of str
        M of them.

    Returns
    -------
    list of Characteristic, dict of str to tuple of str
        M values each, missing where a data set has no such factor; the categories of those by
        codes.
    """
    levels: dict[str, dict[int, Level]] = {}
    for place, dataset in enumerate(datasets):
        setting = warehouse.facts.get(dataset, {}).get("setting")
        for factor, level in setting["factors"].items() if isinstance(setting, Mapping) else ():
            levels.setdefault(factor, {})[place] = level
    found, names = [], {}
    for factor, own in levels.items():
        if len(set(own.values())) < 2:
            continue
        values, kind = np.full(len(datasets), np.nan), Kind.NUMERIC
        codes: Mapping[Level, float] = {level: float(level) for level in own.values() if _is(level)}
        if len(codes) < len(set(own.values())):
            kind, names[factor] = Kind.CATEGORICAL, tuple(dict.fromkeys(map(str, own.values())))
            codes = {level: float(names[factor].index(str(level))) for level in own.values()}
        values[list(own)] = [codes[level] for level in own.values()]
        found.append(Characteristic(factor, values, kind))
    return found, names


def _is(level: Level) -> bool:
    """Whether a level is a number."""
    return isinstance(level, int | float) and not isinstance(level, bool)
