"""From a data frame to the verdict: the call from Python, beside autorank.

    python benchmarks/call.py [--repeats 5]

20 data sets, 10 replications, 6 candidates and one measure. Prints the seconds of the clock and of
the processor of `compare` and the text of the study, in the first call of a fresh process (cold,
with Python's start and all imports) and afterwards (the middle of some calls); which heavy packages
were imported; and, where autorank is installed (see peers.py), the same of autorank on the means of
the data sets, with the ratios.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from importlib.util import find_spec
from statistics import median
from time import perf_counter, process_time
from typing import Any

N_DATASETS, N_REPLICATIONS, N_CANDIDATES = 20, 10, 6
HEAVY = ("pandas", "scipy", "jinja2", "matplotlib", "sklearn")


def frame() -> Any:
    """Return accuracies in a tidy frame."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(2011)
    shape = (N_DATASETS, N_REPLICATIONS, N_CANDIDATES)
    values = 0.8 + 0.01 * np.arange(N_CANDIDATES) + rng.normal(0, 0.01, shape)
    values += rng.normal(0, 0.02, (*shape[:2], 1)) + rng.normal(0, 0.02, (shape[0], 1, shape[2]))
    index = pd.MultiIndex.from_product(
        [
            [f"data{m}" for m in range(N_DATASETS)],
            range(N_REPLICATIONS),
            [f"candidate{k}" for k in range(N_CANDIDATES)],
        ],
        names=["dataset", "replication", "candidate"],
    )
    return pd.DataFrame({"accuracy": values.clip(0, 1).ravel()}, index=index).reset_index()


def ours(results: Any) -> str:
    """Compare by this program."""
    import reportgen

    return repr(reportgen.compare(results, relevance=0.01))


def theirs(results: Any) -> str:
    """Compare by autorank, which takes one value a data set."""
    import warnings
    from contextlib import redirect_stdout
    from io import StringIO

    from autorank import autorank, create_report

    wide = results.pivot_table("accuracy", "dataset", "candidate", observed=True)
    said = StringIO()
    with warnings.catch_warnings(), redirect_stdout(said):
        warnings.simplefilter("ignore")
        create_report(autorank(wide))
    return said.getvalue()


CALLS = {"reportgen": ours, "autorank": theirs}


def measure(name: str, repeats: int) -> dict[str, Any]:
    """Return the seconds of the first call and of later ones in this process."""
    call, seconds = CALLS[name], []
    for _ in range(repeats + 1):
        results = frame()
        begin, used = perf_counter(), process_time()
        call(results)
        seconds.append((perf_counter() - begin, process_time() - used))
    later = [median(column) for column in zip(*seconds[1:], strict=True)]
    return {"later": later, "imported": [m for m in HEAVY if m in sys.modules]}


def cold(name: str) -> float:
    """Return the seconds of a fresh process that makes one call."""
    begin = perf_counter()
    subprocess.run([sys.executable, __file__, "--child", name, "--repeats", "0"], check=True)
    return perf_counter() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        if given.repeats == 0:
            CALLS[given.child](frame())
            return
        print(json.dumps(measure(given.child, given.repeats)))
        return
    found = {}
    for name in CALLS:
        if find_spec(name) is None:
            print(f"{name}: not installed")
            continue
        command = [sys.executable, __file__, "--child", name, "--repeats", str(given.repeats)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        said = json.loads(done.stdout.splitlines()[-1])
        found[name] = (cold(name), *said["later"])
        clock = "cold {:.2f} s, later {:.2f} s ({:.2f} s of the processor)".format(*found[name])
        print(f"{name}: {clock}; imports {', '.join(said['imported'])}")
    if len(found) > 1:
        ratios = [a / b for a, b in zip(found["reportgen"], found["autorank"], strict=True)]
        print("reportgen / autorank: cold {:.2f}, later {:.2f}, processor {:.2f}".format(*ratios))


if __name__ == "__main__":
    main()
