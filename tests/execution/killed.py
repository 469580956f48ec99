"""A small study, executed until it is killed: python -m tests.execution.killed FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

from reportgen.execution.pool import ProcessExecutor
from reportgen.execution.runner import execute
from reportgen.study.setup import Setup
from tests.execution.faulty import GUESSER, MAJORITY, setup_of, small

N_REPLICATIONS = 60


def study() -> Setup:
    """Return the study: 240 fits of about a millisecond."""
    return setup_of(
        MAJORITY,
        GUESSER,
        datasets=(small("one"), small("two", 60)),
        replications=N_REPLICATIONS,
        measures=("misclassification", "auc", "fit-time"),
    )


if __name__ == "__main__":
    execute(study(), Path(sys.argv[1]), ProcessExecutor(2))
