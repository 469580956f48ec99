"""Names of characteristics, and data sets as characteristics see them."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import numpy as np
import pandas as pd
import pytest

from reportgen.catalogue import characteristics
from reportgen.catalogue.characteristics import (
    CHARACTERISTICS,
    find_characteristic,
    sample_of,
    usual_characteristics,
)
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.errors import SetupError
from reportgen.stats.characteristics import TABLE_5_1, Characterisation, characterise
from reportgen.stats.characteristics.maps import skewnesses


def test_the_usual_ones_are_those_of_the_dissertation() -> None:
    assert usual_characteristics(["classification"]) == tuple(c.name for c in TABLE_5_1)
    of_numbers = usual_characteristics(["regression"])
    assert "resp.cl" not in of_numbers
    assert all(name in CHARACTERISTICS for name in of_numbers)


def test_every_characteristic_can_be_said_of_some_data_set() -> None:
    sets = [sample_of(find_dataset(name)) for name in ("titanic", "iris", "cars")]
    nominal = sets[0]
    numbers = characteristics.Sample(
        sets[2].continuous, nominal.nominal[:51], response=sets[2].response
    )
    for name in CHARACTERISTICS:
        found = [find_characteristic(name)(s) for s in (*sets, numbers)]
        assert np.isfinite(found).any(), name


@pytest.mark.parametrize(
    ("name", "reduce"),
    [
        ("cvar.skew:max", np.max),
        ("cvar.skew:min", np.min),
        ("cvar.skew:sum", np.sum),
        ("cvar.skew:sd", lambda x: np.std(x, ddof=1)),
        ("cvar.skew:quantile(0.25)", lambda x: np.quantile(x, 0.25)),
        ("cvar.skew:histogram(0, 0.3)", lambda x: np.mean((x >= 0) & (x < 0.3))),
    ],
)
def test_a_map_can_be_reduced_in_another_way(name: str, reduce) -> None:
    sample = sample_of(find_dataset("iris"))
    assert find_characteristic(name)(sample) == pytest.approx(reduce(skewnesses(sample)))
    assert find_characteristic(name).name == name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("i2r.fc", "did you mean i2r.fcc"),
        ("cvar.skew:median", "reduction 'median'"),
        ("cvar.skew:quantile", "allowed mean"),
        ("cvar.skew:quantile(2)", "allowed mean"),
        ("cvar.skew:histogram(1)", "allowed mean"),
        ("cvar.skew:mean(1)", "allowed mean"),
    ],
)
def test_wrong_names_are_said(name: str, said: str) -> None:
    with pytest.raises(SetupError, match=said.replace("(", r"\(")):
        find_characteristic(name)


def test_other_packages_need_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", "tests.catalogue.test_characteristics:MINE", "group")
    monkeypatch.setattr(characteristics, "entry_points", lambda group: [point])
    with pytest.raises(SetupError, match="tests under plugins: and --allow-plugins"):
        find_characteristic("mine")
    sample = sample_of(find_dataset("iris"))
    assert find_characteristic("mine", ("tests",))(sample) == 42.0
    wrong = EntryPoint("mine", "tests.catalogue.test_characteristics:pytest", "group")
    monkeypatch.setattr(characteristics, "entry_points", lambda group: [wrong])
    with pytest.raises(SetupError, match="allowed a Characterisation"):
        find_characteristic("mine", ("tests",))


MINE = Characterisation("x", "forty-two", "", lambda _: np.array([42.0]), lambda v: float(v[0]))


def test_numbers_and_categories_are_told_apart() -> None:
    inputs = pd.DataFrame({"a": [1.0, np.inf, 3.0, 4.0], "b": ["u", None, "v", "u"]})
    data = DataSet.of("d", inputs, pd.Series(["x", "y", "x", "y"]), "classification", "")
    sample = sample_of(data)
    assert np.isnan(sample.continuous[1, 0])
    assert sample.nominal[:, 0].tolist() == [0, -1, 1, 0]
    found = characterise(sample)
    assert (found["obs.n"], found["cvar.n"], found["nvar.n"]) == (4, 1, 1)
