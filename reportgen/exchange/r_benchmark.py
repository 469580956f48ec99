"""The performances of R's package benchmark, as a data frame."""

from __future__ import annotations

import numpy as np

from reportgen.catalogue.measures import known_measure
from reportgen.exchange.fits import Fits, Format, Part, has
from reportgen.exchange.table import RawTable
from reportgen.study.errors import shown

COLUMNS = ("samples", "datasets", "algorithms", "performances", "value")


def _read(table: RawTable) -> Fits:
    """Read what viewAlgorithmPerformance() of a warehouse returns: a row a value."""
    labels = table.labels("performances")
    values = table.numbers("value")
    samples = table.labels("samples")
    for code, name in enumerate(samples.names):
        if not name.isdecimal():
            row = int(np.argmax(samples.codes == code))
            raise table.error(shown(name), "a whole number", row=row, column="samples")
    numbers = np.array([int(name) for name in samples.names], np.int64)
    parts = tuple(
        Part(name, rows, values[rows])
        for code, name in enumerate(labels.names)
        if len(rows := np.flatnonzero(labels.codes == code))
    )
    return Fits(
        table.labels("datasets"),
        table.labels("algorithms"),
        numbers[samples.codes],
        np.arange(table.n_rows),
        parts,
        {name: measure for name in labels.names if (measure := known_measure(name))},
    )


FORMATS = (
    Format("r-benchmark", ", ".join(COLUMNS), "R's package benchmark", has(*COLUMNS), _read),
)
