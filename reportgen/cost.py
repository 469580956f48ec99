"""What a report will cost in time and memory, by the shape of its results.

Each stage has coefficients of a few terms: a constant, data sets times measures, values, pairs of
candidates. `benchmarks/cost.py --keep` measures reports, `--fit` prints the coefficients as they
stand here, and tests hold them by what was measured. What comes of it holds within a factor of two,
on one core of a machine such as the one that measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reportgen.data_classes import dataclass

MOST_FULL = 5  # data sets up to which each has all figures of its own
MOST_SHOWN = 60  # data sets whose rows, a candidate each, make documents longer
MOST_LISTED = 60  # candidates up to which paper lists all pairs over data sets
MOST_SEARCHED = 75  # candidates up to which the nearest orders are searched
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

        A constant, whether there are replications, cells (data sets times measures), values of one
        measure, rows (candidates times data sets up to `MOST_SHOWN`), cells times candidates where
        few data sets have replications, cells times pairs; with replications, pairs up to
        `MOST_LISTED` candidates and cells times the squares of pairs up to `MOST_SEARCHED`.
        """
        cells = self.n_datasets * self.n_measures
        means = cells * self.n_candidates
        repeated = cells if self.n_values > means else 0
        drawn = means if repeated and self.n_datasets <= MOST_FULL else 0
        listed = self.n_pairs if repeated and self.n_candidates <= MOST_LISTED else 0
        searched = self.n_pairs**2 if self.n_candidates <= MOST_SEARCHED else 0
        return (
            1.0,
            float(repeated > 0),
            float(cells),
            self.n_values / max(self.n_measures, 1) / 1e3,
            self.n_candidates * min(self.n_datasets, MOST_SHOWN) / 1e3,
            drawn / 1e3,
            cells * self.n_pairs / 1e6,
            listed / 1e3,
            repeated * searched / 1e9,
        )


MOST = (1, 1, 1000, 1000, 60, 0.5, 29.97, 1.77, 1.50063)
"""The largest terms of the shapes that were measured."""

# Seconds of the processor, and bytes; of `benchmarks/cost.py --fit`.
COEFFICIENTS: Mapping[str, tuple[float, ...]] = {
    "start": (0.723, 0, 0.00119, 0.00367, 0, 0, 0.0085, 0, 1.95),
    "reading": (0.0549, 0, 1.31e-05, 0.00224, 0.000484, 0, 0, 0, 1.97),
    "analysing aggregate": (0.0129, 0.0196, 0.000103, 0.00586, 0, 0, 0.0993, 0, 0.242),
    "analysing archetypes": (0.538, 0.23, 7.19e-05, 0.0108, 0.00671, 4.26, 0, 0, 0),
    "analysing consensus": (0.0025, 0, 0.00075, 0, 0, 0.0216, 0.00963, 0.486, 132),
    "analysing domain": (0.171, 0, 0.00368, 0, 0.262, 0, 0.22, 0.376, 3.28),
    "analysing eda": (0, 0.0271, 0.000618, 0.00188, 0, 0, 0.221, 0, 0.495),
    "analysing frontier": (0.0131, 0, 0.000301, 0.00068, 0, 0.298, 0, 0, 0),
    "analysing inference": (0.112, 0.513, 0.00338, 0.035, 0, 0.0819, 0, 0, 0.87),
    "analysing preferences": (0, 0, 0.000566, 0.00153, 0.014, 0.114, 0.0288, 0, 2.64),
    "analysing sequential": (0.0304, 0.0304, 0, 0.016, 0.321, 0, 0, 0.0497, 0),
    "drawing": (1.01, 0.236, 0.00198, 0.0453, 0.0433, 13.4, 0, 0.287, 0),
    "rendering json": (0.0459, 0, 0.000834, 0.0126, 0.0852, 0.37, 0, 0.0432, 5.28),
    "rendering html": (0.108, 0.192, 0.000479, 0.00377, 0.104, 3.46, 0, 0.515, 0),
    "rendering pdf": (1.62, 3.96, 0.00993, 0.00364, 2.92, 1.15, 0, 30.1, 0),
    "rendering files": (0.00816, 0, 0.00341, 0.00483, 0.00405, 0, 0, 0, 0),
    "memory": (2.54e08, 5.57e07, 209000, 2.95e06, 1.82e07, 5.32e08, 0, 2.97e07, 0),
    "memory pdf": (3.18e08, 1.16e08, 465000, 1.84e06, 8.4e07, 4.59e08, 0, 8.98e08, 0),
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


def expected_bytes(shape: Shape, formats: Iterable[str]) -> float:
    """Return the peak of memory that a report in these formats will take."""
    return _sum(memory_with(*formats), shape)


def memory_with(*formats: str) -> str:
    """Return which peak of memory is that of a report in these formats: PDF has one of its own."""
    return f"{MEMORY} pdf" if "pdf" in formats else MEMORY


def is_measured(shape: Shape) -> bool:
    """Whether no term of a shape is much above those that the coefficients were measured by."""
    return all(own <= FACTOR * most for own, most in zip(shape.terms, MOST, strict=True))


def uncounted(sections: Iterable[str]) -> tuple[str, ...]:
    """Return the sections whose analysis has no coefficients."""
    return tuple(name for name in sections if f"analysing {name}" not in COEFFICIENTS)


def _sum(name: str, shape: Shape) -> float:
    return sum(c * term for c, term in zip(COEFFICIENTS[name], shape.terms, strict=True))
