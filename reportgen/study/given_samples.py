"""Samples that are known before: of a file, of a splitter, of successive periods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from inspect import isclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.catalogue.candidates.objects import text_of
from reportgen.catalogue.candidates.recipes import PACKAGES
from reportgen.catalogue.plugins import import_named
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.study.errors import shown
from reportgen.study.schema.resampling import ResamplingEntry
from reportgen.study.splitters import is_splitter

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet

COLUMNS = ("dataset", "replication", "sample", "observation")
KINDS = ("learn", "test")
MOST_ROWS = 10_000_000  # of all samples of a data set


@dataclass(frozen=True, slots=True)
class FixedSample:
    """The rows of one replication that a user has chosen, numbered from 0."""

    learn: tuple[int, ...]
    test: tuple[int, ...]

    @property
    def has_overlap(self) -> bool:
        """Whether it tests on what it teaches."""
        return not {*self.learn}.isdisjoint(self.test)


def read_samples(path: Path, *, may_overlap: bool = False) -> dict[str, tuple[FixedSample, ...]]:
    """Read the samples of all replications.

    `path`: CSV with the columns dataset, replication (from 1, without gaps), sample (learn or test)
    and observation (its row, from 1). A row that is learnt from several times stands several times.
    `may_overlap`: whether an observation may be both learnt from and tested on.
    Result: by data set, in the order of the replications.
    Raises SetupError if the file cannot be read, or a row of it makes no sense.
    """
    try:
        frame = pd.read_csv(path, encoding="utf-8-sig", dtype={"dataset": str, "sample": str})
    except (OSError, ValueError) as error:
        raise SetupError(
            f"{path.name}: found what cannot be read ({error}); allowed a CSV file"
        ) from error
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise SetupError(f"{path.name}: found no column {missing[0]}; allowed {COLUMNS}")
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


def _check_apart(path: Path, found: Mapping[str, tuple[FixedSample, ...]]) -> None:
    """Name the first observation that is both learnt from and tested on."""
    for name, samples in found.items():
        for number, sample in enumerate(samples, start=1):
            where = f"{path.name}: replication {number} of {name!r}"
            _check_common(where, sample, "none in common, or overlap: true with file")


def _check_common(where: str, sample: FixedSample, allowed: str) -> None:
    common = sorted(set(sample.learn) & set(sample.test))
    if common:
        raise SetupError(
            f"{where}: found the observation {common[0] + 1} both to learn from and to test on "
            f"({len(common)} such); allowed samples that have {allowed}"
        )


def _check_sizes(where: str, sample: FixedSample) -> None:
    if not sample.learn or not sample.test:
        raise SetupError(
            f"{where}: found {len(sample.learn)} observations to learn from and "
            f"{len(sample.test)} to "
            "test on; allowed at least one of each"
        )


def _samples(path: Path, name: object, rows: pd.DataFrame) -> tuple[FixedSample, ...]:
    numbers = sorted(rows["replication"].unique())
    if numbers != list(range(1, len(numbers) + 1)):
        raise SetupError(
            f"{path.name}: found other replications of {name!r}; allowed 1, 2, 3 and so on"
        )
    found = []
    for number in numbers:
        own = rows[rows["replication"] == number]
        learn, test = (own.loc[own["sample"] == kind, "observation"] - 1 for kind in KINDS)
        found.append(FixedSample(tuple(map(int, learn)), tuple(map(int, test))))
        _check_sizes(f"{path.name}: replication {number} of {name!r}", found[-1])
    return tuple(found)


def import_splitter(path: str, options: Mapping[str, Any], packages: Iterable[str]) -> Any:
    """Return the splitter that an import path names: an object, or what a class or function makes.

    `path`: of scikit-learn a class.
    `options`: arguments of the class or the function.
    `packages`: packages that it may come from.
    Raises SetupError if it may not be imported, or makes no splitter.
    """
    package = path.partition(".")[0]
    is_path = "." in path and path.replace(".", "_").isidentifier() and "._" not in path
    if package not in packages or not is_path:
        raise SetupError(
            f"found the splitter {path!r}; allowed an import path such as "
            f"sklearn.model_selection.GroupKFold, of the packages {', '.join(packages)} (others "
            "are named under plugins, on the command line also allowed by --allow-plugins)"
        )
    is_known = package in PACKAGES
    kind = "class with split" if is_known else "class, function or splitter"
    found = import_named(path, kind, _splits if is_known else _makes_splitters)
    if not isclass(found) and not callable(found):
        if options:
            raise SetupError(
                f"found options of {path}, which is an object; allowed with a class or a function"
            )
        return found
    try:
        made = found(**options)
        if not hasattr(made, "split") and isinstance(made, Iterable):
            return list(made)
    except Exception as error:
        raise SetupError(
            f"found {path}, which makes no splitter ({type(error).__name__}: {error}); allowed "
            "what "
            "makes one"
        ) from None
    if not hasattr(made, "split") or isinstance(made, str):
        raise SetupError(
            f"found {path}, which makes an object of the type {type(made).__name__}; allowed an "
            "object with split, or pairs of learning and test rows"
        )
    return made


def _splits(found: Any) -> bool:
    return isclass(found) and is_splitter(found)


def _makes_splitters(found: Any) -> bool:
    is_object = hasattr(found, "split") and not isinstance(found, str | bytes | ModuleType)
    return callable(found) or is_object or isinstance(found, list)


def name_of_splitter(cv: Any, path: str = "", options: Mapping[str, Any] | None = None) -> str:
    """Write a splitter on one line, one of a study's own by its import path and options.

    Examples
    --------
    >>> from sklearn.model_selection import TimeSeriesSplit
    >>> name_of_splitter(TimeSeriesSplit(4)), name_of_splitter([([0], [1])])
    ('TimeSeriesSplit(gap=0, max_train_size=None, n_splits=4, test_size=None)', 'pairs of samples')
    """
    if path and path.partition(".")[0] not in PACKAGES:
        words = ", ".join(f"{key}={text_of(value)}" for key, value in (options or {}).items())
        return f"{path}({words})" if words else path
    return "pairs of samples" if isinstance(cv, list) else text_of(cv)


def split_samples(cv: Any, data: DataSet) -> tuple[FixedSample, ...] | None:
    """Return the samples that a splitter makes of a data set, or that pairs of rows are.

    `cv`: gets inputs, response and groups; or a list of pairs of learning and test rows.
    Result: None where another call makes others.
    Raises SetupError if it cannot split the data, or makes what are no samples of them.
    """
    if isinstance(cv, list):
        return _checked(cv, data, "the pairs of samples")
    name = f"the splitter {type(cv).__name__}"
    n_folded = getattr(cv, "test_fold", None)  # of PredefinedSplit
    if n_folded is not None and len(n_folded) != data.n:
        raise SetupError(
            f"{name}: found folds of {len(n_folded)} observations; allowed of {data.n}, those of "
            f"the data set {data.name!r}"
        )
    first, second = (_checked(_pairs(cv, data, name), data, name) for _ in range(2))
    return first if first == second else None


def _pairs(cv: Any, data: DataSet, name: str) -> Iterable[Any]:
    """Yield what a splitter makes."""
    kind = type(cv)  # others of scikit-learn warn of groups
    takes_groups = "Group" in kind.__name__ or kind.__module__.partition(".")[0] not in PACKAGES
    try:
        yield from cv.split(data.inputs, data.response, data.groups if takes_groups else None)
    except Exception as error:
        is_of_groups = data.groups is None and "group" in str(error).lower()
        more = "; the data set has no groups" if is_of_groups else ""
        raise SetupError(
            f"found {name}, which cannot split the data set {data.name!r} ({type(error).__name__}: "
            f"{error}{more}); allowed one that can"
        ) from None


def _checked(pairs: Iterable[Any], data: DataSet, name: str) -> tuple[FixedSample, ...]:
    """Return samples; raise a SetupError for what are none."""
    found: list[FixedSample] = []
    n_rows = 0
    for number, pair in enumerate(pairs, start=1):
        where = f"{name}: replication {number} of {data.name!r}"
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise SetupError(f"{where}: found {shown(pair)}; allowed a learning and a test sample")
        learn, test = (_rows(part, data.n, where) for part in pair)
        n_rows += len(learn) + len(test)
        if n_rows > MOST_ROWS:
            raise SetupError(f"{where}: found more than {MOST_ROWS:,} rows; allowed fewer samples")
        found.append(FixedSample(tuple(learn.tolist()), tuple(test.tolist())))
        _check_sizes(where, found[-1])
        _check_common(where, found[-1], "none in common")
    if not found:
        raise SetupError(f"{name}: found no sample of {data.name!r}; allowed one at least")
    return tuple(found)


def _rows(part: Any, n: int, where: str) -> NDArray[np.int64]:
    """Return the numbers of rows; a mask has one truth value for each."""
    try:
        rows = np.asarray(part)
    except ValueError:
        rows = np.array(part, dtype=object)
    if rows.dtype == np.bool_ and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.size == 0 and rows.ndim == 1:
        return np.zeros(0, np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise SetupError(f"{where}: found {shown(part)}; allowed numbers of rows from 0")
    outside = rows[(rows < 0) | (rows >= n)]
    if len(outside):
        raise SetupError(
            f"{where}: found the row {outside[0]} ({len(outside)} such); allowed 0 to {n - 1}"
        )
    return rows.astype(np.int64)


def period_samples(data: DataSet, entry: ResamplingEntry) -> tuple[FixedSample, ...]:
    """Return learning samples of all that came before, each with the period that it is tested on.

    `data`: with its times, where the entry names their column; else in the order of its rows.
    `entry`: number of periods, gap, sizes; counted in different times, as what has one time stays
    together.
    Raises SetupError if there are too few times.

    Notes
    -----
    Of times that differ these are the splits of scikit-learn's TimeSeriesSplit.
    """
    from sklearn.model_selection import TimeSeriesSplit

    times = np.arange(data.n) if entry.time is None else data.times
    if times is None:
        raise SetupError(
            f"found time: {entry.time} with the data set {data.name!r}, which has no such column; "
            "allowed data sets of files and data frames that have it"
        )
    ends = np.cumsum(np.bincount(times))
    units = np.split(np.argsort(times, kind="stable"), ends[:-1])
    try:
        splitter = TimeSeriesSplit(
            entry.n_replications,
            max_train_size=entry.window,
            test_size=entry.test_size,
            gap=entry.gap or 0,
        )
        pairs = list(splitter.split(units))
    except ValueError as error:
        raise SetupError(
            f"found {entry.n_replications} periods of {len(units)} different times of the data set "
            f"{data.name!r}: {str(error).rstrip('.')}; allowed fewer replications, or a smaller "
            "gap or test_size"
        ) from None
    return tuple(
        FixedSample(*(tuple(np.concatenate([units[u] for u in part]).tolist()) for part in pair))
        for pair in pairs
    )
