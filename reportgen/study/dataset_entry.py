"""What a manifest says of a data set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Annotated, Literal

from pydantic import Field, model_validator

from reportgen.study.faults import fault
from reportgen.study.kinds import FILLED, Name
from reportgen.study.options import Strict

OPENML = re.compile(r"openml:(\d{1,9})")
SIZES = ("n", "n_test")
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
    "vary": ("generator",),
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
    vary: dict[str, Annotated[tuple[float, ...], *FILLED]] = Field(default_factory=dict)
    """Options of the generator, n or n_test, each with several values: every combination becomes a
    data set."""

    @property
    def openml_id(self) -> int | None:
        """OpenML's number, from the key or the name."""
        match = OPENML.fullmatch(self.name)
        if self.openml is not None or not match or self.file or self.generator:
            return self.openml
        return int(match[1])

    def variants(self) -> Iterator[tuple[DatasetEntry, dict[str, float]]]:
        """Yield every combination of the levels of what is varied, the last one fastest."""
        for levels in product(*self.vary.values()):
            factors = dict(zip(self.vary, levels, strict=True))
            sizes = {key: int(factors[key]) for key in SIZES if key in factors}
            options = {key: level for key, level in factors.items() if key not in SIZES}
            changed = {**sizes, "options": {**self.options, **options}, "vary": {}}
            yield self.model_copy(update=changed), factors

    @model_validator(mode="after")
    def _levels_differ(self) -> DatasetEntry:
        for factor, levels in self.vary.items():
            if len(set(levels)) < len(levels):
                raise fault(f"a level of {factor} twice", "levels that differ", at="vary")
            if factor in self.options or getattr(self, factor, None) is not None:
                allowed = f"{factor} once, under vary or beside it"
                raise fault(f"{factor} twice", allowed, at="vary")
            if factor in SIZES and not all(level >= 2 and level % 1 == 0 for level in levels):
                raise fault(f"{factor}: {levels}", "whole numbers from 2", at="vary")
        return self

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
