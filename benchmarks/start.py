"""How long short commands take over a bare start, of Python or of the packages they need.

    python benchmarks/start.py [--runs 31] [--datasets 10]

`reportgen --help` over a bare interpreter's start: limit 5. `reportgen check` and `reportgen run
--format html` of 600 values (10 data sets, 10 replications, 6 candidates), and the first
`reportgen.compare` of a process with its view in a notebook, over the bare imports of the packages
that a report needs: limit 2 for HTML; a tenth as many runs. What is compared alternates, so that
what else the machine does falls on both alike; the medians of processor seconds are compared.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

BARE = [sys.executable, "-c", "pass"]
HELP = [sys.executable, "-m", "reportgen", "--help"]
PACKAGES = (
    "import click, jinja2, markdown_it, matplotlib.figure, numpy, pandas, pydantic\n"
    "import scipy.linalg, scipy.optimize, scipy.special"
)
IMPORTS = [sys.executable, "-c", PACKAGES]
CHECK = [sys.executable, "-m", "reportgen", "check", "results.csv"]
PAGE = [sys.executable, "-m", "reportgen", "run", "results.csv", "--format", "html", "--jobs", "1"]
CALL = """
import pandas, reportgen
reportgen.compare(pandas.read_csv("results.csv"), better="smaller")._repr_html_()
"""
VIEW = [sys.executable, "-c", CALL]


def seconds(command: list[str], folder: Path) -> float:
    """Return the processor seconds of a command."""
    begin = _children()
    # Python keeps what it has compiled, as it does for users.
    own = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=True, cwd=folder, env=own, capture_output=True)
    return _children() - begin


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def medians(commands: list[list[str]], n_runs: int, folder: Path) -> list[float]:
    """Return the median seconds of commands that take turns."""
    for command in commands if n_runs > 1 else ():
        seconds(command, folder)  # writes the bytecode and warms the disk's cache
    runs = [[seconds(command, folder) for command in commands] for _ in range(n_runs)]
    return [median(column) for column in zip(*runs, strict=True)]


def write_results(file: Path, n_datasets: int = 10) -> None:
    """Write losses of six candidates."""
    rng = random.Random(1)
    lines = ["dataset,replication,candidate,loss"]
    for m in range(n_datasets):
        level = rng.gauss(1, 0.1)
        own = [level + 0.05 * k + rng.gauss(0, 0.03) for k in range(6)]
        lines += [
            f"data{m},{b},candidate{k},{own[k] + rng.gauss(0, 0.05):.4f}"
            for b in range(1, 11)
            for k in range(6)
        ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--datasets", type=int, default=10, help="of what is reported")
    options = parser.parse_args()
    n_runs = options.runs
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_results(folder / "results.csv", options.datasets)
        bare, full = medians([BARE, HELP], n_runs, folder)
        several = medians([IMPORTS, CHECK, PAGE, VIEW], max(1, n_runs // 10), folder)
    imports, *others = several
    print(f"bare interpreter   {1000 * bare:6.0f} ms  (median of {n_runs})")
    print(f"reportgen --help   {1000 * full:6.0f} ms  ratio {full / bare:5.2f}  (limit 5)")
    print(f"bare imports       {1000 * imports:6.0f} ms")
    labels = ("reportgen check", "run, HTML", "compare, view")
    limits = ("", "  (limit 2)", "")
    for label, own, limit in zip(labels, others, limits, strict=True):
        print(f"{label:18} {1000 * own:6.0f} ms  ratio {own / imports:5.2f}{limit}")


if __name__ == "__main__":
    main()
