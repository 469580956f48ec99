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
        few data sets have replications, cells times pairs; with replications, cells times the
        squares of pairs up to `MOST_SEARCHED` candidates.
        """
        cells = self.n_datasets * self.n_measures
        means = cells * self.n_candidates
        repeated = cells if self.n_values > means else 0
        drawn = means if repeated and self.n_datasets <= MOST_FULL else 0
        searched = self.n_pairs**2 if self.n_candidates <= MOST_SEARCHED else 0
        return (
            1.0,
            float(repeated > 0),
            float(cells),
            self.n_values / max(self.n_measures, 1) / 1e3,
            self.n_candidates * min(self.n_datasets, MOST_SHOWN) / 1e3,
            drawn / 1e3,
            cells * self.n_pairs / 1e6,
            repeated * searched / 1e9,
        )


MOST = (1, 1, 1000, 1000, 60, 0.5, 29.97, 1.50063)
"""The largest terms of the shapes that were measured."""

# Seconds of the processor, and bytes; of `benchmarks/cost.py --fit`.
COEFFICIENTS: Mapping[str, tuple[float, ...]] = {
    "start": (0.722, 0.0519, 0.00126, 0, 0.00784, 0, 0, 2.37),
    "reading": (0.0568, 0, 1.04e-05, 0.00189, 0.000801, 0, 0, 2.74),
    "analysing aggregate": (0.0132, 0.0209, 0.000103, 0.00555, 0, 0, 0.1, 0.631),
    "analysing archetypes": (0.536, 0.245, 8.54e-05, 0.00995, 0.0077, 4.18, 0, 0),
    "analysing consensus": (0.00865, 0, 0.000694, 0, 0, 0.0339, 0.00938, 144),
    "analysing domain": (0.184, 0, 0.00348, 0, 0.282, 0.0926, 0.155, 3.62),
    "analysing eda": (0.0278, 0, 0.000646, 0.00176, 0, 0, 0.225, 0.21),
    "analysing frontier": (0.00498, 0.00498, 0.000431, 3.26e-05, 0, 0.314, 0, 0),
    "analysing inference": (0.112, 0.518, 0.00338, 0.0343, 0, 0.0718, 0, 0.638),
    "analysing preferences": (0, 0, 0.000567, 0.00151, 0.0141, 0.114, 0.0285, 2.46),
    "analysing sequential": (0.0315, 0.0315, 0, 0.0156, 0.349, 0, 0, 0),
    "drawing": (1, 0.263, 0.00198, 0.0446, 0.0446, 13.5, 0, 0),
    "rendering json": (0.0467, 0, 0.000838, 0.0125, 0.0856, 0.383, 0, 4.8),
    "rendering html": (0.1, 0.242, 0.000506, 0.00115, 0.116, 3.43, 0, 1.87),
    "rendering pdf": (1.6, 4.71, 0.0109, 0.00298, 2.85, 3.77, 0, 0),
    "rendering files": (0.00732, 0, 0.0034, 0.00479, 0.00374, 0, 0, 0),
    "memory": (2.54e08, 5.73e07, 208000, 3.12e06, 1.81e07, 5.28e08, 0, 0),
    "memory pdf": (3.14e08, 1.39e08, 530000, 1.98e06, 8.3e07, 5.49e08, 0, 0),
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
