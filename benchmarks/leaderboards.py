"""How long a comparison of leaderboards takes, over pandas' pivot of the same table.

    python benchmarks/leaderboards.py

Twenty models on 14,000 items in clusters of seven, and 84 methods on 51 tasks with nine splits
each: the call and its text. The peak of memory is that of the whole process.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from time import perf_counter

import numpy as np
import pandas as pd

import reportgen

ITEMS = (14_000, 20)  # items, models
TASKS = (84, 51, 9)  # methods, tasks, splits


def items(n_items: int, n_models: int) -> pd.DataFrame:
    """Return right and wrong answers."""
    rng = np.random.default_rng(1)
    clusters = np.arange(n_items) // 7
    ease = rng.normal(size=clusters[-1] + 1)[clusters] + rng.normal(size=n_items)
    chance = 1 / (1 + np.exp(-ease[:, None] - np.linspace(-0.3, 0.6, n_models)))
    right = rng.random((n_items, n_models)) < chance
    return pd.DataFrame(
        {
            "dataset": "task",
            "item": np.repeat([f"q{i}" for i in range(n_items)], n_models),
            "cluster": np.repeat([f"d{c}" for c in clusters], n_models),
            "candidate": np.tile([f"m{k}" for k in range(n_models)], n_items),
            "accuracy": right.ravel().astype(float),
        }
    )


def tasks(n_methods: int, n_tasks: int, n_splits: int) -> pd.DataFrame:
    """Return positive losses of methods on tasks."""
    rng = np.random.default_rng(1)
    shape = (n_tasks, n_splits, n_methods)
    level = rng.normal(size=(n_tasks, 1, 1)) + 0.5 * rng.normal(size=(n_tasks, 1, n_methods))
    values = np.exp(level + 0.1 * rng.normal(size=shape) + np.linspace(0, 0.5, n_methods))
    names = [[f"t{m}" for m in range(n_tasks)], range(1, n_splits + 1)]
    names.append([f"m{k}" for k in range(n_methods)])
    index = pd.MultiIndex.from_product(names, names=["dataset", "replication", "candidate"])
    return pd.DataFrame({"loss": values.ravel()}, index=index).reset_index()


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    begin = perf_counter()
    work()
    return perf_counter() - begin


def main() -> None:
    """Measure and print; the first call of all also imports what they need."""
    for title, frame, value, keys in (
        ("20 models x 14,000 items", items(*ITEMS), "accuracy", ["dataset", "item"]),
        ("84 methods x 51 tasks x 9", tasks(*TASKS), "loss", ["dataset", "replication"]),
    ):
        side = "larger" if value == "accuracy" else "smaller"
        call = seconds(lambda f=frame, s=side: str(reportgen.compare(f, better=s)))
        pivot = seconds(
            lambda f=frame, k=keys, v=value: f.pivot_table(index=k, columns="candidate", values=v)
        )
        print(f"{title:26} {call:6.2f} s, {call / pivot:6.1f} times a pivot")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
