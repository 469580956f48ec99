"""The comparison of two runs: design, environment, values, verdicts, orders, consensus."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.difference.reading import PairKey, PairVerdict, RunReading
from reportgen.difference.result import (
    CellChange,
    Change,
    ConsensusChange,
    Difference,
    OrderChange,
    Pairing,
    RunInfo,
    Setting,
    Sharing,
    VerdictChange,
)
from reportgen.performance_measure import Measure
from reportgen.stats.arrays import Array
from reportgen.stats.changes import Changes, clustered_changes, paired_changes, unpaired_changes
from reportgen.stats.decisions import OPPOSITE
from reportgen.stats.items.clusters import Codes, cluster_totals
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS
from reportgen.study.comparison import comparison_scale, comparison_values
from reportgen.warehouse import SIZES, Warehouse
from reportgen.warehouse.items import cluster_codes
from reportgen.warehouse.rows import rows_of

FEWEST_SIZES = 3  # different sizes of samples that show that replications are the same
COUNTS = ("n_observations", "n_variables", "n_classes")


def compare_readings(
    first: RunReading,
    second: RunReading,
    *,
    alpha: float | None = None,
    shared: bool | None = None,
) -> Difference:
    """Compare two runs.

    `alpha`: probability of any false alarm; that of the second run's study when left out.
    `shared`: whether replications of the same number are the same; found out when left out.
    """
    alpha = second.alpha if alpha is None else alpha
    pairings = tuple(_pairings(first, second, shared))
    blocks = tuple(_blocks(first, second, pairings))
    pairs = _both_verdicts(first, second)
    n_cells = sum(int(block.is_tested.sum()) for block in blocks)
    at = {(block.dataset, block.measure.name): block for block in blocks}
    domains = {
        m.name: _DomainBlock.of(own)
        for m in first.measures
        if (own := [block for block in blocks if block.measure.name == m.name])
    }
    n_pairs = sum(_is_tested(key, at, domains) for key in pairs)
    n_families = max(1, (n_cells > 0) + (n_pairs > 0))
    changed = [key for key, (before, after) in pairs.items() if before != after]
    named = {m.name for m in second.measures}
    return Difference(
        first=_info(first),
        second=_info(second),
        alpha=alpha,
        measures=tuple(m for m in first.measures if m.name in named),
        candidates=_common(first.candidates, second.candidates),
        design=(*_design(first, second), *_missing(blocks)),
        environment=tuple(_environment(first, second)),
        pairings=pairings,
        cells=tuple(cell for block in blocks for cell in block.cells(alpha, n_families * n_cells)),
        n_cells_tested=n_cells,
        n_pairs_tested=n_pairs,
        n_verdicts=len(pairs),
        verdicts=tuple(
            _verdict_change(key, *pairs[key], at, domains, alpha, n_families * n_pairs)
            for key in changed
        ),
        orders=tuple(_orders(first, second)),
        consensus=tuple(_consensus(first, second)),
    )


def _info(run: RunReading) -> RunInfo:
    return RunInfo(run.name, run.study, run.provenance, run.warehouse is not None)


def _common(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    """Return the names of both, in the order of the first."""
    own = set(second)
    return tuple(name for name in first if name in own)


# ------------------------------------------------------------------------ design, environment


def _design(first: RunReading, second: RunReading) -> Iterator[Setting]:
    """Yield what differs between the designs."""
    yield from _entries("seed", {"": first.seed}, {"": second.seed})
    yield from _entries("problem", {"": first.problem}, {"": second.problem})
    yield from _entries("alpha", {"": first.alpha}, {"": second.alpha})
    areas = ({k: list(v) for k, v in run.relevance.items()} for run in (first, second))
    yield from _entries("area of equivalence", *areas)
    yield from _presence("data set", *([d.name for d in run.datasets] for run in (first, second)))
    yield from _presence("candidate", first.candidates, second.candidates)
    yield from _presence("measure", *([m.name for m in run.measures] for run in (first, second)))
    sides = ({m.name: m.better for m in run.measures} for run in (first, second))
    yield from _entries("better side", *sides, is_of_both=True)
    for name in ("n_replications", *COUNTS):
        found = ({d.name: getattr(d, name) for d in run.datasets} for run in (first, second))
        yield from _entries(name.removeprefix("n_"), *found, is_of_both=True)
    ways = (
        {d.name: _without_count(d.resampling or run.resampling) for d in run.datasets}
        for run in (first, second)
    )
    yield from _entries("resampling", *ways, is_of_both=True)
    for kind in ("data set", "candidate"):
        own = ({n: e for (k, n), e in run.entries.items() if k == kind} for run in (first, second))
        yield from _entries(f"definition of the {kind}", *own, is_of_both=True)
    yield from _entries("file", first.files, second.files, is_of_both=True)


def _missing(blocks: Iterable[_Block]) -> Iterator[Setting]:
    """Yield the candidates and data sets of which another number of values is missing."""
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for block in blocks:
        for k, candidate in enumerate(block.candidates):
            for counts, missing in zip((before, after), block.missing, strict=True):
                counts[f"{candidate} on {block.dataset}"] += int(missing[k])
    yield from _entries("missing values", before, after)


def _without_count(resampling: Mapping[str, object]) -> dict[str, object]:
    """Return how samples are drawn, without how many."""
    return {key: value for key, value in resampling.items() if key != "replications"}


def _environment(first: RunReading, second: RunReading) -> Iterator[Setting]:
    """Yield what differs between the programs and machines."""
    yield from _entries("version", first.versions, second.versions)
    for name in ("platform", "processor", "commit"):
        found = ({"": getattr(run.provenance, name) or None} for run in (first, second))
        yield from _entries(name, *found)


def _presence(name: str, first: Iterable[str], second: Iterable[str]) -> Iterator[Setting]:
    """Yield what only one of both has."""
    before, after = tuple(first), tuple(second)
    yield from (Setting(name, own, "present", "") for own in before if own not in after)
    yield from (Setting(name, own, "", "present") for own in after if own not in before)


def _entries(
    name: str,
    first: Mapping[str, Any],
    second: Mapping[str, Any],
    *,
    is_of_both: bool = False,
) -> Iterator[Setting]:
    """Yield the entries that differ; of keys that only one has where these count."""
    for key in dict.fromkeys((*first, *second)):
        if is_of_both and not (key in first and key in second):
            continue
        for path, before, after in _leaves(first.get(key), second.get(key)):
            of = f"{key}: {'.'.join(path)}" if path else key
            yield Setting(name, of, _text(before), _text(after))


def _leaves(
    before: Any, after: Any, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield what differs inside mappings, with its path of keys."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            yield from _leaves(before.get(key), after.get(key), (*path, str(key)))
    elif before != after:
        yield path, before, after


def _text(value: Any) -> str:
    """Write a value of a manifest."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


# ------------------------------------------------------------------------------ replications


def _pairings(first: RunReading, second: RunReading, shared: bool | None) -> Iterator[Pairing]:
    """Yield, for each data set of both runs, whether they share its replications."""
    if first.warehouse is None or second.warehouse is None:
        return
    for name in _common((d.name for d in first.datasets), (d.name for d in second.datasets)):
        sizes = [_sizes(run.warehouse, name) for run in (first, second) if run.warehouse]
        both = np.intersect1d(sizes[0][0], sizes[1][0])
        reason = _sharing(first, second, name, sizes, both) if shared is None else "given"
        is_shared = reason.startswith("same") if shared is None else shared
        yield Pairing(name, is_shared, reason, len(both) if is_shared else 0)


def _sharing(
    first: RunReading,
    second: RunReading,
    dataset: str,
    sizes: list[tuple[NDArray[np.int64], Array]],
    both: NDArray[np.int64],
) -> Sharing:
    """Return why replications are taken for the same, or not."""
    drawn = [own[np.isin(numbers, both)] for numbers, own in sizes]
    same_sizes = bool(len(both)) and np.array_equal(drawn[0], drawn[1], equal_nan=True)
    if first.seed is not None and second.seed is not None:
        ways = [
            _without_count(r.dataset(dataset).resampling or r.resampling) for r in (first, second)
        ]
        designs = [r.dataset(dataset) for r in (first, second)]
        key = ("data set", dataset)
        named = first.entries.get(key), second.entries.get(key)
        if first.seed != second.seed:
            return "other-seed"
        if ways[0] != ways[1]:
            return "other-resampling"
        if (
            named[0] != named[1]
            or any(getattr(designs[0], p) != getattr(designs[1], p) for p in COUNTS)
            or any(second.files.get(n, sha) != sha for n, sha in first.data_files.items())
        ):
            return "other-data"
        return "same-seed" if same_sizes else "other-sizes"
    if _has_same_items(first.warehouse, second.warehouse, dataset):
        return "same-items"
    if _has_same_values(first.warehouse, second.warehouse, dataset):
        return "same-values"
    vary = len(np.unique(drawn[0], axis=0)) >= FEWEST_SIZES if len(both) else False
    is_known = bool(np.isfinite(drawn[0]).any()) if len(both) else False
    if is_known and same_sizes and vary:
        return "same-sizes"
    return "unknown" if same_sizes or not is_known else "other-sizes"


def _sizes(warehouse: Warehouse, dataset: str) -> tuple[NDArray[np.int64], Array]:
    """Return the numbers of replications, and the sizes of the samples of each."""
    frame, rows = warehouse.frame, rows_of(warehouse.frame, dataset)
    numbers, place = np.unique(frame["replication"].to_numpy(np.int64)[rows], return_index=True)
    return numbers, frame[list(SIZES)].to_numpy(np.float64)[rows][place]


def _has_same_items(first: Warehouse | None, second: Warehouse | None, dataset: str) -> bool:
    """Whether the replications of a data set are the same items in both runs."""
    if first is None or second is None:
        return False
    columns = ["replication", "item"]
    both = [w.items[w.items["dataset"] == dataset][columns].astype(str) for w in (first, second)]
    names = [own.set_index("replication")["item"] for own in both]
    return bool(len(names[0])) and names[0].to_dict() == names[1].to_dict()


def _has_same_values(first: Warehouse | None, second: Warehouse | None, dataset: str) -> bool:
    """Whether some candidate has the same varying values, to the last bit."""
    if first is None or second is None:
        return False
    shared = _common((m.name for m in first.measures), (m.name for m in second.measures))
    for measure in shared:
        before, after = (w.raw_performances(dataset, measure) for w in (first, second))
        if not np.array_equal(before.replications, after.replications):
            continue
        for name in _common(first.candidates, second.candidates):
            own = before.values[:, first.candidates.index(name)]
            other = after.values[:, second.candidates.index(name)]
            values = np.unique(own[np.isfinite(own)])
            if len(values) >= FEWEST_UNITS and np.array_equal(own, other, equal_nan=True):
                return True
    return False


# ------------------------------------------------------------------------------------ values


@dataclass(frozen=True, slots=True)
class _Block:
    """The values of one measure on one data set in both runs, of the candidates of both."""

    dataset: str
    measure: Measure
    candidates: tuple[str, ...]
    # before, after: (B, K); as they are compared: logarithms where `is_ratio`; where replications
    # are shared the rows are those of both runs.
    before: Array
    after: Array
    means: tuple[Array, Array]  # shape (K,)
    missing: tuple[NDArray[np.int64], NDArray[np.int64]]  # shape (K,)
    is_same: NDArray[np.bool_]  # (K,); whether all values are equal to the last bit
    is_paired: bool
    is_ratio: bool
    # (B,); of the rows of both runs, where rows share some.
    clusters: tuple[Codes, Codes] | None = None

    @property
    def is_tested(self) -> NDArray[np.bool_]:
        """Shape (K,): which cells are tested."""
        return ~self.is_same & self._has_enough(self.before, self.after)

    def _has_enough(self, before: Array, after: Array) -> NDArray[np.bool_]:
        """Return which columns have values enough for a test."""
        rows = [before - after] if self.is_paired else [before, after]
        n = [_n_units(x, own) for x, own in zip(rows, self.clusters or (None, None), strict=False)]
        return np.asarray(np.minimum(n[0], n[-1]) >= FEWEST_UNITS)

    def test(self, before: Array, after: Array, alpha: float, n_comparisons: int) -> Changes:
        """Test columns of values, or of differences of two candidates."""
        n = max(1, n_comparisons)
        if self.clusters is not None:
            paired = self.is_paired
            return clustered_changes(before, after, self.clusters, alpha, n, is_paired=paired)
        kernel = paired_changes if self.is_paired else unpaired_changes
        return kernel(before, after, alpha, n)

    def differences(self, first: str, second: str) -> tuple[Array, Array]:
        """Return the differences of two candidates in both runs, one column each."""
        i, j = self.candidates.index(first), self.candidates.index(second)
        before, after = (x[:, i] - x[:, j] for x in (self.before, self.after))
        return before[:, None], after[:, None]

    def is_same_pair(self, first: str, second: str) -> bool:
        """Whether all values of two candidates are unchanged."""
        places = [self.candidates.index(first), self.candidates.index(second)]
        return bool(self.is_same[places].all())

    def is_tested_pair(self, first: str, second: str) -> bool:
        """Whether a change of the difference of two candidates is tested."""
        enough = self._has_enough(*self.differences(first, second))
        return bool(enough[0]) and not self.is_same_pair(first, second)

    def cells(self, alpha: float, n_comparisons: int) -> Iterator[CellChange]:
        """Yield the cells with their tests."""
        found = self.test(self.before, self.after, alpha, n_comparisons)
        is_shown = found.shown(alpha)
        for k, candidate in enumerate(self.candidates):
            shown = bool(self.is_tested[k] and is_shown[k])
            is_lower = bool(found.estimate[k] < 0)
            yield CellChange(
                self.dataset,
                self.measure.name,
                candidate,
                "unchanged"
                if self.is_same[k]
                else "untested"
                if not self.is_tested[k]
                else "changed"
                if shown
                else "no-change-shown",
                _number(self.means[0][k]),
                _number(self.means[1][k]),
                int(self.missing[0][k]),
                int(self.missing[1][k]),
                None if self.is_same[k] else change_of(found, k, self.is_paired, self.is_ratio),
                (is_lower == self.measure.is_smaller_better) if shown else None,
            )


def change_of(found: Changes, k: int, is_paired: bool, is_ratio: bool) -> Change:
    """Return the change of one cell, on the scale on which it is read."""
    turn: Callable[[float], float] = (lambda x: float(np.exp(x))) if is_ratio else float
    return Change(
        _number(turn(found.estimate[k])),
        _number(turn(found.lower[k])),
        _number(turn(found.upper[k])),
        _number(found.adjusted_p_value[k]),
        int(found.n_first[k]),
        int(found.n_second[k]),
        is_paired,
        is_ratio,
    )


def _number(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None


def _blocks(first: RunReading, second: RunReading, pairings: Iterable[Pairing]) -> Iterator[_Block]:
    """Yield the values of both runs by data set and measure."""
    if first.warehouse is None or second.warehouse is None:
        return
    names = _common(first.candidates, second.candidates)
    for pairing in pairings:
        for measure in second.measures:
            if measure.name in {m.name for m in first.measures}:
                yield _block(first.warehouse, second.warehouse, pairing, measure, names, second)


def _block(
    first: Warehouse,
    second: Warehouse,
    pairing: Pairing,
    measure: Measure,
    names: tuple[str, ...],
    settings: RunReading,
) -> _Block:
    """Return the values of one data set and measure in both runs."""
    columns = [[run.candidates.index(name) for name in names] for run in (first, second)]
    raw = [run.raw_performances(pairing.dataset, measure.name) for run in (first, second)]
    numbers = raw[0].replications, raw[1].replications
    before, after = (own.values[:, place] for own, place in zip(raw, columns, strict=True))
    is_same = np.zeros(len(names), dtype=np.bool_)
    if np.array_equal(*numbers):
        is_same = ((before == after) | (np.isnan(before) & np.isnan(after))).all(axis=0)
    missing = tuple((~np.isfinite(x)).sum(axis=0) for x in (before, after))
    area = settings.relevance.get(measure.name)
    scale = comparison_scale(measure, np.concatenate([before, after]), area)
    before, after = (comparison_values(x, scale) for x in (before, after))
    means = tuple(_means(x, is_ratio=scale == "ratio") for x in (before, after))
    if pairing.is_shared:
        both = np.intersect1d(*numbers)
        before, after = (
            x[np.isin(own, both)] for x, own in zip((before, after), numbers, strict=True)
        )
        numbers = both, both
    clusters = _clusters((first, second), pairing.dataset, numbers)
    return _Block(
        pairing.dataset,
        measure,
        names,
        before,
        after,
        means,  # type: ignore[arg-type]
        missing,
        is_same,
        pairing.is_shared,
        scale == "ratio",
        clusters,
    )


def _n_units(rows: Array, clusters: Codes | None) -> NDArray[np.int64]:
    """Count by column the rows that have a value, or the clusters that have one."""
    has_value = np.isfinite(rows) if clusters is None else cluster_totals(rows, clusters)[1] > 0
    return np.asarray(has_value.sum(axis=0))


def _clusters(
    runs: Sequence[Warehouse], dataset: str, numbers: Sequence[NDArray[np.int64]]
) -> tuple[Codes, Codes] | None:
    """Return the clusters of the rows of both runs; None where no two rows share one."""
    found = []
    for run, own in zip(runs, numbers, strict=True):
        items = run.items[run.items["dataset"] == dataset]
        codes = cluster_codes(items, own) if len(items) else None
        found.append(codes)
    if all(codes is None for codes in found):
        return None
    first, second = (
        np.arange(len(own)) if codes is None else codes.astype(np.intp)
        for own, codes in zip(numbers, found, strict=True)
    )
    return first, second


def _means(values: Array, *, is_ratio: bool) -> Array:
    """Return the means of columns, geometric of logarithms; NaN of columns without a value."""
    has = np.isfinite(values)
    n = has.sum(axis=0)
    mean = np.where(has, values, 0.0).sum(axis=0) / np.maximum(n, 1)
    return np.where(n > 0, np.exp(mean) if is_ratio else mean, np.nan)


# ---------------------------------------------------------------------------------- verdicts


@dataclass(frozen=True, slots=True)
class _DomainBlock:
    """The values of one measure on all data sets; the unit is the data set."""

    blocks: tuple[_Block, ...]

    @classmethod
    def of(cls, blocks: list[_Block]) -> _DomainBlock:
        """Return the data sets that are compared on one scale, that of most of them."""
        n_ratios = sum(block.is_ratio for block in blocks)
        is_ratio = 2 * n_ratios > len(blocks)
        return cls(tuple(block for block in blocks if block.is_ratio == is_ratio))

    def differences(self, first: str, second: str) -> tuple[Array, Array]:
        """Return the mean differences of two candidates in both runs, a row a data set."""
        parts = [block.differences(first, second) for block in self.blocks]
        before, after = (
            np.array([_means(part[run], is_ratio=False)[0] for part in parts]) for run in (0, 1)
        )
        return before[:, None], after[:, None]

    def is_same_pair(self, first: str, second: str) -> bool:
        """Whether all values of two candidates are unchanged."""
        return all(block.is_same_pair(first, second) for block in self.blocks)

    def is_tested_pair(self, first: str, second: str) -> bool:
        """Whether a change of the difference of two candidates is tested."""
        before, after = self.differences(first, second)
        enough = int(np.isfinite(before - after).sum()) >= FEWEST_UNITS
        return enough and not self.is_same_pair(first, second)

    def test(self, before: Array, after: Array, alpha: float, n_comparisons: int) -> Changes:
        """Test the change over data sets."""
        return paired_changes(before, after, alpha, max(1, n_comparisons))

    @property
    def is_ratio(self) -> bool:
        """Whether differences are of logarithms."""
        return self.blocks[0].is_ratio

    @property
    def is_paired(self) -> bool:
        """Whether the units of both runs are the same: data sets are."""
        return True


def _both_verdicts(
    first: RunReading, second: RunReading
) -> dict[PairKey, tuple[PairVerdict, PairVerdict]]:
    """Return the verdicts of both runs on the pairs of both, in the order of the first run."""
    turned = {
        key._replace(first=key.second, second=key.first): PairVerdict(
            OPPOSITE[verdict.decision], verdict.favoured
        )
        for key, verdict in second.verdicts.items()
    }
    after = {**turned, **second.verdicts}
    return {key: (own, after[key]) for key, own in first.verdicts.items() if key in after}


def _of_pair(
    key: PairKey,
    blocks: Mapping[tuple[str, str], _Block],
    domains: Mapping[str, _DomainBlock],
) -> _Block | _DomainBlock | None:
    """Return the values that a verdict rests on; None where they are not known."""
    if key.dataset is None:
        return domains.get(key.measure)
    return blocks.get((key.dataset, key.measure))


def _is_tested(
    key: PairKey,
    blocks: Mapping[tuple[str, str], _Block],
    domains: Mapping[str, _DomainBlock],
) -> bool:
    """Whether the change of a pair's difference is in the family."""
    block = _of_pair(key, blocks, domains)
    return block is not None and block.is_tested_pair(key.first, key.second)


def _verdict_change(
    key: PairKey,
    before: PairVerdict,
    after: PairVerdict,
    blocks: Mapping[tuple[str, str], _Block],
    domains: Mapping[str, _DomainBlock],
    alpha: float,
    n_comparisons: int,
) -> VerdictChange:
    """Test whether the difference of a pair with another verdict has changed."""
    block = _of_pair(key, blocks, domains)
    if block is None:
        return VerdictChange(*key, before, after, "untested", None)
    if block.is_same_pair(key.first, key.second):
        return VerdictChange(*key, before, after, "same-values", None)
    found = block.test(*block.differences(key.first, key.second), alpha, n_comparisons)
    change = change_of(found, 0, block.is_paired, block.is_ratio)
    if not block.is_tested_pair(key.first, key.second):
        return VerdictChange(*key, before, after, "untested", change)
    is_moved = bool(found.shown(alpha)[0])
    return VerdictChange(*key, before, after, "moved" if is_moved else "no-move-shown", change)


def _orders(first: RunReading, second: RunReading) -> Iterator[OrderChange]:
    """Yield the orders by verdicts that differ."""
    for scope, before in first.rankings.items():
        after = second.rankings.get(scope)
        if after is not None and after != before:
            yield OrderChange(*scope, before, after)


def _consensus(first: RunReading, second: RunReading) -> Iterator[ConsensusChange]:
    """Yield the consensus that differs."""
    for scope, before in first.consensus.items():
        after = second.consensus.get(scope)
        if after is not None and after != before:
            yield ConsensusChange(*scope, before, after)
