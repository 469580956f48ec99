"""Make up times of three versions of two programs, in twelve processes of ten runs each.

    python studies/processes/made.py

writes times.csv beside it. v2 takes as long as v1, v3 takes 8% longer to parse and as long to sort;
what the start of a process decides adds 2% to all of its runs, a run .7%.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

PROGRAMS = {"parse": 0.04, "sort": 0.012}  # seconds
SLOWER = {("parse", "v3"): 1.08}
N_PROCESSES, N_RUNS, START, RUN = 12, 10, 0.02, 0.007


def main() -> None:
    """Draw the times, and write them."""
    rng = np.random.default_rng(4680)
    lines = ["benchmark,version,process,run,time"]
    for program, seconds in PROGRAMS.items():
        for version in ("v1", "v2", "v3"):
            for process in range(1, N_PROCESSES + 1):
                start = START * rng.normal()
                for run in range(1, N_RUNS + 1):
                    own = seconds * SLOWER.get((program, version), 1.0)
                    time = own * np.exp(start + RUN * rng.normal())
                    lines.append(f"{program},{version},{process},{run},{time:.6f}")
    text = "\n".join(lines) + "\n"
    Path(__file__).with_name("times.csv").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
