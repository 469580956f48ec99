"""How names are spelled: measures in one way, and names of two things in ways that look alike."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from unicodedata import normalize

from reportgen.catalogue.measures import known_measure

log = logging.getLogger(__name__)


def measure_name(written: str) -> str:
    """Return the catalogue's name of a measure, or the name as it was written.

    Examples
    --------
    >>> measure_name("Misclassification"), measure_name("cost")
    ('misclassification', 'cost')
    """
    known = known_measure(written)
    return known.name if known else written


def warn_of_likeness(where: str, kind: str, names: Iterable[str]) -> None:
    """Warn of names that differ only in the case or the encoding of letters: they count as two.

    Parameters
    ----------
    where : str
        The file, or its place, for the message.
    kind : str
        What is named, in the plural.
    names : iterable of str
    """
    seen: dict[str, str] = {}
    for name in names:
        first = seen.setdefault(normalize("NFKC", name).casefold(), name)
        if first != name:
            log.warning(
                "%s: the %s %r and %r differ only in how letters are written, and count as two",
                where,
                kind,
                first,
                name,
            )
