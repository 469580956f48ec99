"""What a row of the table of data sets says beside the means: sizes, baseline, standard errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reportgen.measures import chance
from reportgen.warehouse import Performances, Warehouse
from reportgen.warehouse.spreads import means_of_values

SIZES = ("obs.n", "n", "n_observations", "observations", "n_instances", "instances", "n_samples")
CLASSES = ("resp.cl", "n_classes", "classes")


def describe_datasets(
    warehouse: Warehouse, datasets: Iterable[str], measure: str, *, is_many: bool = False
) -> dict[str, dict[str, Any]]:
    """Return the fields of each row that are known of the data set itself.

    `is_many`: whether data sets are so many that nobody reads standard errors.
    """
    sizes, classes = _listed(warehouse, SIZES), _listed(warehouse, CLASSES)
    found = {}
    for name in datasets:
        facts = warehouse.facts.get(name, {})
        baselines = facts.get("baseline")
        known = baselines.get(measure) if isinstance(baselines, Mapping) else None
        n_classes = _size(facts.get("n_classes"), classes.get(name))
        found[name] = {
            "n_observations": _size(facts.get("n_observations"), sizes.get(name)),
            "n_classes": n_classes,
            "baseline": chance(measure, n_classes) if known is None and n_classes else known,
            "standard_errors": {}
            if is_many
            else standard_errors(warehouse.performances(name, measure)),
        }
    return found


def standard_errors(own: Performances) -> dict[str, float]:
    """Return the standard error of each candidate's mean that is of two values or more."""
    return {
        name: found.standard_error
        for name, found in means_of_values(own).items()
        if found.standard_error is not None
    }


def _listed(warehouse: Warehouse, names: tuple[str, ...]) -> dict[str, Any]:
    """Return a column of the characteristics that has one of some names, by data set."""
    table = warehouse.characteristics
    column = next((c for c in table.columns if str(c).lower() in names), None)
    if column is None:
        return {}
    whole = table[table["replication"].isna()].drop_duplicates("dataset")
    return dict(zip(whole["dataset"], whole[column], strict=True))


def _size(fact: Any, listed: Any) -> int | None:
    """Return a size of a data set, of the execution or of a table of characteristics."""
    try:
        number = float(listed if fact is None else fact)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() and number > 0 else None
