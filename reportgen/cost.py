"""What a report will cost in time and memory, by the shape of its results.

Each stage has coefficients of a few terms: a constant, data sets times measures, values, pairs of
candidates. `benchmarks/cost.py --fit` measures them and prints them as they stand here; without
`--fit` it prints what is expected of other shapes beside what these take. What comes of it holds
within a factor of two, on one core of a machine such as the one that measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reportgen.data_classes import dataclass

MANY_PAIRS = 435  # of 30 candidates, above which most methods work within a budget
START = "start"  # Python's own, and the imports
MEMORY = "memory"
FACTOR = 2.0  # within which most of what is expected holds


@dataclass(frozen=True, slots=True)
class Shape:
    """How large results are.

    Attributes
    ----------
    n_values : int
        Of all data sets, candidates and measures.
    """

    n_datasets: int
    n_candidates: int
    n_measures: int
    n_values: int

    @property
    def n_pairs(self) -> int:
        """Pairs of candidates."""
        return self.n_candidates * (self.n_candidates - 1) // 2

    @property
    def terms(self) -> tuple[float, ...]:
        """What coefficients are multiplied by.

        A constant, whether there are replications, cells (data sets times measures), values, cells
        times candidates, the same where there are replications, cells times pairs up to
        `MANY_PAIRS`, cells times all pairs.
        """
        cells = self.n_datasets * self.n_measures
        means = cells * self.n_candidates
        is_replicated = float(self.n_values > means)
        few = min(self.n_pairs, MANY_PAIRS)
        return (
            1.0,
            is_replicated,
            float(cells),
            self.n_values / 1e3,
            means / 1e3,
            is_replicated * means / 1e3,
            cells * few / 1e3,
            cells * self.n_pairs / 1e6,
        )


MOST = (1, 1, 100, 31.5, 18, 0.2, 26.1, 2.691)
"""The largest terms of the shapes that were measured."""

# Seconds of the processor, and bytes; of `benchmarks/cost.py --fit`.
COEFFICIENTS: Mapping[str, tuple[float, ...]] = {
    "start": (1.29, 0.0114, 0.000515, 0.00106, 0, 0, 0, 0.0264),
    "reading": (0.0269, 0.0105, 0.000441, 0.00238, 0, 0.00842, 0.00103, 0),
    "analysing eda": (0.0234, 0, 0.00114, 0.000191, 0, 0, 0.00879, 0),
    "analysing inference": (0.401, 0.148, 0.00582, 0.0597, 0, 1.26, 0, 0),
    "analysing preferences": (0.00969, 0.00321, 0.00226, 0.000152, 0.0144, 0, 0, 0.248),
    "analysing consensus": (0.0242, 0.0103, 0.00161, 0, 0, 0.0824, 0.00239, 0),
    "analysing sequential": (0.0326, 0, 0, 0.0306, 0, 0, 0, 0),
    "drawing": (0.743, 0, 0.00469, 0.0687, 0.0542, 10.5, 0.0645, 0),
    "rendering json": (0, 0.00122, 0, 0.0139, 0.0908, 0.867, 0.0181, 0.615),
    "rendering html": (1.19, 0.142, 0.000817, 0.00367, 0.102, 3, 0, 0),
    "rendering pdf": (2.94, 1.92, 0, 0.0632, 0.539, 39.1, 0.342, 13.7),
    "rendering files": (0, 0.00533, 0.000752, 0.000513, 0, 0.269, 0.00024, 1.33),
    "memory": (3.22e08, 3.51e07, 0, 3.12e06, 7.36e07, 6.95e08, 854000, 0),
    "analysing domain": (0.223, 0, 0.00305, 0.00291, 0.556, 0, 0.0181, 0),
    "analysing archetypes": (0.502, 0.469, 0, 0.02, 0, 0, 0.0182, 0),
    "analysing aggregate": (0.0356, 0, 0.000104, 0.00941, 0, 0, 0.00115, 0.423),
    "analysing frontier": (0.0301, 0, 0, 0, 0, 0, 0.00124, 0),
}


def expected_seconds(
    shape: Shape, sections: Iterable[str], formats: Iterable[str]
) -> dict[str, float]:
    """Return what each stage of a report will take, by the names that the stages have.

    `sections`: those that are analysed, required ones as well; those without coefficients are left
    out (see `uncounted`).
    `formats`: that are rendered.
    """
    stages = [START, "reading", *(f"analysing {name}" for name in sections), "drawing"]
    stages += [f"rendering {name}" for name in formats]
    return {name: _sum(name, shape) for name in stages if name in COEFFICIENTS}


def expected_bytes(shape: Shape) -> float:
    """Return the peak of memory that a report will take."""
    return _sum(MEMORY, shape)


def is_measured(shape: Shape) -> bool:
    """Whether no term of a shape is much above those that the coefficients were measured by."""
    return all(own <= FACTOR * most for own, most in zip(shape.terms, MOST, strict=True))


def uncounted(sections: Iterable[str]) -> tuple[str, ...]:
    """Return the sections whose analysis has no coefficients."""
    return tuple(name for name in sections if f"analysing {name}" not in COEFFICIENTS)


def _sum(name: str, shape: Shape) -> float:
    return sum(c * term for c, term in zip(COEFFICIENTS[name], shape.terms, strict=True))
