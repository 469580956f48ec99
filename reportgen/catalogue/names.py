"""The error for a name that the catalogue does not have."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from reportgen.errors import SetupError


def unknown_name(
    kind: str,
    name: str,
    known: Iterable[str],
    others: Iterable[str] = (),
    more: Iterable[str] = (),
) -> SetupError:
    """Return the error for an unknown name.

    `kind`: what was looked for, in the words of the manifest: "candidate".
    `name`: what was found.
    `known`: the names that are allowed.
    `others`: more of them, too many to list; the nearest name may be one of these.
    `more`: what these are, in words.

    Examples
    --------
    >>> print(unknown_name("candidate", "svn", ["lda", "svm"]))
    found the unknown candidate 'svn'; allowed lda, svm; did you mean svm?
    """
    names = list(dict.fromkeys(known))
    by_lower = {known.lower(): known for known in (*others, *names)}
    near = get_close_matches(name.lower(), by_lower, n=1)
    allowed = ", ".join((*names, *more))
    question = f"; did you mean {by_lower[near[0]]}?" if near else ""
    return SetupError(f"found the unknown {kind} {name!r}; allowed {allowed}{question}")
