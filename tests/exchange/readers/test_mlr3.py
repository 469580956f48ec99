"""mlr3's score table, written by hand from mlr3's reference: R's mlr3 is not at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.importing import import_results

SCORED = """\
nr,task_id,learner_id,resampling_id,iteration,classif.ce,classif.mcc,regr.bias
1,sonar,classif.rpart,cv,1,0.3,0.4,
1,sonar,classif.rpart,cv,2,0.2,0.5,
"""


def test_directions_are_those_of_its_reference(tmp_path: Path) -> None:
    path = tmp_path / "bmr.csv"
    path.write_text(SCORED)
    warehouse = import_results([path])  # regr.bias holds no number, and is no measure here
    assert {m.name: m.better for m in warehouse.measures} == {
        "misclassification": "smaller",
        "classif.mcc": "larger",
    }


def test_a_measure_without_a_better_side_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "bmr.csv"
    path.write_text(SCORED.replace("0.4,", "0.4,1").replace("0.5,", "0.5,-1"))
    with pytest.raises(ExchangeError, match=r"'regr\.bias' of unknown direction"):
        import_results([path])


def test_means_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bmr.csv"
    path.write_text("nr,task_id,learner_id,iters,classif.ce\n1,sonar,classif.rpart,10,0.3\n")
    with pytest.raises(ExchangeError, match=r"means over the iterations .*bmr\$score\(\)"):
        import_results([path])


def test_an_iteration_has_a_number_that_can_be_told_from_others(tmp_path: Path) -> None:
    path = tmp_path / "bmr.csv"
    path.write_text(SCORED.replace("cv,2,", "cv,1e300,"))
    with pytest.raises(ExchangeError, match=r"row 3, column iteration: found 1e.300; allowed"):
        import_results([path])
