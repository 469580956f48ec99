"""Learning and test samples that a user has chosen, from a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from reportgen.errors import SetupError
from reportgen.study.faults import shown
from reportgen.study.resampling import GivenSample

__all__ = ["GivenSample", "read_samples"]

COLUMNS = ("dataset", "replication", "sample", "observation")
KINDS = ("learn", "test")


def read_samples(path: Path, *, may_overlap: bool = False) -> dict[str, tuple[GivenSample, ...]]:
    """Read the samples of all replications.

    Parameters
    ----------
    path : Path
        CSV with the columns dataset, replication (from 1, without gaps), sample
        (learn or test) and observation (its row, from 1). A row that is learnt
        from several times stands several times.
    may_overlap : bool
        Whether an observation may be both learnt from and tested on.

    Returns
    -------
    dict of str to tuple of GivenSample
        By data set, in the order of the replications.

    Raises
    ------
    SetupError
        If the file cannot be read, or a row of it makes no sense.
    """
    try:
        frame = pd.read_csv(path, encoding="utf-8-sig", dtype={"dataset": str, "sample": str})
    except (OSError, ValueError) as error:
        raise SetupError(f"{path.name} cannot be read: {error}") from error
    lacking = [column for column in COLUMNS if column not in frame.columns]
    if lacking:
        raise SetupError(f"{path.name}: the column {lacking[0]} is missing; allowed {COLUMNS}")
    _check(path, frame)
    found = {str(name): _samples(path, name, rows) for name, rows in frame.groupby("dataset")}
    if not may_overlap:
        _check_apart(path, found)
    return found


def _check(path: Path, frame: pd.DataFrame) -> None:
    """Name the first row that makes no sense."""
    whole = {
        column: pd.to_numeric(frame[column], errors="coerce")
        for column in ("replication", "observation")
    }
    faults = {
        "sample": (~frame["sample"].isin(KINDS), "learn or test"),
        **{
            column: (~(values.ge(1) & values.mod(1).eq(0)), "a whole number from 1")
            for column, values in whole.items()
        },
    }
    for column, (is_wrong, allowed) in faults.items():
        if is_wrong.any():
            row = int(is_wrong.to_numpy().argmax())
            found = frame[column].tolist()[row]
            raise SetupError(
                f"{path.name}, row {row + 2}: {column}: found {shown(found)}; allowed {allowed}"
            )


def _check_apart(path: Path, found: Mapping[str, tuple[GivenSample, ...]]) -> None:
    """Name the first observation that is both learnt from and tested on."""
    for name, samples in found.items():
        for number, sample in enumerate(samples, start=1):
            common = sorted(set(sample.learn) & set(sample.test))
            if common:
                raise SetupError(
                    f"{path.name}: replication {number} of {name!r} has the observation "
                    f"{common[0] + 1} both to learn from and to test on ({len(common)} such); "
                    "allowed samples that have none in common, or overlap: true beside file"
                )


def _samples(path: Path, name: object, rows: pd.DataFrame) -> tuple[GivenSample, ...]:
    numbers = sorted(rows["replication"].unique())
    if numbers != list(range(1, len(numbers) + 1)):
        raise SetupError(f"{path.name}: the replications of {name!r} are not 1, 2, 3 and so on")
    found = []
    for number in numbers:
        own = rows[rows["replication"] == number]
        learn, test = (own.loc[own["sample"] == kind, "observation"] - 1 for kind in KINDS)
        if not len(learn) or not len(test):
            raise SetupError(
                f"{path.name}: replication {number} of {name!r} has {len(learn)} observations to "
                f"learn from and {len(test)} to test on; allowed at least one of each"
            )
        found.append(GivenSample(tuple(map(int, learn)), tuple(map(int, test))))
    return tuple(found)
