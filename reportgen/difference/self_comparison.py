"""How often a run differs from itself: the false alarms of the comparison, on its own values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.difference.reading import RunReading
from reportgen.difference.result import AlarmCounts, FalseAlarms
from reportgen.errors import StudyError
from reportgen.stats.arrays import Array
from reportgen.stats.changes import Changes, paired_changes, unpaired_changes
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS
from reportgen.streams import stream
from reportgen.study.comparison import comparison_scale, comparison_values

Divide = Callable[[list[Array], int, Generator], list[tuple[Array, Array]]]
Test = Callable[[Array, Array, float, int], Changes]

MOST_REPEATS = 1_000_000
REPEATS = 1000
SEED = 0
MOST_NUMBERS = 4_000_000  # in memory at a time


def count_false_alarms(
    run: RunReading, *, alpha: float | None = None, repeats: int = REPEATS
) -> FalseAlarms:
    """Compare a run with itself, many times.

    `alpha`: that of the study when left out.
    Raises StudyError if the values of the run are not known, or there is not one repeat.

    Notes
    -----
    Labels: each of two runs has the candidates of every replication in a random order, the same
    for all measures, so that no candidate changes. Differences are then symmetric, whatever those
    of the run are. Halves: the replications are divided at random, so that the differences between
    candidates, and the skewness of their values, stay. Neither has what two runs may differ in that
    are made on two days.
    """
    if run.warehouse is None:
        raise StudyError(f"{run.name}: found results without values; allowed a run that has them")
    if not 1 <= repeats <= MOST_REPEATS:
        raise StudyError(f"--repeats: found {repeats}; allowed 1 to {MOST_REPEATS:,}")
    alpha = run.alpha if alpha is None else alpha
    sets = dict(_matrices(run))
    n = {name: len(matrices[0]) for name, matrices in sets.items()}
    has_labels = len(run.candidates) > 1 and max(n.values()) >= FEWEST_UNITS
    has_halves = max(n.values()) >= 2 * FEWEST_UNITS
    return FalseAlarms(
        run.name,
        run.study,
        alpha,
        repeats,
        n,
        _count(sets, _swap_labels, paired_changes, alpha, repeats) if has_labels else None,
        _count(sets, _halve, unpaired_changes, alpha, repeats) if has_halves else None,
    )


def _matrices(run: RunReading) -> Iterator[tuple[str, list[Array]]]:
    """Yield the values of each data set: a (B, K) matrix a measure, as they are compared."""
    if run.warehouse is None:
        return
    for dataset in run.warehouse.datasets:
        found = [run.warehouse.raw_performances(dataset, measure.name) for measure in run.measures]
        numbers = np.unique(np.concatenate([own.replications for own in found]))
        matrices = []
        for measure, own in zip(run.measures, found, strict=True):
            values, area = own.values, run.relevance.get(measure.name)
            rows = np.full((len(numbers), values.shape[1]), np.nan)
            rows[np.searchsorted(numbers, own.replications)] = values
            matrices.append(comparison_values(rows, comparison_scale(measure, values, area)))
        yield dataset, matrices


def _swap_labels(matrices: list[Array], repeats: int, rng: Generator) -> list[tuple[Array, Array]]:
    """Return two runs a repeat, (B, repeats, K) a measure, whose labels are in random order."""
    n, k = matrices[0].shape
    orders = [
        rng.permuted(np.broadcast_to(np.arange(k), (n, repeats, k)), axis=2) for _ in range(2)
    ]
    found = []
    for values in matrices:
        wide = np.broadcast_to(values[:, None, :], (n, repeats, k))
        first, second = (np.take_along_axis(wide, order, axis=2) for order in orders)
        found.append((first, second))
    return found


def _halve(matrices: list[Array], repeats: int, rng: Generator) -> list[tuple[Array, Array]]:
    """Return two runs a repeat, which have one half of the replications each."""
    n = len(matrices[0])
    order = rng.permuted(np.broadcast_to(np.arange(n)[:, None], (n, repeats)), axis=0)
    return [(values[order[: n // 2]], values[order[n // 2 :]]) for values in matrices]


def _count(
    sets: dict[str, list[Array]], divide: Divide, test: Test, alpha: float, repeats: int
) -> AlarmCounts:
    """Count the repeats in which a comparison of two such runs raises an alarm."""
    n_candidates = next(iter(sets.values()))[0].shape[1]
    pairs = np.array(list(combinations(range(n_candidates), 2)), dtype=np.intp).reshape(-1, 2)
    n_cells = sum(len(m) * m[0].shape[1] for m in sets.values())
    n_pairs = sum(len(m) * len(pairs) for m in sets.values())
    n_families = 1 + (n_pairs > 0)
    has_values, has_pairs = (np.zeros(repeats, dtype=np.bool_) for _ in range(2))
    for name, matrices in sets.items():
        rng = stream(SEED, "against itself", name)
        width = max(n_candidates, len(pairs)) * len(matrices[0]) * 4
        step = max(1, MOST_NUMBERS // width)
        for begin in range(0, repeats, step):
            size = min(step, repeats - begin)
            own = slice(begin, begin + size)
            for first, second in divide(matrices, size, rng):
                has_values[own] |= _any(test, first, second, alpha, n_families * n_cells)
                if len(pairs):
                    both = [x[..., pairs[:, 0]] - x[..., pairs[:, 1]] for x in (first, second)]
                    has_pairs[own] |= _any(test, both[0], both[1], alpha, n_families * n_pairs)
    return AlarmCounts(
        repeats,
        int(has_values.sum()),
        int(has_pairs.sum()),
        int((has_values | has_pairs).sum()),
        n_cells,
        n_pairs,
    )


def _any(
    test: Test, first: Array, second: Array, alpha: float, n_comparisons: int
) -> NDArray[np.bool_]:
    """Return in which repeats some column of (B, repeats, C) has a change."""
    flat = [x.reshape(len(x), -1) for x in (first, second)]
    shown = test(flat[0], flat[1], alpha, n_comparisons).shown(alpha)
    return np.asarray(shown.reshape(first.shape[1:]).any(axis=1))
