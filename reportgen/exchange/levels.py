"""What levels of names are: of nested mappings, and of columns that have several levels.

A level has the names of data sets, candidates, measures, replications, or statistics such as mean
and std. Its own name tells which, else the names in it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from numbers import Integral
from typing import Any, Literal

from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.known_names import MOST, names_candidate, swapped
from reportgen.exchange.replications import COORDINATE, NUMBERED
from reportgen.exchange.roles import (
    CANDIDATES,
    DATASETS,
    OF_MEASURES,
    THIRD_CHOICE,
    is_known,
    names_sample,
)
from reportgen.exchange.spreads import WORDS
from reportgen.exchange.table import plain_name
from reportgen.study.errors import listed, measure_name

log = logging.getLogger(__name__)
Kind = Literal["dataset", "candidate", "measure", "statistic", "replication", "number", ""]
NAMES: Mapping[Kind, frozenset[str]] = {
    "dataset": THIRD_CHOICE["dataset"].union(DATASETS),
    "candidate": THIRD_CHOICE["candidate"].union(CANDIDATES),
    "measure": frozenset(("measure", "measures", "metrics", *OF_MEASURES)),
    "statistic": frozenset(("statistic", "statistics", "stat", "stats", "agg", "aggregate")),
}
"""Names of levels."""
OF_VALUES = re.compile(
    rf"{'|'.join(WORDS)}|min|max|minimum|maximum|med|median|var|variance|sum|iqr|range|q[0-9]{{1,2}}"
    r"|[0-9.]+ ?%|(ci|conf|confidence)?[\s_.-]?(lower|upper|low|high|lo|hi)|[lu]c[il]|ci"
    r"|first quartile|third quartile|quartile [0-9]|(1st|3rd) qu"
)
"""Names of what describes several values, in lower case."""
WAY = "{dataset: {candidate: values}}, or {dataset: {candidate: {measure: values}}}"


@dataclass(frozen=True, slots=True)
class Level:
    """Names that stand beside one another."""

    labels: Sequence[Any]  # each once
    name: str = ""  # of the level, where it has one
    kind: Kind = field(default="", compare=False)


def describes(labels: Collection[Any]) -> bool:
    """Whether names are those of what describes values: mean and std, or quantiles.

    Examples
    --------
    >>> describes(["mean", "std", "25%"]), describes(["mean", "rf"]), describes(["25%", "30%"])
    (True, False, False)
    >>> describes(["mean", "ci_low", "ci_high"]), describes(["low", "high"])
    (True, False)
    """
    names = [label.strip(" .").lower() for label in labels if isinstance(label, str)]
    has_word = any(name in WORDS or name.startswith("m") for name in names)
    return has_word and len(names) == len(labels) and all(map(OF_VALUES.fullmatch, names))


def is_counting(labels: Collection[Any]) -> bool:
    """Whether names are the numbers from 0 or 1 on, each once.

    Examples
    --------
    >>> is_counting(["1", "3", "2"]), is_counting([42, 43]), is_counting([0])
    (True, False, True)
    """
    if not are_numbers(labels):
        return False
    found = sorted(int(label) for label in labels)
    return bool(found) and found[0] in (0, 1) and found == list(range(found[0], found[-1] + 1))


def are_numbers(labels: Collection[Any]) -> bool:
    """Whether names are whole numbers."""
    return all(
        (isinstance(label, Integral) and not isinstance(label, bool))
        or (isinstance(label, str) and re.fullmatch("[0-9]+", label.strip()))
        for label in labels
    )


def word_of(labels: Collection[Any]) -> str:
    """Return what names such as "Fold 1" and "fold_2" number; nothing where they do not.

    Examples
    --------
    >>> word_of(["Fold 1", "fold_2"]), word_of(["Fold 1", "rf"])
    ('fold', '')
    """
    found = [NUMBERED.fullmatch(str(label).strip()) for label in labels]
    words = {match[1].lower() for match in found if match is not None}
    return words.pop() if None not in found and len(words) == 1 else ""


def kind_of(level: Level, measure: str) -> Kind:
    """Return what a level is, by its name, else the names in it; nothing where these do not tell.

    `measure`: what the user calls the numbers.
    """
    plain = plain_name(level.name)
    if COORDINATE.fullmatch(plain):
        return "replication"
    for kind, names in NAMES.items():
        if plain and plain in names:
            return kind
    if describes(level.labels):
        return "statistic"
    if all(is_measure(label, measure) for label in level.labels):
        return "measure"
    if is_counting(level.labels) or word_of(level.labels):
        return "replication"
    if are_numbers(level.labels):
        return "number"
    n = sum(names_candidate(str(label)) for label in level.labels)
    return "candidate" if n >= max(2, MOST * len(level.labels)) else ""


def is_measure(label: Any, measure: str) -> bool:
    """Whether a name is that of a measure: a known one, or the user's."""
    return isinstance(label, str) and (
        is_known(label) or (measure != "" and measure_name(label) == measure_name(measure))
    )


def kinds_in_order(
    levels: Sequence[Level], measure: str, name: str, *, has_several: bool
) -> list[Kind]:
    """Return what the levels of nested mappings are: data sets stand around candidates.

    `name`: for messages.
    `has_several`: whether several values stand below a name: these describe no others.
    Raises ExchangeError if names do not tell, or say that it is the other way.
    """
    kinds = told_kinds(levels, measure, name)
    if has_several:
        kinds = [_without_statistics(kind) for kind in kinds]
    if len(levels) == 1 and kinds[0] == "replication" and not word_of(levels[0].labels):
        kinds = ["number"]
    places = [i for i, kind in enumerate(kinds) if kind in ("dataset", "candidate", "number", "")]
    if not places:
        found = ", ".join(f"{kind}s {_some(own)}" for kind, own in zip(kinds, levels, strict=True))
        raise ExchangeError(f"{name}: found {found}, and no names of candidates; allowed {WAY}")
    if len(places) > 2:
        found = f"mappings of {len(levels)} levels, such as {_path(levels)}"
        raise ExchangeError(f"{name}: found {found}; allowed {WAY}, or a tidy data frame")
    for place in places:
        _check_numbers(levels[place], kinds[place], len(levels), name)
    last = places[-1]
    _check_candidates(levels[last], kinds[last], len(levels), measure, name)
    if len(places) == 2:
        outer, inner = (levels[i] for i in places)
        found = swapped(map(str, outer.labels), map(str, inner.labels))
        if found:
            raise ExchangeError(f"{name}: found {found}; allowed {_mapping_of(kinds, places)}")
        kinds[places[0]] = "dataset"
    kinds[last] = "candidate"
    return kinds


def _without_statistics(kind: Kind) -> Kind:
    return "" if kind == "statistic" else kind


def told_kinds(levels: Sequence[Level], measure: str, name: str) -> list[Kind]:
    """Return what levels are by names; refuse two that are the same, and samples."""
    kinds = [kind_of(level, measure) for level in levels]
    for level in levels:
        if len(level.labels) > 1 and all(names_sample(str(label)) for label in level.labels):
            found = f"results of several samples: {_some(level)}"
            raise ExchangeError(f"{name}: found {found}; allowed those of test samples alone")
    for kind in ("measure", "replication", "statistic"):
        same = [own for own, is_of in zip(levels, kinds, strict=True) if is_of == kind]
        if len(same) > 1:
            found = f"two levels of {kind}s: {' and '.join(map(_some, same))}"
            raise ExchangeError(f"{name}: found {found}; allowed one, or a tidy data frame")
    return kinds


def _mapping_of(kinds: Sequence[Kind], places: Sequence[int]) -> str:
    """Write the mapping that is wanted, with what else there is in it."""
    more = [kind for i, kind in enumerate(kinds) if i not in places]
    inner = "".join(f"{{{kind}: " for kind in more) + "…" + "}" * len(more)
    return f"a mapping of data sets to mappings of candidates: {{dataset: {{candidate: {inner}}}}}"


def _check_numbers(level: Level, kind: Kind, n_levels: int, name: str) -> None:
    """Refuse numbers, which may be seeds, data sets or settings."""
    if kind == "number" and n_levels > 1:
        raise ExchangeError(
            f"{name}: found the names {_some(level)}, which are numbers; allowed names such as "
            "'seed 42' where they number replications, 'task 31' where they are data sets, 'k=5' "
            "where they are candidates"
        )


def _check_candidates(level: Level, kind: Kind, n_levels: int, measure: str, name: str) -> None:
    """Refuse names that candidates hardly have."""
    if kind == "" and n_levels > 1 and (known := measures_in(level, measure)):
        others = [str(label) for label in level.labels if label not in known]
        raise ExchangeError(
            f"{name}: found {listed(known)}, which are measures, beside {listed(others)}; allowed "
            "measures whose better side is known, without others; or a tidy data frame and "
            "better={'…': 'larger'}"
        )


def measures_in(level: Level, measure: str) -> list[str]:
    """Return the measures among names of which at least half are measures; others may be notes."""
    known = [label for label in level.labels if is_measure(label, measure)]
    return known if 2 * len(known) >= len(level.labels) else []


def kinds_of_columns(
    levels: Sequence[Level], measure: str, name: str, *, has_candidates: bool, has_datasets: bool
) -> list[Kind]:
    """Return what the levels of columns are, each of which has to be told by names.

    `has_candidates`, `has_datasets`: whether the rows name them.
    Raises ExchangeError if names do not tell.
    """
    kinds = told_kinds(levels, measure, name)
    sides: tuple[tuple[Kind, bool], ...] = (
        ("candidate", has_candidates),
        ("dataset", has_datasets),
    )
    wanted = [kind for kind, is_there in sides if kind not in kinds and not is_there]
    left = [i for i, kind in enumerate(kinds) if kind in ("", "number")]
    if (
        len(left) > 1
        or (left and not wanted)
        or kinds.count("candidate") > 1
        or kinds.count("dataset") > 1
    ):
        several = f"columns of {len(levels)} levels, such as {_path(levels)}"
        raise ExchangeError(
            f"{name}: found {several}, whose names do not tell what is what; allowed names of the "
            f"levels: frame.columns.names = {['dataset', 'candidate', 'measure'][: len(levels)]}"
        )
    for i in left:
        _check_numbers(levels[i], kinds[i], len(levels), name)
        _check_candidates(levels[i], kinds[i], len(levels), measure, name)
        kinds[i] = wanted[0]
    return kinds


def number_of(label: Any, level: Level) -> Any:
    """Return the number of a replication; its name where not all are numbered."""
    digits = "".join(c for c in str(label) if c.isdecimal())
    is_numbered = are_numbers(level.labels) or word_of(level.labels)
    return int(digits) if is_numbered else label


def statistic(word: str) -> str:
    """Return how the column of a statistic ends; nothing for others than means, spreads, numbers.

    Examples
    --------
    >>> statistic("Std"), statistic("count"), statistic("50%")
    ('std', 'n', '')
    """
    kind = WORDS.get(word.strip().lower())
    return {"mean": "mean", "sd": "std", "se": "se", "n": "n", None: ""}[kind]


def endings(levels: Sequence[Level], kinds: Sequence[Kind], name: str) -> dict[str, str]:
    """Return how the columns of statistics end, by the name of each that is read.

    Raises ExchangeError for those without a mean, or others without a spread.
    """
    if "statistic" not in kinds:
        return {}
    labels = levels[kinds.index("statistic")].labels
    kept = [str(label) for label in labels if statistic(str(label))]
    words = {statistic(label) for label in kept}
    left = [str(label) for label in labels if str(label) not in kept]
    if "mean" not in words or len(words) < len(kept) or (left and not words & {"std", "se"}):
        raise ExchangeError(
            f"{name}: found {listed(map(str, labels))}, a description of values; allowed the "
            "values, or means with std and count"
        )
    if left:
        log.warning("%s: left out: %s (they describe the values)", name, listed(left))
    return {label: f"_{statistic(label)}" if len(kept) > 1 else "" for label in kept}


def _some(level: Level) -> str:
    return listed([*map(str, level.labels[:3])]) + ", …" * (len(level.labels) > 3)


def _path(levels: Sequence[Level]) -> str:
    return " > ".join(str(level.labels[0]) for level in levels)
