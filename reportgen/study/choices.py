"""The sections that a manifest chooses, each with its options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from reportgen.study.faults import Fault, Place, faults_of, listed, nearest, shown
from reportgen.study.names import measure_name
from reportgen.study.options import AnalysisOptions

CONTRACT = (
    "eda",
    "inference",
    "preferences",
    "consensus",
    "domain",
    "psychoanalysis",
    "archetypes",
    "sequential",
)
"""Every section that a manifest of the contract may name, there or not yet."""


@dataclass(frozen=True, slots=True)
class SectionChoice:
    """A section of the report.

    Attributes
    ----------
    name : str
    options : AnalysisOptions
        The section's own model: the `analysis` block, and what the entry says.
    place : tuple of str and int
        Where the manifest says it; empty where it does not.
    """

    name: str
    options: AnalysisOptions
    place: Place = ()


def choose(
    entries: Any, given: Mapping[str, Any], options: Mapping[str, type[AnalysisOptions]]
) -> tuple[tuple[SectionChoice, ...] | None, list[Fault]]:
    """Check the entries of `sections`.

    Parameters
    ----------
    entries : list, or anything that was found in its place
    given : mapping
        What the `analysis` block sets.
    options : mapping of str to type
        The model of each section's options, by the section's name.

    Returns
    -------
    tuple of SectionChoice or None
        None where the manifest lists no sections.
    list of Fault
    """
    if not isinstance(entries, list):
        return None, []
    if not entries:
        allowed = "at least one section, or no such key for all that apply"
        return None, [Fault(("sections",), "an empty list", allowed)]
    chosen: dict[str, SectionChoice] = {}
    faults: list[Fault] = []
    for i, entry in enumerate(entries):
        choice = _choice(entry, ("sections", i), given, options)
        if isinstance(choice, list):
            faults += choice
        elif choice.name in chosen:
            faults.append(Fault(("sections", i), "the section twice", "each section once"))
        else:
            chosen[choice.name] = choice
    return tuple(chosen.values()), faults


def _choice(
    entry: Any,
    place: Place,
    given: Mapping[str, Any],
    options: Mapping[str, type[AnalysisOptions]],
) -> SectionChoice | list[Fault]:
    name, own = (entry, None) if isinstance(entry, str) else _single_item(entry)
    if not isinstance(name, str):
        return [Fault(place, shown(entry), "a section's name, or {name: {option: value}}")]
    if name not in options:
        return [_absent(name, place, options)]
    here = (*place, name)
    if own is not None and not isinstance(own, dict):
        return [Fault(here, shown(own), "a mapping of options to values")]
    model = options[name]
    try:
        checked = model.model_validate_json(json.dumps(own or {}))
    except ValidationError as error:
        return faults_of(error, model, here)
    return SectionChoice(name, _merged(checked, given), here)


def _single_item(entry: Any) -> tuple[Any, Any]:
    if isinstance(entry, dict) and len(entry) == 1:
        return next(iter(entry.items()))
    return None, None


def _absent(name: str, place: Place, options: Mapping[str, Any]) -> Fault:
    near = nearest(name, options)
    if name in CONTRACT:
        return Fault(place, f"section {name}, which is not available yet", listed(options))
    return Fault(place, f"the unknown section {shown(name)}", listed(options), near)


def _merged(own: AnalysisOptions, given: Mapping[str, Any]) -> AnalysisOptions:
    """Put what the `analysis` block sets under the entry's own keys, areas measure by measure."""
    values = {**given, **{key: getattr(own, key) for key in own.model_fields_set}}
    areas = {**given.get("relevance", {}), **{measure_name(m): a for m, a in own.relevance.items()}}
    return type(own)(**{**values, **({"relevance": areas} if areas else {})})
