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
    "start": (0.755, 0.137, 0.000976, 0.000953, 0.00787, 0, 0, 2.19, 0),
    "reading": (0.0635, 0, 6.28e-05, 0.00241, 0.000946, 0, 0, 1.93, 0),
    "analysing aggregate": (0.00942, 0.034, 7.74e-05, 0.00773, 0, 0, 0.0911, 0, 0),
    "analysing archetypes": (0.515, 0.4, 0.000209, 0.0124, 0.00534, 3.26, 0, 0, 0),
    "analysing consensus": (0.0121, 0.00635, 0.000605, 0, 0, 0.0519, 0.00837, 173, 0),
    "analysing domain": (0.213, 0, 0.00295, 0.000352, 0.313, 0.0755, 0, 3.97, 0),
    "analysing eda": (0.0713, 0, 0.000992, 0.000757, 0, 0, 0.0509, 0.352, 0),
    "analysing frontier": (0, 0.0204, 0.000495, 0, 0, 0.259, 0, 0, 0),
    "analysing inference": (0.0197, 0.535, 0.00491, 0.0511, 0, 0, 0, 0, 0),
    "analysing preferences": (0, 0.0189, 0.000806, 5.58e-05, 0.0197, 0.0953, 0.0135, 3.07, 0),
    "analysing sequential": (0.0956, 0, 0, 0.0158, 0.619, 0.0294, 0, 0, 0),
    "drawing": (1.38, 1.27, 0.00855, 0, 0.162, 32.5, 0, 2.11, 0.0222),
    "rendering json": (0.0214, 0.0553, 0.00169, 0, 0.142, 0.383, 0, 10.9, 0.00564),
    "rendering html": (0.121, 0.158, 0.000759, 0.000714, 0.201, 3.35, 0, 2.27, 0),
    "rendering pdf": (2.28, 5.66, 0.012, 0.00644, 3.62, 17.3, 0, 0, 0),
    "rendering files": (0.0637, 0, 0.000413, 0, 0.0313, 0.233, 0, 1.39, 0),
    "memory": (2.27e08, 8.72e07, 150000, 385000, 2.61e07, 4.72e08, 0, 5.86e08, 1.6e06),
    "memory pdf": (3.05e08, 5.7e07, 271000, 315000, 1.06e08, 8.33e08, 0, 0, 1.72e06),
}


# Parts of what all sections together take of a stage, 1 in all; of `benchmarks/cost.py --fit`.
SHARES: Mapping[str, Mapping[str, float]] = {
    "drawing": {
        "": 0.007,
        "eda": 0.204,
        "inference": 0.217,
        "domain": 0.173,
        "archetypes": 0.122,
        "aggregate": 0.081,
        "frontier": 0.195,
    },
    "rendering json": {
        "": 0.074,
        "eda": 0.153,
        "inference": 0.491,
        "domain": 0.275,
        "archetypes": 0.007,
    },
    "rendering html": {
        "": 0.437,
        "eda": 0.296,
        "inference": 0.102,
        "preferences": 0.027,
        "consensus": 0.138,
    },
    "rendering pdf": {
        "": 0.137,
        "eda": 0.123,
        "inference": 0.266,
        "domain": 0.338,
        "archetypes": 0.054,
        "aggregate": 0.005,
        "frontier": 0.054,
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
