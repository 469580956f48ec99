"""What a page carries so that its reader can select: replications, and the intervals of pairs."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from math import floor, isfinite, log10
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.drawing import fit_axis
from reportgen.drawing.axes import LOG_FROM, LOG_FROM_COMPARED
from reportgen.drawing.labels import measure_words
from reportgen.notation import number_format
from reportgen.performance_measure import Measure
from reportgen.rendering.markup import clean
from reportgen.report import Report, SectionContent
from reportgen.stats.arrays import Array, Indices
from reportgen.stats.pair_table import numbers_or_none
from reportgen.stats.ranking import best_first
from reportgen.units import in_words
from reportgen.warehouse import Performances

TOP, MISSING = 65534, 65535  # the steps of a measure's range, and what stands for no value
MOST_BYTES = 3_000_000  # of the values as they are written
BYTES_A_VALUE = 8 / 3  # 16 bits in base64
MOST_TIMES = 256  # that an observation may be in one learning sample
MOST_PAIRS = 20_000  # with their numbers, of all measures and data sets
MOST_PACKED = 50_000  # of the first verdict alone, where that has more: 39 bytes each
Said = tuple[int, bool, str]
AXIS, TICK_GAP = 160.0, 30.0  # pt: the explorer's vertical axis


@dataclass(frozen=True, slots=True)
class Explorer:
    """What the explorer of a page needs."""

    data: Markup  # JSON without any "<": candidates, measures and values
    n_datasets: int  # data sets that can be explored
    is_in_figures: bool  # whether replications that are selected are seen in figures, too
    # n_measures, n_omitted: Measures of which they can be, and of which there is no room.
    n_measures: int
    n_omitted: int
    is_too_large: bool  # whether there are replications, but too many values for a page
    # has_samples, has_curves: Whether the study kept learning samples, and fitted curves.
    has_samples: bool
    has_curves: bool
    has_pairs: bool  # whether there are decisions on pairs
    is_one_pair: bool  # whether each of them is on two candidates, of whom there are no more
    n_omitted_pairs: int  # pairs of which there is no room


def explorer(report: Report, anchors: Mapping[str, str]) -> Explorer:
    """Pack the performances of a report.

    `anchors`: ids of the data sets' places in the page, by their names; empty for none.
    Result: without any data set where nothing is replicated, no two candidates have values, or the
    main measure alone is too large. Measures after the main one are left out, the last first, where
    all are too large.
    """
    sets = _explorable(report)
    measures, n_bytes = [], 0.0
    for j, measure in enumerate(report.design.measures):
        n_bytes += BYTES_A_VALUE * sum(s[j].values.size for s in sets)
        if n_bytes > MOST_BYTES:
            break
        measures.append(measure)
    shown = sets if measures else []
    data: dict[str, Any] = {
        "names": [clean(name) for name in report.design.candidates],
        "measures": [_words(measure) for measure in measures],
        "sets": [_dataset(s[: len(measures)], anchors) for s in shown],
    }
    n_pairs, n_omitted_pairs = 0, 0
    data["samples"] = samples = dict(_samples(report, data["sets"]))
    kept: list[dict[str, Any]] = []
    data["pairs"] = kept
    for content, verdict in _verdicts(report):
        n_pairs += len(verdict.pairs)
        if n_pairs > (MOST_PAIRS if kept else MOST_PACKED):
            n_omitted_pairs += len(verdict.pairs)
        else:
            kept.append(_family(report, content, verdict))
    n_omitted = len(report.design.measures) - len(measures)
    return Explorer(
        _json(data),
        len(shown),
        any(" data-r=" in f.screen for content in report.contents for f in content.figures),
        len(measures),
        n_omitted,
        is_too_large=bool(sets) and not shown,
        has_samples=bool(samples),
        has_curves=any(own["curves"] for own in samples.values()),
        has_pairs=bool(kept),
        is_one_pair=len(report.design.candidates) == 2,
        n_omitted_pairs=n_omitted_pairs,
    )


def _samples(
    report: Report, sets: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Pack the learning samples of each explorable data set, and its observations and curves."""
    numbers = {s["name"]: np.array(s.get("numbers", range(1, s["B"] + 1))) for s in sets}
    place = {name: k for k, name in enumerate(report.design.candidates)}
    for own in report.samples:
        name = clean(own.dataset)
        is_counted = (own.times == np.rint(own.times)).all() and own.times.max() < MOST_TIMES
        if name not in numbers or not is_counted:
            continue
        rows = np.searchsorted(own.replications, numbers[name])
        levels = np.concatenate([c.ravel() for c in own.curves.values()] or [np.empty(0)])
        levels = levels[np.isfinite(levels)]
        lower, upper = (float(f(levels)) if len(levels) else 0.0 for f in (np.min, np.max))
        steps = {
            place[candidate]: _linear_steps(curve[rows], lower, upper)
            for candidate, curve in own.curves.items()
            if candidate in place
        }
        yield (
            name,
            {
                "vars": [clean(v) for v in own.variables],
                "values": [[x if isfinite(x) else None for x in v] for v in own.values.T.tolist()],
                "learn": _base64(own.times[rows].astype(np.uint8)),
                "grid": own.grid.tolist(),
                "lo": lower,
                "hi": upper,
                "curves": {k: _base64(found) for k, found in steps.items()},
            },
        )


def _linear_steps(values: NDArray[np.float64], lower: float, upper: float) -> NDArray[np.uint16]:
    """Write values as steps of a range, `MISSING` where there is none."""
    share = (values - lower) / ((upper - lower) or 1.0)
    return np.where(np.isfinite(share), np.rint(TOP * share), MISSING).astype("<u2")


def _base64(numbers: NDArray[Any]) -> str:
    return base64.b64encode(numbers.tobytes()).decode()


def _verdicts(report: Report) -> Iterator[tuple[SectionContent, Any]]:
    """Go through the verdicts that have pairs: those over the data sets first."""
    for content in sorted(report.contents, key=lambda c: c.dataset is not None):
        for verdict in content.verdicts:
            if len(verdict.pairs):
                yield content, verdict


def _family(report: Report, content: SectionContent, verdict: Any) -> dict[str, Any]:
    """Pack the decisions of a measure."""
    everywhere = in_words("over the data sets", report.design.vocabulary)
    at, where = verdict.number_format, content.dataset or everywhere
    words = clean(measure_words(verdict.measure))
    pairs = verdict.arranged  # the better mean stands first
    place = np.array([report.design.candidates.index(name) for name in pairs.names])
    both = place[np.column_stack([pairs.first, pairs.second])]
    numbers = np.column_stack(verdict.advantages(pairs))
    # Who is better, whether the pair is open, whatever its interval, and the decision.
    said = list(zip(pairs.direction.tolist(), pairs.is_open.tolist(), pairs.words, strict=True))
    kind, written = ("packed", _by_column) if len(pairs) > MOST_PAIRS else ("rows", _by_pair)
    return {
        "name": f"{words}, {clean(where)}" if len(report.design.datasets) > 1 else words,
        "ratio": verdict.is_ratio,
        "area": verdict.area_of_advantage,
        "factor": 1.0 if verdict.is_ratio else at.factor,
        "unit": "" if verdict.is_ratio else clean(at.difference_unit),
        "decimals": at.decimals,
        kind: written(both, numbers, said),
    }


def _by_pair(both: Indices, numbers: Array, said: Sequence[Said]) -> list[list[Any]]:
    """Return of each pair the two, its numbers, None where there is none, and what is said."""
    columns = map(numbers_or_none, numbers.T)
    pairs = zip(both.tolist(), zip(*columns, strict=True), said, strict=True)
    return [[*two, *own, *words] for two, own, words in pairs]


def _by_column(both: Indices, numbers: Array, said: Sequence[Said]) -> dict[str, Any]:
    """Return the same a column at a time; what is said of each from a list."""
    every = {own: k for k, own in enumerate(dict.fromkeys(said))}
    return {
        "both": _base64(both.astype("<u2")),
        "numbers": _base64(numbers.astype("<f8")),
        "said": list(every),
        "which": _base64(np.array([every[own] for own in said], dtype=np.uint8)),
    }


def _explorable(report: Report) -> list[tuple[Performances, ...]]:
    """Return the measures' performances on each data set where two candidates are replicated."""
    found = {(p.dataset, p.measure.name): p for p in report.performances}
    names = [m.name for m in report.design.measures]
    sets = [
        tuple(found[d.name, name] for name in names)
        for d in report.design.datasets
        if all((d.name, name) in found for name in names)
    ]
    return [s for s in sets if _is_replicated(s[0])]


def _is_replicated(performances: Performances) -> bool:
    """Whether two candidates have values in two replications, complete ones among all present."""
    has_value = np.isfinite(performances.values)
    present = has_value[:, has_value.any(axis=0)]
    return bool(present.shape[1] > 1 and present.all(axis=1).sum() > 1)


def _words(measure: Measure) -> dict[str, Any]:
    """Name a measure."""
    return {"name": clean(measure_words(measure)), "larger": not measure.is_smaller_better}


def _dataset(measures: Sequence[Performances], anchors: Mapping[str, str]) -> dict[str, Any]:
    """Pack one data set."""
    replications = np.unique(np.concatenate([p.replications for p in measures]))
    n = len(replications)
    packed: dict[str, Any] = {
        "name": clean(measures[0].dataset),
        "anchor": anchors.get(measures[0].dataset, ""),
        "B": n,
        "m": [_packed(p, replications) for p in measures],
    }
    if (replications != np.arange(1, n + 1)).any():
        packed["numbers"] = replications.tolist()
    return packed


def _packed(performances: Performances, replications: NDArray[np.int64]) -> dict[str, Any]:
    """Pack the values of one measure, with the axis and the notation they are shown with."""
    values = np.full((len(replications), len(performances.candidates)), np.nan)
    values[np.searchsorted(replications, performances.replications)] = performances.values
    values[~np.isfinite(values)] = np.nan
    has_value = ~np.isnan(values).all(axis=0)
    means = np.full(values.shape[1], np.nan)
    with np.errstate(over="ignore"):
        means[has_value] = np.nanmean(values[:, has_value], axis=0)
    measure = performances.measure
    written = number_format(measure, means.tolist())
    axis = fit_axis(
        written.factor * values,
        AXIS,
        TICK_GAP,
        may_be_log=measure.unit_symbol != "share",
        log_from=LOG_FROM_COMPARED if measure.is_compared_by_ratio else LOG_FROM,
    )
    lower, upper, steps = to_steps(values, is_log=axis.is_log)
    order = best_first(means, is_smaller_better=measure.is_smaller_better)
    return {
        "v": _base64(steps.T.astype("<u2")),
        "lo": lower,
        "hi": upper,
        "log": axis.is_log,
        "order": [k for k in order if has_value[k]],
        # as they are printed: of steps a mean may be rounded the other way
        "means": [written.value(x) if isfinite(x) else "–" for x in means.tolist()],
        "factor": written.factor,
        "unit": clean(written.unit_symbol),
        "decimals": _honest(written.decimals, written.factor * (upper - lower), axis.is_log),
        "axis": {
            "factor": written.factor * axis.factor,
            "lo": axis.lower,
            "hi": axis.upper,
            "ticks": list(zip(axis.ticks, axis.labels, strict=True)),
            "unit": clean(axis.unit(written.unit_symbol)),
        },
    }


def _honest(decimals: int, span: float, is_log: bool) -> int:
    """Return as many decimals as the steps of a range resolve, and no more than are usual."""
    if is_log or not 0 < span < np.inf:
        return decimals
    return max(0, min(decimals, -floor(log10(span / TOP))))


def to_steps(
    values: NDArray[np.float64], *, is_log: bool
) -> tuple[float, float, NDArray[np.uint16]]:
    """Write values as steps of their range, so that no order within a replication changes.

    `values`: (B, K); NaN where there is no value.
    `is_log`: whether steps are of the logarithms.
    Result: the ends of the range; of decimal logarithms where these are taken; (B, K); `MISSING`
    where there is no value. Equal values of a replication are equal steps, and different ones
    differ; elsewhere a value is at most half a step off.
    """
    missing = np.isnan(values)
    if missing.all():
        return 0.0, 0.0, np.full(values.shape, MISSING, dtype=np.uint16)
    levels = np.log10(values) if is_log else values
    lower, upper = float(np.nanmin(levels)), float(np.nanmax(levels))
    span = upper / TOP - lower / TOP  # a difference of the ends may be too large a number
    steps = np.rint(levels / span - lower / span) if 0 < span < np.inf else np.zeros(values.shape)
    order = np.argsort(values, axis=1, kind="stable")  # missing ones last
    ordered = np.take_along_axis(values, order, axis=1)
    rises = ~(ordered[:, 1:] == ordered[:, :-1])
    steps = np.where(missing, np.inf, steps)
    at = np.take_along_axis(steps, order, axis=1)
    for k in range(1, at.shape[1]):
        at[:, k] = np.where(rises[:, k - 1], np.maximum(at[:, k], at[:, k - 1] + 1), at[:, k - 1])
    at = np.where(np.isfinite(at), np.minimum(at, TOP), np.inf)
    for k in range(at.shape[1] - 2, -1, -1):
        at[:, k] = np.where(rises[:, k], np.minimum(at[:, k], at[:, k + 1] - 1), at[:, k + 1])
    np.put_along_axis(steps, order, at, axis=1)
    return lower, upper, np.where(missing, MISSING, steps).astype(np.uint16)


def _json(data: object) -> Markup:
    """Write JSON that ends no element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))
