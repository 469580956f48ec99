"""The series of a history and their alarms."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from reportgen.errors import StudyError
from reportgen.history.entries import LEVEL, read_date
from reportgen.history.result import History, HistoryAlarm, HistoryRun, HistorySeries
from reportgen.performance_measure import Measure
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.sequential.exchangeability import (
    Alarm,
    ExchangeabilityProcess,
    draw_uniform,
    follow_exchangeability,
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
) -> History:
    """Follow every candidate's difference from the reference over runs.

    `rows`: as `read_history` returns them.
    `measures`: only these; all when left out.
    `alpha`: probability that there is ever a false alarm, in any series.
    `since`: only runs of this date or later, ISO 8601.
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
    found = follow_exchangeability(values, uniform)
    alarms = found.alarms(alpha) if groups else ()
    return History(
        study=str(rows["study"].iloc[-1]),
        alpha=alpha,
        threshold=found.threshold(alpha),
        runs=_runs(rows),
        series=tuple(
            _series(
                group.assign(place=group["run"].map(place)),
                found,
                s,
                [alarm for alarm in alarms if alarm.series == s],
            )
            for s, (_, group) in enumerate(groups)
        ),
    )


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
    found: ExchangeabilityProcess,
    s: int,
    alarms: list[Alarm],
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
        evidence=tuple(found.evidence[places, s].tolist()),
        alarms=tuple(
            HistoryAlarm(
                alarm.time,
                alarm.direction,
                (alarm.direction == "fall") == measure.is_smaller_better,
            )
            for alarm in alarms
        ),
    )
