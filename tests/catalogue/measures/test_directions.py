"""Which side of a measure is better, by its name alone."""

from __future__ import annotations

import pytest

from reportgen.catalogue.measures import known_measure
from reportgen.catalogue.measures.directions import known_direction

LARGER = (
    "score accuracy auc r2 f1 precision recall kappa mcc likelihood reward test_score val_accuracy "
    "ROC_AUC roc_auc_score F1-score f1_macro top_5_accuracy ndcg@10 neg_mean_squared_error "
    "neg_log_loss balanced_accuracy R^2 logLik mean_test_score mAP mIoU PSNR MOS HR@10 P@1 "
    "final_return tokens_per_s predictive_accuracy Prec. fps chrF map@0.5"
).split()
SMALLER = (
    "loss error time rmse mae logloss cost memory size val_loss test_error fit_time train_time_s "
    "peak_memory_mb model_size RMSE testRMSE error_rate brier_score neg_log_likelihood nll "
    "elapsed_seconds hinge_loss HD95 par10 RMSSE FID timetrain mean_per_class_error time_taken"
).split()
SILENT = (
    "zeal seed fold n_test test_size batch_size std_test_score rank_test_score accuracy_std "
    "accuracy_gap loss_ratio davies_bouldin_score log_score min train neg s score_ms score_s "
    "map_size return_code filter"
).split()


@pytest.mark.parametrize(
    ("names", "side"), [(LARGER, "larger"), (SMALLER, "smaller"), (SILENT, None)]
)
def test_names_of_the_field(names: list[str], side: str | None) -> None:
    assert {name: known_direction(name) for name in names} == dict.fromkeys(names, side)


def test_the_catalogue_is_not_contradicted() -> None:
    from reportgen.measures import KNOWN_MEASURES

    aliases = (alias for known in KNOWN_MEASURES.values() for alias in known.aliases)
    for name in (*KNOWN_MEASURES, *aliases):
        known = known_measure(name)
        assert known is not None
        assert known_direction(name) in (None, known.better), name


def test_scikit_learns_scorers_are_larger_when_better() -> None:
    from sklearn.metrics import get_scorer_names

    said = {name: known_direction(name) for name in get_scorer_names()}
    assert "smaller" not in said.values()
    assert sum(side == "larger" for side in said.values()) > len(said) / 2


@pytest.mark.parametrize(
    "name",
    [
        "1-AUC",
        "1 - accuracy",
        "1 \u2212 AUC",
        "(1-AUC)",
        "100-acc",
        "AUC (1-)",
        "-accuracy",
        "1 - R\u00b2",
    ],
)
def test_what_is_subtracted_turns_round(name: str) -> None:
    assert known_direction(name) == "smaller"
    assert known_direction(f"1 - ({name})" if "(" not in name else f"-{name}") in ("larger", None)


@pytest.mark.parametrize(
    "name", ["-loss", "- log loss", "-rmse", "1 - error", "neg_loss", "loss (-)"]
)
def test_losses_that_are_subtracted_are_gains(name: str) -> None:
    assert known_direction(name) == "larger"


@pytest.mark.parametrize(
    "name",
    [
        "error*(-1)",
        "1/rmse",
        "rmse^-1",
        "error/100",
        "\u0394accuracy",
        "accuracy+",
        "accuracy \u2193",
        "error \u2191",
    ],
)
def test_other_arithmetic_is_asked_for(name: str) -> None:
    assert known_direction(name) is None


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("accuracy \u2191", "larger"),
        ("loss \u2193", "smaller"),
        ("zeal \u2191", "larger"),
        ("zeal\u2193", "smaller"),
        ("val/acc", "larger"),
        ("test - accuracy", "larger"),
        ("Accuracy [%]", "larger"),
        ("R^2", "larger"),
        ("top-1 accuracy", "larger"),
        ("top5_error", "smaller"),
    ],
)
def test_signs_that_do_not_compute(name: str, side: str) -> None:
    assert known_direction(name) == side
