"""Checks across the parts of a manifest, each of which may be right for itself."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.catalogue.candidates.algorithms import ALGORITHMS
from reportgen.catalogue.measures import find_measure
from reportgen.catalogue.names import unknown_name
from reportgen.catalogue.plugins import CANDIDATES, MEASURES, find_entry_points
from reportgen.errors import SetupError, StudyError
from reportgen.file_reading import kind_fault
from reportgen.study.claims import Names, read_claim
from reportgen.study.errors import ALLOWED, Fault, Place, listed, measure_name, nearest, shown
from reportgen.study.schema.datasets import OPENML
from reportgen.study.schema.resampling import OF_MEANS
from reportgen.study.shorthand import ANY, short_form
from reportgen.study.yaml_source import Source

FORMER_KEYS: tuple[Place, ...] = (
    ("report", "language"),
    ("report", "bibliography"),
)
FILES: tuple[Place, ...] = (
    ("results", "file"),
    ("results", "wide"),
    ("results", "table"),
    ("results", "characteristics"),
    ("results", "settings"),
    ("setup", "datasets", ANY, "file"),
    ("setup", "datasets", ANY, "test"),
    ("setup", "candidates", ANY, "files", ANY),
    ("setup", "resampling", "file"),
    ("setup", "resampling", ANY, "file"),
    ("results", "resampling", "file"),
    ("report", "logo"),
)
TO_SAY = "???"  # in a manifest: a value that its author has to fill in
ONLY_IN_RESULTS = ("column", "better", "unit", "bounds")
OF_ACM = ("affiliation", "city", "country")  # of each author: its class stops without them

log = logging.getLogger(__name__)


def drop_former_keys(data: Mapping[str, Any], source: Source) -> dict[str, Any]:
    """Leave out keys of earlier manifests that have never had an effect, and log them."""
    kept = dict(data)
    for place in FORMER_KEYS:
        block = kept.get(str(place[0]))
        if isinstance(block, dict) and place[1] in block:
            log.warning(
                "%s: a key that never had an effect, and is gone: leave it out", source.where(place)
            )
            kept[str(place[0])] = {k: v for k, v in block.items() if k != place[1]}
    return kept


def cross_check(
    data: Mapping[str, Any], source: Source, options: Iterable[str], *, has_files: bool = True
) -> list[Fault]:
    """Return what is wrong between the parts, each of which may be right for itself.

    `data`: the manifest's values, spelled out.
    `source`: where they come from.
    `options`: names of the sections; a top-level key of such a name is misplaced.
    `has_files`: whether the files that it names have to be there.
    """
    return [
        *_origin_faults(data),
        *_measure_faults(data),
        *_duplicates(data, source),
        *(_file_faults(data, source.path.parent) if has_files else ()),
        *_stage_faults(data),
        *_claim_faults(data),
        *_author_faults(data),
        *(
            Fault((key,), "a section's name as a key", f"- {key} below sections")
            for key in options
            if key in data
        ),
    ]


def _origin_faults(data: Mapping[str, Any]) -> list[Fault]:
    """Ask for a setup or results, not both."""
    if "setup" in data and "results" in data:
        return [Fault(("results",), "results with setup", "one of the two")]
    if "setup" not in data and "results" not in data:
        found = "neither setup nor results"
        return [Fault((), found, "setup (what to execute) or results (a file that exists)")]
    return []


def _measure_faults(data: Mapping[str, Any]) -> list[Fault]:
    """Require measures to compute, without keys for results only."""
    measures = data.get("measures")
    if "setup" not in data:
        return [
            Fault(("measures", i, "function"), "function with results", "function with setup")
            for i, entry in _mappings(measures)
            if "function" in entry
        ]
    if not measures:
        return [Fault(("measures",), "no measure", "at least one, such as misclassification")]
    return [
        Fault(("measures", i, key), f"{key} with setup", f"{key} with results only")
        for i, entry in _mappings(measures)
        for key in (ONLY_IN_RESULTS[:1] if "function" in entry else ONLY_IN_RESULTS)
        if key in entry
    ]


def _duplicates(data: Mapping[str, Any], source: Source) -> list[Fault]:
    setup = data.get("setup")
    lists: dict[Place, Any] = {("measures",): data.get("measures")}
    if isinstance(setup, dict):
        lists |= {("setup", key): setup.get(key) for key in ("datasets", "candidates")}
    return [fault for place, entries in lists.items() for fault in _twice(place, entries, source)]


def _twice(place: Place, entries: Any, source: Source) -> list[Fault]:
    """Find names that are given twice in one list."""
    first: dict[str, int] = {}
    faults = []
    for i, entry in _mappings(entries):
        name = entry.get("name")
        if not isinstance(name, str):
            continue
        key = measure_name(name) if place == ("measures",) else name
        if key in first:
            line = source.lines.get((*place, first[key]))
            where = f" (first in line {line})" if isinstance(line, int) else ""
            faults.append(Fault((*place, i), f"{shown(name)} twice{where}", "each name once"))
        first.setdefault(key, i)
    return faults


def _stage_faults(data: Mapping[str, Any]) -> list[Fault]:
    """Find names that the stages of an execution mention, and that the manifest does not have."""
    place: Place = ("setup", "resampling", "replications")
    names = _names(data, ("setup", "candidates", ANY, "name"))
    measures = [measure_name(name) for name in _names(data, ("measures", ANY, "name"))]
    faults = [
        Fault(at, shown(name), listed(names), nearest(name, names))
        for at, name in _values(data, (*place, "pairs", ANY, ANY))
        if isinstance(name, str) and name not in names
    ]
    for at, name in _values(data, (*place, "measure")):
        if isinstance(name, str) and measure_name(name) not in measures:
            faults.append(Fault(at, shown(name), listed(measures), nearest(name, measures)))
    return faults + _rank_faults(data, place, measures)


def _claim_faults(data: Mapping[str, Any]) -> list[Fault]:
    """Find expectations that are no claims, or name what an experiment does not have."""
    # Data sets may be varied, and results have names that are not known yet: those are held against
    # all names later, by `Study.check_claims`.
    candidates = tuple(_names(data, ("setup", "candidates", ANY, "name")))
    measures = tuple(measure_name(name) for name in _names(data, ("measures", ANY, "name")))
    names = Names(candidates, measures) if candidates else Names()
    return [
        fault
        for i, entry in _mappings(data.get("expect"))
        if isinstance(entry.get("claim"), str)
        and (fault := claim_entry_fault(i, entry, names)) is not None
    ]


def claim_entry_fault(i: int, entry: Mapping[str, Any], names: Names) -> Fault | None:
    """Return what is wrong with an entry of `expect`; None where nothing is."""
    given = {k: v for k in ("measure", "dataset") if isinstance(v := entry.get(k), str)}
    try:
        read_claim(entry["claim"], names, **given)
    except StudyError as error:
        return Fault(("expect", i), str(error).removeprefix("expect: "), "")
    return None


def _author_faults(data: Mapping[str, Any]) -> list[Fault]:
    """Ask for the authors of a paper for ACM, and for the place of each."""
    asked = [
        form
        for key, form in (("journal", "acm"), ("format", "acm-pdf"))
        if (("report", "quarto", key), form) in _values(data, ("report", "quarto", key))
    ]
    if not asked:
        return []
    if not _values(data, ("study", "authors", ANY)):
        return [Fault(("study", "authors"), "none", f"at least one, which {asked[0]} needs")]
    whole = f"one with {listed(OF_ACM)}, which {asked[0]} needs"
    return [
        Fault(place, f"an author without {listed(missing)}", whole)
        for place, author in _values(data, ("study", "authors", ANY))
        if isinstance(author, dict) and (missing := [key for key in OF_ACM if not author.get(key)])
    ]


def _rank_faults(data: Mapping[str, Any], place: Place, measures: list[str]) -> list[Fault]:
    """Find stages that would stop for an equivalence that their test cannot show."""
    (decides,) = [*_names(data, (*place, "measure")), *measures, ""][:1]
    areas = _values(data, ("analysis", "relevance"))
    named = {measure_name(name) for _, area in areas if isinstance(area, dict) for name in area}
    if measure_name(decides) not in named:
        return []
    return [
        Fault(at, f"{test} with an area of equivalence of {decides}", OF_MEANS)
        for at, test in _values(data, (*place, "test"))
        if test in ("wilcoxon", "sign")
    ]


def _file_faults(data: Mapping[str, Any], folder: Path) -> list[Fault]:
    """Look whether the files are there; names that hold a null byte never are."""
    return [
        fault
        for pattern in FILES
        for place, name in _values(data, pattern)
        if isinstance(name, str) and (fault := _file_fault(place, folder, name))
    ]


def _file_fault(place: Place, folder: Path, name: str) -> Fault | None:
    try:
        path = folder / name
        if path.is_file() or (place == ("results", "file") and path.is_dir()):
            return None
        neighbours = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    except (OSError, ValueError):
        return Fault(place, shown(name), "the name of a file")
    kind = "a folder" if path.is_dir() else kind_fault(path)
    near = None if kind else nearest(Path(name).name, neighbours)
    found = f"{shown(name)}, where there is {kind or 'no file'}"
    allowed = "a file, its path relative to the manifest's folder"
    if "://" in name:
        return Fault(place, shown(name), f"{allowed} (fetch it first)")
    return Fault(place, found, allowed, str(Path(name).with_name(near)) if near else None)


def find_unknown_names(
    data: Mapping[str, Any], faults: Iterable[Fault], *, has_files: bool = True
) -> list[Fault]:
    """Return the data sets, candidates and measures that the catalogue does not have.

    Without the files of a manifest its data sets and candidates may be anything.

    Entries that have a fault of their own are left alone: it may be that they
    mean something else.

    A setup finds them as well, and more; but it is made only of a manifest
    without faults, and a user wants to see all faults at once.
    """
    from reportgen.catalogue.datasets import DATASETS  # with pandas: only for what is wrong

    faults = list(faults)
    setup = data.get("setup")
    lists = setup if isinstance(setup, dict) else {}
    if not has_files:
        return _unknown_measures(data, faults)
    faulty = {fault.place[:3] for fault in faults}
    algorithms = (*ALGORITHMS, *find_entry_points(CANDIDATES))
    return _unknown_measures(data, faults) + [
        Fault(("setup", key, i), str(unknown_name(kind, name, known)), "")
        for key, kind, known, name_of in (
            ("datasets", "data set", DATASETS, _catalogued_data),
            ("candidates", "candidate", algorithms, _catalogued_algorithm),
        )
        for i, entry in _mappings(lists.get(key))
        if ("setup", key, i) not in faulty
        and (name := name_of(entry)) is not None
        and name not in known
    ]


def _unknown_measures(data: Mapping[str, Any], faults: Iterable[Fault]) -> list[Fault]:
    """Return the measures that cannot be computed; those of results need not be known."""
    if "setup" not in data:
        return []
    faulty = {fault.place[:2] for fault in faults}
    return [
        Fault(("measures", i), text, "")
        for i, entry in _mappings(data.get("measures"))
        if ("measures", i) not in faulty
        and "function" not in entry
        and isinstance(name := entry.get("name"), str)
        and (text := _measure_fault(measure_name(name))) is not None
    ]


def _measure_fault(name: str) -> str | None:
    """Return what is wrong with a measure's name; what a package brings is not loaded here."""
    if name in find_entry_points(MEASURES):
        return None
    try:
        find_measure(name)
    except SetupError as error:
        return str(error)
    return None


def _catalogued_data(entry: Mapping[str, Any]) -> str | None:
    """Return the name by which an entry means data of the catalogue; None where it does not."""
    if "file" in entry or "openml" in entry:
        return None
    name = entry.get("generator", entry.get("name"))
    return name if isinstance(name, str) and not OPENML.fullmatch(name) else None


def _catalogued_algorithm(entry: Mapping[str, Any]) -> str | None:
    if "command" in entry:
        return None
    name = entry.get("estimator", entry.get("name"))
    is_path = "estimator" in entry and isinstance(name, str) and "." in name
    return name if isinstance(name, str) and not is_path else None


def refine(fault: Fault) -> Fault:
    """Explain a fault: that the contract promises a key, that there is a short form."""
    if fault.allowed == ALLOWED["model_type"] and short_form(fault.place):
        return replace(fault, allowed=f"text, or {fault.allowed}")
    if fault.place[-1:] == ("better",) and fault.found == repr(TO_SAY):
        allowed = "smaller or larger, written here: which values of this measure are better"
        return replace(
            fault, found=f"{TO_SAY}, which nobody has filled in", allowed=allowed, near=None
        )
    return fault


def _mappings(entries: Any) -> list[tuple[int, dict[str, Any]]]:
    if not isinstance(entries, list):
        return []
    return [(i, entry) for i, entry in enumerate(entries) if isinstance(entry, dict)]


def _names(data: Mapping[str, Any], pattern: Place) -> list[str]:
    return [name for _, name in _values(data, pattern) if isinstance(name, str)]


def _values(value: Any, pattern: Place, place: Place = ()) -> list[tuple[Place, Any]]:
    """Return every value at the places of the pattern."""
    if not pattern:
        return [(place, value)]
    step, rest = pattern[0], pattern[1:]
    if step == ANY and isinstance(value, list):
        return [f for i, v in enumerate(value) for f in _values(v, rest, (*place, i))]
    if isinstance(value, dict) and step in value:
        return _values(value[str(step)], rest, (*place, step))
    return []
