"""Exact consensus relations: the orders of a class that are nearest to an ensemble.

`nearest` is the entrance. It cuts the candidates into `blocks`, and for each `block` a `program`
finds the optimum with a proof and a `search` all that cost the same.
"""

from reportgen.stats.consensus.nearest import (
    Coding,
    Consensus,
    checked_weights,
    consensus,
    criterion,
)

__all__ = ["Coding", "Consensus", "checked_weights", "consensus", "criterion"]
