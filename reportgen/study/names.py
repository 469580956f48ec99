"""One spelling for each measure, whatever a manifest or a file of results calls it."""

from __future__ import annotations

from reportgen.catalogue.measures import known_measure


def measure_name(written: str) -> str:
    """Return the catalogue's name of a measure, or the name as it was written.

    Examples
    --------
    >>> measure_name("Misclassification"), measure_name("cost")
    ('misclassification', 'cost')
    """
    known = known_measure(written)
    return known.name if known else written
