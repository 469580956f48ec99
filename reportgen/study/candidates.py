"""The candidates of a study: from a manifest's entry to the object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import isclass
from math import prod
from pathlib import Path
from typing import Any

from reportgen.catalogue.candidates import make_candidate
from reportgen.catalogue.candidates.algorithms import ALGORITHMS
from reportgen.catalogue.candidates.candidate import Candidate
from reportgen.catalogue.candidates.objects import code_names
from reportgen.catalogue.candidates.programs import program_candidate
from reportgen.catalogue.candidates.published import PUBLISHED, Tuning, published_tuning
from reportgen.catalogue.candidates.recipes import PACKAGES, Blueprint, Recipe
from reportgen.catalogue.candidates.search import (
    Grid,
    Judged,
    RandomSearch,
    Values,
    check_inner_measure,
)
from reportgen.catalogue.names import unknown_name
from reportgen.catalogue.plugins import (
    CANDIDATES,
    digest_of_used,
    edition,
    find_entry_points,
    load,
)
from reportgen.errors import SetupError
from reportgen.study.schema.candidates import CandidateEntry, InnerEntry, Step


def candidate_of(
    entry: CandidateEntry, packages: Iterable[str], folder: Path = Path()
) -> Candidate:
    """Return the candidate that an entry describes.

    `packages`: packages that its estimators may come from.
    `folder`: the manifest's, where a program works.
    Raises SetupError if it names what there is not.
    """
    found = _candidate_of(entry, packages, folder)
    if entry.refits == 1:
        return found
    words = f"{found.description}; the mean of {entry.refits} fits of each sample"
    return replace(found, refits=entry.refits, description=words)


def _candidate_of(entry: CandidateEntry, packages: Iterable[str], folder: Path) -> Candidate:
    """Return the candidate, of one fit to a sample."""
    if entry.command is not None:
        form = entry.format or "parquet"
        return program_candidate(entry.name, entry.command, folder, form, entry.files)
    algorithm = _algorithm(entry)
    if algorithm is not None and algorithm not in ALGORITHMS:
        brought = _brought(algorithm, packages)
        if isinstance(brought, Candidate):
            found = _as_it_is(brought, entry)
        else:
            found = _make_candidate(_by_path(entry, algorithm, brought), None, packages)
        return replace(found, edition=edition(CANDIDATES, algorithm))
    found = _make_candidate(entry, algorithm, packages)
    if not isinstance(found.build, Recipe):
        return found
    others = [path for path in found.build.paths if path.partition(".")[0] not in PACKAGES]
    if not others:
        return found
    named = [(module, name) for module, _, name in (path.rpartition(".") for path in others)]
    used = code_names(found.build.bare(found.tasks[0], 0))
    return replace(found, edition=digest_of_used([*named, *used], folder))


def _make_candidate(
    entry: CandidateEntry, algorithm: str | None, packages: Iterable[str]
) -> Candidate:
    """Return a candidate of the catalogue, or by an import path."""
    tuning = _tuning(entry, algorithm, tuple(packages))
    recipe = Recipe(
        algorithm=algorithm,
        steps=() if algorithm else _steps(entry),
        options=_options(entry) if algorithm or len(_steps(entry)) > 1 else {},
        tuning=tuning,
        is_published=entry.tune == "published",
        prepare=entry.prepare,
    )
    return make_candidate(entry.name, recipe, packages)


def _brought(name: str, packages: Iterable[str]) -> object:
    """Load what a package brings under a name that the catalogue does not have."""
    theirs = find_entry_points(CANDIDATES)
    if name not in theirs:
        raise unknown_name("candidate", name, (*ALGORITHMS, *theirs))
    return load(CANDIDATES, name, packages)


def _as_it_is(brought: Candidate, entry: CandidateEntry) -> Candidate:
    """Return a candidate that a package brings; nothing of it can be changed here."""
    for key in ("options", "tune", "inner", "prepare"):
        if key in entry.model_fields_set:
            raise SetupError(
                f"found {key} with the candidate {brought.name!r}, which its package brings ready "
                "made; allowed its name alone"
            )
    return replace(brought, name=entry.name)


def _by_path(entry: CandidateEntry, name: str, brought: object) -> CandidateEntry:
    """Let an entry name the class that a package brings by its import path."""
    if not isclass(brought):
        raise SetupError(
            f"found {type(brought).__name__} as the candidate {name!r} of a package; allowed a "
            "Candidate, or a class with fit and predict"
        )
    point = find_entry_points(CANDIDATES)[name]
    return entry.model_copy(update={"estimator": f"{point.module}.{point.attr}"})


def _algorithm(entry: CandidateEntry) -> str | None:
    """Return the name of the catalogue, or None where there is an import path."""
    if entry.estimator is None:
        return entry.name
    if isinstance(entry.estimator, str) and "." not in entry.estimator:
        return entry.estimator
    return None


def _steps(entry: CandidateEntry) -> tuple[Blueprint, ...]:
    """Return the parts of a pipeline; a single estimator takes the entry's options."""
    if isinstance(entry.estimator, str):
        return (Blueprint(entry.estimator, _options(entry)),)
    return tuple(_step(step) for step in entry.estimator or ())


def _step(step: str | Step) -> Blueprint:
    if isinstance(step, str):
        return Blueprint(step)
    return Blueprint(step.estimator, {name: _value(v) for name, v in step.options.items()})


def _options(entry: CandidateEntry) -> dict[str, Any]:
    return {name: _value(value) for name, value in entry.options.items()}


def _value(value: Any) -> Any:
    """Return plain values, and blueprints where a mapping names an estimator."""
    if isinstance(value, list):
        return [_value(item) for item in value]
    if isinstance(value, Mapping) and "estimator" in value:
        rest = set(value) - {"estimator", "options"}
        if rest or not isinstance(value["estimator"], str):
            raise SetupError(
                f"found an estimator with {', '.join(map(repr, sorted(rest)))}; allowed "
                "{estimator: path, options: {…}}"
            )
        options = value.get("options") or {}
        return Blueprint(value["estimator"], {name: _value(v) for name, v in options.items()})
    return value


def _tuning(entry: CandidateEntry, algorithm: str | None, packages: Sequence[str]) -> Tuning | None:
    if entry.tune is None:
        return None
    if isinstance(entry.tune, Mapping):
        return _own_tuning(entry.tune, entry.inner or InnerEntry(), packages)
    tuning = published_tuning(algorithm or "")
    if tuning is None and algorithm in ALGORITHMS:
        raise SetupError(
            f"found tune: published, but nothing is published for {algorithm}; "
            f"allowed for {', '.join(PUBLISHED)}"
        )
    if tuning is None and algorithm is None:
        raise SetupError(
            f"found tune: published with an import path; allowed for {', '.join(PUBLISHED)}"
        )
    return tuning


def _own_tuning(values: Mapping[str, Values], inner: InnerEntry, packages: Sequence[str]) -> Tuning:
    measure: Judged = None
    if inner.measure is not None:
        measure = check_inner_measure(inner.measure, inner.rule, packages)
    lists = {name: chosen for name, chosen in values.items() if isinstance(chosen, tuple)}
    settings = Grid(lists) if inner.n is None else RandomSearch(dict(values), inner.n)
    words, is_halving = _words(values, inner), inner.search == "halving"
    return Tuning(
        settings, inner.rule, inner.folds, words, values, measure, inner.validation, is_halving
    )


def _words(values: Mapping[str, Values], inner: InnerEntry) -> str:
    """Describe how hyperparameters are chosen, such as "C tuned over a grid of 9 by …"."""
    sizes = [len(chosen) for chosen in values.values() if isinstance(chosen, tuple)]
    if inner.n is None:
        how = f"over a grid of {prod(sizes)}"
    elif len(sizes) < len(values):
        how = f"over {inner.n} settings drawn at random"
    else:
        how = f"over {min(inner.n, prod(sizes))} drawn of {prod(sizes)}"
    sample = f"{inner.folds}-fold cross-validation"
    if inner.validation is not None:
        sample = f"a validation sample of {100 * inner.validation:g}%"
    words = f"{_join(list(values))} tuned {how} by {sample}"
    if inner.search == "halving":
        words = words.replace(" by ", " by successive halving with ", 1)
    if inner.measure is not None:
        words += f" of {inner.measure}"
    return f"{words} and the 1-SE rule" if inner.rule == "one-se" else words


def _join(names: list[str]) -> str:
    """Write a, b and c."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
