"""The arguments that functions of arrays have in common, checked."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from math import inf, isclose
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reportgen.performance_measure import Scale
from reportgen.stats.arrays import ALLOWED_SIZES, Area, Array, odd_size
from reportgen.stats.ranking import levelled

Names = Sequence[str] | None

SEED = 2011  # of a study that does not set one
RECIPROCAL = 1e-9  # by which the product of [1/r, r] may miss 1, for rounding


def refuse(name: str, found: str, allowed: str, near: str | None = None) -> ValueError:
    """Return the error of an argument.

    Examples
    --------
    >>> print(refuse("better", "'smaler'", "smaller, larger", "smaller"))
    better: found 'smaler'; allowed smaller, larger; did you mean smaller?
    """
    question = f"; did you mean {near}?" if near else ""
    return ValueError(f"{name}: found {found}; allowed {allowed}{question}")


def check_choice(name: str, found: object, allowed: Sequence[str]) -> None:
    """Raise a ValueError unless an argument is one of some words.

    Examples
    --------
    >>> check_choice("better", "largest", ("smaller", "larger"))
    Traceback (most recent call last):
    ValueError: better: found 'largest'; allowed smaller, larger; did you mean larger?
    """
    if not isinstance(found, str) or found not in allowed:
        raise refuse(name, repr(found), ", ".join(allowed), _nearest(found, allowed))


def is_smaller_better(better: object) -> bool:
    """Return whether smaller values are better; raise a ValueError for an unknown word."""
    check_choice("better", better, ("smaller", "larger"))
    return better == "smaller"


def check_level(alpha: object, name: str = "alpha") -> None:
    """Raise a ValueError unless an argument is inside (0, 1)."""
    if not _is_number(alpha) or not 0 < alpha < 1:
        raise refuse(name, repr(alpha), "a number inside (0, 1)")


def check_count(name: str, found: object, least: int = 1) -> None:
    """Raise a ValueError unless an argument is a whole number that is large enough."""
    if isinstance(found, bool) or not isinstance(found, int | np.integer) or found < least:
        raise refuse(name, repr(found), f"a whole number of at least {least}")


def check_not_negative(name: str, found: object) -> None:
    """Raise a ValueError unless an argument is a finite number of at least 0."""
    if not _is_number(found) or not 0 <= found < inf:
        raise refuse(name, repr(found), "a finite number of at least 0")


def area_of(relevance: object, scale: Scale = "difference") -> Area | None:
    """Return an area of equivalence; raise a ValueError where it is none.

    `relevance`: (-d, d) of differences with d > 0, or d; (1/r, r) of ratios with r > 1, or r.

    Examples
    --------
    >>> area_of((-0.01, 0.01)), area_of(1.25, "ratio")
    ((-0.01, 0.01), (0.8, 1.25))
    """
    check_choice("scale", scale, ("difference", "ratio"))
    if relevance is None:
        return None
    if scale == "ratio":
        if _is_number(relevance) and 1 < relevance < inf:
            return 1 / relevance, float(relevance)
        low, high = two_numbers("relevance", relevance)
        if 0 < low < 1 < high < inf and isclose(low * high, 1, rel_tol=RECIPROCAL):
            return low, high
        raise refuse("relevance", repr(relevance), "(1/r, r) or r, with r > 1, for ratios")
    pair = (-relevance, relevance) if _is_number(relevance) else relevance
    low, high = two_numbers("relevance", pair)
    if low == -high and 0 < high < inf:
        return low, high
    raise refuse("relevance", repr(relevance), "(-d, d) or d, with d > 0, for differences")


def generator_of(rng: object) -> Generator:
    """Return a generator of random numbers, made from a seed where that is given."""
    if isinstance(rng, Generator):
        return rng
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0:
        return np.random.default_rng(int(rng))
    raise refuse("rng", repr(rng), "a Generator of numpy or a whole number of at least 0")


def reference_place(found: object, candidates: Sequence[str]) -> int:
    """Return the place of the reference; raise a ValueError where there is no such candidate.

    Examples
    --------
    >>> reference_place("svn", ("lda", "svm"))
    Traceback (most recent call last):
    ValueError: reference: found 'svn'; allowed lda, svm; did you mean svm?
    """
    check_choice("reference", found, candidates)
    return candidates.index(str(found))


def numbers_of(values: ArrayLike, what: str = "values") -> Array:
    """Return an array of numbers, NaN for what is masked; raise a ValueError for anything else."""
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers")
        if hasattr(values, "isna"):  # of pandas, whose missing cells may be no numbers
            read = values.to_numpy  # type: ignore[union-attr]
            return np.asarray(read(dtype=np.float64, na_value=np.nan))
        if isinstance(values, np.ma.MaskedArray):
            return np.ma.asarray(values, dtype=np.float64).filled(np.nan)
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise refuse(what, str(error), "an array of numbers") from None


def names_of(names: Names, values: object, n: int, of: str = "candidate") -> tuple[str, ...]:
    """Return one name a column: those given, those of a data frame, or the places from 0."""
    given = getattr(values, "columns", range(n)) if names is None else names
    if isinstance(given, str):
        raise refuse("names", repr(given), f"{n} names, one a {of}")
    found = tuple(map(str, given))
    if len(found) != n:
        raise refuse("names", f"{len(found)} names", f"{n}, one a {of}")
    twice = next((name for i, name in enumerate(found) if name in found[:i]), None)
    if twice is not None:
        raise refuse("names", f"{twice!r} twice", "names that differ")
    return found


def matrix_of(
    values: ArrayLike,
    names: Names,
    *,
    has_gaps: bool,
    fewest: int = 1,
    rows: str = "replication",
) -> tuple[Array, tuple[str, ...]]:
    """Return performances of shape (B, K) and the names of the candidates.

    `values`: (B, K).
    `has_gaps`: whether NaN is allowed.
    `fewest`: rows that are needed.
    `rows`: what a row is, for the error.
    Result: (B, K); values of a row that differ by rounding alone are equal, as in a report.
    """
    matrix = numbers_of(values)
    if matrix.ndim != 2:
        raise refuse("values", f"shape {matrix.shape}", f"(B, K), a row a {rows}")
    _check_shape(matrix.shape, fewest, rows)
    candidates = names_of(names, values, matrix.shape[1])
    _check_cells(matrix, candidates, has_gaps, rows)
    return levelled(matrix), candidates


def group_codes(name: str, labels: ArrayLike, n: int, words: str) -> NDArray[np.intp]:
    """Return labels of groups as whole numbers; raise a ValueError unless there are n.

    `words`: what there is one of, such as "cluster an item".
    """
    found = np.asarray(labels)
    if found.shape != (n,):
        raise refuse(name, f"shape {found.shape}", f"({n},), one {words}")
    found = found.astype(str) if found.dtype.kind == "O" else found
    return np.asarray(np.unique(found, return_inverse=True)[1], dtype=np.intp)


def domain_of(
    values: ArrayLike | Sequence[ArrayLike], names: Names, *, is_matrix_one: bool = False
) -> tuple[tuple[Array, ...], tuple[str, ...]]:
    """Return performances by data set and the names of the candidates.

    `values`: (M, B, K) or sequence of M array-likes of shape (B_m, K); NaN where there is no value.
    An array-like of shape (M, K) has one value a data set and candidate.
    `is_matrix_one`: whether a matrix has the replications of one data set instead.
    Result: each (B_m, K); without the rows that have no value.
    """
    parts = _parts(values, is_matrix_one)
    shapes = sorted({part.shape[1:] for part in parts})
    if len(shapes) != 1 or len(shapes[0]) != 1:
        found = "no data set" if not parts else f"shapes {', '.join(str(p.shape) for p in parts)}"
        raise refuse("values", found, "(M, B, K), or M matrices (B_m, K) with one K")
    of_frame = values[0] if isinstance(values, list | tuple) else values
    candidates = names_of(names, of_frame, shapes[0][0])
    for m, part in enumerate(values if names is None and isinstance(values, list | tuple) else ()):
        own = tuple(map(str, getattr(part, "columns", candidates)))
        if own != candidates:
            found = f"the columns {', '.join(own)} of data set {m}"
            raise refuse("values", found, f"{', '.join(candidates)}, as of the first one, or names")
    for m, part in enumerate(parts):
        if not np.isfinite(part).any():
            raise refuse("values", f"no value of data set {m}", "a value of each data set")
        _check_shape(part.shape, 1, "replication")
        _check_cells(part, candidates, has_gaps=True, rows=f"replication of data set {m}, row")
    missing = [c for k, c in enumerate(candidates) if not any(_has(p[:, k]) for p in parts)]
    if missing:
        raise refuse("values", f"no value of {missing[0]!r}", "a value of each candidate")
    return tuple(levelled(part[np.isfinite(part).any(axis=1)]) for part in parts), candidates


def check_sizes(values: Array, name: str = "values") -> None:
    """Refuse values whose squares double precision does not hold.

    Examples
    --------
    >>> check_sizes(np.array([[1e200]]))
    Traceback (most recent call last):
    ValueError: values: found sizes up to 1e+200; allowed sizes from 1e-100 to 1e+100...
    """
    largest = odd_size(values)
    if largest is not None:
        raise refuse(name, f"sizes up to {largest:g}", ALLOWED_SIZES)


def _parts(values: Any, is_matrix_one: bool) -> tuple[Array, ...]:
    """Return one array a data set; a row of a matrix is one, unless the matrix is."""
    if isinstance(values, list | tuple):
        parts = tuple(map(numbers_of, values))
        if any(part.ndim != 1 for part in parts):
            return parts
    array = numbers_of(values)
    if array.ndim not in (2, 3):
        raise refuse("values", f"shape {array.shape}", "(M, B, K), or a matrix")
    if array.ndim == 2:
        array = array[None] if is_matrix_one else array[:, None]
    return tuple(array)


def _has(column: Array) -> bool:
    """Whether a candidate has a value."""
    return bool(np.isfinite(column).any())


def _check_shape(shape: tuple[int, ...], fewest: int, rows: str) -> None:
    """Refuse a matrix with too few rows or candidates."""
    if shape[1] < 2:
        raise refuse("values", f"shape {shape}", "at least 2 columns, one a candidate")
    if shape[0] < fewest:
        raise refuse("values", f"shape {shape}", f"at least {fewest} rows, one a {rows}")


def _check_cells(matrix: Array, candidates: Sequence[str], has_gaps: bool, rows: str) -> None:
    """Refuse infinite values, and NaN where none is allowed."""
    is_wrong = np.isinf(matrix) if has_gaps else ~np.isfinite(matrix)
    if is_wrong.any():
        row, column = np.argwhere(is_wrong)[0].tolist()
        more = f", {int(is_wrong.sum())} in all" if is_wrong.sum() > 1 else ""
        where = f"{matrix[row, column]} of {candidates[column]!r} in {rows} {row}{more}"
        allowed = "finite numbers" + (", and nan where there is no value" if has_gaps else "")
        raise refuse("values", where, allowed)
    check_sizes(matrix)


def two_numbers(name: str, found: object) -> tuple[float, float]:
    """Return a pair of numbers; raise a ValueError where it is none."""
    if isinstance(found, list | tuple | np.ndarray) and len(found) == 2:
        low, high = found
        if _is_number(low) and _is_number(high):
            return float(low), float(high)
    raise refuse(name, repr(found), "two numbers")


def _is_number(found: object) -> TypeGuard[float]:
    """Whether an argument is a real number, and no truth value."""
    return isinstance(found, Real) and not isinstance(found, bool)


def _nearest(found: object, allowed: Sequence[str]) -> str | None:
    """Return the word that looks most like another one, if any does."""
    close = get_close_matches(found.lower(), allowed, n=1) if isinstance(found, str) else []
    return close[0] if close else None


def check_positive(matrix: Array, scale: Scale, name: str = "values") -> None:
    """Raise a ValueError where values have no ratio."""
    if scale == "ratio" and not (matrix[np.isfinite(matrix)] > 0).all():
        raise refuse(name, repr(float(np.nanmin(matrix))), "numbers above 0 for ratios")
