"""Statistics of benchmark experiments, from arrays to results.

Each function takes performances as an array with a column a candidate (of lists, of numpy, a data
frame), calls what a report calls, and returns a frozen result with `to_frame()`::

    from reportgen import stats

    pairs = stats.compare_pairs(values, ["lda", "svm", "rf"], relevance=(-0.01, 0.01))
    pairs.to_frame()

A module is imported when one of its functions is first used.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reportgen.stats.interface.archetypes import archetypes
    from reportgen.stats.interface.domain import domain_model
    from reportgen.stats.interface.items import compare_items, paired_proportions
    from reportgen.stats.interface.orders import consensus
    from reportgen.stats.interface.pairs import compare_new_data, compare_pairs, signed_rank
    from reportgen.stats.interface.ranks import bayesian_signed_rank, friedman, nemenyi
    from reportgen.stats.interface.samples import (
        bootstrap_ratio,
        brunner_munzel,
        compare_samples,
    )
    from reportgen.stats.interface.sequential import (
        sequential_combination_test,
        sequential_confidence_sequence,
        sequential_e_process,
        sequential_group_test,
    )
    from reportgen.stats.interface.worths import bradley_terry, worth_tree

_MODULES = {
    "archetypes": "archetypes",
    "bayesian_signed_rank": "ranks",
    "bootstrap_ratio": "samples",
    "bradley_terry": "worths",
    "brunner_munzel": "samples",
    "compare_items": "items",
    "compare_new_data": "pairs",
    "compare_pairs": "pairs",
    "compare_samples": "samples",
    "consensus": "orders",
    "domain_model": "domain",
    "friedman": "ranks",
    "nemenyi": "ranks",
    "paired_proportions": "items",
    "sequential_combination_test": "sequential",
    "sequential_confidence_sequence": "sequential",
    "sequential_e_process": "sequential",
    "sequential_group_test": "sequential",
    "signed_rank": "pairs",
    "worth_tree": "worths",
}

__all__ = [
    "archetypes",
    "bayesian_signed_rank",
    "bootstrap_ratio",
    "bradley_terry",
    "brunner_munzel",
    "compare_items",
    "compare_new_data",
    "compare_pairs",
    "compare_samples",
    "consensus",
    "domain_model",
    "friedman",
    "nemenyi",
    "paired_proportions",
    "sequential_combination_test",
    "sequential_confidence_sequence",
    "sequential_e_process",
    "sequential_group_test",
    "signed_rank",
    "worth_tree",
]


def __getattr__(name: str) -> Any:
    """Import a function when it is requested."""
    if name not in _MODULES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    from importlib import import_module

    module = import_module(f"{__name__}.interface.{_MODULES[name]}")
    return globals().setdefault(name, getattr(module, name))


def __dir__() -> list[str]:
    """List the functions."""
    return sorted(__all__)
