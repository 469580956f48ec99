"""From one study manifest, or results at hand, to a benchmark study one can publish.

::

    import reportgen as rg

    study = rg.compare(frame, better="larger", relevance=0.01)
    study                                    # the verdict; in a notebook with a figure
    study.pairs()                            # a data frame
    study.check("svm better than lda")       # holds, fails or undecided
    study.report("out/")                     # HTML and PDF

`battles` compares by preferences, `run` executes a manifest, `evaluate` estimators of scikit-learn,
`load` reads what was saved, `diff` compares two runs.
`reportgen.stats` has the statistics as functions of arrays.
"""

from __future__ import annotations

import sys
from importlib import import_module

from reportgen.version import __version__

TYPE_CHECKING = False  # without `typing`: where `python -m` begins, the working folder may have one
if TYPE_CHECKING:
    from typing import Any

    from reportgen.api.archive import load
    from reportgen.api.calls import battles, compare, read, run
    from reportgen.api.evaluation import evaluate
    from reportgen.api.study import BenchmarkStudy
    from reportgen.difference import diff
    from reportgen.errors import ReportgenError

NAMES = {
    "BenchmarkStudy": "reportgen.api.study",
    "ReportgenError": "reportgen.errors",
    "battles": "reportgen.api.calls",
    "compare": "reportgen.api.calls",
    "diff": "reportgen.difference",
    "evaluate": "reportgen.api.evaluation",
    "load": "reportgen.api.archive",
    "read": "reportgen.api.calls",
    "run": "reportgen.api.calls",
}
"""The module of each name, imported when the name is first used."""
MODULES = ("estimators", "stats")
"""Modules for users, likewise."""

__all__ = [
    "BenchmarkStudy",
    "ReportgenError",
    "__version__",
    "battles",
    "compare",
    "diff",
    "evaluate",
    "load",
    "read",
    "run",
]


def __getattr__(name: str) -> Any:
    """Import what has a name, or a module, when it is first used."""
    if name in MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in NAMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    return getattr(import_module(NAMES[name]), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*__all__, *MODULES])
