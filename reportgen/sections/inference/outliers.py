"""A value that dwarfs those of all other replications, and what would be decided without it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reportgen.sections.inference.blocks import Blocks
from reportgen.sections.inference.result import Outlier
from reportgen.stats.descriptive import FACTOR, dwarfing_units
from reportgen.stats.pair_table import PairTable


def outlier_of(blocks: Blocks, verdict: Callable[[Blocks], PairTable | None]) -> Outlier | None:
    """Return the value that dwarfs all others, where there is one.

    Parameters
    ----------
    blocks : Blocks
    verdict : callable
        Decides on the pairs of fewer replications.
    """
    rows = dwarfing_units(blocks.values)
    if not len(rows):
        return None
    sizes = np.where(blocks.observed, np.abs(blocks.values), 0.0)
    others = float(np.delete(sizes, rows, axis=0).max())
    row, column = np.unravel_index(int(sizes.argmax()), sizes.shape)
    replications = tuple(blocks.replications[rows].tolist())
    rest = blocks.without(replications)
    return Outlier(
        replications=replications,
        candidates=blocks.named(np.flatnonzero((sizes[rows] > FACTOR * others).any(axis=0))),
        candidate=blocks.candidates[column],
        value=float(blocks.values[row, column]),
        ratio=float(sizes[row, column] / others),
        means={
            name: float(column[np.isfinite(column)].mean())
            for name, column in zip(rest.candidates, rest.values.T, strict=True)
            if np.isfinite(column).any()
        },
        pairs=None if rest.unavailable else verdict(rest),
    )
