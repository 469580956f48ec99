"""The characteristics of data sets that a manifest may name, and those of other packages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from reportgen.catalogue.names import unknown_name
from reportgen.errors import SetupError
from reportgen.stats import characteristics as stats
from reportgen.stats.characteristics import Characterisation
from reportgen.stats.characteristics.maps import Sample

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.measures import Task

GROUP = "reportgen.characteristics"
CHARACTERISTICS: Mapping[str, Characterisation] = MappingProxyType(
    {c.name: c for c in (*stats.TABLE_5_1, *stats.FURTHER)}
)
USUAL: Mapping[Task, tuple[str, ...]] = MappingProxyType(
    {
        "classification": tuple(c.name for c in stats.TABLE_5_1),
        "regression": stats.OF_NUMBERS,
    }
)
"""The default characteristics, by task."""

REDUCTIONS: Mapping[str, Callable[..., object]] = MappingProxyType(
    {
        "mean": lambda: stats.mean,
        "min": lambda: stats.least,
        "max": lambda: stats.greatest,
        "sd": lambda: stats.spread,
        "sum": lambda: stats.total,
        "quantile": stats.quantile,
        "histogram": stats.histogram,
    }
)
"""Reductions of a map's numbers to one, by the name after a colon; arguments are in brackets."""

N_NUMBERS = {"quantile": 1, "histogram": 2}
REDUCED = re.compile(r"(?P<map>[^:]+):(?P<reduction>[a-z]+)(?:\((?P<numbers>[^()]*)\))?")
ALLOWED = "mean, min, max, sd, sum, quantile(0.9) or histogram(0, 1) after a colon"


def find_characteristic(name: str, packages: Sequence[str] = ()) -> Characterisation:
    """Return a characteristic by its name.

    `name`: one of `CHARACTERISTICS`, or of another package's; with a colon and a reduction in place
    of its own, such as ``cvar.skew:quantile(0.9)``.
    `packages`: packages whose entry points `reportgen.characteristics` may be loaded.
    Raises SetupError if there is none, or its package may not be loaded.

    Examples
    --------
    >>> find_characteristic("cvar.skew:quantile(0.9)").definition
    'mean absolute skewness, reduced by quantile(0.9)'
    """
    reduced = REDUCED.fullmatch(name)
    if reduced is None:
        return _resolve(name, packages)
    base = _resolve(reduced["map"].strip(), packages)
    reduction, written = reduced["reduction"], reduced["numbers"] or ""
    if reduction not in REDUCTIONS:
        raise SetupError(f"found the reduction {reduction!r} in {name!r}; allowed {ALLOWED}")
    try:
        numbers = [float(part) for part in written.split(",") if part.strip()]
        if len(numbers) != N_NUMBERS.get(reduction, 0):
            raise ValueError
        if reduction == "quantile" and not 0 <= numbers[0] <= 1:
            raise ValueError
    except ValueError:
        raise SetupError(f"found {name!r}; allowed {ALLOWED}") from None
    call = f"{reduction}({written})" if written else reduction
    return replace(
        base,
        name=name,
        definition=f"{base.definition}, reduced by {call}",
        reduce=REDUCTIONS[reduction](*numbers),  # type: ignore[arg-type]
    )


def find_characteristics(
    names: Sequence[str], packages: Sequence[str] = ()
) -> tuple[Characterisation, ...]:
    """Return the characteristics of several names.

    Raises SetupError as `find_characteristic`.
    """
    return tuple(find_characteristic(name, packages) for name in names)


def usual_characteristics(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Return the default characteristics of data sets with such tasks."""
    return tuple(dict.fromkeys(name for task in tasks for name in USUAL[task]))


def sample_of(data: DataSet) -> Sample:
    """Return a data set as characteristics see it; infinite inputs count as missing."""
    is_categorical = [isinstance(kind, pd.CategoricalDtype) for kind in data.inputs.dtypes]
    columns = list(data.inputs)
    numeric = [c for c, flag in zip(columns, is_categorical, strict=True) if not flag]
    nominal = [c for c, flag in zip(columns, is_categorical, strict=True) if flag]
    numbers = data.inputs[numeric].to_numpy(np.float64, copy=True)
    numbers[np.isinf(numbers)] = np.nan
    codes = [np.asarray(data.inputs[c].cat.codes, dtype=np.int64) for c in nominal]
    is_classified = data.task == "classification"
    return Sample(
        numbers,
        np.column_stack(codes) if codes else np.zeros((data.n, 0), dtype=np.int64),
        np.asarray(data.response, dtype=np.int64) if is_classified else None,
        None if is_classified else np.asarray(data.response, dtype=np.float64),
    )


def _resolve(name: str, packages: Sequence[str]) -> Characterisation:
    """Return one of ours, or load another package's if that is allowed."""
    if name in CHARACTERISTICS:
        return CHARACTERISTICS[name]
    theirs = {point.name: point for point in entry_points(group=GROUP)}
    if name not in theirs:
        raise unknown_name("characteristic", name, (*CHARACTERISTICS, *theirs))
    package = theirs[name].module.partition(".")[0]
    if package not in packages:
        raise SetupError(
            f"found the characteristic {name!r} of the package {package!r}, whose code would run "
            f"here; allowed with {package} under plugins: and --allow-plugins"
        )
    loaded = theirs[name].load()
    if not isinstance(loaded, Characterisation):
        raise SetupError(
            f"found {type(loaded).__name__} as the characteristic {name!r} of {package!r}; "
            "allowed a Characterisation"
        )
    return replace(loaded, name=name)
