"""Performance measures: their names, directions and units; `formulas` compute them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from reportgen.catalogue.measures import formulas
from reportgen.catalogue.measures.directions import without_sample
from reportgen.catalogue.measures.prediction import ComputedMeasure
from reportgen.catalogue.measures.prediction import Prediction as Prediction
from reportgen.catalogue.names import unknown_name
from reportgen.catalogue.plugins import MEASURES, edition, find_entry_points, load
from reportgen.errors import SetupError
from reportgen.measures import KNOWN_MEASURES, Kind
from reportgen.performance_measure import RATIO_UNITS, Measure


def known_measure(name: str) -> Measure | None:
    """Return the measure of a name or an import alias, if any.

    Upper and lower case, underscores and blanks make no difference.

    Examples
    --------
    >>> known_measure("Misclassification").name
    'misclassification'
    >>> known_measure("mtime").name
    'fit-time'
    >>> known_measure("cost") is None
    True
    """
    key = _normal(name)
    known = KNOWN_MEASURES.get(_ALIASES.get(key, key))
    return known.measure if known else None


def measure_kind(measure: Measure) -> Kind | None:
    """Return what scale a measure has over data sets; None where nothing says so.

    `measure`: its name is one of the catalogue or of another program, its unit or its bounds say
    more.

    Examples
    --------
    >>> measure_kind(Measure("RMSE")), measure_kind(Measure("auc")), measure_kind(Measure("gain"))
    ('response', 'common', None)
    >>> measure_kind(Measure("test_rmse")), measure_kind(Measure("val/acc"))
    ('response', 'common')
    """
    key = _normal(measure.name)
    bare = without_sample(measure.name)
    own, inner = _ALIASES.get(key, key), bare if bare in OF_ANYTHING else _ALIASES.get(bare, bare)
    if own in _FORMULAS:
        return _FORMULAS[own].kind
    if measure.unit_symbol in RATIO_UNITS:
        return "cost"
    if any(name.removeprefix("neg-") in RESPONSE_LOSSES for name in (own, inner)):
        return "response"
    if inner in _FORMULAS and not measure.unit_symbol:
        return _FORMULAS[inner].kind
    is_common = measure.unit_symbol == "share" or None not in measure.bounds
    return "common" if is_common or own in ONE_SCALE or inner in ONE_SCALE else None


def find_measure(name: str, packages: Sequence[str] = ()) -> ComputedMeasure:
    """Return the measure of that name with its formula.

    A name that is no measure of the catalogue may be that of one of
    scikit-learn's scorers. Ours come first: accuracy, balanced_accuracy, f1
    (averaged over the classes, as f1_macro is), r2, roc_auc. Then come those that
    other packages bring by the entry point group `reportgen.measures`.

    `packages`: packages whose measures may be loaded.
    Raises SetupError if the name is unknown, or its package may not be loaded.

    Examples
    --------
    >>> find_measure("misclassification").measure.better
    'smaller'
    >>> find_measure("matthews_corrcoef").measure.better
    'larger'
    """
    measure = known_measure(name)
    if measure is not None:
        return _FORMULAS[measure.name]
    theirs = find_entry_points(MEASURES)
    if name in theirs:
        return _brought(name, load(MEASURES, name, packages))
    from reportgen.catalogue.measures.scorers import find_scorer, scorer_names

    scorer = find_scorer(name)
    if scorer is None:
        known, more = (*_FORMULAS, *theirs), ("any scorer of scikit-learn",)
        raise unknown_name("measure", name, known, scorer_names(), more)
    return scorer


def _brought(name: str, measure: object) -> ComputedMeasure:
    """Return a measure that a package brings, under its name there."""
    if not isinstance(measure, ComputedMeasure):
        raise SetupError(
            f"found {type(measure).__name__} as the measure {name!r} of a package; allowed a "
            "ComputedMeasure"
        )
    own = replace(measure.measure, name=name, better_source="package")
    return replace(measure, measure=own, edition=edition(MEASURES, name))


def _normal(name: str) -> str:
    plain = name.strip().lower().removesuffix("(s)").removesuffix("[s]").strip()
    return plain.replace("_", "-").replace(" ", "-")


OF_ANYTHING = ("error", "err")
"""Names of measures that are no shares for sure: an error of 12.5 is also one of a regression."""
RESPONSE_LOSSES = frozenset(
    {
        *(name for name, known in KNOWN_MEASURES.items() if known.kind == "response"),
        *("mean-squared-error", "root-mean-squared-error", "mean-absolute-error"),
        *("max-error", "pinball", "mean-pinball-loss", "pinball-loss", "crps", "mad", "sse", "rss"),
    }
)
"""Names of losses in the unit of the response, here and in other programs."""
ONE_SCALE = frozenset(
    {
        *("kappa", "cohen-kappa", "matthews-corrcoef", "mcc", "r-squared", "rsq"),
        *("explained-variance", "neg-log-loss", "neg-brier-score", "brier-score", "cross-entropy"),
        *("mean-squared-log-error", "root-mean-squared-log-error", "msle", "rmsle", "log-mse"),
        *("mape", "mean-absolute-percentage-error", "smape", "mase", "nrmse", "nmse"),
    }
)
"""Names of measures that have one scale everywhere: scores, losses of logarithms and losses that
are divided by the level or the spread of the response."""

_FORMULAS = MappingProxyType(
    {
        name: ComputedMeasure(
            known.measure,
            getattr(formulas, name.replace("-", "_")),
            known.task,
            needs_probabilities=known.needs_probabilities,
            needs_memory=known.needs_memory,
            needs_predict_memory=known.needs_predict_memory,
            kind=known.kind,
        )
        for name, known in KNOWN_MEASURES.items()
    }
)
_ALIASES = MappingProxyType(
    {alias: name for name, known in KNOWN_MEASURES.items() for alias in known.aliases}
)
