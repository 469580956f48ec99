"""Settings of a data set: one of the combinations in which a study varies it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

Level = str | float | int


@dataclass(frozen=True, slots=True)
class Setting:
    """Which data set it is a variant of, and at which levels of which factors.

    Attributes
    ----------
    base : str
        What the manifest calls the data set.
    factors : mapping of str to level
        In the manifest's order.
    """

    base: str
    factors: Mapping[str, Level]

    @property
    def name(self) -> str:
        """Name of the data set in this setting.

        Examples
        --------
        >>> Setting("line", {"b2": 0.04, "resampling": "bootstrap"}).name
        'line (b2 = 0.04, bootstrap)'
        """
        return f"{self.base} ({', '.join(map(_shown, self.factors.items()))})"

    def at(self, factor: str, level: Level) -> Setting:
        """Return it with a further factor."""
        return replace(self, factors={**self.factors, factor: level})

    def described(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"base": self.base, "factors": dict(self.factors)}


def _shown(item: tuple[str, Level]) -> str:
    factor, level = item
    if isinstance(level, str):
        return level
    short = f"{level:g}"
    return f"{factor} = {short if float(short) == level else repr(level).removesuffix('.0')}"
