"""Results of SWE-bench: which issues each submission has resolved.

A report of a run names all issues that it was given. The older results.json of a submission leaves
out those that it did not resolve for other reasons than those it lists: then the issues are those
that any submission names, and shares are of these.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import Content, LogFormat, Logs, Run, documented, mapping
from reportgen.study.errors import shown

RESOLVED = "resolved"
OLD = (RESOLVED, "no_generation", "no_logs")
NEW = ("submitted_ids", "resolved_ids", "unresolved_ids", "empty_patch_ids", "error_ids")
DATASET = "SWE-bench"


def _read(logs: Logs) -> Content:
    documents = [(path, own) for path, own in logs.documents() if _is_results(own)]
    is_old = any(RESOLVED in own for _, own in documents)
    named = {path: _named(path, own) for path, own in documents}
    every = sorted(set().union(*(names for names, _ in named.values())))
    runs = []
    for path, (names, resolved) in named.items():
        items = every if is_old else sorted(names)
        values: list[float | None] = [float(item in resolved) for item in items]
        clusters = [item.rpartition("-")[0] or item for item in items]
        runs.append(
            Run(path, DATASET, _candidate(logs, path), items, {RESOLVED: values}, clusters=clusters)
        )
    text = f"{len(every)} that any submission names: what none resolved is not among them"
    decided = [("named-items", text)] if is_old else []
    return Content(runs, documented(RESOLVED, "larger"), decided=decided)


def _named(path: Path, content: Any) -> tuple[set[str], set[str]]:
    """Return all issues that a file names, and those that were resolved."""
    keys = OLD if RESOLVED in content else NEW
    found: dict[str, set[str]] = {}
    for key in keys:
        names = content.get(key, [])
        if not isinstance(names, list) or not all(isinstance(n, str) and n for n in names):
            raise ExchangeError(f"{path}: {key}: found {shown(names)}; allowed a list of names")
        found[key] = set(names)
    return set().union(*found.values()), found[keys[0] if RESOLVED in content else keys[1]]


def _candidate(logs: Logs, path: Path) -> str:
    """Return the submission: the folder of results/results.json, else the file's name."""
    if path.stem != "results":
        return path.stem
    folder = path.resolve().parent
    return folder.parent.name if folder.name == "results" else folder.name


def _is_results(content: Any) -> bool:
    own = mapping(content)
    return own.keys() >= {*NEW[:3]} or own.keys() >= {RESOLVED, "no_generation"}


LOGS = (
    LogFormat(
        "swe-bench",
        "JSON with resolved_ids, unresolved_ids, or results.json with resolved, no_generation",
        "SWE-bench",
        lambda logs: logs.has(_is_results),
        _read,
    ),
)
