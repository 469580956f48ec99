"""From one study manifest to a benchmark study one can publish.

The stages of the flow as functions, imported when they are first used::

    from pathlib import Path
    import reportgen

    job = reportgen.open_job(Path("study.yaml"), Path("output"))
    warehouse, origin = reportgen.measure(job)
    report = reportgen.analyse(job, warehouse, origin)
    reportgen.render(job, report, ["html"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reportgen.pipeline import Job, analyse, measure, open_job, read_stored, render

__version__ = "0.2.0"

__all__ = ["Job", "__version__", "analyse", "measure", "open_job", "read_stored", "render"]


def __getattr__(name: str) -> Any:
    """Import the pipeline when one of its names is requested."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("reportgen.pipeline"), name)
