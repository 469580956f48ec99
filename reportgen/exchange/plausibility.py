"""Checks whether replications of results agree with the resampling that the manifest names."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np
import pandas as pd

from reportgen.data_classes import dataclass
from reportgen.exchange.factors import Factors
from reportgen.exchange.replications import is_fold
from reportgen.exchange.table import RawTable
from reportgen.study.errors import listed, shown
from reportgen.study.given_samples import FixedSample
from reportgen.study.schema.resampling import FOLDED
from reportgen.warehouse import SIZES

log = logging.getLogger(__name__)

MEETINGS: Mapping[str, str] = {
    "crossed": "the same in every split",
    "nested": "others in each split",
    "partial": "not all in every split",
}


@dataclass(frozen=True, slots=True)
class Drawn:
    """How samples were drawn, as a warehouse keeps it."""

    # The scheme and its options; empty where it is not known, or data sets differ.
    common: Mapping[str, Any]
    # The same of data sets that differ.
    of_datasets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def checked_resampling(
    table: RawTable,
    resampling: Mapping[str, Any],
    frame: pd.DataFrame,
    columns: Sequence[str],
    factors: Factors | None = None,
) -> Drawn:
    """Return how samples were drawn, once the data agree.

    `resampling`: the scheme and its options as in a manifest; empty when unknown.
    `frame`: the performances, tidy.
    `columns`: the file's columns that number the replications.
    `factors`: what these columns are; a scheme that the manifest does not name is read from them.
    Raises ExchangeError if a data set has replications that the scheme cannot have given.
    """
    scheme = resampling.get("scheme")
    if factors is not None and factors.has_seeds_of_splits:
        _note_seeds(table, factors)
    if scheme is None:
        return _read_scheme(table, frame, factors, resampling)
    blocks = _n_replications(frame)
    if scheme in FOLDED:
        return Drawn(_check_folds(table, resampling, blocks, _n_folds(table, columns, factors)))
    most = 1 if scheme == "hold-out" else resampling.get("replications")
    for name, n in blocks.items():
        if most is not None and n > most:
            also = "; many splits are subsampling" if scheme == "hold-out" else ""
            raise table.error(
                f"{n} replications of the data set {shown(name)}",
                f"{most}, as results.resampling says ({scheme}){also}",
            )
        if most is not None and n < most:
            _note_missing(table, name, n, most)
    return Drawn({"scheme": scheme, **_common(blocks), **_rest(resampling)})


def _read_scheme(
    table: RawTable, frame: pd.DataFrame, factors: Factors | None, given: Mapping[str, Any]
) -> Drawn:
    """Read the scheme of each data set from the columns of folds and repeats."""
    found = {} if factors is None else factors.schemes()
    if table.design is not None and not found and not given:
        own = table.design.of_datasets
        here = {name: own[name] for name in own if name in {*frame["dataset"]}}
        return Drawn(table.design.resampling, here)
    if factors is None or not found:
        return Drawn(dict(given))
    named = (factors.columns[role] for role in ("repeat", "fold") if role in factors.columns)
    split = list(dict.fromkeys(named))
    kind = "scheme-column" if len(split) == 1 else "scheme-columns"
    log.info("%s: the sampling scheme is read from %s", table.path, listed(split))
    table.decided.append((kind, ", ".join(split)))
    blocks = _n_replications(frame)
    schemes = list(found.values())
    if set(found) == set(blocks) and all(scheme == schemes[0] for scheme in schemes):
        scheme = schemes[0]
        return Drawn({"scheme": scheme.pop("scheme"), **_common(blocks), **scheme})
    return Drawn({}, found)


def _n_replications(frame: pd.DataFrame) -> dict[str, int]:
    counts = frame.groupby("dataset", observed=True)["replication"].nunique()
    return {str(name): int(n) for name, n in counts.items()}


def _note_seeds(table: RawTable, factors: Factors) -> None:
    """Note which runs are averaged within each split, and how they meet the splits."""
    seeds = factors.seeds().values()
    numbers = sorted({own["seeds"] for own in seeds})
    counts = " to ".join(str(n) for n in {numbers[0]: 0, numbers[-1]: 0})
    words = " or ".join(dict.fromkeys(MEETINGS[own["seeds_are"]] for own in seeds))
    columns = " × ".join(factors.of_runs)
    table.decided.append(("seed-columns", f"{columns} ({counts} runs, {words})"))


def _check_folds(
    table: RawTable, resampling: Mapping[str, Any], blocks: Mapping[str, int], found: int | None
) -> dict[str, Any]:
    """Compare numbers of folds and repeats with the data, and infer those that are not given."""
    folds, repeats = resampling.get("folds") or found, resampling.get("repeats")
    if folds is None:
        return {"scheme": resampling["scheme"], **_common(blocks), **_rest(resampling)}
    if found is not None and found != folds:
        raise table.error(
            f"{found} folds in the data, and folds: {folds} in results.resampling",
            f"folds: {found}",
        )
    for name, n in blocks.items():
        if repeats is not None:
            _check_repeats(table, name, n, folds, repeats)
        elif n % folds:
            raise table.error(
                f"{n} replications of the data set {shown(name)} with folds: {folds}",
                f"a multiple of {folds}; where some are lost, repeats in results.resampling "
                "(scheme repeated-k-fold) gives their number",
            )
    if repeats is None and len(set(blocks.values())) == 1:
        repeats = next(iter(blocks.values())) // folds
    scheme = resampling["scheme"]
    if any(n > folds for n in blocks.values()):
        scheme = "repeated-k-fold"
    if scheme != resampling["scheme"]:
        log.info("%s: %d folds, so that the replications are repeats of them", table.path, folds)
    more = {"repeats": repeats} if scheme == "repeated-k-fold" and repeats is not None else {}
    return {"scheme": scheme, **_common(blocks), "folds": folds, **more, **_rest(resampling)}


def _check_repeats(table: RawTable, name: str, n: int, folds: int, repeats: int) -> None:
    """Compare the replications of a data set with what folds and repeats give."""
    if n > folds * repeats:
        raise table.error(
            f"{n} replications of the data set {shown(name)}",
            f"{folds * repeats}, as results.resampling says ({repeats} repeats of {folds} folds)",
        )
    if n < folds * repeats:
        _note_missing(table, name, n, folds * repeats)


def _note_missing(table: RawTable, name: str, n: int, of: int) -> None:
    """Warn of replications that the manifest names and the file lacks."""
    log.warning("%s: %d of %d replications of the data set %s", table.path, n, of, shown(name))
    table.decided.append(("missing-replications", f"{name}: {n} of {of}"))


def _common(blocks: Mapping[str, int]) -> dict[str, int]:
    """Return the number of replications where all data sets have as many."""
    counts = set(blocks.values())
    return {"replications": counts.pop()} if len(counts) == 1 else {}


def _rest(resampling: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options without numbers of replications."""
    kept = ("fraction", "assessment", "stratify", "overlap")
    return {key: resampling[key] for key in kept if resampling.get(key) not in (None, False)}


def _n_folds(table: RawTable, columns: Sequence[str], factors: Factors | None) -> int | None:
    """Count the folds, where a column numbers them."""
    schemes = [] if factors is None else list(factors.schemes().values())
    folds = {scheme["folds"] for scheme in schemes}
    if len(folds) == 1 and len(columns) > 1:
        return int(folds.pop())
    own = [column for column in columns if is_fold(column)]
    return len(table.labels(own[0]).names) if len(own) == 1 and len(columns) > 1 else None


def sample_sizes(
    table: RawTable, frame: pd.DataFrame, given: Mapping[str, Sequence[FixedSample]]
) -> dict[str, pd.Series[Any]]:
    """Return the sizes of given samples for every row.

    Raises ExchangeError if the samples are of other data sets or replications.
    """
    names = [str(name) for name in frame["dataset"].unique()]
    missing = [name for name in names if name not in given]
    if missing:
        raise table.error(
            f"the data sets {listed(missing)}, of which no samples are given", listed(given)
        )
    keys = list(zip(frame["dataset"].astype(str), frame["replication"].astype(int), strict=True))
    row = next((i for i, (d, b) in enumerate(keys) if not 1 <= b <= len(given[d])), None)
    if row is not None:
        d, b = keys[row]
        raise table.error(
            f"replication {b} of the data set {shown(d)}",
            f"1 to {len(given[d])}, as in the file of samples",
            row=int(frame["row"].iloc[row]),
        )
    sizes = np.array([_sizes(given[d][b - 1]) for d, b in keys], float).T
    return {name: pd.Series(column, frame.index) for name, column in zip(SIZES, sizes, strict=True)}


def _sizes(sample: FixedSample) -> tuple[int, int, int]:
    return len(sample.learn), len(set(sample.learn)), len(sample.test)
