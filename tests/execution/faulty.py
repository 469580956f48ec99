"""Candidates that do what candidates do; a module, so that workers can import it."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import sys
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from reportgen.catalogue.candidates.candidate import Build, Candidate
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.catalogue.measures import find_measure
from reportgen.measures import Task
from reportgen.study.resampling import Resampling
from reportgen.study.schema.value_types import FailureLimit
from reportgen.study.setup import ExecutionSettings, Setup

N = 40
SLOW_SECONDS = 0.3


class Majority:
    """Predicts the most frequent class of the learning sample."""

    def __init__(self, offset: int = 0) -> None:
        self.offset = offset

    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / len(y)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        return np.full(len(X), self.classes_[np.argmax(self.shares_)])

    def predict_proba(self, X: pd.DataFrame) -> Any:
        return np.tile(self.shares_, (len(X), 1))


class Guesser(Majority):
    """Predicts at random, from its own random state."""

    def predict(self, X: pd.DataFrame) -> Any:
        return np.random.default_rng(self.offset).integers(2, size=len(X))


class Sleeps(Majority):
    """Waits for something else than the processor."""

    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        time.sleep(SLOW_SECONDS)
        return super().fit(X, y)


class Raises(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        raise ArithmeticError("no\n  pivot")


class Exits(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        sys.exit("enough")


class Dies(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        os._exit(3)


class Crashes(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        ctypes.string_at(0)
        raise AssertionError("no segmentation fault")


class IsKilled(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("still alive")


class Hangs(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        time.sleep(600)
        return self


class IsGreedy(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        self.hoard_ = np.ones(2**30 // 8)  # 1 GiB
        return super().fit(X, y)


class IsSlowToLoad(Majority):
    """Takes two seconds once in a process, as a large package does."""

    is_loaded = False

    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        if not IsSlowToLoad.is_loaded:
            time.sleep(2.0)
            IsSlowToLoad.is_loaded = True
        return super().fit(X, y)


class Starves(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        raise MemoryError


class StarvesLater(Majority):
    def predict_proba(self, X: pd.DataFrame) -> Any:
        raise MemoryError


class PredictsGaps(Majority):
    def predict(self, X: pd.DataFrame) -> Any:
        values = super().predict(X).astype(float)
        values[:2] = np.nan
        return values


class PredictsMasked(Majority):
    def predict(self, X: pd.DataFrame) -> Any:
        values = super().predict(X)
        return np.ma.masked_array(values, mask=np.arange(len(values)) < 2)


class GivesMasked(Majority):
    def predict_proba(self, X: pd.DataFrame) -> Any:
        return np.ma.masked_array(super().predict_proba(X), mask=[[1, 0]] * len(X))


class PredictsTables(Majority):
    def predict(self, X: pd.DataFrame) -> Any:
        return super().predict(X)[:, None]


class PredictsText(Majority):
    def predict(self, X: pd.DataFrame) -> Any:
        return np.array(["a"] * len(X))


class PredictsStrangers(Majority):
    def predict(self, X: pd.DataFrame) -> Any:
        return np.full(len(X), 7)


class FailsToPredict(Majority):
    def predict(self, X: pd.DataFrame) -> Any:
        raise KeyError("level")


class Warns(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        for _ in range(3):
            warnings.warn("did not converge", UserWarning, stacklevel=2)
        return super().fit(X, y)


class UsesCommonNumbers(Majority):
    """Draws from the random numbers that belong to nobody."""

    def predict(self, X: pd.DataFrame) -> Any:
        first = random.random() < 0.5
        return np.where(np.random.rand(len(X)) < 0.5, int(first), 0)


class Chooses(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        self.chosen_ = {"k": int(X["x"].sum() > 0), "estimator__units": (3,), "kind": "x<y"}
        return super().fit(X, y)


class IsLarge(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        self.weights_ = np.ones(4 * 2**20)  # 32 MiB
        return super().fit(X, y)


class PredictsAtLength(Majority):
    def predict(self, X: pd.DataFrame) -> Any:
        np.ones(4 * 2**20).sum()  # 32 MiB
        return super().predict(X)


class HasNoProbabilities:
    def fit(self, X: pd.DataFrame, y: Any) -> HasNoProbabilities:
        self._first = y[0]
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        return np.full(len(X), self._first)


class GivesBadProbabilities(Majority):
    def predict_proba(self, X: pd.DataFrame) -> Any:
        return np.full((len(X), len(self.classes_)), np.nan)


class GivesOneColumn(Majority):
    def predict_proba(self, X: pd.DataFrame) -> Any:
        return np.ones(len(X)) / 2


class GivesWeights(Majority):
    def predict_proba(self, X: pd.DataFrame) -> Any:
        return np.ones((len(X), len(self.classes_)))


class ChoosesOddly(Majority):
    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        self.chosen_ = {"gamma": float("inf"), 7: np.float64(0.5), "text": "\ud800", "no": None}
        return super().fit(X, y)


class DrawsTwice(Majority):
    """Shows the first number of its own random state, and of the common one."""

    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        own = np.random.RandomState(self.offset).rand()
        self.chosen_ = {"own": own, "common": np.random.rand()}
        return super().fit(X, y)


class SlowProbabilities(LogisticRegression):  # type: ignore[misc]
    asked = 0

    def predict_proba(self, X: pd.DataFrame) -> Any:
        SlowProbabilities.asked += 1
        end = time.process_time() + SLOW_SECONDS
        while time.process_time() < end:
            pass
        return super().predict_proba(X)


class Patches(Majority):
    """Changes numpy, scikit-learn and another candidate for all that come after it."""

    def fit(self, X: pd.DataFrame, y: Any) -> Majority:
        LogisticRegression.predict = lambda self, X: np.zeros(len(X), dtype=int)
        Guesser.predict = lambda self, X: np.ones(len(X), dtype=int)  # type: ignore[method-assign]
        np.asarray = lambda *arguments, **options: np.zeros(3)  # type: ignore[assignment]
        os.close(1)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        return np.zeros(len(X), dtype=int)


class HasAChoiceThatIsNone(Majority):
    chosen_ = "anything"


class HasNoFit:
    """Lacks everything."""


def build_majority(task: Task, random_state: int) -> Any:
    return Majority()


def build_patches(task: Task, random_state: int) -> Any:
    return Patches()


def build_guesser(task: Task, random_state: int) -> Any:
    return Guesser(random_state)


def build_raises(task: Task, random_state: int) -> Any:
    return Raises()


def build_exits(task: Task, random_state: int) -> Any:
    return Exits()


def build_dies(task: Task, random_state: int) -> Any:
    return Dies()


def build_crashes(task: Task, random_state: int) -> Any:
    return Crashes()


def build_is_killed(task: Task, random_state: int) -> Any:
    return IsKilled()


def build_hangs(task: Task, random_state: int) -> Any:
    return Hangs()


def build_greedy(task: Task, random_state: int) -> Any:
    return IsGreedy()


def build_sleeps(task: Task, random_state: int) -> Any:
    return Sleeps()


def build_slow_to_load(task: Task, random_state: int) -> Any:
    return IsSlowToLoad()


def build_starves(task: Task, random_state: int) -> Any:
    return Starves()


def build_starves_later(task: Task, random_state: int) -> Any:
    return StarvesLater()


def build_gaps(task: Task, random_state: int) -> Any:
    return PredictsGaps()


def build_masked(task: Task, random_state: int) -> Any:
    return PredictsMasked()


def build_masked_probabilities(task: Task, random_state: int) -> Any:
    return GivesMasked()


def build_tables(task: Task, random_state: int) -> Any:
    return PredictsTables()


def build_text(task: Task, random_state: int) -> Any:
    return PredictsText()


def build_strangers(task: Task, random_state: int) -> Any:
    return PredictsStrangers()


def build_fails_to_predict(task: Task, random_state: int) -> Any:
    return FailsToPredict()


def build_warns(task: Task, random_state: int) -> Any:
    return Warns()


def build_common_numbers(task: Task, random_state: int) -> Any:
    return UsesCommonNumbers()


def build_chooses(task: Task, random_state: int) -> Any:
    return Chooses()


def build_large(task: Task, random_state: int) -> Any:
    return IsLarge()


def build_predicts_at_length(task: Task, random_state: int) -> Any:
    return PredictsAtLength()


def build_no_probabilities(task: Task, random_state: int) -> Any:
    return HasNoProbabilities()


def build_bad_probabilities(task: Task, random_state: int) -> Any:
    return GivesBadProbabilities()


def build_one_column(task: Task, random_state: int) -> Any:
    return GivesOneColumn()


def build_weights(task: Task, random_state: int) -> Any:
    return GivesWeights()


def build_chooses_oddly(task: Task, random_state: int) -> Any:
    return ChoosesOddly()


def build_draws_twice(task: Task, random_state: int) -> Any:
    return DrawsTwice(random_state)


def build_slow_probabilities(task: Task, random_state: int) -> Any:
    return SlowProbabilities()


def build_choice_that_is_none(task: Task, random_state: int) -> Any:
    return HasAChoiceThatIsNone()


def build_nothing(task: Task, random_state: int) -> Any:
    return HasNoFit()


def build_cannot(task: Task, random_state: int) -> Any:
    raise ImportError("no such package")


def candidate(name: str, build: Build) -> Candidate:
    return Candidate(name, "", build)


MAJORITY = candidate("majority", build_majority)
GUESSER = candidate("guesser", build_guesser)


def small(name: str = "small", n: int = N) -> DataSet:
    """Return two overlapping classes of different size."""
    rng = np.random.default_rng(8)
    x = rng.standard_normal(n)
    labels = pd.Series(np.where(x + rng.standard_normal(n) > 0.3, "b", "a"), name="y")
    return DataSet.of(name, pd.DataFrame({"x": x}), labels, "classification", "a test")


def number_of_process(prediction: object) -> float:
    """Return the number of the process that computes the measure."""
    return float(os.getpid())


def setup_of(
    *candidates: Candidate,
    datasets: tuple[DataSet, ...] = (),
    replications: int = 5,
    measures: tuple[str, ...] = ("misclassification",),
    seed: int = 1,
    resampling: Resampling | None = None,
    timeout: float | None = None,
    max_failures: FailureLimit | None = None,
    memory: int | None = None,
) -> Setup:
    """Return a small setup that tolerates all failures unless told otherwise."""
    return Setup(
        "test",
        "real-world",
        datasets or (small(),),
        candidates,
        tuple(find_measure(name) for name in measures),
        resampling or Resampling("bootstrap", replications),
        seed,
        ExecutionSettings(
            2, timeout, max_failures=max_failures or FailureLimit(share=1.0), memory_bytes=memory
        ),
    )


__all__ = ["GUESSER", "MAJORITY", "candidate", "find_dataset", "setup_of", "small"]
