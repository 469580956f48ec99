"""The job folders of Harbor, to its classes TrialResult, VerifierResult and ExceptionInfo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.tidy import read_results


def write(job: Path, task: str, trial: int, reward: float | None, **more: Any) -> None:
    content = {
        "task_name": task,
        "trial_name": f"{task}__{trial}",
        "source": "terminal-bench",
        "agent_info": {"name": "terminus", "model_info": {"name": "big", "provider": "org"}},
        "agent_result": {"n_input_tokens": 9, "n_output_tokens": 1, "cost_usd": 0.5},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": None,
        "started_at": "2026-01-01T00:00:00Z",
        "finished_at": "2026-01-01T00:01:30Z",
    } | more
    folder = job / f"{task}__{trial}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "result.json").write_text(json.dumps(content))


def test_a_job(tmp_path: Path) -> None:
    """A limit is a wrong answer, also where the verifier passed; another exception loses it."""
    (tmp_path / "result.json").write_text('{"id": "job", "n_total_trials": 4}')
    limit = {"exception_info": {"exception_type": "AgentTimeoutError"}}
    fault = {
        "exception_info": {"exception_type": "EnvironmentStartError", "exception_message": "x"}
    }
    write(tmp_path, "hello", 1, 1.0)
    write(tmp_path, "hello", 2, 1.0, **limit)
    write(tmp_path, "maze", 1, None, **limit)
    write(tmp_path, "maze", 2, None, **fault)
    other = {"agent_info": {"name": "oracle"}}
    write(tmp_path / "two", "hello", 1, 0.5, **other)
    warehouse = read_results(tmp_path)
    assert warehouse.datasets == ("terminal-bench",)
    assert warehouse.candidates == ("oracle", "terminus (org/big)")
    nan = np.nan
    found = warehouse.run_values("terminal-bench", "reward")
    np.testing.assert_array_equal(found, [[[0.5, 1], [nan, 0]], [[nan, 0], [nan, nan]]])
    means = warehouse.performances("terminal-bench", "reward").values
    np.testing.assert_array_equal(means, [[0.5, 0.5], [nan, 0]])
    assert warehouse.items["item"].astype(str).tolist() == ["hello", "maze"]
    assert warehouse.items["epoch"].tolist() == [2, 2]
    assert warehouse.failures["message"].tolist() == ["run 2: EnvironmentStartError x"]
    assert warehouse.performances("terminal-bench", "time").values[0].tolist() == [90, 90]
    assert warehouse.performances("terminal-bench", "tokens").values[0].tolist() == [10, 10]


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    write(tmp_path, "hello", 1, 1.0, agent_info=None)
    with pytest.raises(ExchangeError, match=r"agent_info\.name: found nothing; allowed text"):
        read_results(tmp_path)
    write(tmp_path, "hello", 1, 1.0, started_at=5)  # costs may be unknown
    assert [m.name for m in read_results(tmp_path).measures] == ["reward", "tokens", "cost"]
    (tmp_path / "hello__1" / "result.json").write_text('{"task_name": ')
    with pytest.raises(ExchangeError, match="found no JSON"):
        read_results(tmp_path)
