"""results.csv of the AutoML benchmark; the rows are those of its documentation, and failed ones.

The columns are those that its documentation and its Scoreboard name, in the old form (loss as it
is) and the new (neg_logloss), without some that are not read; the program wants a machine of its
own, so no file of it is here.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.importing import import_results
from reportgen.warehouse.files import METADATA, failures_in, write_performances

OLD = """\
id,task,framework,constraint,fold,result,metric,duration,info,acc,auc,balacc,logloss,mae,r2,rmse
3913,kc2,rf,test,0,0.865801,auc,3.2,,0.792453,0.865801,0.634199,0.350891,,,
3913,kc2,rf,test,1,0.86039,auc,3.0,,0.90566,0.86039,0.772727,0.406952,,,
59,iris,rf,test,0,0.126485,logloss,2.9,,0.933333,,0.933333,0.126485,,,
2295,cholesterol,rf,test,0,44.3352,rmse,3.0,,,,,,35.6783,-0.014619,44.3352
"""
NEW = """\
id,task,framework,constraint,fold,result,metric,duration,training_duration,predict_duration,seed,info
59,iris,flaml,1h8c,0,-0.5,neg_logloss,9.0,8.0,0.5,1,
59,iris,TPOT,1h8c,0,,neg_logloss,,,,1,NoResultError: <b>Interrupting thread MainThread
59,iris,H2O,1h8c,0,,,,,,1,"ValueError: x, y"
"""


def test_each_task_has_its_measure(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(OLD)
    warehouse = import_results([path])
    assert warehouse.datasets == ("cholesterol", "iris", "kc2")
    assert {m.name: m.better for m in warehouse.measures} == {
        "auc": "larger",
        "log-loss": "smaller",
        "rmse": "smaller",
        "time": "smaller",
    }
    assert warehouse.performances("kc2", "auc").values.tolist() == [[0.865801], [0.86039]]
    assert warehouse.performances("kc2", "auc").replications.tolist() == [1, 2]  # folds 0, 1
    assert warehouse.performances("iris", "auc").values.shape[0] == 0
    assert warehouse.performances("iris", "time").values.tolist() == [[2.9]]


def test_losses_get_their_sign_back_and_failures_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(NEW)
    warehouse = import_results([path])
    loss = warehouse.performances("iris", "log-loss")
    assert np.array_equal(loss.values, [[0.5, np.nan, np.nan]], equal_nan=True)
    assert loss.has_failed.tolist() == [[False, True, True]]
    assert {m.name for m in warehouse.measures} == {"log-loss", "fit-time", "predict-time"}
    assert warehouse.failures[["candidate", "status", "message"]].to_numpy().tolist() == [
        ["TPOT", "timed-out", "NoResultError: <b>Interrupting thread MainThread"],
        ["H2O", "failed", "ValueError: x, y"],
    ]


def test_constraints_tell_candidates_apart(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(OLD + OLD.splitlines()[1].replace(",test,", ",1h8c,") + "\n")
    assert import_results([path]).candidates == ("rf (1h8c)", "rf (test)")


def test_an_unknown_measure_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(OLD.replace(",auc,3", ",magic,3"))
    with pytest.raises(ExchangeError, match=r"'magic' of unknown(.|\n)*better: \"\?\?\?\""):
        import_results([path])


def test_a_task_without_results_has_the_measure_of_the_others(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    head = "task,framework,fold,result,auc,acc,info\n"
    lost = "dead,A,0,,,,OOM\ndead,B,0,,,,OOM\n"
    path.write_text(f"{head}adult,A,0,0.9,0.9,0.8,\nadult,B,0,0.7,0.7,0.8,\n{lost}")
    warehouse = import_results([path])
    assert [m.name for m in warehouse.measures] == ["auc"]
    assert np.isnan(warehouse.performances("dead", "auc").values).all()
    assert list(warehouse.failures["message"]) == ["OOM", "OOM"]
    path.write_text(f"{head}u,A,0,0.9,0.9,0.8,\nv,A,0,0.7,0.6,0.7,\n{lost}")
    with pytest.raises(ExchangeError, match="no results of the task 'dead'; allowed a column"):
        import_results([path])


def test_an_imported_file_knows_why_fits_failed(tmp_path: Path) -> None:
    path, output = tmp_path / "results.csv", tmp_path / "mine.parquet"
    path.write_text(NEW)
    warehouse = import_results([path])
    assert len(warehouse.failures) == 2
    write_performances(warehouse, output)
    pd.testing.assert_frame_equal(import_results([output]).failures, warehouse.failures)
    table = pq.read_table(output)
    part = tmp_path / "part.parquet"
    pq.write_table(table.filter(pc.not_equal(table["candidate"], "H2O")), part)
    assert list(import_results([part]).failures["message"]) == [warehouse.failures["message"][0]]


@pytest.mark.parametrize("told", ["[]", '{"dataset": [1]}', '{"dataset": ["iris"]}'])
def test_what_a_damaged_file_tells_of_failures_is_left_alone(told: str) -> None:
    assert failures_in({METADATA: f'{{"failures": {told}}}'.encode()}) is None
