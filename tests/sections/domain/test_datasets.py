"""What the table of data sets says beside the means: standard errors, sizes, baselines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.measures import find_measure
from reportgen.execution.runner import constant_values
from reportgen.sections.domain.analysis import describe_datasets, standard_errors
from tests.builders import warehouse_of
from tests.sections.domain.making import draw_values
from tests.sections.reading import ERROR

BALANCED = find_measure("balanced-error").measure


def test_standard_errors_are_of_values_or_of_clusters():
    warehouse = warehouse_of({ERROR: draw_values(1, [[0.1, 0.2]], 6)}, "ab")
    own = warehouse.performances(warehouse.datasets[0], ERROR.name)
    values = np.array(own.values)
    found = standard_errors(own)
    assert found["a"] == pytest.approx(np.std(values[:, 0], ddof=1) / np.sqrt(6))
    # Clusters of equal size: the standard error of the means of the clusters.
    clustered = replace(own, clusters=np.array([0, 0, 1, 1, 2, 2]))
    means = values[:, 1].reshape(3, 2).mean(axis=1)
    assert standard_errors(clustered)["b"] == pytest.approx(np.std(means, ddof=1) / np.sqrt(3))
    alone = replace(own, clusters=np.zeros(6, dtype=np.int64))
    assert standard_errors(alone) == {}


def test_a_row_has_the_sizes_of_a_table_of_characteristics_and_chance():
    warehouse = warehouse_of({ERROR: draw_values(1, [[0.1, 0.2]], 3)}, "ab")
    name = warehouse.datasets[0]
    assert describe_datasets(warehouse, [name], ERROR.name)[name]["n_observations"] is None
    table = pd.DataFrame(
        {
            "dataset": [name],
            "replication": pd.array([None], dtype="Int64"),
            "scheme": [""],
            "obs.n": [150.0],
            "resp.cl": [3.0],
        }
    )
    known = replace(warehouse, characteristics=table)
    row = describe_datasets(known, [name], ERROR.name)[name]
    assert (row["n_observations"], row["n_classes"], row["baseline"]) == (150, 3, None)
    balanced = warehouse_of({BALANCED: draw_values(1, [[0.1, 0.2]], 3)}, "ab")
    balanced = replace(balanced, characteristics=table)
    row = describe_datasets(balanced, [name], BALANCED.name)[name]
    assert row["baseline"] == pytest.approx(2 / 3)


def test_the_baseline_is_the_most_frequent_class_or_the_mean_response():
    iris = find_dataset("iris", rng=np.random.default_rng(1))
    measures = [find_measure(name) for name in ("misclassification", "auc", "fit-time")]
    assert constant_values(iris, measures) == {
        "misclassification": pytest.approx(2 / 3), "auc": pytest.approx(0.5),
    }  # fmt: skip
    cars = find_dataset("cars", rng=np.random.default_rng(1))
    response = cars.target.to_numpy()
    (value,) = constant_values(cars, [find_measure("rmse")]).values()
    assert value == pytest.approx(response.std())
    # A test sample of its own is predicted by what is before it.
    apart = replace(cars, n_test=11)
    (value,) = constant_values(apart, [find_measure("mae")], is_apart=True).values()
    assert value == pytest.approx(np.abs(response[-11:] - response[:-11].mean()).mean())
