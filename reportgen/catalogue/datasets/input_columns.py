"""Columns of a user's table that are inputs: dates become numbers, names of rows are left out."""

from __future__ import annotations

import pandas as pd

ISO_DATE = r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?"
EPOCH = pd.Timestamp("1970-01-01", tz="UTC")
DAY = pd.Timedelta(days=1)
FEWEST_LEVELS, FEWEST_ROWS = 50, 5  # a text of so many values, with fewer rows each, is a name
MOST_NUMBERS = 0.5  # of the values of a text: with more it is a column of numbers with odd cells


def days_of(column: pd.Series) -> pd.Series | None:
    """Return dates as days since 1970-01-01 in UTC, durations as days; None of anything else.

    Text is of dates where every value is one in ISO 8601: in other forms day and month are guesses.

    Examples
    --------
    >>> days_of(pd.Series(["1970-01-02", None, "1970-01-03T12:00"])).tolist()
    [1.0, nan, 2.5]
    >>> days_of(pd.Series(["1970-01-02", "01/02/1970"])) is None
    True
    """
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        return pd.Series(column.to_numpy() / DAY.to_timedelta64(), index=column.index)
    dates = dates_of(column)
    return None if dates is None else (dates - EPOCH) / DAY


def dates_of(column: pd.Series) -> pd.Series | None:
    """Return dates in UTC, as `days_of` knows them; None of anything else."""
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        levels = list(column.dropna().unique()) if _is_text(column) else []
        texts = pd.Series(levels, dtype=object)
        if not levels or not texts.astype(str).str.fullmatch(ISO_DATE).all():
            return None
        found = pd.to_datetime(texts, format="ISO8601", utc=True, errors="coerce")
        if found.isna().any():  # the 13th month
            return None
        column = column.map(dict(zip(levels, found, strict=True)))
    return pd.to_datetime(column, utc=True)


def is_name(column: pd.Series) -> bool:
    """Whether a text has so many values that they name something: no other row is to have them.

    Examples
    --------
    >>> is_name(pd.Series([f"C{i}" for i in range(60)]))
    True
    >>> is_name(pd.Series([f"C{i % 3}" for i in range(60)]))
    False
    """
    if not _is_text(column):
        return False
    levels = column.dropna().unique()
    if len(levels) < FEWEST_LEVELS or len(column) >= FEWEST_ROWS * len(levels):
        return False
    texts = pd.Series(levels, dtype=object).astype(str)
    is_number = pd.to_numeric(texts, errors="coerce").notna()
    return not (is_number.mean() > MOST_NUMBERS or texts.str.contains(r"\s").any())


def _is_text(column: pd.Series) -> bool:
    """Whether a column is text; one whose categories are named is meant as it is."""
    is_text = pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(
        column.dtype
    )
    return is_text and not isinstance(column.dtype, pd.CategoricalDtype)
