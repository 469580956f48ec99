"""Runs of COCO's logger (bbob and its kin): <folder>/*.info, with the .dat files that these name.

The third column of a .dat file is the best distance from the optimum so far; see `traces` for what
is kept of it. Of constrained problems evaluations are those of objective and of constraints, as
COCO counts them. Suites of two objectives have no such column, and are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import Content, LogFormat, Logs, read_bytes
from reportgen.exchange.readers.traces import Trace, Traces, content_of, inside, read_blocks
from reportgen.stats.arrays import Array
from reportgen.study.errors import shown

FILE = r".+\.info"
VALUES = 2  # column of the best distance so far
HEAD = 4096  # bytes, by which a file is known
OF_CONSTRAINTS = "g evaluations"
_FIELD = re.compile(r"(\w+)\s*=\s*(?:'([^']*)'|([^,\s]+))")
_RUN = re.compile(r"(\d+)(?::(\d+)\|(\S+))?")


def _read(logs: Logs) -> Content:
    return content_of([own for path in logs.named(FILE) for own in _experiments(logs, path)])


def _experiments(logs: Logs, path: Path) -> Iterator[Traces]:
    """Yield the experiments of a file: a line of fields, and below comments one of runs."""
    lines = read_bytes(path).decode(errors="replace").splitlines()
    lines = [line for line in lines if line.strip() and not line.startswith("%")]
    for head, below in zip(lines[::2], lines[1::2], strict=False):
        fields = {name: text or word for name, text, word in _FIELD.findall(head)}
        for name in ("funcId", "DIM", "algId"):
            if not fields.get(name):
                raise ExchangeError(f"{path}: found no {name} in {shown(head)}; allowed one")
        suite = fields.get("suite", "")
        if "biobj" in suite or "biobj" in fields.get("logger", ""):
            raise ExchangeError(f"{path}: found the suite {suite}; allowed one of one objective")
        dataset = " ".join(
            part for part in (suite, f"f{fields['funcId']}", f"{fields['DIM']}-D") if part
        )
        yield Traces(path, dataset, fields["algId"], [*_runs(logs, path, below)])
    if len(lines) % 2:
        raise ExchangeError(f"{path}: found no runs below {shown(lines[-1])}; allowed a line")


def _runs(logs: Logs, path: Path, line: str) -> Iterator[Trace]:
    """Yield the runs that a line lists: names of files, each with its instances."""
    instances: dict[str, list[str]] = {}
    for word in filter(None, map(str.strip, line.split(","))):
        found = _RUN.fullmatch(word)
        if found is None:
            name = word
            instances.setdefault(name, [])
        elif instances:
            instances[name].append(found[1])
        else:
            raise ExchangeError(f"{path}: found {shown(line)}; allowed a file before its runs")
    for name, own in instances.items():
        file = inside(logs, path, name)
        blocks = read_blocks(file, VALUES, "%")
        if len(blocks) != len(own):
            raise ExchangeError(
                f"{file}: found {len(blocks)} runs; allowed {len(own)}, as {path.name} lists"
            )
        for instance, (above, rows) in zip(own, blocks, strict=True):
            yield Trace(instance, _evaluations(above, rows), rows[:, VALUES])


def _evaluations(above: str, rows: Array) -> Array:
    """Return evaluations of the objective, and of constraints where the file counts these."""
    return np.asarray(rows[:, 0] + rows[:, 1] if OF_CONSTRAINTS in above else rows[:, 0])


def _finds(logs: Logs) -> bool:
    path = next(iter(logs.named(FILE)), None)
    if path is None:
        return False
    with path.open("rb") as file:
        return re.search(rb"funcId\s*=", file.read(HEAD)) is not None


LOGS = (LogFormat("coco", "<folder>/*.info with funcId, DIM, algId", "COCO", _finds, _read),)
