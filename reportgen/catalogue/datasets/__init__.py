"""The data sets of the catalogue by name: fixed ones, and generators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.random import Generator

from reportgen.catalogue.datasets import bundled, generators
from reportgen.catalogue.datasets.bundled import Table
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.catalogue.datasets.generators import GeneratedData, Source
from reportgen.catalogue.names import unknown_name
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.measures import Task

FIXED_SEED = 1991  # of the learning parts of MONK's problems: never the study's


@dataclass(frozen=True, slots=True)
class FixedData:
    """A data set that is always the same."""

    make: Callable[[], tuple[pd.DataFrame, pd.Series]]  # returns inputs and target
    origin: str
    task: Task = "classification"
    unit: str = ""  # of the response, in a regression
    formula: str = ""  # of artificial data: how an observation arises, in words a report may print


def find_dataset(
    name: str,
    n: int | None = None,
    options: Mapping[str, float] | None = None,
    rng: Generator | None = None,
    *,
    n_test: int = 0,
) -> DataSet:
    """Return a data set of the catalogue by its name.

    `name`: one of `DATASETS`.
    `n`: number of observations; only for generated data.
    `options`: options of the generator.
    `rng`: draws generated data; a fixed one when omitted.
    `n_test`: number of observations of a test sample to generate besides.
    Raises SetupError if the name or an option is unknown, or n is given for fixed data.

    Examples
    --------
    >>> monks3 = find_dataset("monks3")
    >>> monks3.n, monks3.classes, monks3.inputs.shape[1]
    (554, ('0', '1'), 6)
    """
    if name in _GENERATED:
        return _generate(name, _GENERATED[name], n, options or {}, rng, n_test)
    if name not in _FIXED:
        raise unknown_name("data set", name, DATASETS)
    if n is not None or options or n_test:
        raise SetupError(
            f"data set {name!r}: found n, n_test or options; allowed none of them, as it is fixed"
        )
    fixed = _FIXED[name]
    made = DataSet.of(name, *fixed.make(), fixed.task, fixed.origin)
    return replace(made, unit=fixed.unit, formula=fixed.formula)


def _generate(
    name: str,
    definition: GeneratedData,
    n: int | None,
    options: Mapping[str, float],
    rng: Generator | None,
    n_test: int,
) -> DataSet:
    for option in options:
        if option not in definition.options:
            raise unknown_name(f"option of the data set {name!r}:", option, definition.options)
    size = definition.n if n is None else n
    if size < 2:
        raise SetupError(f"data set {name!r}: found n: {size}; allowed 2 or more")
    rng = np.random.default_rng(FIXED_SEED) if rng is None else rng
    definition = replace(definition, formula=generators.FORMULAS[name])
    found = Source(definition, {**definition.options, **options})
    try:
        drawn = found.draw(size + n_test, rng)
    except (ArithmeticError, LookupError, ValueError, MemoryError) as error:
        settings = ", ".join(f"{option}: {value:g}" for option, value in options.items())
        raise SetupError(
            f"data set {name!r}: found {settings}, with which nothing can be drawn ({error}); "
            "allowed options with which it can"
        ) from error
    made = DataSet.of(name, *drawn, definition.task, definition.origin)
    return replace(made, source=found, n_test=n_test)


def _bundled_numbers(loader: str, target: str | None = None) -> tuple[pd.DataFrame, pd.Series]:
    from sklearn import datasets

    bunch = getattr(datasets, loader)(as_frame=True)
    return bunch.data, bunch.target if target is None else bunch.target[target]


def _bundled(loader: str) -> tuple[pd.DataFrame, pd.Series]:
    from sklearn import datasets

    bunch = getattr(datasets, loader)(as_frame=True)
    classes = pd.Categorical.from_codes(
        np.asarray(bunch.target), pd.Index([str(c) for c in bunch.target_names])
    )
    return bunch.data, pd.Series(classes, name="class")


def _monks(rule: generators.Rule, n_learning: int, noise: float) -> Table:
    return generators.monks(rule, n_learning, noise, np.random.default_rng(FIXED_SEED))


_SCIKIT_LEARN = "scikit-learn"
_MONKS = "MONK's problems (Thrun et al. 1991), by definition"
_MONK_1 = "class 1 is where a1 = a2 or a5 = 1; no noise"
_MONK_2 = "class 1 is where exactly two of a1, …, a6 have their first value; no noise"
_MONK_3 = (
    "class 1 is where a5 = 3 and a4 = 1, or a5 ≠ 4 and a2 ≠ 3; "
    f"{100 * generators.MONK_NOISE:g}% of the learning sample’s classes are turned over"
)

_FIXED: Mapping[str, FixedData] = MappingProxyType(
    {
        "iris": FixedData(partial(_bundled, "load_iris"), _SCIKIT_LEARN),
        "wine": FixedData(partial(_bundled, "load_wine"), _SCIKIT_LEARN),
        "breast-cancer": FixedData(partial(_bundled, "load_breast_cancer"), _SCIKIT_LEARN),
        "digits": FixedData(partial(_bundled, "load_digits"), _SCIKIT_LEARN),
        "monks1": FixedData(partial(_monks, generators.monk1, 124, 0.0), _MONKS, formula=_MONK_1),
        "monks2": FixedData(partial(_monks, generators.monk2, 169, 0.0), _MONKS, formula=_MONK_2),
        "monks3": FixedData(
            partial(_monks, generators.monk3, 122, generators.MONK_NOISE), _MONKS, formula=_MONK_3
        ),
        "tic-tac-toe": FixedData(bundled.tic_tac_toe, "all ends of the game, by its rules"),
        "titanic": FixedData(bundled.titanic, "passengers and crew (Dawson 1995)"),
        "cars": FixedData(
            bundled.cars, "50 cars (McNeil 1977) and a modern one", "regression", "ft"
        ),
        "diabetes": FixedData(
            partial(_bundled_numbers, "load_diabetes"), _SCIKIT_LEARN, "regression"
        ),
        "linnerud": FixedData(
            partial(_bundled_numbers, "load_linnerud", "Weight"),
            f"{_SCIKIT_LEARN}, weight by exercises",
            "regression",
            "lb",
        ),
    }
)

_BREIMAN = "generated (Breiman 1998)"
_FRIEDMAN = "generated (Friedman 1991)"

_GENERATED: Mapping[str, GeneratedData] = MappingProxyType(
    {
        "circle": GeneratedData(generators.circle, "generated as in mlbench", {"d": 2.0}),
        "hyperplane": GeneratedData(
            generators.hyperplane, "generated: a cube cut in two", {"d": 2.0, "noise": 0.0}
        ),
        "spirals": GeneratedData(
            generators.spirals, "generated as in mlbench", {"cycles": 1.0, "sd": 0.0}
        ),
        "twonorm": GeneratedData(generators.twonorm, _BREIMAN, {"d": 20.0}),
        "threenorm": GeneratedData(generators.threenorm, _BREIMAN, {"d": 20.0}),
        "ringnorm": GeneratedData(generators.ringnorm, _BREIMAN, {"d": 20.0}),
        "linear": GeneratedData(
            generators.linear,
            "generated (Hothorn et al. 2005)",
            {"b1": 2.0, "b2": 0.0, "noise": 1.0},
            150,
            "regression",
            generators.estimate_linear,
        ),
        "friedman1": GeneratedData(
            generators.friedman1,
            _FRIEDMAN,
            {"noise": 1.0},
            task="regression",
            estimate=generators.estimate_friedman1,
        ),
        "friedman2": GeneratedData(
            generators.friedman2,
            _FRIEDMAN,
            {"noise": 125.0},
            task="regression",
            estimate=generators.estimate_friedman2,
        ),
        "friedman3": GeneratedData(
            generators.friedman3,
            _FRIEDMAN,
            {"noise": 0.1},
            task="regression",
            estimate=generators.estimate_friedman3,
        ),
    }
)

DATASETS: tuple[str, ...] = (*_FIXED, *_GENERATED)
"""Names of the catalogue's data sets."""
