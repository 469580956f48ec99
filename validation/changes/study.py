"""How often `diff` and the alarms of a history are wrong, and what they find, by simulation.

    python validation/changes/study.py [runs]

Measures anew, writes `counts.json` beside this file and docs/changes-size.md from it; without an
argument only the page is written. 1000 runs take about three minutes of processor time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.changes import Changes, paired_changes, unpaired_changes
from reportgen.stats.sequential.exchangeability import draw_uniform, follow_exchangeability

Array = NDArray[np.float64]
Noise = Callable[[Generator, tuple[int, ...]], Array]
Counts = dict[str, Any]

HERE = Path(__file__).parent
COUNTS = HERE / "counts.json"
PAGE = HERE.parents[1] / "docs" / "changes-size.md"
SEED, ALPHA = 24, 0.05
MOST = 0.064  # of 1000 runs at 5%, two standard errors above
SIGMA = 0.8  # of lognormal noise
FAMILIES = ((1, 1), (2, 1), (5, 1), (5, 4), (5, 10))  # candidates, data sets
SIZES = (10, 30)  # replications
DESIGNS = ("paired", "unpaired")
SHIFTS = (0.5, 1.0, 2.0)  # standard deviations of the noise of one run
NIGHTS, SERIES = 200, (1, 10, 50)
QUIET, NIGHT_SHIFTS, WITHIN = (10, 20, 30, 60), (1.0, 2.0, 3.0), 30


# ----------------------------------------------------------------------------------- noise


def normal(rng: Generator, shape: tuple[int, ...]) -> Array:
    return rng.standard_normal(shape)


def exponential(rng: Generator, shape: tuple[int, ...]) -> Array:
    return rng.exponential(size=shape) - 1


def lognormal(rng: Generator, shape: tuple[int, ...]) -> Array:
    spread = sqrt((exp(SIGMA**2) - 1) * exp(SIGMA**2))
    return (rng.lognormal(sigma=SIGMA, size=shape) - exp(SIGMA**2 / 2)) / spread


def heteroscedastic(rng: Generator, shape: tuple[int, ...]) -> Array:
    """Return normal noise whose standard deviation is drawn anew for each replication or night."""
    return rng.standard_normal(shape) * np.exp(rng.normal(0, 0.7, (shape[0], *shape[1:])))


NOISES: dict[str, Noise] = {
    "normal": normal,
    "exponential": exponential,
    "lognormal": lognormal,
    "heteroscedastic": heteroscedastic,
}


# ------------------------------------------------------------------------------------ diff


def compare(design: str, first: Array, second: Array, level: float, m: int) -> Changes:
    """Test the columns of two runs."""
    kernel = paired_changes if design == "paired" else unpaired_changes
    return kernel(first, second, level, m)


def alarms(
    design: str, first: Array, second: Array, k: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which runs raise an alarm, of values, and of differences of pairs.

    Parameters
    ----------
    first, second : ndarray of shape (n, runs, data sets, candidates)
    k : int
        Candidates.
    """
    runs, sets = first.shape[1:3]
    pairs = np.array(list(combinations(range(k), 2)), dtype=int).reshape(-1, 2)
    level = ALPHA / (1 + bool(len(pairs)))
    flat = (x.reshape(len(x), -1) for x in (first, second))
    of_values = compare(design, *flat, level, sets * k).shown(level).reshape(runs, -1).any(axis=1)
    if not len(pairs):
        return of_values, np.zeros(runs, dtype=bool)
    both = (
        (x[..., pairs[:, 0]] - x[..., pairs[:, 1]]).reshape(len(x), -1) for x in (first, second)
    )
    found = compare(design, *both, level, sets * len(pairs)).shown(level)
    return of_values, found.reshape(runs, -1).any(axis=1)


def equal_runs(
    rng: Generator, noise: Noise, design: str, n: int, shape: tuple[int, int, int], number: int = 2
) -> list[Array]:
    """Return the values of runs in which nothing has changed.

    Paired runs share the difficulty of each replication, which varies as much as the noise;
    of unpaired runs those after the first have half as many replications again.
    """
    if design == "paired":
        base = rng.standard_normal((n, *shape[:2], 1))
        return [base + noise(rng, (n, *shape)) for _ in range(number)]
    values = []
    for size in (n, *[n * 3 // 2] * (number - 1)):
        base = rng.standard_normal((size, *shape[:2], 1))
        values.append(base + noise(rng, (size, *shape)))
    return values


def measure_sizes(runs: int, rng: Generator) -> Iterator[Counts]:
    """Count false alarms of `diff` where nothing has changed."""
    for design in DESIGNS:
        for n in SIZES:
            for name, noise in NOISES.items():
                for k, sets in FAMILIES:
                    first, second = equal_runs(rng, noise, design, n, (runs, sets, k))
                    of_values, of_pairs = alarms(design, first, second, k)
                    yield {
                        "design": design,
                        "replications": n,
                        "noise": name,
                        "cells": k * sets,
                        "runs": runs,
                        "values": int(of_values.sum()),
                        "pairs": int(of_pairs.sum()),
                        "any": int((of_values | of_pairs).sum()),
                    }


def measure_powers(runs: int, rng: Generator) -> Iterator[Counts]:
    """Count runs in which one changed candidate of five on four data sets is found."""
    k, sets = 5, 4
    for design in DESIGNS:
        for n in SIZES:
            for name in ("normal", "exponential"):
                for shift in SHIFTS:
                    first, second = equal_runs(rng, NOISES[name], design, n, (runs, sets, k))
                    second[..., 0, 0] += shift
                    flat = (x.reshape(len(x), -1) for x in (first, second))
                    shown = compare(design, *flat, ALPHA / 2, sets * k).shown(ALPHA / 2)
                    yield {
                        "design": design,
                        "replications": n,
                        "noise": name,
                        "shift": shift,
                        "runs": runs,
                        "found": int(shown.reshape(runs, sets, k)[:, 0, 0].sum()),
                    }


def measure_confirmations(runs: int, rng: Generator) -> Iterator[Counts]:
    """Count false alarms of 20 cells, and those that a third run repeats on the same side."""
    k, sets, runs = 5, 4, 2 * runs  # what returns is rare
    level = ALPHA / 2  # values and pairs have an equal part
    for design in DESIGNS:
        for n in SIZES:
            for name in ("normal", "exponential", "lognormal"):
                three = equal_runs(rng, NOISES[name], design, n, (runs, sets, k), 3)
                flat = [x.reshape(len(x), -1) for x in three]
                found, repeated = (compare(design, flat[0], x, level, sets * k) for x in flat[1:])
                is_shown = found.shown(level)
                is_same = np.sign(found.estimate) == np.sign(repeated.estimate)
                is_repeated = is_shown & repeated.shown(level) & is_same
                yield {
                    "design": design,
                    "replications": n,
                    "noise": name,
                    "runs": runs,
                    "any": int(is_shown.reshape(runs, -1).any(axis=1).sum()),
                    "repeated": int(is_repeated.reshape(runs, -1).any(axis=1).sum()),
                }


def measure_spreads(runs: int, rng: Generator) -> Iterator[Counts]:
    """Count alarms where the mean stays and the standard deviation doubles."""
    for name in ("normal", "exponential"):
        for n in (10, 30, 100):
            for cells in (1, 20):
                first = NOISES[name](rng, (n, runs * cells))
                second = 2 * NOISES[name](rng, (n, runs * cells))
                shown = unpaired_changes(first, second, ALPHA, cells).shown(ALPHA)
                yield {
                    "noise": name,
                    "replications": n,
                    "cells": cells,
                    "runs": runs,
                    "any": int(shown.reshape(runs, cells).any(axis=1).sum()),
                }


# ------------------------------------------------------------------- rules of other programs

RULES = ("diff", "mean 10%", "mean 200%", "median 1.1")
TIMES = (  # coefficient of variation, spread of the machine between runs, factor of a change
    (0.1, 0.0, 1.0),
    (0.3, 0.0, 1.0),
    (1.0, 0.0, 1.0),
    (0.3, 0.05, 1.0),
    (0.1, 0.0, 1.05),
    (0.1, 0.0, 1.2),
    (0.3, 0.0, 1.2),
    (0.3, 0.0, 2.5),
)


def measure_rules(runs: int, rng: Generator) -> Iterator[Counts]:
    """Count alarms of rules on times of five candidates on four data sets, 30 replications."""
    n, cells = 30, 20
    for variation, drift, factor in TIMES:
        sigma = sqrt(np.log(1 + variation**2))
        first, second = rng.lognormal(sigma=sigma, size=(2, n, runs, cells))
        second = second * rng.lognormal(sigma=drift, size=(1, runs, 1)) if drift else second
        second[..., 0] *= factor
        logs = (np.log(x).reshape(n, -1) for x in (first, second))
        shown = unpaired_changes(*logs, ALPHA, cells).shown(ALPHA).reshape(runs, cells)
        means = second.mean(axis=0) / first.mean(axis=0)
        medians = np.median(second, axis=0) / np.median(first, axis=0)
        found = (
            shown,
            means > 1.1,
            means > 2.0,
            np.maximum(medians, 1 / medians) > 1.1,
        )
        yield {
            "variation": variation,
            "drift": drift,
            "factor": factor,
            "runs": runs,
            **{
                rule: {
                    "any": int(own[:, 1:].any(axis=1).sum()),
                    "changed": int(own[:, 0].sum()),
                }
                for rule, own in zip(RULES, found, strict=True)
            },
        }


# --------------------------------------------------------------------------------- history


def first_alarms(values: Array, rng: Generator, m: int) -> Array:
    """Return the night of the first alarm of each history, infinite without one.

    Parameters
    ----------
    values : ndarray of shape (nights, histories * m)
    """
    found = follow_exchangeability(values, draw_uniform(rng, *values.shape))
    evidence = found.evidence.reshape(len(values), -1, m).max(axis=2)
    is_over = evidence >= 2 * m / ALPHA
    return np.where(is_over.any(axis=0), is_over.argmax(axis=0) + 1.0, np.inf)


def measure_nights(runs: int, rng: Generator) -> Iterator[Counts]:
    """Count histories with a false alarm in 200 nights."""
    for m in SERIES:
        for name, noise in NOISES.items():
            nights = first_alarms(noise(rng, (NIGHTS, runs * m)), rng, m)
            found = int(np.isfinite(nights).sum())
            yield {"series": m, "noise": name, "runs": runs, "any": found}


def measure_shifts(runs: int, rng: Generator) -> Iterator[Counts]:
    """Count histories of one series in which a shift is found."""
    for quiet in QUIET:
        for shift in NIGHT_SHIFTS:
            values = normal(rng, (quiet + WITHIN, runs))
            values[quiet:] += shift
            nights = first_alarms(values, rng, 1) - quiet
            is_found = (nights > 0) & np.isfinite(nights)
            yield {
                "quiet": quiet,
                "shift": shift,
                "runs": runs,
                "found": int(is_found.sum()),
                "median": float(np.median(nights[is_found])) if is_found.any() else None,
            }


# ------------------------------------------------------------------------------------ page


def measure(runs: int) -> dict[str, list[Counts]]:
    """Measure everything."""
    parts = {
        "sizes": measure_sizes,
        "powers": measure_powers,
        "spreads": measure_spreads,
        "rules": measure_rules,
        "nights": measure_nights,
        "shifts": measure_shifts,
        "confirmations": measure_confirmations,
    }
    streams = np.random.default_rng(SEED).spawn(len(parts))
    return {
        name: list(part(runs, rng))
        for (name, part), rng in zip(parts.items(), streams, strict=True)
    }


def read() -> dict[str, list[Counts]]:
    """Return the counts that were measured."""
    found: dict[str, list[Counts]] = json.loads(COUNTS.read_text(encoding="utf-8"))
    return found


def percent(n: int, runs: int) -> str:
    """Write a share in per cent."""
    return f"{100 * n / runs:.1f}"


def table(heads: list[str], rows: list[list[str]], n_words: int) -> str:
    """Write a table in Markdown, whose first columns are words."""
    rules = ["---"] * n_words + ["---:"] * (len(heads) - n_words)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rules, *rows))


def page(counts: dict[str, list[Counts]]) -> str:
    """Write the page in Markdown."""
    sizes, nights = counts["sizes"], counts["nights"]
    runs = sizes[0]["runs"]
    worst = max(s["any"] / s["runs"] for s in sizes)
    worst_night = max(s["any"] / s["runs"] for s in nights)
    cells = [k * sets for k, sets in FAMILIES]
    known = {(s["design"], s["replications"], s["noise"], s["cells"]): s for s in sizes}
    size_rows = [
        [design, str(n), name, *(percent(known[design, n, name, c]["any"], runs) for c in cells)]
        for design in DESIGNS
        for n in SIZES
        for name in NOISES
    ]
    powers = {(p["design"], p["replications"], p["noise"], p["shift"]): p for p in counts["powers"]}
    power_rows = [
        [d, str(n), name, *(percent(powers[d, n, name, s]["found"], runs) for s in SHIFTS)]
        for d in DESIGNS
        for n in SIZES
        for name in ("normal", "exponential")
    ]
    spread_rows = [
        [s["noise"], str(s["replications"]), str(s["cells"]), percent(s["any"], s["runs"])]
        for s in counts["spreads"]
    ]
    rule_rows = [
        [
            f"{100 * r['variation']:.0f}%",
            f"{100 * r['drift']:.0f}%" if r["drift"] else "none",
            f"{r['factor']:g}" if r["factor"] != 1 else "none",
            *(
                percent(r[rule]["any"], r["runs"])
                + (f" / {percent(r[rule]['changed'], r['runs'])}" if r["factor"] != 1 else "")
                for rule in RULES
            ),
        ]
        for r in counts["rules"]
    ]
    by_night = {(s["series"], s["noise"]): s for s in nights}
    night_rows = [
        [name, *(percent(by_night[m, name]["any"], runs) for m in SERIES)] for name in NOISES
    ]
    shifts = {(s["quiet"], s["shift"]): s for s in counts["shifts"]}
    shift_rows = [
        [
            str(quiet),
            *(
                percent(own["found"], runs)
                + (f" / {own['median']:g}" if own["median"] is not None else "")
                for own in (shifts[quiet, shift] for shift in NIGHT_SHIFTS)
            ),
        ]
        for quiet in QUIET
    ]
    confirmation_rows = [
        [
            c["design"],
            str(c["replications"]),
            c["noise"],
            f"{100 * c['any'] / c['runs']:.1f}",
            f"{100 * c['repeated'] / c['runs']:.2f}",
        ]
        for c in counts["confirmations"]
    ]
    return f"""\
# False alarms of `diff` and `history`

How often [`diff` and `history`](compare-runs.md) raise an alarm, in {runs:,} runs a cell. This page
is written by `validation/changes/study.py` from `counts.json` beside it. Intervals are those of
verdicts: *t*, corrected for skewness by a doubling of a side at most. At 5% a share of up to
{100 * MOST:.1f}% is within two Monte Carlo standard errors.

## `diff` where nothing has changed

Per cent of the comparisons in which a change of a value is shown, or of the difference of a pair
(whether or not its verdict is another one), by the number of cells: candidates times data sets. The
largest share is {100 * worst:.1f}%. Exponential and lognormal noise (standard deviation of the
logarithm {
        SIGMA
    }) are skewed; the standard deviation of heteroscedastic noise is drawn anew for each
value. The second of two unpaired runs has half as many replications again.

{
        table(
            [
                "replications",
                "of each",
                "noise",
                *(f"{c} cells" if c > 1 else "one cell" for c in cells),
            ],
            size_rows,
            3,
        )
    }

## An alarm that has to return

Per cent of the comparisons in which a change of some value of 20 cells is shown, and in which it is
shown again, to the same side, by a run that is made anew (`--confirm`): {
        counts["confirmations"][0]["runs"]:,} runs a row.

{
        table(
            ["replications", "of each", "noise", "alarm", "alarm that returns"],
            confirmation_rows,
            3,
        )
    }

## `diff` where something has changed

Per cent of the comparisons in which one of 20 cells has a changed mean, by so many standard
deviations of its noise, and that is shown. Values of unpaired runs vary with the difficulty of the
replications, too.

{table(["replications", "of each", "noise", *(f"{s:g} SD" for s in SHIFTS)], power_rows, 3)}

## Where the mean stays and the spread doubles

Unpaired. Then something has changed, though not the mean that `diff` speaks of: per cent of the
comparisons that say it has. With skewed values and few replications that is more than 5%.

{table(["noise", "replications", "cells", "any alarm"], spread_rows, 1)}

## Rules of other programs on the same times

Lognormal times of 20 cells, 30 replications, two runs. Per cent of the comparisons in which some
unchanged cell raises an alarm and, after the stroke, in which the changed one does. *Machine* is
the standard deviation of the speed of the machine between runs: `diff` finds that it has changed,
which is true of the times and not the candidates' doing; it is why `history` watches differences
from a reference. The rules are those of pytest-benchmark (`--benchmark-compare-fail=mean:10%`),
github-action-benchmark (200%) and asv (a factor of 1.1 of the medians, both ways).

{
        table(
            [
                "variation",
                "machine",
                "change",
                "`diff`",
                "pytest-benchmark",
                "github-action-benchmark",
                "asv",
            ],
            rule_rows,
            3,
        )
    }

## A history where nothing shifts

Per cent of the histories with any alarm in {NIGHTS} nights that are looked at every night, by the
number of series. The largest share is {100 * worst_night:.1f}%; at most 5% is promised for any
number of nights.

{table(["noise", *(f"{m} series" if m > 1 else "one series" for m in SERIES)], night_rows, 1)}

## A history where one series shifts

Per cent of the histories in which a lasting shift, by so many standard deviations between nights,
is found within {
        WITHIN
    } nights / the median number of nights that takes, after so many quiet nights.

{table(["quiet nights", *(f"{s:g} SD" for s in NIGHT_SHIFTS)], shift_rows, 1)}

A rank among few nights is never very small: promise nothing before some 30 quiet nights.
"""


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measured = measure(int(sys.argv[1]))
        COUNTS.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(read()), encoding="utf-8")
