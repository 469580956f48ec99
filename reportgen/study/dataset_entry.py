"""What a manifest says of a data set."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from reportgen.study.faults import fault
from reportgen.study.kinds import Name
from reportgen.study.options import Strict


class DatasetEntry(Strict):
    """A data set: a name from the catalogue, a file, or a generator."""

    name: Name
    file: str | None = None
    """CSV or Parquet, relative to the manifest."""
    target: str | None = None
    """The response's column in the file."""
    task: Literal["classification", "regression"] | None = None
    generator: str | None = None
    n: Annotated[int, Field(ge=2)] | None = None
    """How many observations to generate."""
    options: dict[str, float] = Field(default_factory=dict)
    """Options of the generator."""

    @model_validator(mode="after")
    def _one_origin(self) -> DatasetEntry:
        if self.file is not None and self.generator is not None:
            raise fault("file and generator", "one of the two")
        for key, owner in (
            ("target", "file"), ("task", "file"), ("n", "generator"), ("options", "generator")
        ):  # fmt: skip
            if getattr(self, key) and getattr(self, owner) is None:
                raise fault(f"{key} without {owner}", f"{key} beside {owner} only", at=key)
        if self.file is not None and self.target is None:
            raise fault("file without target", "the name of the response's column as target")
        return self
