"""Recipes: how a candidate's estimator is made, and checks of its hyperparameters.

A recipe holds plain values, which can be sent to workers and compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from inspect import Parameter, isclass, signature
from typing import Any

from reportgen.catalogue.candidates.algorithms import ALGORITHMS
from reportgen.catalogue.candidates.published import Tuning, tunable
from reportgen.catalogue.candidates.search import Span, Values
from reportgen.catalogue.names import unknown_name
from reportgen.catalogue.plugins import import_named
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.installation import page_url
from reportgen.measures import Task

RANDOM, JOBS = "random_state", "n_jobs"
FILES = ("memory", "input")
"""Hyperparameters by which a manifest could make an estimator read or write files."""
UNTUNABLE = (RANDOM, JOBS)
"""Hyperparameters that the execution sets."""
PACKAGES = ("sklearn",)
"""Packages that estimators may always come from."""


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
    """Refuse options, and names under `tune`, that an estimator does not have.

    `estimator`: unfitted.
    `options`, `tried`: hyperparameters that are set, and that are chosen in the learning sample.
    Raises SetupError.
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
    """Refuse values that an estimator does not take, as far as it checks them itself.

    `estimator`: unfitted, with its options; stays as it is.
    `tried`: values under `tune`, by hyperparameter; each is checked for itself, of a range the
    ends.
    Raises SetupError.
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
        f"found a value that the estimator does not take; allowed what it takes: "
        f"{' '.join(str(error).split())}"
    )


@dataclass(frozen=True, slots=True)
class Blueprint:
    """An object of a class, what a function returns, or a copy of an object; with its options."""

    path: str  # import path of the class, the function or the object
    # Plain values, or blueprints in their places.
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_of_class(self) -> bool:
        """Whether the path names a class, whose options are arguments."""
        return isclass(_named(self.path))

    @property
    def hyperparameters(self) -> Mapping[str, Any]:
        """The options that are hyperparameters of the object, and no arguments of a function."""
        found = _named(self.path)
        return {name: v for name, v in self.options.items() if not _takes(found, name)}

    def build(self) -> Any:
        """Return the object."""
        if self.is_of_class:
            return _named(self.path)(**{n: _built(v) for n, v in self.options.items()})
        rest = {name: _built(value) for name, value in self.hyperparameters.items()}
        return self._made().set_params(**rest)

    def check(self, packages: Iterable[str], *, is_last: bool = True) -> None:
        """Check path and options.

        `packages`: packages it may come from.
        `is_last`: whether it has to predict, and not only to transform.
        Raises SetupError.
        """
        _check_path(self.path, tuple(packages))
        refuse_files(self.options, self.path)
        kind, known = self._kind()
        needed = ("fit", "predict") if is_last else ("fit", "transform")
        missing = [method for method in needed if not hasattr(kind, method)]
        if missing:
            made = "" if self.is_of_class else f", which makes an object of {type(kind).__name__}"
            raise SetupError(
                f"found {self.path}{made}, which has no {' and no '.join(missing)}; "
                f"allowed a class with {' and '.join(needed)}"
            )
        found = _named(self.path)
        arguments = signature(found).parameters if _is_function(found) else ()
        for name, value in self.options.items():
            if known is not None and name not in known and not _takes(found, name):
                raise unknown_name(f"option of {self.path}:", name, [*arguments, *sorted(known)])
            for inner in _blueprints(value):
                inner.check(packages, is_last=inner.can_predict(packages))

    def can_predict(self, packages: Iterable[str]) -> bool:
        """Whether the object predicts; raise a SetupError where it may not be imported."""
        _check_path(self.path, tuple(packages))
        return hasattr(self._kind()[0], "predict")

    def _kind(self) -> tuple[Any, set[str] | None]:
        """Return what has the methods, and the names of hyperparameters, where they are known."""
        if not self.is_of_class:
            made = self._made()
            return made, set(made.get_params(deep=True))
        kind = _named(self.path)
        is_told = hasattr(kind, "_get_param_names")
        return kind, set(kind._get_param_names()) if is_told else None

    def _made(self) -> Any:
        """Return a copy of the object, or of what the function returns for its arguments."""
        from sklearn.base import clone

        made = _named(self.path)
        try:
            if _is_function(made):
                own = {n: _built(v) for n, v in self.options.items() if _takes(made, n)}
                made = made(**own)
            if all(hasattr(made, method) for method in ("get_params", "set_params")):
                return clone(made)
        except Exception as error:
            raise SetupError(
                f"found {self.path}, which makes no estimator ({type(error).__name__}: {error}); "
                "allowed a function that returns one"
            ) from None
        raise SetupError(
            f"found {self.path}, which makes an object of the type {type(made).__name__}; allowed "
            "an estimator by the convention of scikit-learn, with get_params and set_params"
        )


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that makes a candidate's estimator."""

    algorithm: str | None = None  # name of an algorithm of the catalogue
    # In its place, the steps of a pipeline; the last one predicts.
    steps: tuple[Blueprint, ...] = ()
    # Hyperparameters of the algorithm, or of the pipeline.
    options: Mapping[str, Any] = field(default_factory=dict)
    tuning: Tuning | None = None
    is_published: bool = False  # whether that is the published tuning of the algorithm
    # Whether the inputs are turned into a matrix first: numbers standardised, categories one-hot,
    # gaps filled; None for all but functions and objects with a preparation of their own.
    prepare: bool | None = True

    def __call__(self, task: Task, random_state: int) -> Any:
        """Return an unfitted estimator on data frames."""
        from reportgen.catalogue.candidates.preparation import InputMatrix

        estimator = self.bare(task, random_state)
        if self.is_published and self.algorithm:
            estimator = tunable(self.algorithm, estimator, task, random_state)
        preparation = InputMatrix() if self.prepare else None
        if self.tuning:
            from reportgen.catalogue.candidates.tuning import Tuned

            tuning = self.tuning
            kind: type[Tuned] = Tuned
            if tuning.is_halving:
                from reportgen.catalogue.candidates.tuning import Halved

                kind = Halved
            return kind(
                estimator,
                tuning.settings,
                preparation,
                tuning.folds,
                tuning.rule,
                tuning.measure,
                random_state,
                tuning.validation,
            )
        if preparation is None:
            return estimator
        from sklearn.pipeline import make_pipeline

        return make_pipeline(preparation, estimator)

    @property
    def given(self) -> Mapping[str, Any]:
        """All hyperparameters that are set, by their names in the bare estimator."""
        own = self.steps[0].hyperparameters if len(self.steps) == 1 else {}
        return {**own, **self.options}

    @property
    def paths(self) -> list[str]:
        """The import paths of its steps, and of estimators among their options."""
        return _paths([*self.steps, *_blueprints(list(self.options.values()))])

    def bare(self, task: Task, random_state: int) -> Any:
        """Return the estimator without preparation and tuning."""
        if self.algorithm is not None:
            estimator = ALGORITHMS[self.algorithm].make(task, random_state)
        else:
            estimator = self._imported()
        return seeded(estimator.set_params(**self.options), random_state)

    def _imported(self) -> Any:
        if len(self.steps) == 1:
            return self.steps[0].build()
        from sklearn.pipeline import make_pipeline

        return make_pipeline(*(step.build() for step in self.steps))


def seeded(estimator: Any, random_state: int) -> Any:
    """Give every part a random state, unless it has one, and no more than one job."""
    parameters = estimator.get_params(deep=True)
    given = {
        name: value
        for ending, value in ((RANDOM, random_state), (JOBS, 1))
        for name, present in parameters.items()
        if bare_name(name) == ending and (present is None) is (ending == RANDOM)
    }
    return estimator.set_params(**given)


def _built(value: Any) -> Any:
    if isinstance(value, Blueprint):
        return value.build()
    if isinstance(value, list | tuple):
        return type(value)(_built(item) for item in value)
    return value


def _blueprints(value: Any) -> list[Blueprint]:
    if isinstance(value, Blueprint):
        return [value]
    if isinstance(value, list | tuple):
        return [inner for item in value for inner in _blueprints(item)]
    return []


def _paths(blueprints: Iterable[Blueprint]) -> list[str]:
    """Return the import paths of blueprints and of those in their options."""
    found = []
    for one in blueprints:
        found += [one.path, *_paths(_blueprints(list(one.options.values())))]
    return found


def _check_path(path: str, packages: tuple[str, ...]) -> None:
    """Let nothing be imported but from packages that are allowed."""
    parts = path.split(".")
    is_plain = len(parts) > 1 and all(
        part.isascii() and part.isidentifier() and not part.startswith("_") for part in parts
    )
    if not is_plain:
        near = ", ".join(ALGORITHMS)
        raise SetupError(
            f"found the estimator {path!r}; allowed an import path such as sklearn.svm.SVC, or a "
            f"candidate of the catalogue: {near}"
        )
    if parts[0] not in packages:
        raise SetupError(
            f"found the estimator {path!r}; allowed are the packages {', '.join(packages)} "
            "(others are named under plugins, on the command line also allowed by --allow-plugins; "
            f"docs: {page_url('estimator.md#one-in-a-file-beside-the-manifest')})"
        )


def _named(path: str) -> Any:
    """Import a public class of a package; of others than scikit-learn a function or an object."""
    if path.partition(".")[0] in PACKAGES:
        return import_named(path, "class", _is_class)
    return import_named(path, "class, function or estimator", _makes_estimators)


def _is_class(found: Any) -> bool:
    return isclass(found) and not found.__name__.startswith("_")


def _makes_estimators(found: Any) -> bool:
    return _is_class(found) if isclass(found) else callable(found) or hasattr(found, "fit")


def _is_function(found: Any) -> bool:
    return not isclass(found) and not hasattr(found, "fit")


def _takes(found: Any, name: str) -> bool:
    """Whether a function has an argument of a name; no class and no object has."""
    if not _is_function(found):
        return False
    arguments = signature(found).parameters
    return name in arguments or any(a.kind is Parameter.VAR_KEYWORD for a in arguments.values())
