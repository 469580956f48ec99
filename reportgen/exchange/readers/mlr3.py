"""The table of mlr3's bmr$score(): a row a resampling iteration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from reportgen.exchange.readers.fits import Fits, Format, all_fits, has, whole_numbers
from reportgen.exchange.table import RawTable
from reportgen.performance_measure import Better, Measure

SAME: Mapping[str, str] = MappingProxyType(
    {
        "classif.ce": "misclassification",
        "classif.acc": "accuracy",
        "classif.bacc": "balanced-accuracy",
        "classif.bbrier": "brier",
        "classif.logloss": "log-loss",
        "classif.auc": "auc",
        "regr.mse": "mse",
        "regr.rmse": "rmse",
        "regr.mae": "mae",
        "regr.medae": "median-absolute-error",
        "regr.rsq": "r2",
        "time_train": "fit-time",
        "time_predict": "predict-time",
        "time_both": "time",
    }
)
"""Our name for measures that are ours as well."""
SMALLER = (
    "classif.costs classif.mbrier classif.fdr classif.fn classif.fnr classif.fomr classif.fp "
    "classif.fpr regr.mape regr.maxae regr.medse regr.msle regr.pinball regr.rae regr.rmsle "
    "regr.rrse regr.rse regr.sae regr.smape regr.sse"
).split()
LARGER = (
    "classif.dor classif.fbeta classif.mauc_au1p classif.mauc_au1u classif.mauc_aunp "
    "classif.mauc_aunu classif.mauc_mu classif.mcc classif.npv classif.ppv classif.prauc "
    "classif.precision classif.recall classif.sensitivity classif.specificity classif.tn "
    "classif.tnr classif.tp classif.tpr regr.ktau regr.srho"
).split()
"""By the property `minimize` in mlr3's reference; measures of both lists keep their names."""
MEASURE = re.compile(r"(classif|regr|clust|surv|dens)\..+")
KEYS = ("task_id", "learner_id")


def _read(table: RawTable) -> Fits:
    if "iteration" not in table.columns:
        raise table.error(
            "means over the iterations (no column iteration)",
            "a row an iteration, as bmr$score() gives it",
        )
    names = {c: c for c in table.columns if c in SAME or MEASURE.fullmatch(c)}
    numeric = {c: c for c in names if table.is_numeric(c)}
    if not numeric:
        raise table.error("no column of a measure", "columns such as classif.ce, regr.mse")
    return Fits(
        table.labels("task_id"),
        table.labels("learner_id"),
        whole_numbers(table, "iteration"),
        np.arange(table.n_rows),
        all_fits(table, numeric),
        _measures(),
    )


def _measures() -> dict[str, Measure]:
    from reportgen.catalogue.measures import known_measure

    ours = {name: known_measure(same) for name, same in SAME.items()}
    sides: tuple[tuple[list[str], Better], ...] = ((SMALLER, "smaller"), (LARGER, "larger"))
    own = {name: Measure(name, side) for names, side in sides for name in names}
    return {**{name: measure for name, measure in ours.items() if measure}, **own}


FORMATS = (Format("mlr3", "task_id, learner_id, iteration", "mlr3", has(*KEYS), _read),)
