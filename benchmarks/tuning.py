"""How long tunings take on monks3: over scikit-learn's own, and with and without shared fits.

    python benchmarks/tuning.py [--samples 2]

Each candidate tunes itself on the same bootstrap samples. The support vector machine's inner
fits are then repeated one setting at a time. Last, candidates of scikit-learn are tuned by
the same grid on the same folds here and by its `GridSearchCV`: the limit of the ratio is 1.1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from reportgen.catalogue.candidates import make_candidate
from reportgen.catalogue.candidates.candidate import Candidate
from reportgen.catalogue.candidates.preparation import InputMatrix
from reportgen.catalogue.candidates.published import COSTS, GAMMAS, PUBLISHED, published_tuning
from reportgen.catalogue.candidates.recipes import Recipe
from reportgen.catalogue.candidates.search import Grid
from reportgen.catalogue.candidates.tuning import Tuned, copies_of, deal, inner_fits
from reportgen.catalogue.datasets import find_dataset

CANDIDATES = tuple(PUBLISHED)
DATA = "monks3"
FOLDS = 10


def seconds(step: Callable[[], Any]) -> float:
    """Return the processor seconds of a step."""
    begin = process_time()
    step()
    return process_time() - begin


def tuning_seconds(candidate: Candidate, X: Any, y: Any) -> float:
    """Return the seconds in which a candidate tunes and fits itself."""
    return seconds(lambda: candidate.build("classification", 1).fit(X, y))


def shared_over_single(X: Any, y: Any) -> tuple[float, float]:
    """Return the seconds of the grid's fits, shared and one at a time."""
    from sklearn.svm import SVC

    tried = Grid({"C": COSTS, "gamma": GAMMAS})(X, y, np.random.default_rng(1))
    shared = seconds(lambda: list(inner_fits(SVC(), tried, X, y)))
    return shared, seconds(lambda: [SVC(**setting).fit(X, y) for setting in tried])


def beside_grid_search(X: Any, y: Any) -> None:
    """Print the seconds of tunings here over those of scikit-learn's, on the same folds."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    grids = (
        (KNeighborsClassifier(), {"n_neighbors": (1, 3, 5, 9, 15, 25)}),
        (DecisionTreeClassifier(random_state=1), {"max_depth": (1, 2, 3, 5, 8, 12)}),
        (SVC(), {"C": COSTS, "gamma": GAMMAS}),
    )
    fold_of = deal(copies_of(X), y, FOLDS, np.random.default_rng(1))
    splits = [(np.flatnonzero(fold_of != f), np.flatnonzero(fold_of == f)) for f in range(FOLDS)]
    for estimator, grid in grids:
        own = Tuned(estimator, Grid(grid), folds=FOLDS, random_state=1)
        lists = {name: list(values) for name, values in grid.items()}
        peer = GridSearchCV(estimator, lists, scoring="accuracy", cv=splits)
        here, there = (min(seconds(lambda t=t: t.fit(X, y)) for _ in range(3)) for t in (own, peer))
        names = "the same setting" if own.chosen_ == peer.best_params_ else "another setting"
        n_settings = len(peer.cv_results_["params"])
        print(
            f"ratio   {here / there:6.2f}  of {type(estimator).__name__}'s tuning here, "
            f"{here:.3f} s, over GridSearchCV's of {n_settings} settings; {names}"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2)
    n_samples = parser.parse_args().samples
    data, rng = find_dataset(DATA), np.random.default_rng(5)
    drawn = [rng.integers(data.n, size=data.n) for _ in range(n_samples)]
    samples = [(data.inputs.iloc[rows], data.response[rows]) for rows in drawn]
    for name in CANDIDATES:
        recipe = Recipe(name, tuning=published_tuning(name), is_published=True)
        candidate = make_candidate(name, recipe)
        spent = [tuning_seconds(candidate, X, y) for X, y in samples]
        print(f"{name:6}  {np.mean(spent):6.2f} s a fit")
    matrices = [(InputMatrix().fit(X).transform(X), y) for X, y in samples]
    shared, single = np.sum([shared_over_single(X, y) for X, y in matrices], axis=0)
    print(f"ratio   {shared / single:6.2f}  of svm's inner fits, shared over one at a time")
    beside_grid_search(*matrices[0])


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
