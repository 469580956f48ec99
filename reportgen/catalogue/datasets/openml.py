"""Data sets of OpenML by their number, through scikit-learn and its cache."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.catalogue.datasets.files import task_of
from reportgen.catalogue.names import unknown_name
from reportgen.errors import SetupError

log = logging.getLogger(__name__)


def load_openml(
    name: str, number: int, target: str | None = None, task: str | None = None
) -> DataSet:
    """Fetch a data set, or take it from the cache.

    `name`: what the study calls it.
    `number`: OpenML's id, which stands for one version.
    `target`: the column to predict; OpenML's default when omitted.
    `task`: may be left out where the target's kind shows it.
    Raises SetupError if it is neither there nor in the cache, or has no such target.

    Notes
    -----
    The cache is scikit-learn's: the folder that SCIKIT_LEARN_DATA names, else
    scikit_learn_data in the home folder.
    """
    from sklearn.datasets import fetch_openml, get_data_home

    try:
        with _warnings_as_lines(name):
            bunch = fetch_openml(data_id=number, as_frame=True, parser="auto")
    except (URLError, OSError, ValueError) as error:
        cache = Path(get_data_home()).name
        raise SetupError(
            f"data set {name!r}: found OpenML's {number}, which cannot be fetched ({error}); "
            "allowed "
            f"one that can, or is in the cache ({cache})"
        ) from error
    frame = bunch.frame
    column = target if target is not None else (bunch.target_names or [None])[0]
    if column not in frame.columns:
        raise unknown_name(f"target of the data set {name!r}:", str(column), map(str, frame))
    response = frame[column]
    inputs = frame[[c for c in frame.columns if c == c and c != column]]
    origin = f"OpenML {number}"
    return DataSet.of(name, inputs, response, task_of(name, response, task), origin)


@contextmanager
def _warnings_as_lines(name: str) -> Iterator[None]:
    """Log each warning of the download once, without its place in the code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for text in dict.fromkeys(" ".join(str(w.message).split()) for w in caught):
                log.warning("data set %r: %s", name, text)
