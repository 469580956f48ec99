"""Which side of a measure is better, by its name alone."""

from __future__ import annotations

import pytest

from reportgen.catalogue.measures import known_measure
from reportgen.catalogue.measures.directions import known_direction

LARGER = (
    "score accuracy auc r2 f1 precision recall kappa mcc likelihood reward test_score val_accuracy "
    "ROC_AUC roc_auc_score F1-score f1_macro top_5_accuracy ndcg@10 neg_mean_squared_error "
    "neg_log_loss balanced_accuracy R^2 logLik mean_test_score"
).split()
SMALLER = (
    "loss error time rmse mae logloss cost memory size val_loss test_error fit_time train_time_s "
    "peak_memory_mb model_size RMSE testRMSE error_rate brier_score neg_log_likelihood nll "
    "elapsed_seconds hinge_loss"
).split()
SILENT = (
    "zeal seed fold n_test test_size batch_size std_test_score rank_test_score accuracy_std "
    "accuracy_gap loss_ratio davies_bouldin_score log_score min train neg s"
).split()


@pytest.mark.parametrize(
    ("names", "side"), [(LARGER, "larger"), (SMALLER, "smaller"), (SILENT, None)]
)
def test_names_of_the_field(names: list[str], side: str | None) -> None:
    assert {name: known_direction(name) for name in names} == dict.fromkeys(names, side)


def test_the_catalogue_is_not_contradicted() -> None:
    from reportgen.catalogue.measures import _ALIASES, _MEASURES

    for name in (*_MEASURES, *_ALIASES):
        known = known_measure(name)
        assert known is not None
        assert known_direction(name) in (None, known.better), name


def test_scikit_learns_scorers_are_larger_when_better() -> None:
    from sklearn.metrics import get_scorer_names

    said = {name: known_direction(name) for name in get_scorer_names()}
    assert "smaller" not in said.values()
    assert sum(side == "larger" for side in said.values()) > len(said) / 2
