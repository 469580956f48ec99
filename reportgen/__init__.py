"""From one study manifest to a benchmark study one can publish."""

from __future__ import annotations

__version__ = "0.1.0"
