"""What may be said of an estimator's hyperparameters: names, values, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reportgen.catalogue.names import unknown_name
from reportgen.catalogue.searches import Span, Values
from reportgen.errors import SetupError

RANDOM, JOBS = "random_state", "n_jobs"

FILES = ("memory", "input")
"""Hyperparameters by which a manifest could make an estimator read or write files."""

UNTUNABLE = (RANDOM, JOBS)
"""Hyperparameters that the execution sets."""


def bare_name(name: str) -> str:
    """Return the last part of a hyperparameter's name.

    Examples
    --------
    >>> bare_name("pca__n_components")
    'n_components'
    """
    return name.rpartition("__")[2]


def refuse_files(names: Iterable[str], owner: str = "") -> None:
    """Raise a SetupError if a hyperparameter names files, at whatever depth."""
    for name in names:
        if bare_name(name) in FILES:
            where = f" of {owner}" if owner else ""
            raise SetupError(
                f"found the option {name}{where}, by which an estimator reads or writes files; "
                "allowed no such option"
            )


def check_names(estimator: Any, options: Iterable[str], tried: Iterable[str]) -> None:
    """Say which option, or which name under `tune`, an estimator does not have.

    Parameters
    ----------
    estimator : estimator
        Unfitted.
    options, tried : iterable of str
        Hyperparameters that are set, and that are chosen in the learning sample.

    Raises
    ------
    SetupError
    """
    options, tried = list(options), list(tried)
    refuse_files((*options, *tried))
    known = estimator.get_params(deep=True)
    for kind, names in (("option", options), ("hyperparameter under tune", tried)):
        for name in names:
            if name not in known:
                raise unknown_name(f"{kind}:", name, sorted(known))
    for name in tried:
        if bare_name(name) in UNTUNABLE:
            raise SetupError(
                f"found the hyperparameter {name} under tune; allowed others: the execution sets it"
            )
        if name in options:
            raise SetupError(f"found {name} under options and under tune; allowed one of the two")


def check_weights(options: Mapping[str, Any]) -> None:
    """Refuse weights by class: inside an experiment the classes are numbers."""
    for name, value in options.items():
        if bare_name(name) == "class_weight" and isinstance(value, Mapping):
            raise SetupError(f"found weights of single classes under {name}; allowed balanced")


def check_values(estimator: Any, tried: Mapping[str, Values]) -> None:
    """Say which value an estimator does not take, as far as it knows by itself.

    Parameters
    ----------
    estimator : estimator
        Unfitted, with its options; stays as it is.
    tried : mapping of str to tuple or Span
        Values under `tune`, by hyperparameter; each is checked for itself, of a
        range the ends.

    Raises
    ------
    SetupError
    """
    from sklearn.base import clone

    _check_parts(estimator)
    for name, values in tried.items():
        changed = clone(estimator)
        ends = (values.lower, values.upper) if isinstance(values, Span) else values
        for value in ends:
            try:
                changed.set_params(**{name: value})
            except (ValueError, TypeError, AttributeError) as error:
                raise _refused(error) from None
            _check_parts(changed, bare_name(name))


def _check_parts(estimator: Any, name: str = "") -> None:
    """Let an estimator and all its parts look at their hyperparameters, or those of one name."""
    for part in (estimator, *estimator.get_params(deep=True).values()):
        known = getattr(part, "_parameter_constraints", None)
        if not known or not hasattr(part, "_validate_params") or (name and name not in known):
            continue
        try:
            part._validate_params()
        except ValueError as error:
            raise _refused(error) from None


def _refused(error: Exception) -> SetupError:
    return SetupError(
        f"found a value that the estimator does not take: {' '.join(str(error).split())}"
    )
