"""Losses of test observations: kept with each fit, and averaged over the replications of a run."""

from __future__ import annotations

import logging
from base64 import b85decode, b85encode
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from zlib import compress, compressobj, decompress

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.catalogue.measures.losses import MEANS, losses_of
from reportgen.stats.arrays import Array
from reportgen.warehouse import LOSS_COLUMNS

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.catalogue.measures.prediction import ComputedMeasure, Prediction
    from reportgen.execution.outcome import Cell, Outcome
    from reportgen.execution.replicate import Replicate
    from reportgen.study.resampling import Resampling

log = logging.getLogger("reportgen")


MOST_NUMBERS = 5_000_000  # observations times replications of a data set
SMALL = 2**9  # bytes that are compressed in the smallest window
BITS, FLOATS = "b", "f"  # the first letter of packed losses: of 0 and 1, of any size


def has_losses(given: Replicate, data: DataSet, resampling: Resampling) -> bool:
    """Whether test observations of a replication are those of other replications, too.

    `data`: the study's.
    `resampling`: of the data set.
    """
    is_shared = given.data is data or resampling.assessment == "fixed"
    is_small = data.n * resampling.replications <= MOST_NUMBERS
    return is_shared and is_small and len(given.parts) == 1


def packed_losses(measures: Sequence[ComputedMeasure], prediction: Prediction) -> dict[str, str]:
    """Return the losses of a fit's test observations, of each measure that is their mean.

    Result: by measure, as text.
    """
    found = {}
    for measure in measures:
        losses = losses_of(measure.name, prediction) if measure.name in MEANS else None
        if losses is not None and np.abs(losses).max(initial=0) < np.finfo(np.float32).max:
            found[measure.name] = pack(losses)
    return found


def pack(losses: Array) -> str:
    """Write losses as text, of single precision.

    Examples
    --------
    >>> unpack(pack(np.array([0.0, 1.0, 0.5]))).tolist()
    [0.0, 1.0, 0.5]
    """
    is_binary = bool(((losses == 0.0) | (losses == 1.0)).all())
    content = np.packbits(losses > 0) if is_binary else losses.astype("<f4")
    kind = BITS if is_binary else FLOATS
    return f"{kind}{len(losses)}:{b85encode(_compressed(content.tobytes())).decode()}"


def _compressed(content: bytes) -> bytes:
    """Compress, in a window no larger than is of use: to clear a usual one takes longer."""
    if len(content) > SMALL:
        return compress(content)
    small = compressobj(wbits=SMALL.bit_length() - 1, memLevel=1)
    return small.compress(content) + small.flush()


def unpack(text: str) -> Array:
    """Read losses that `pack` has written.

    Raises ValueError if the text is no such one.
    """
    head, _, content = text.partition(":")
    raw = decompress(b85decode(content))
    if head[:1] == BITS:
        bits = np.unpackbits(np.frombuffer(raw, np.uint8), count=int(head[1:]))
        return bits.astype(np.float64)
    found = np.frombuffer(raw, "<f4").astype(np.float64)
    if head[:1] != FLOATS or len(found) != int(head[1:]):
        raise ValueError(f"no losses: {head}")
    return found


def mean_losses(
    datasets: Mapping[str, DataSet],
    measures: Sequence[ComputedMeasure],
    replicate: Callable[[str, int], Replicate],
    outcomes: Mapping[Cell, Outcome],
) -> pd.DataFrame:
    """Average the losses of every observation over the replications that tested it.

    `replicate`: returns a replication of a data set, by its name.
    `outcomes`: of all fits.
    Result: columns `LOSS_COLUMNS`. Observations count from 1; where groups are drawn they are
    groups, in the order of their first observations, with the mean of theirs. A measure of a data
    set is left out where a fit that went well has no losses, such as one of an earlier version.
    """
    names = [own.name for own in measures if own.name in MEANS]
    parts = [
        part
        for name, data in datasets.items()
        for part in _of_dataset(data, names, replicate, _cells_of(outcomes, name))
    ]
    if not parts:
        return pd.DataFrame(columns=list(LOSS_COLUMNS))
    frame = pd.concat(parts, ignore_index=True)
    return frame.astype(dict.fromkeys(("dataset", "measure", "candidate"), "category"))


def _cells_of(outcomes: Mapping[Cell, Outcome], dataset: str) -> dict[Cell, Outcome]:
    """Return the fits of a data set that went well, by replication."""
    own = [cell for cell in outcomes if cell.dataset == dataset and outcomes[cell].status == "ok"]
    return {cell: outcomes[cell] for cell in sorted(own, key=lambda cell: cell.replication)}


def _of_dataset(
    data: DataSet,
    measures: Sequence[str],
    replicate: Callable[[str, int], Replicate],
    outcomes: Mapping[Cell, Outcome],
) -> list[pd.DataFrame]:
    """Return the mean losses of each measure of a data set."""
    kept = [n for n in measures if _is_whole(n, outcomes)]
    if not kept:
        return []
    tested = {b: replicate(data.name, b).sample.test for b in {c.replication for c in outcomes}}
    candidates = list(dict.fromkeys(cell.candidate for cell in outcomes))
    place = {name: k for k, name in enumerate(candidates)}
    units, n_units = _units(data)
    found = []
    for name in kept:
        sums, counts = np.zeros((2, data.n, len(candidates)))
        for cell, outcome in outcomes.items():
            if name in outcome.losses:
                rows, losses = tested[cell.replication], unpack(outcome.losses[name])
                np.add.at(sums[:, place[cell.candidate]], rows, losses)
                np.add.at(counts[:, place[cell.candidate]], rows, 1.0)
        found += [
            _table(data.name, name, candidate, sums[:, k], counts[:, k], units, n_units)
            for candidate, k in place.items()
        ]
    return found


def _is_whole(measure: str, outcomes: Mapping[Cell, Outcome]) -> bool:
    """Whether every fit that has a value of a measure has its losses."""
    own = [outcome for outcome in outcomes.values() if measure in outcome.values]
    return bool(own) and all(measure in outcome.losses for outcome in own)


def _units(data: DataSet) -> tuple[NDArray[np.int64], int]:
    """Return the observation, or the group, that each row is of, and how many there are."""
    if data.groups is None:
        return np.arange(data.n), data.n
    codes, names = pd.factorize(data.groups)
    return np.asarray(codes, np.int64), len(names)


def _table(
    dataset: str,
    measure: str,
    candidate: str,
    sums: Array,
    counts: Array,
    units: NDArray[np.int64],
    n_units: int,
) -> pd.DataFrame:
    """Return the mean losses of a candidate, a row an observation or a group that was tested."""
    is_tested = counts > 0
    rows = units[is_tested]
    sizes = np.bincount(rows, minlength=n_units)
    means = np.bincount(rows, sums[is_tested] / counts[is_tested], minlength=n_units)
    tests = np.zeros(n_units)
    np.maximum.at(tests, rows, counts[is_tested])
    own = np.flatnonzero(sizes)
    return pd.DataFrame(
        {
            "dataset": dataset,
            "measure": measure,
            "candidate": candidate,
            "observation": own.astype(np.int32) + 1,
            "loss": means[own] / sizes[own],
            "n_tested": tests[own].astype(np.int32),
        }
    )
