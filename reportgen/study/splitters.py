"""The resampling that a splitter of scikit-learn does, as a manifest names it."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from types import MappingProxyType
from typing import Any

FOLDS = ("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold")
REPEATED = ("RepeatedKFold", "RepeatedStratifiedKFold")
SHUFFLED = ("ShuffleSplit", "StratifiedShuffleSplit", "GroupShuffleSplit")
USUAL_FOLDS = 5  # of scikit-learn, where cv is None
USUAL_TEST_SIZE: Mapping[str, float] = MappingProxyType(
    {"ShuffleSplit": 0.1, "StratifiedShuffleSplit": 0.1, "GroupShuffleSplit": 0.2}
)
ALLOWED = ", ".join(
    (*FOLDS, *REPEATED, *SHUFFLED, "LeaveOneOut", "TimeSeriesSplit", "PredefinedSplit of one split")
)


def is_splitter(found: object) -> bool:
    """Whether an object splits observations as scikit-learn's cross-validators do."""
    return hasattr(found, "split") and hasattr(found, "get_n_splits")


def resampling_of_splitter(cv: Any, n_splits: int | None = None) -> dict[str, Any] | None:
    """Return scheme and options of a splitter, of a number of folds, or of None.

    `cv`: as scikit-learn takes it.
    `n_splits`: that it has made.
    Result: as `resampling` in a manifest; None where no scheme is known: other splitters and lists
    of splits may do anything, and sizes in numbers are no shares.

    Examples
    --------
    >>> from sklearn.model_selection import RepeatedKFold, ShuffleSplit, TimeSeriesSplit
    >>> resampling_of_splitter(RepeatedKFold(n_splits=10, n_repeats=3))
    {'scheme': 'repeated-k-fold', 'folds': 10, 'repeats': 3}
    >>> resampling_of_splitter(ShuffleSplit(20, test_size=0.25))
    {'scheme': 'subsampling', 'fraction': 0.75, 'replications': 20}
    >>> resampling_of_splitter(TimeSeriesSplit(4, gap=2))
    {'scheme': 'time-series', 'replications': 4, 'gap': 2}
    >>> resampling_of_splitter(5), resampling_of_splitter([([0], [1])])
    ({'scheme': 'k-fold', 'folds': 5}, None)
    """
    kind = type(cv)  # a class of one's own may have any name
    name = kind.__name__ if kind.__module__.partition(".")[0] == "sklearn" else ""
    found: dict[str, Any] | None = None
    expected = n_splits
    if cv is None or (isinstance(cv, int) and not isinstance(cv, bool)):
        expected = USUAL_FOLDS if cv is None else cv
        found = {"scheme": "k-fold", "folds": expected}
    elif name in FOLDS:
        expected = cv.n_splits
        found = {"scheme": "k-fold", "folds": expected, **_stratified(name)}
    elif name in REPEATED:
        folds, repeats = cv.cvargs["n_splits"], cv.n_repeats
        expected = folds * repeats
        more = {"folds": folds, "repeats": repeats, **_stratified(name)}
        found = {"scheme": "repeated-k-fold", **more}
    elif name in SHUFFLED:
        expected = cv.n_splits
        fraction = _fraction(cv, name)
        if fraction is not None:
            more = {"fraction": fraction, "replications": expected, **_stratified(name)}
            found = {"scheme": "subsampling", **more}
    elif name == "LeaveOneOut" and n_splits is not None:
        found = {"scheme": "k-fold", "folds": n_splits}
    elif name == "TimeSeriesSplit":
        expected = cv.n_splits
        sizes = {"gap": cv.gap, "test_size": cv.test_size, "window": cv.max_train_size}
        found = {"scheme": "time-series", "replications": expected}
        found |= {key: size for key, size in sizes.items() if size}
    elif name == "PredefinedSplit" and cv.get_n_splits() == 1:
        expected, found = 1, {"scheme": "hold-out"}
    return found if n_splits in (None, expected) else None


def _stratified(name: str) -> dict[str, bool]:
    return {"stratify": True} if "Stratified" in name else {}


def _fraction(cv: Any, name: str) -> float | None:
    """Return the share of the observations that is learnt from, where sizes are shares."""
    train, test = cv.train_size, cv.test_size
    if train is None and test is None:
        return 1 - USUAL_TEST_SIZE[name]
    share = train if train is not None else 1 - test
    is_share = isinstance(share, float) and isfinite(share) and 0 < share < 1
    return float(share) if is_share else None
