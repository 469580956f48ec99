"""Shorthand: short forms, values of the command line, and values of earlier versions."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from reportgen.catalogue.measures import known_measure
from reportgen.performance_measure import Measure
from reportgen.study.errors import WIDTH, Fault, Place, listed, nearest, printable
from reportgen.study.yaml_source import Source, parse_value

BLOCKS = (
    *("study", "measures", "setup", "results", "execution", "analysis", "expect", "sections"),
    "report",
)
ANY = "*"
SHORT_FORMS: Mapping[Place, str] = {
    ("study", "authors", ANY): "name",
    ("measures", ANY): "name",
    ("setup", "datasets", ANY): "name",
    ("setup", "candidates", ANY): "name",
    ("setup", "resampling"): "scheme",
    ("setup", "resampling", ANY): "scheme",
    ("results",): "file",
    ("expect", ANY): "claim",
    ("results", "resampling"): "scheme",
}
"""Places where a text is short for a mapping with this key."""
FORMER_VALUES: Mapping[str, Mapping[str, str]] = {"variance": {"pairwise": "own"}}
"""Today's value by that of earlier versions, of options of `analysis` and of any section."""
log = logging.getLogger(__name__)

MOST_STEPS = 50  # more than any manifest has


def is_at(place: Place, pattern: Place) -> bool:
    """Return whether a place fits a pattern, in which ANY matches any place in a list.

    Examples
    --------
    >>> is_at(("measures", 0), ("measures", "*"))
    True
    """
    return len(place) == len(pattern) and all(
        p == step or (p == ANY and isinstance(step, int))
        for step, p in zip(place, pattern, strict=True)
    )


def expand_shorthand(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest's values without short forms and empty blocks.

    Examples
    --------
    >>> expand_shorthand({"results": "a.csv", "report": None})
    {'results': {'file': 'a.csv'}}
    """
    kept = {k: v for k, v in data.items() if v is not None or k not in BLOCKS}
    return _with_main_area({key: _spelled_out(value, (key,)) for key, value in kept.items()})


def _with_main_area(data: dict[str, Any]) -> dict[str, Any]:
    """Give an area of equivalence without a name to the first measure: d stands for [-d, d]."""
    # Of a measure that is compared by ratio, r stands for [1/r, r].
    analysis, measures = data.get("analysis"), data.get("measures")
    area = analysis.get("relevance") if isinstance(analysis, dict) else None
    main = measures[0] if isinstance(measures, list) and measures else None
    name = main.get("name") if isinstance(main, dict) else None
    if not isinstance(area, int | float | list) or isinstance(area, bool):
        return data
    if not isinstance(analysis, dict) or not isinstance(main, dict) or not isinstance(name, str):
        return data
    if isinstance(area, int | float) and not _is_by_ratio(main, name):
        area = [-area, area]
    return {**data, "analysis": {**analysis, "relevance": {name: area}}}


def _is_by_ratio(entry: Mapping[str, Any], name: str) -> bool:
    """Whether an entry of `measures` is compared by ratio."""
    known = known_measure(name) or Measure(name)
    unit, scale = entry.get("unit", known.unit_symbol), entry.get("scale", known.scale)
    return replace(known, unit_symbol=unit, scale=scale).is_compared_by_ratio


def _spelled_out(value: Any, place: Place) -> Any:
    if isinstance(value, dict):
        return {k: _spelled_out(v, (*place, k)) for k, v in value.items()}
    if isinstance(value, list):
        return [_spelled_out(v, (*place, i)) for i, v in enumerate(value)]
    return {key: value} if isinstance(value, str) and (key := short_form(place)) else value


def short_form(place: Place) -> str | None:
    """Return the key of the mapping for which a text at this place is short, if any."""
    return next((key for pattern, key in SHORT_FORMS.items() if is_at(place, pattern)), None)


def apply_overrides(
    source: Source, overrides: Mapping[str, str], origins: Mapping[str, str] | None = None
) -> Source:
    """Put the values of the command line's `--set key.path=value` in their places.

    `source`: the manifest; stays as it is.
    `overrides`: value in YAML by key path. An entry of a list goes by its name.
    `origins`: what an error calls each, where it is not the command line's.
    Raises StudyError if a value is no YAML, or a path leads through something without keys.
    """
    origins = origins or {
        path: f"--set {printable(path, WIDTH)}={printable(text, WIDTH)}"
        for path, text in overrides.items()
    }
    values = {path: parse_value(origins[path], text) for path, text in overrides.items()}
    return set_values(source, values, origins)


def set_values(source: Source, values: Mapping[str, Any], origins: Mapping[str, str]) -> Source:
    """Put values in their places.

    `source`: stays as it is.
    `values`: plain values by key path.
    `origins`: by the same paths: what an error names in place of a line.
    Raises StudyError if a path leads through something without keys.
    """
    data, lines = deepcopy(source.data), dict(source.lines)
    for path, value in values.items():
        steps = path.split(".")
        found: Place | Fault
        if len(steps) > MOST_STEPS:
            place = (steps[0],)
            found = Fault(place, f"{len(steps):,} keys within one another", f"up to {MOST_STEPS}")
        else:
            found = _insert(data, (), steps, value)
        if isinstance(found, Fault):
            raise replace(source, data=data, lines={found.place: origins[path]}).error([found])
        lines = {at: line for at, line in lines.items() if at[: len(found)] != found}
        for n in range(1, len(found)):
            lines.setdefault(found[:n], origins[path])
        lines[found] = origins[path]
    return replace(source, data=data, lines=lines)


def _insert(value: dict[str, Any], place: Place, steps: list[str], new: Any) -> Place | Fault:
    """Walk down from a mapping and set the last step; return the place, or what is wrong."""
    step, rest = steps[0], steps[1:]
    here = (*place, step)
    if not step:
        return Fault(place, "an empty key", "keys with a dot between them, such as analysis.alpha")
    if not rest:
        value[step] = new
        return here
    if isinstance(value.get(step), str) and (key := short_form(here)):
        value[step] = {key: value[step]}
    inner = value.get(step)
    if inner is None:
        inner = value[step] = {}
    if isinstance(inner, list):
        return _put_in_list(inner, here, rest, new)
    if not isinstance(inner, dict):
        return Fault(here, "a single value", f"a new value for {step} itself: it has no keys")
    return _insert(inner, here, rest, new)


def _put_in_list(entries: list[Any], place: Place, steps: list[str], new: Any) -> Place | Fault:
    """Walk on through the entry that goes by the name of the next step."""
    is_sections = place == ("sections",)
    names = [_name_of(entry, is_sections) for entry in entries]
    step, rest = steps[0], steps[1:]
    if step not in names:
        known = [name for name in names if name]
        return Fault((*place, step), "an unknown entry", listed(known), nearest(step, known))
    i = names.index(step)
    if not rest:
        entries[i] = new
        return (*place, i)
    if isinstance(entries[i], str):
        key, inner = (step, {}) if is_sections else ("name", step)
        entries[i] = {key: inner}
    if is_sections:
        return _insert(entries[i], (*place, i), [step, *rest], new)
    return _insert(entries[i], (*place, i), rest, new)


def _name_of(entry: Any, is_section: bool) -> str:
    if isinstance(entry, dict):
        entry = next(iter(entry), "") if is_section else entry.get("name", "")
    return entry if isinstance(entry, str) else ""


def replace_former_values(source: Source) -> Source:
    """Replace values of earlier versions by today's, and log each.

    `source`: the manifest; stays as it is.
    """
    data = deepcopy(source.data)
    for place, options in _blocks(data):
        for key, values in FORMER_VALUES.items():
            former = options.get(key)
            if isinstance(former, str) and former in values:
                options[key] = values[former]
                where = source.where((*place, key))
                log.warning("%s: %s is called %s now, and is read so", where, former, options[key])
    return replace(source, data=data)


def _blocks(data: Mapping[str, Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the places of a manifest that hold options of sections."""
    if isinstance(data.get("analysis"), dict):
        yield ("analysis",), data["analysis"]
    sections = data.get("sections")
    for i, entry in enumerate(sections if isinstance(sections, list) else ()):
        for name, options in entry.items() if isinstance(entry, dict) else ():
            if isinstance(options, dict):
                yield ("sections", i, name), options
