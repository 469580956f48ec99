"""A folder with the files that manifests name, and a reader of manifests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Literal

import pytest

from reportgen.errors import StudyError
from reportgen.study.manifest import Study, load_study
from reportgen.study.schema.options import AnalysisOptions


class Eda(AnalysisOptions):
    """Options of a section, as a section declares them."""

    sort: Literal["mean", "median", "max"] = "mean"
    m_worst: int | None = None


class Inference(AnalysisOptions):
    """A section without options of its own."""


OPTIONS: Mapping[str, type[AnalysisOptions]] = {"eda": Eda, "inference": Inference}
Load = Callable[..., Study]
Fail = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "results.csv").write_text("candidate,replication,error\nlda,1,0.1\n", "utf-8")
    (tmp_path / "data.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n", "utf-8")
    return tmp_path


@pytest.fixture
def load(folder: Path) -> Load:
    """Return a function that reads a manifest's text."""

    def read(text: str | bytes, name: str = "study.yaml", **overrides: str) -> Study:
        content = text if isinstance(text, bytes) else dedent(text).encode()
        (folder / name).write_bytes(content)
        settings = {key.replace("__", "."): value for key, value in overrides.items()}
        return load_study(folder / name, OPTIONS, settings)

    return read


@pytest.fixture
def fail(folder: Path, load: Load) -> Fail:
    """Return a function that reads a wrong manifest and gives the error's text."""

    def read(text: str | bytes, name: str = "study.yaml", **overrides: str) -> str:
        with pytest.raises(StudyError) as caught:
            load(text, name, **overrides)
        return str(caught.value).replace(f"{folder}/", "")

    return read
