"""Links between the files of one report: every id is known, wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from posixpath import dirname, relpath

ID = re.compile(r'\bid="([^"]+)"')
LINK = re.compile(r'(<a\b[^>]*?\bhref=")#([^"]+)(?=")')


def linked(files: Mapping[str, str]) -> dict[str, str]:
    """Let links that lead to an id of another file name that file.

    Parameters
    ----------
    files : mapping of str to str
        Pages by their paths, with slashes, from one folder. An id that several
        have belongs to the first.

    Examples
    --------
    >>> linked({"a.html": '<p id="x">', "d/b.html": '<a href="#x">x</a>'})["d/b.html"]
    '<a href="../a.html#x">x</a>'
    """
    own = {name: frozenset(ID.findall(text)) for name, text in files.items()}
    homes: dict[str, str] = {}
    for name in files:
        for found in own[name]:
            homes.setdefault(found, name)
    return {
        name: LINK.sub(partial(_lead, name, own[name], homes), text) for name, text in files.items()
    }


def _lead(name: str, own: frozenset[str], homes: Mapping[str, str], link: re.Match[str]) -> str:
    """Name the file that a link of another one leads to."""
    target = link[2]
    if target in own or target not in homes:
        return link[0]
    return f"{link[1]}{relpath(homes[target], dirname(name) or '.')}#{target}"
