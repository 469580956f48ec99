"""Where the numbers of a report come from: the record that goes with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class MeasuredWith:
    """Versions with which some of the fits were made.

    Attributes
    ----------
    versions : mapping of str to str
        Python and the packages on which every fit depends; empty where they
        were not taken down.
    n_fits : int
    """

    versions: Mapping[str, str]
    n_fits: int


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the numbers come from: all that is needed to make them again.

    Attributes
    ----------
    date : str
        ISO date and time (UTC) of the execution, or of the first analysis of
        results that existed; SOURCE_DATE_EPOCH where it is set.
    command : str
        How to make the report again.
    versions : mapping of str to str
        Python and the packages that computed and drew.
    platform, processor : str
        Machine facts that times depend on.
    inputs : mapping of str to str
        SHA-256 of every file that went in, by its name.
    manifest : str
        The manifest's text; "" where a results file was given alone.
    commit : str
        Revision of the study's repository, "" where there is none.
    execution : mapping
        Workers, seconds of wall clock, fits run and reused.
    measured_with : tuple of MeasuredWith
        Versions with which the fits were made, in the order of the executions;
        empty for results that existed.
    asked : mapping of str to str
        Digest of each part of the study on which the warehouse depends, by the
        part's key; empty where it was not taken down.
    warehouse : str
        SHA-256 of the performances as they are stored, likewise.
    """

    date: str
    command: str
    versions: Mapping[str, str]
    platform: str
    processor: str
    inputs: Mapping[str, str]
    manifest: str = ""
    commit: str = ""
    execution: Mapping[str, Any] = field(default_factory=dict)
    measured_with: tuple[MeasuredWith, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict, metadata={"results": False})
    warehouse: str = field(default="", metadata={"results": False})

    @property
    def mixed(self) -> tuple[str, ...]:
        """Packages of which not all fits had the same version, as far as that is known."""
        known = [part.versions for part in self.measured_with if part.versions]
        names = dict.fromkeys(name for versions in known for name in versions)
        return tuple(n for n in names if len({versions.get(n) for versions in known}) > 1)

    @property
    def n_unknown(self) -> int:
        """Number of fits of which nobody took down the versions."""
        return sum(part.n_fits for part in self.measured_with if not part.versions)

    @property
    def is_measured_elsewhere(self) -> bool:
        """Whether some fits were made with other versions than those that computed the report."""
        return any(
            self.versions.get(name) != version
            for part in self.measured_with
            for name, version in part.versions.items()
        )
