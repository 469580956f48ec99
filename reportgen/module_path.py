"""Where Python looks for modules: not in the working folder, which may be anybody's.

Python puts the working folder first for `python -m` and `python -c`, and where PYTHONPATH
has an empty entry: then a file `json.py` beside a study would run. `python -m` comes to this module
before there is any other import, hence it imports only what Python has loaded by then.
"""

from __future__ import annotations

import os
import sys

# ruff: noqa: PTH109, PTH117, PTH118, PTH120 - pathlib is one of the modules that are not loaded by then


def module_path() -> list[str]:
    """Return the folders of `sys.path` without the working folder and what PYTHONPATH has below it.

    It stays where PYTHONPATH names it by its absolute path, and where it is an installed package's.
    """
    try:
        here = os.getcwd()
    except OSError:  # it is gone
        here = ""
    standard = os.path.dirname(os.__file__)
    n_first = sys.path.index(standard) if standard in sys.path else len(sys.path)
    dropped = {"", here, *_relative(here)} - set(_named())
    first = [place for place in sys.path[:n_first] if place not in dropped]
    return [*first, *filter(None, sys.path[n_first:])]


def safe_variables() -> dict[str, str]:
    """Return what the environment of a process has, so that it looks in no working folder."""
    return {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(_named())}


def leave_working_folder() -> None:
    """Let neither this process nor its children look for modules in the working folder."""
    sys.path[:] = module_path()
    os.environ.update(safe_variables())


def _relative(here: str) -> list[str]:
    """Return the folders that PYTHONPATH names by where the working folder is."""
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    relative = [entry for entry in entries if entry and not os.path.isabs(entry)]
    return [*relative, *(os.path.normpath(os.path.join(here, entry)) for entry in relative if here)]


def _named() -> list[str]:
    """Return the folders that PYTHONPATH names, wherever one is."""
    return [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(p)]
