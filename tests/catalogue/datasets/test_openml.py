"""Data sets of OpenML, without a network."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError

import pandas as pd
import pytest
import sklearn.datasets

from reportgen.catalogue.datasets.openml import load_openml
from reportgen.errors import SetupError

FRAME = pd.DataFrame(
    {
        "length": [1.0, 2.0, None, 4.0],
        "colour": pd.Categorical(["red", "blue", "red", "blue"]),
        "price": [0.5, 1.5, 2.5, 3.5],
        "kind": pd.Categorical(["a", "b", "a", "b"]),
    }
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Put a table in OpenML's place, and keep what it was asked for."""
    kept: dict[str, Any] = {}

    def fetch(**options: Any) -> SimpleNamespace:
        kept.update(options)
        return SimpleNamespace(frame=FRAME, target_names=["kind"])

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    return kept


def test_the_number_stands_for_the_data(asked: dict[str, Any]) -> None:
    data = load_openml("mine", 61)
    assert asked["data_id"] == 61
    assert (data.name, data.origin, data.task) == ("mine", "OpenML 61", "classification")
    assert list(data.inputs) == ["length", "colour", "price"]


def test_another_target(asked: dict[str, Any]) -> None:
    data = load_openml("mine", 61, "price")
    assert data.task == "regression"
    assert "kind" in data.inputs
    with pytest.raises(SetupError, match="did you mean price"):
        load_openml("mine", 61, "prise")


def test_what_fetching_warns_of_is_a_line_without_places(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    recwarn: pytest.WarningsRecorder,
) -> None:
    def fetch(**options: Any) -> None:
        for _ in range(3):
            warnings.warn("A network error occurred.\n Retrying...", stacklevel=1)
        raise URLError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    with pytest.raises(SetupError, match="no network"):
        load_openml("mine", 61)
    assert caplog.messages == ["data set 'mine': A network error occurred. Retrying..."]
    assert not recwarn.list


def test_offline_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(**options: Any) -> None:
        raise URLError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    with pytest.raises(
        SetupError, match=r"'mine': found OpenML's 61, which cannot be fetched.*no network"
    ):
        load_openml("mine", 61)
