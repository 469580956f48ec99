"""What a report will cost in time and memory, by the shape of its results.

Each stage has coefficients of a few terms: a constant, data sets times measures, values, pairs of
candidates; of what all sections share, such as drawing, each has a part. `benchmarks/cost.py
--keep` measures reports, `--fit` prints the coefficients as they stand here, and tests hold them by
what was measured. What comes of it holds within a factor of two, on one core of a machine such as
the one that measured.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from reportgen.data_classes import dataclass

MOST_FULL = 5  # data sets up to which each has all figures of its own
MOST_SHOWN = 60  # data sets whose rows, a candidate each, make documents longer
MOST_SEARCHED = 75  # candidates up to which the nearest orders are searched
MOST_POINTS, FEWEST_DRAWN = 3000, 200  # values that a figure draws, and replications of many
MOST_LOOKS = 1000  # of a track, that results list
VALUES = 3  # place of the term of values
START = "start"  # Python's own, and the imports
DRAWING = "drawing"
RESULTS = "rendering json"
MEMORY = "memory"
OWNERS: Mapping[str, str] = {
    DRAWING: "eda",
    RESULTS: "sequential",
    MEMORY: "archetypes",
    f"{MEMORY} pdf": "archetypes",
}
"""The section for which more values are more of a stage that all share, or of memory."""
REST = ""  # of a stage that all sections share, what none of them takes
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
    def n_columns(self) -> int:
        """Candidates on data sets."""
        return self.n_datasets * self.n_candidates

    @property
    def n_replications(self) -> int:
        """Values of a candidate on a data set by one measure."""
        return self.n_values // max(self.n_columns * self.n_measures, 1)

    @property
    def n_drawn(self) -> int:
        """Values that figures draw one by one, of one measure."""
        part = max(MOST_POINTS // self.n_candidates, FEWEST_DRAWN)
        return self.n_columns * (self.n_replications if self.n_replications < 2 * part else part)

    @property
    def n_tracked(self) -> int:
        """Values up to the looks of tracks that results list, of one measure."""
        return self.n_columns * min(self.n_replications, MOST_LOOKS)

    @property
    def terms(self) -> tuple[float, ...]:
        """What coefficients are multiplied by, whatever the sections are.

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
    "start": (0.761, 0.103, 0.00101, 0.000875, 0.00496, 0, 0.0012, 3.94, 0),
    "reading": (0.063, 0, 6.56e-05, 0.00222, 0.00115, 0, 0, 2.21, 0),
    "analysing aggregate": (0.00921, 0.0344, 8.55e-05, 0.00752, 0, 0, 0.0921, 0, 0),
    "analysing archetypes": (0.508, 0.412, 0.000257, 0.0111, 0.00717, 3.24, 0, 0, 0),
    "analysing consensus": (0.0106, 0.0105, 0.000645, 0, 0, 0.0671, 0.0082, 114, 0),
    "analysing domain": (0.208, 0, 0.00297, 0.000351, 0.315, 0, 0, 3.97, 0),
    "analysing eda": (0, 0.0706, 0.001, 0.000719, 0, 0, 0.0657, 0.57, 0),
    "analysing frontier": (0, 0.0196, 0.000503, 0, 0, 0.262, 0, 0, 0),
    "analysing inference": (0.0179, 0.529, 0.00509, 0.0488, 0, 0, 0, 0, 0),
    "analysing preferences": (0, 0.0189, 0.000806, 4.26e-05, 0.0198, 0.0967, 0.0133, 3.08, 0),
    "analysing sequential": (0, 0.0924, 0, 0.0129, 0.72, 0.0535, 0, 0, 0),
    "drawing": (1.38, 1.24, 0.00852, 0, 0.163, 32.4, 0, 6.27, 0.0223),
    "rendering json": (0.022, 0.054, 0.00165, 0, 0.14, 0.389, 0, 11.2, 0.00799),
    "rendering html": (0.115, 0.23, 0.000782, 0.00171, 0.161, 3.23, 0, 4.26, 0),
    "rendering pdf": (2.26, 5.6, 0.0126, 0.00663, 3.64, 17.4, 0, 0, 0),
    "rendering files": (0.0634, 0, 0.00042, 0, 0.0315, 0.234, 0, 1.06, 0),
    "memory": (2.26e08, 9.06e07, 149000, 366000, 2.76e07, 4.64e08, 0, 1.25e09, 587000),
    "memory pdf": (3.06e08, 5.79e07, 273000, 286000, 1.07e08, 8.1e08, 0, 5.81e08, 709000),
}


# Parts of what all sections together take of a stage, 1 in all; of `benchmarks/cost.py --fit`.
SHARES: Mapping[str, Mapping[str, float]] = {
    "drawing": {
        "": 0.007,
        "eda": 0.206,
        "inference": 0.217,
        "domain": 0.174,
        "archetypes": 0.117,
        "aggregate": 0.082,
        "frontier": 0.196,
    },
    "rendering json": {"": 0.075, "eda": 0.146, "inference": 0.496, "domain": 0.279},
    "rendering html": {
        "": 0.365,
        "eda": 0.191,
        "inference": 0.148,
        "preferences": 0.113,
        "consensus": 0.183,
    },
    "rendering pdf": {
        "": 0.138,
        "eda": 0.123,
        "inference": 0.267,
        "domain": 0.335,
        "archetypes": 0.055,
        "frontier": 0.056,
        "sequential": 0.021,
    },
}


def terms_of(name: str, shape: Shape, shown: Collection[str]) -> tuple[float, ...]:
    """Return what the coefficients of a stage, or of memory, are multiplied by.

    The terms of a stage that all sections share are those of the shape times the parts of the
    sections that are shown. The last term is that of what one section alone adds with more values:
    0 where it is not shown; of drawing and results the values that are drawn and listed.
    """
    own = 0.0
    if OWNERS.get(name) in shown:
        bounded = {DRAWING: shape.n_drawn, RESULTS: shape.n_tracked}
        own = bounded[name] / 1e3 if name in bounded else shape.terms[VALUES]
    share = sum(part for section, part in parts_of(name).items() if section in (REST, *shown))
    return (*(share * term for term in shape.terms), own)


def parts_of(name: str) -> Mapping[str, float]:
    """Return the parts of the sections of a stage, or of memory."""
    return SHARES.get(name, {REST: 1.0})


def expected_seconds(
    shape: Shape,
    sections: Iterable[str],
    formats: Iterable[str],
    shown: Collection[str] | None = None,
) -> dict[str, float]:
    """Return what each stage of a report will take, by the names that the stages have.

    `sections`: those that are analysed, required ones as well; those without coefficients are left
    out (see `uncounted`).
    `formats`: that are rendered.
    `shown`: the sections that the report has; those that are analysed when left out.
    """
    own = tuple(sections)
    shown = own if shown is None else shown
    stages = [START, "reading", *(f"analysing {name}" for name in own), DRAWING]
    stages += [f"rendering {name}" for name in formats]
    return {
        name: _sum(name, terms_of(name, shape, shown)) for name in stages if name in COEFFICIENTS
    }


def expected_bytes(shape: Shape, sections: Collection[str], formats: Iterable[str]) -> float:
    """Return the peak of memory that a report of these sections in these formats will take."""
    name = memory_with(*formats)
    return _sum(name, terms_of(name, shape, sections))


def memory_with(*formats: str) -> str:
    """Return which peak of memory is that of a report in these formats: PDF has one of its own."""
    return f"{MEMORY} pdf" if "pdf" in formats else MEMORY


def is_measured(shape: Shape) -> bool:
    """Whether no term of a shape is much above those that the coefficients were measured by."""
    return all(own <= FACTOR * most for own, most in zip(shape.terms, MOST, strict=True))


def uncounted(sections: Iterable[str]) -> tuple[str, ...]:
    """Return the sections whose analysis has no coefficients."""
    return tuple(name for name in sections if f"analysing {name}" not in COEFFICIENTS)


def _sum(name: str, terms: tuple[float, ...]) -> float:
    return sum(c * term for c, term in zip(COEFFICIENTS[name], terms, strict=True))
