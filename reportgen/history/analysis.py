"""The series of a history and their alarms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from reportgen.errors import StudyError
from reportgen.history.entries import LEVEL, read_date
from reportgen.history.result import History, HistoryAlarm, HistoryRun, HistorySeries
from reportgen.performance_measure import Measure
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.sequential.exchangeability import (
    Alarm,
    ExchangeabilityProcess,
    draw_uniform,
    follow_exchangeability,
)
from reportgen.stats.sequential.serial_dependence import (
    FEWEST,
    SerialDependence,
    independent_law,
    serial_dependence,
)
from reportgen.streams import stream
from reportgen.study.errors import describe_unknown

ALPHA = 0.05
SEED = 0
KEY = ["dataset", "measure", "candidate", "reference", "scale"]


def analyse(
    rows: pd.DataFrame,
    *,
    measures: Sequence[str] = (),
    alpha: float = ALPHA,
    since: str = "",
    block: int = 1,
) -> History:
    """Follow every candidate's difference from the reference over runs.

    `rows`: as `read_history` returns them.
    `measures`: only these; all when left out.
    `alpha`: probability that there is ever a false alarm, in any series.
    `since`: only runs of this date or later, ISO 8601.
    `block`: alarms follow the means of so many runs in a row; what is left at the end waits.
    Raises StudyError if there is no run, no such measure, or the date is none.
    """
    known = rows["measure"].unique().tolist()
    for name in measures:
        if name not in known:
            raise StudyError(f"history: {describe_unknown('measure', name, known)}")
    rows = rows[rows["measure"].isin(measures)] if measures else rows
    since = since and read_date(since)
    rows = rows[rows["date"] >= since] if since else rows
    if rows.empty:
        later = f" since {since}" if since else ""
        raise StudyError(f"history: found no run{later}; allowed one or more")
    ids = tuple(rows["run"].unique())
    place = {run: i for i, run in enumerate(ids)}
    own = rows[rows["difference"].notna()]
    groups = [(key, group) for key, group in own.groupby(KEY, sort=False)]
    values = np.full((len(ids), len(groups)), np.nan)
    uniform = np.full(values.shape, 0.5)
    for s, (key, group) in enumerate(groups):
        at = group["run"].map(place).to_numpy()
        values[at, s] = group["difference"]
        words = [str(word) for word in key]
        uniform[np.sort(at), s] = draw_uniform(stream(SEED, "history", *words), len(at))[:, 0]
    dependence = _dependence(blocked(values, block))
    found = follow_exchangeability(blocked(values, block), uniform[: len(ids) // block])
    alarms = found.alarms(alpha) if groups else ()
    return History(
        study=str(rows["study"].iloc[-1]),
        alpha=alpha,
        threshold=found.threshold(alpha),
        runs=_runs(rows),
        series=tuple(
            _series(
                group.assign(place=group["run"].map(place)),
                _each_run(found, block, len(ids))[:, s],
                [
                    replace(alarm, time=(alarm.time + 1) * block - 1)
                    for alarm in alarms
                    if alarm.series == s
                ],
                dependence[s],
            )
            for s, (_, group) in enumerate(groups)
        ),
        block=block,
    )


def blocked(values: Array, block: int) -> Array:
    """Return the means of blocks of runs, of the values that are there.

    Shape (T, m) -> (T // block, m).
    """
    whole = values[: len(values) // block * block].reshape(-1, block, values.shape[1])
    n = np.isfinite(whole).sum(axis=1)
    return np.asarray(np.where(n, np.nansum(whole, axis=1) / np.maximum(n, 1), np.nan))


def _each_run(found: ExchangeabilityProcess, block: int, n_runs: int) -> Array:
    """Return the evidence after each run: that after the last block that was whole by then."""
    start = np.ones((1, found.p_values.shape[1]))
    return np.asarray(np.vstack([start, found.evidence])[(np.arange(n_runs) + 1) // block])


def _dependence(values: Array) -> list[SerialDependence | None]:
    """Test whether the values of each series depend on those before; None with too few."""
    own = [column[np.isfinite(column)] for column in values.T]
    counts = {len(x) for x in own if len(x) >= FEWEST}
    laws = {n: independent_law(n, stream(SEED, "serial dependence", n)) for n in sorted(counts)}
    return [serial_dependence(x, laws[len(x)]) if len(x) in laws else None for x in own]


def _runs(rows: pd.DataFrame) -> tuple[HistoryRun, ...]:
    """Return the runs, and where versions have changed."""
    first = rows.drop_duplicates("run").to_dict(orient="records")
    versions = [_versions(row["versions"]) for row in first]
    changes: list[tuple[tuple[str, str, str], ...]] = [()]
    for before, after in pairwise(versions):
        names = [n for n in dict.fromkeys((*before, *after)) if before.get(n) != after.get(n)]
        changes.append(tuple((n, before.get(n, ""), after.get(n, "")) for n in names))
    return tuple(
        HistoryRun(row["run"], row["date"], row["commit"] or "", changed)
        for row, changed in zip(first, changes, strict=True)
    )


def _versions(text: str) -> dict[str, str]:
    """Read the versions of a run; none where they cannot be read."""
    try:
        found = json.loads(text)
        return {str(name): str(version) for name, version in found.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _series(
    group: pd.DataFrame,
    evidence: Array,
    alarms: list[Alarm],
    dependence: SerialDependence | None,
) -> HistorySeries:
    """Return one series on the scale on which it is read."""
    row = group.iloc[0]
    measure = Measure(row["measure"], row["better"], row["unit"] or "")
    is_ratio = row["scale"] == "ratio"
    estimate = group["difference"].to_numpy(np.float64)
    df = np.maximum(group["n"].to_numpy(np.float64) - 1, 1)
    half = t_quantile((1 - LEVEL) / 2, df) * group["standard_error"].to_numpy(np.float64)
    estimate, lower, upper = (
        np.exp(x) if is_ratio else x for x in (estimate, estimate - half, estimate + half)
    )
    places = group["place"].to_numpy()
    return HistorySeries(
        dataset=row["dataset"],
        measure=measure,
        candidate=row["candidate"],
        reference=row["reference"],
        is_ratio=is_ratio,
        runs=tuple(places.tolist()),
        estimates=tuple(estimate.tolist()),
        lower=tuple(x if np.isfinite(x) else None for x in lower.tolist()),
        upper=tuple(x if np.isfinite(x) else None for x in upper.tolist()),
        evidence=tuple(evidence[places].tolist()),
        alarms=tuple(
            HistoryAlarm(
                alarm.time,
                alarm.direction,
                (alarm.direction == "fall") == measure.is_smaller_better,
            )
            for alarm in alarms
        ),
        serial_correlation=None if dependence is None else dependence.correlation,
        dependence_p_value=None if dependence is None else dependence.p_value,
    )
