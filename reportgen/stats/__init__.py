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
    from reportgen.stats.archetypal_analysis.archetypes import archetypes
    from reportgen.stats.blocks.crossed_factors import crossed_components
    from reportgen.stats.consensus_relations.nearest import consensus
    from reportgen.stats.domain.comparison import domain_model
    from reportgen.stats.domain.family_means import compare_families
    from reportgen.stats.items.comparison import compare_items
    from reportgen.stats.pairs.new_data import compare_new_data
    from reportgen.stats.pairs.paired_max_t import compare_pairs
    from reportgen.stats.pairs.paired_tests import signed_rank
    from reportgen.stats.pairs.proportions import paired_proportions
    from reportgen.stats.ranks.bayesian_signed_rank import bayesian_signed_rank
    from reportgen.stats.ranks.friedman import friedman
    from reportgen.stats.ranks.nemenyi import nemenyi
    from reportgen.stats.samples.bootstrap_ratio import bootstrap_ratio
    from reportgen.stats.samples.brunner_munzel import brunner_munzel
    from reportgen.stats.samples.comparison import compare_samples
    from reportgen.stats.sequential.anytime import sequential_e_process
    from reportgen.stats.sequential.group import sequential_group_test
    from reportgen.stats.sequential.stages import sequential_combination_test
    from reportgen.stats.worths.battles import compare_battles
    from reportgen.stats.worths.bradley_terry import bradley_terry
    from reportgen.stats.worths.worth_tree import worth_tree

_MODULES = {
    "archetypes": "archetypal_analysis.archetypes",
    "bayesian_signed_rank": "ranks.bayesian_signed_rank",
    "bootstrap_ratio": "samples.bootstrap_ratio",
    "bradley_terry": "worths.bradley_terry",
    "brunner_munzel": "samples.brunner_munzel",
    "compare_battles": "worths.battles",
    "compare_families": "domain.family_means",
    "compare_items": "items.comparison",
    "compare_new_data": "pairs.new_data",
    "compare_pairs": "pairs.paired_max_t",
    "compare_samples": "samples.comparison",
    "consensus": "consensus_relations.nearest",
    "crossed_components": "blocks.crossed_factors",
    "domain_model": "domain.comparison",
    "friedman": "ranks.friedman",
    "nemenyi": "ranks.nemenyi",
    "paired_proportions": "pairs.proportions",
    "sequential_combination_test": "sequential.stages",
    "sequential_e_process": "sequential.anytime",
    "sequential_group_test": "sequential.group",
    "signed_rank": "pairs.paired_tests",
    "worth_tree": "worths.worth_tree",
}

__all__ = [
    "archetypes",
    "bayesian_signed_rank",
    "bootstrap_ratio",
    "bradley_terry",
    "brunner_munzel",
    "compare_battles",
    "compare_families",
    "compare_items",
    "compare_new_data",
    "compare_pairs",
    "compare_samples",
    "consensus",
    "crossed_components",
    "domain_model",
    "friedman",
    "nemenyi",
    "paired_proportions",
    "sequential_combination_test",
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

    module = import_module(f"{__name__}.{_MODULES[name]}")
    return globals().setdefault(name, getattr(module, name))


def __dir__() -> list[str]:
    """List the functions."""
    return sorted(__all__)
