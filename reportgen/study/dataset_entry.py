"""What a manifest says of a data set."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, model_validator

from reportgen.study.faults import fault
from reportgen.study.kinds import Name
from reportgen.study.options import Strict

OPENML = re.compile(r"openml:(\d{1,9})")
ORIGINS = ("file", "generator", "openml")
OWNERS = {
    "target": ("file", "openml"),
    "task": ("file", "openml"),
    "drop": ("file",),
    "categorical": ("file",),
    "n": ("generator",),
    "n_test": ("generator",),
    "test": ("file",),
    "groups": ("file",),
    "options": ("generator",),
}
"""Keys, and beside which others they have a meaning."""


class DatasetEntry(Strict):
    """A data set: a name from the catalogue, a file, a generator, or OpenML's number."""

    name: Name
    file: str | None = None
    """CSV, TSV, Parquet or ARFF, relative to the manifest."""
    openml: Annotated[int, Field(ge=1)] | None = None
    """OpenML's id; the name openml:ID is short for it."""
    target: str | None = None
    """The response's column in the file."""
    task: Literal["classification", "regression"] | None = None
    drop: tuple[str, ...] = ()
    """Columns of the file that are no inputs."""
    categorical: tuple[str, ...] = ()
    """Columns of numbers that are categories."""
    test: str | None = None
    """A file with a test sample: the same columns as the file."""
    groups: str | None = None
    """The file's column whose equal values stay together in a sample; it is no input."""
    generator: str | None = None
    n: Annotated[int, Field(ge=2)] | None = None
    """How many observations to generate."""
    n_test: Annotated[int, Field(ge=2)] | None = None
    """How many observations of a test sample to generate."""
    options: dict[str, float] = Field(default_factory=dict)
    """Options of the generator."""

    @property
    def openml_id(self) -> int | None:
        """OpenML's number, from the key or the name."""
        match = OPENML.fullmatch(self.name)
        if self.openml is not None or not match or self.file or self.generator:
            return self.openml
        return int(match[1])

    @model_validator(mode="after")
    def _one_origin(self) -> DatasetEntry:
        given = [key for key in ORIGINS if getattr(self, key) is not None]
        if not given and self.openml_id is not None:
            given = ["openml"]
        if len(given) > 1:
            raise fault(" and ".join(given), "one of the two")
        for key, owners in OWNERS.items():
            if getattr(self, key) and not set(owners) & set(given):
                beside = " or ".join(owners)
                raise fault(f"{key} without {beside}", f"{key} beside {beside} only", at=key)
        if self.file is not None and self.target is None:
            raise fault("file without target", "the name of the response's column as target")
        return self
