"""Cases in forms: every case in one, and every form in some case, as the crosses take long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import Any


def in_turn(cases: Iterable[Any], forms: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Give each case one form in turn, and the first case all of them.

    Examples
    --------
    >>> in_turn(["a", "b", ("c", 1)[:1]], [1, 2])
    [('a', 1), ('a', 2), ('b', 1), ('c', 2)]
    """
    first, *rest = ((case if isinstance(case, tuple) else (case,)) for case in cases)
    return [
        *((*first, form) for form in forms),
        *((*case, form) for case, form in zip(rest, cycle(forms), strict=False)),
    ]
