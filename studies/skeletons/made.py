"""Make up a table of skeletons: 300 bodies of three builds, and six measured in another unit.

    python studies/skeletons/made.py

writes skeletons.csv beside it. No measurements of people: the columns are those of Heinz,
Peterson, Johnson and Kerk (2003), the numbers are drawn.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

COLUMNS = (
    "biacromial", "biiliac", "bitrochanteric", "chest_depth", "chest", "elbow", "wrist", "knee",
    "ankle",
)  # fmt: skip
BUILDS = np.array(
    [
        [33.0, 24.0, 28.5, 15.5, 23.5, 11.2, 8.8, 16.6, 12.0],  # slight all over
        [44.5, 29.0, 32.5, 22.5, 32.0, 15.4, 12.0, 20.6, 15.8],  # large all over
        [36.0, 33.0, 36.5, 20.0, 26.0, 12.4, 9.6, 19.4, 13.2],  # wide in the hips
    ]
)
N, N_INCHES = 300, 6
INCH = 2.54


def main() -> None:
    """Draw mixtures of the builds, and write them with the last rows in inches."""
    rng = np.random.default_rng(2003)
    shares = rng.dirichlet([0.7, 0.7, 0.5], N)
    rows = shares @ BUILDS + rng.normal(0, 0.35, (N, len(COLUMNS)))
    rows[-N_INCHES:] /= INCH
    lines = [",".join(("body", *COLUMNS))]
    lines += [f"b{i:03d}," + ",".join(f"{x:.1f}" for x in row) for i, row in enumerate(rows, 1)]
    text = "\n".join(lines) + "\n"
    Path(__file__).with_name("skeletons.csv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
