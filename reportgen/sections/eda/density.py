"""The density plot: one curve a candidate, in one panel or, when many, one above another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import (
    DATA,
    HAIR,
    SMALL,
    THIN,
    TICK,
    Sheet,
    ValueAxis,
    axis_words,
    fit_axis,
    name_axis,
    name_mark,
    shortened,
    text_width,
)
from reportgen.notation import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.eda.result import MeasureExploration

N_POINTS = 121
APART, FOOT = 44.0, 5.0  # pt: from a marker on a curve to the next, and above the axis
TOGETHER = 8  # candidates up to which the curves share one panel
REACH = 3.0  # bandwidths that a curve goes beyond its values
BELOW = 31.0
RISE = 1.5  # rows that a curve is high when each has its own
CONSTANT = 1e-9  # relative spread below which a candidate counts as constant


@dataclass(frozen=True, slots=True)
class Curve:
    """An estimated density, in the unit in which values are shown.

    Attributes
    ----------
    x, y : ndarray
        Empty where the candidate's values are all the same (or it has one).
    at : float
        Its peak; the value of a constant candidate.
    remark : str
        Why there is no curve.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    at: float
    remark: str = ""

    @property
    def is_constant(self) -> bool:
        """Whether there is no curve."""
        return not self.x.size


def curves(seen: MeasureExploration, scale: Scale) -> dict[str, Curve]:
    """Return every candidate's curve in the order of the summary.

    Gaussian kernel, Scott's bandwidth, of the values that do not lie beyond the
    axis; reflected at the bounds of the measure, so that no curve goes where no
    value can be. On a logarithmic axis it is the density of the logarithm.
    """
    axis = _axis(seen, scale, 400)
    factor = axis.factor * scale.factor
    bounds = [None if b is None else factor * b for b in seen.measure.bounds]
    out = {}
    for summary in seen.summary:
        values = seen.values[:, seen.candidates.index(summary.candidate)]
        values = factor * values[np.isfinite(values) & axis.holds(scale.factor * values)]
        found = _curve(values, bounds, is_log=axis.is_log)
        out[summary.candidate] = replace(found, x=found.x / axis.factor, at=found.at / axis.factor)
    return out


def _curve(values: NDArray[np.float64], bounds: list[float | None], *, is_log: bool) -> Curve:
    middle = float(np.median(values))
    spread = np.ptp(values) if values.size > 1 else 0.0
    if spread <= CONSTANT * max(abs(middle), np.abs(values).max()):
        remark = "constant" if values.size > 1 else "one value"
        return Curve(np.empty(0), np.empty(0), middle, remark)
    if is_log:
        values, bounds = np.log10(values), [None, None]
    bandwidth = float(values.std(ddof=1)) * values.size ** (-1 / 5)
    reach = REACH * bandwidth
    ends = [float(values.min()) - reach, float(values.max()) + reach]
    lower, upper = bounds
    ends = [
        ends[0] if lower is None else max(ends[0], lower),
        ends[1] if upper is None else min(ends[1], upper),
    ]
    x = np.linspace(ends[0], ends[1], N_POINTS)
    y = _kernel(values, bandwidth, x)
    for bound in (lower, upper):
        if bound is not None:
            y += _kernel(values, bandwidth, 2 * bound - x)
    x = 10**x if is_log else x
    return Curve(x, y, float(x[np.argmax(y)]))


def _kernel(
    values: NDArray[np.float64], bandwidth: float, x: NDArray[np.float64]
) -> NDArray[np.float64]:
    z = (x[:, None] - values) / bandwidth
    density: NDArray[np.float64] = np.exp(-z * z / 2).mean(axis=1) / (
        bandwidth * np.sqrt(2 * np.pi)
    )
    return density


def _axis(seen: MeasureExploration, scale: Scale, length: float, gap: float = 44) -> ValueAxis:
    return fit_axis(
        scale.factor * seen.values,
        length,
        gap,
        may_be_log=seen.measure.unit != "share",
        may_clip=True,
    )


def _axis_of(
    seen: MeasureExploration, scale: Scale, drawn: Mapping[str, Curve], sheet: Sheet, length: float
) -> ValueAxis:
    """Return an axis that holds the whole curves."""
    all_x = [c.x for c in drawn.values()] + [np.array([c.at]) for c in drawn.values()]
    of_values = _axis(seen, scale, length)
    shown = scale.factor * seen.values[np.isfinite(seen.values)]
    values = np.concatenate([*all_x, shown[of_values.holds(shown)]])
    gap = 36 if sheet.is_phone else 44
    axis = fit_axis(values, length, gap, may_be_log=of_values.is_log)
    return replace(axis, n_outside=of_values.n_outside)


def draw_density(
    seen: MeasureExploration, scale: Scale, drawn: Mapping[str, Curve], sheet: Sheet
) -> None:
    """Draw the curves."""
    if len(drawn) <= TOGETHER:
        _draw_together(seen, scale, drawn, sheet)
    else:
        _draw_ridges(seen, scale, drawn, sheet)


# --------------------------------------------------------------------------- in one panel


def _draw_together(
    seen: MeasureExploration, scale: Scale, drawn: Mapping[str, Curve], sheet: Sheet
) -> None:
    top = 16.0
    is_flat = all(curve.is_constant for curve in drawn.values())
    sheet.begin((110 if is_flat else 214) + top)
    axis = _axis_of(seen, scale, drawn, sheet, sheet.width - 16)
    margin = max(text_width(label, TICK) for label in axis.labels) / 2 + 1
    axes = sheet.axes(margin, BELOW, margin, top)
    axis.apply(axes, "x")
    drawn = {
        name: replace(c, x=axis.drawn(c.x), at=float(axis.drawn([c.at])[0]))
        for name, c in drawn.items()
    }
    highest = max((c.y.max() for c in drawn.values() if not c.is_constant), default=1.0)
    axes.set(ylim=(0, 1.04 * highest), yticks=[])
    for i, (name, curve) in enumerate(drawn.items()):
        line: dict[str, Any] = {"color": sheet.ink(name), "lw": DATA, "clip_on": False}
        if curve.is_constant:
            axes.plot([curve.at] * 2, [0, 0.3 * highest], **line)
            continue
        axes.plot(curve.x, curve.y, ls=sheet.styles[name].dash, **line)
        some = _mark(_on_page(sheet, axes, curve, highest), 1.0 + 0.4 * i)
        axes.plot(curve.x[some], curve.y[some], **sheet.mark(name, 4), clip_on=False, zorder=3)
    page = sheet.page()
    page.text(margin, 7, "density", va="center", fontsize=SMALL, color=sheet.colour("ink2"))
    lines = {name: _on_page(sheet, axes, drawn[name], highest) for name in drawn}
    name_axis(sheet, page, margin, axis_words(seen.measure, axis, scale.unit), seen.measure)
    texts = shortened(tuple(drawn), 84 if sheet.is_phone else 130, TICK)
    for name, curve in drawn.items():
        if curve.is_constant:
            texts[name] += f" ({curve.remark})"
    for name, (x, y) in _place_labels(lines, texts, sheet).items():
        name_mark(sheet, page, x, y, name, texts[name])


def _mark(line: NDArray[np.float64], start: float) -> list[int]:
    """Return which points get a marker, so that curves do not differ by colour alone."""
    lengths = np.cumsum(np.hypot(*np.diff(line, axis=0).T))
    above = line[1:, 1] < line[:, 1].max() - FOOT
    steps = np.floor(lengths / APART + start % 1)
    first = np.flatnonzero(np.diff(steps, prepend=0) > 0)
    return [int(i) + 1 for i in first if above[i]]


def _on_page(sheet: Sheet, axes: Axes, curve: Curve, highest: float) -> NDArray[np.float64]:
    """Return points of a curve in points from the sheet's upper left corner."""
    if curve.is_constant:
        curve = Curve(np.full(9, curve.at), np.linspace(0, 0.3 * highest, 9), curve.at)
    points = axes.transData.transform(np.column_stack((curve.x, curve.y)))
    return np.column_stack((points[:, 0], sheet.height - points[:, 1]))


def _place_labels(
    lines: Mapping[str, NDArray[np.float64]], texts: Mapping[str, str], sheet: Sheet
) -> dict[str, tuple[float, float]]:
    """Put every name next to its own curve, where it covers nothing."""
    everything = np.concatenate([_dense_line(line) for line in lines.values()])
    placed: dict[str, tuple[float, float]] = {}
    taken = [(0.0, 0.0, 36.0, 14.0)]  # the word "density"
    for name in sorted(lines, key=lambda n: lines[n][:, 1].min()):
        width = text_width(texts[name], TICK) + 12
        box = _best_box(lines[name], width, everything, taken, sheet)
        taken.append(box)
        placed[name] = (box[0], (box[1] + box[3]) / 2)
    return placed


def _best_box(
    line: NDArray[np.float64],
    width: float,
    everything: NDArray[np.float64],
    taken: list[tuple[float, float, float, float]],
    sheet: Sheet,
) -> tuple[float, float, float, float]:
    """Try places along a curve, its peak first, and take the least crowded."""
    peak = line[np.argmin(line[:, 1])]
    best, least = (0.0, 0.0, width, 11.0), np.inf
    high = line[line[:, 1] <= 0.7 * peak[1] + 0.3 * line[:, 1].max()]  # no label at the feet
    for x, y in high[:: max(1, len(high) // 40)]:
        for dx, dy in (
            (-width / 2, -9),
            (5, -5),
            (-width - 5, -5),
            (5, 1),
            (-width - 5, 1),
            (-width / 2, -21),
            (-width / 2, -33),
        ):
            x0 = min(max(x + dx, 0.0), sheet.width - width)
            box = (x0, y + dy - 5.5, x0 + width, y + dy + 5.5)
            if box[1] < 0 or box[3] > sheet.height - BELOW - 2:
                continue
            away = abs(x0 + width / 2 - x) / 8 + np.hypot(x - peak[0], y - peak[1]) / 5
            cost = 20 * _inside(everything, box) + 400 * _overlap(box, taken) + away
            if cost < least:
                best, least = box, cost
    return best


def _dense_line(line: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points on the line that are nowhere further apart than a label is high."""
    t = np.linspace(0, 1, 6, endpoint=False)[:, None, None]
    return ((1 - t) * line[:-1] + t * line[1:]).reshape(-1, 2)


def _inside(points: NDArray[np.float64], box: tuple[float, float, float, float]) -> int:
    x, y = points.T
    hit = (x > box[0] - 1) & (x < box[2] + 1) & (y > box[1]) & (y < box[3])
    return min(int(hit.sum()), 40)


def _overlap(
    box: tuple[float, float, float, float], taken: list[tuple[float, float, float, float]]
) -> int:
    return sum(
        box[0] < t[2] + 3 and t[0] < box[2] + 3 and box[1] < t[3] and t[1] < box[3] for t in taken
    )


# ------------------------------------------------------------------------ one above another


def _draw_ridges(
    seen: MeasureExploration, scale: Scale, drawn: Mapping[str, Curve], sheet: Sheet
) -> None:
    """Draw one row a candidate; every curve is as high as the others."""
    row, top = max(min(22.0, 560 / len(drawn)), 17.0), 26.0
    sheet.begin(len(drawn) * row + BELOW + top)
    names = shortened(tuple(drawn), 70 if sheet.is_phone else 120, sheet.label)
    left = max(text_width(text, sheet.label) for text in names.values()) + 24
    axes = sheet.axes(left, BELOW, 4, top)
    axis = _axis_of(seen, scale, drawn, sheet, sheet.width - left - 4)
    axis.apply(axes, "x")
    axes.set(ylim=(len(drawn), 0), yticks=[])
    page = sheet.page()
    for i, (name, curve) in enumerate(drawn.items()):
        base = i + 0.8
        if curve.is_constant:
            axes.plot(
                axis.drawn([curve.at] * 2),
                [base - 0.6, base],
                color=sheet.ink(name),
                lw=DATA,
                zorder=3 * i,
            )
        else:
            _draw_ridge(sheet, axes, name, axis.drawn(curve.x[::2]), curve.y[::2], base, 3 * i)
        axes.axhline(base, color=sheet.colour("rule"), lw=HAIR, zorder=3 * i + 2)
        middle = top + (base - 0.25) * row
        page.plot([left - 12], [middle], **sheet.mark(name, 6))
        page.text(left - 20, middle, names[name], ha="right", va="center_baseline",
                  fontsize=sheet.label)  # fmt: skip
    name_axis(sheet, page, left, axis_words(seen.measure, axis, scale.unit), seen.measure)
    note = "density, every curve drawn to the same height"
    page.text(sheet.width - 4, 6, note, ha="right", va="center", fontsize=SMALL,
              color=sheet.colour("ink2"))  # fmt: skip


def _draw_ridge(
    sheet: Sheet,
    axes: Axes,
    name: str,
    x: NDArray[np.float64],
    density: NDArray[np.float64],
    base: float,
    zorder: int,
) -> None:
    y = base - RISE * density / density.max()
    ground: dict[str, Any] = {
        "facecolor": sheet.wash(name),
        "alpha": 0.85,
        "lw": 0,
        "clip_on": False,
    }
    axes.fill([x[0], *x, x[-1]], [base, *y, base], **ground, zorder=zorder)
    axes.plot(x, y, color=sheet.ink(name), lw=THIN, zorder=zorder + 1, clip_on=False)
