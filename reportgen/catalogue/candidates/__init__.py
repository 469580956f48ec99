"""Candidates: algorithms with a name, ready to be fitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import get_args

from reportgen.catalogue.candidates.algorithms import ALGORITHMS
from reportgen.catalogue.candidates.candidate import TASKS, Candidate
from reportgen.catalogue.candidates.published import CHOSEN
from reportgen.catalogue.candidates.recipes import (
    PACKAGES,
    Blueprint,
    Recipe,
    check_names,
    check_values,
    check_weights,
)
from reportgen.catalogue.candidates.search import check_judged, inner_measure
from reportgen.catalogue.names import unknown_name
from reportgen.errors import SetupError
from reportgen.measures import Task


def find_candidate(name: str) -> Candidate:
    """Return a candidate of the catalogue by its name, untuned.

    Raises SetupError if there is none.

    Examples
    --------
    >>> find_candidate("rf").description
    'random forest of 200 trees'
    """
    return make_candidate(name, Recipe(name))


def make_candidate(name: str, recipe: Recipe, packages: Iterable[str] = PACKAGES) -> Candidate:
    """Return the candidate that a recipe describes.

    `name`: what the study calls it.
    `packages`: packages that its estimators may come from.
    Raises SetupError if the recipe names what there is not.
    """
    if recipe.algorithm is None:
        return _imported(name, recipe, tuple(packages))
    if recipe.algorithm not in ALGORITHMS:
        raise unknown_name("candidate", recipe.algorithm, CANDIDATES)
    algorithm = ALGORITHMS[recipe.algorithm]
    recipe = replace(recipe, prepare=recipe.prepare is not False and algorithm.prepare)
    reasons = _reasons_against(recipe, algorithm.tasks)
    tasks = tuple(task for task in algorithm.tasks if task not in reasons)
    tried = recipe.tuning.tried if recipe.tuning else ()
    chosen = CHOSEN[algorithm.name] if recipe.is_published else tried
    described = _described(algorithm.described((*recipe.options, *chosen)), recipe)
    return Candidate(name, described, recipe, tasks, algorithm.most_inputs, reasons=reasons)


def _reasons_against(recipe: Recipe, tasks: tuple[Task, ...]) -> dict[Task, str]:
    """Return for which tasks an estimator lacks hyperparameters; raise an error if for all."""
    faults: dict[Task, SetupError] = {}
    for task in tasks:
        try:
            _check_hyperparameters(recipe, task)
        except SetupError as error:
            faults[task] = error
    if len(faults) == len(tasks):
        raise faults[tasks[0]]
    return {task: str(error) for task, error in faults.items()}


def _imported(name: str, recipe: Recipe, packages: tuple[str, ...]) -> Candidate:
    """Return a candidate whose estimator comes from a package."""
    from reportgen.catalogue.candidates.objects import check_estimator, has_preparation

    for i, step in enumerate(recipe.steps):
        step.check(packages, is_last=i == len(recipe.steps) - 1)
    is_of_classes = all(step.is_of_class for step in recipe.steps)
    try:
        estimator = recipe.bare("classification", 0)
        tags = estimator.__sklearn_tags__()
    except Exception as error:
        raise SetupError(
            f"found an estimator that cannot be made ({type(error).__name__}: {error}); allowed "
            "options with which it can"
        ) from None
    if not is_of_classes:
        check_estimator(estimator)
    if recipe.prepare is None:
        recipe = replace(recipe, prepare=is_of_classes or not has_preparation(estimator))
    tasks = get_args(Task) if tags.estimator_type not in TASKS else (TASKS[tags.estimator_type],)
    reasons = _reasons_against(recipe, tasks)
    return Candidate(
        name,
        _described(_spelled(recipe.steps), recipe),
        recipe,
        tuple(task for task in tasks if task not in reasons),
        takes_inputs_as_they_are=not recipe.prepare,
        reasons=reasons,
    )


def _check_hyperparameters(recipe: Recipe, task: Task) -> None:
    """Refuse options, names and values of a grid that the estimator does not have."""
    tuning = None if recipe.is_published else recipe.tuning
    tried = tuning.tried if tuning else {}
    check_names(replace(recipe, options={}).bare(task, 0), recipe.given, tried)
    check_weights(recipe.given)
    if recipe.is_published:
        _check_is_free(recipe)
    estimator = recipe.bare(task, 0)
    check_values(estimator, tried)
    if tuning and tuning.measure:
        check_judged(inner_measure(tuning.measure, task), estimator, task)


def _check_is_free(recipe: Recipe) -> None:
    """Refuse options that a published tuning chooses itself."""
    for option in recipe.options:
        if option in CHOSEN[str(recipe.algorithm)]:
            raise SetupError(
                f"found the option {option}, which tune: published chooses; allowed other options"
            )


def _spelled(steps: Iterable[Blueprint]) -> str:
    return ", then ".join(map(_spelled_step, steps))


def _spelled_step(step: Blueprint) -> str:
    """Write a class with its options, and of a function or an object what it makes."""
    if step.is_of_class:
        package, *_, name = step.path.split(".")
        return (name if package == "sklearn" else step.path) + (
            f" ({_listed(step.options)})" if step.options else ""
        )
    from reportgen.catalogue.candidates.objects import text_of

    return f"{step.path}: {text_of(step.build())}"


def _described(start: str, recipe: Recipe) -> str:
    """Describe a candidate in one line, with its options and its tuning."""
    parts = [start]
    if recipe.options:
        parts.append(_listed(recipe.options))
    if recipe.tuning:
        parts.append(recipe.tuning.words)
    return ", ".join(parts)


def _listed(options: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {_short(value)}" for name, value in options.items())


def _short(value: object) -> str:
    """Write a value as a manifest would, an estimator with its options."""
    if isinstance(value, Blueprint):
        return _spelled((value,))
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_short(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_short, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


CANDIDATES: tuple[str, ...] = tuple(ALGORITHMS)
"""Names of the catalogue's candidates."""
