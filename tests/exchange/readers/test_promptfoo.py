"""The JSON of promptfoo, to its documented types EvaluateSummary and EvaluateResult."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.importing import import_results
from reportgen.exchange.tidy import read_results


def result(provider: str, test: int, success: bool, **more: Any) -> dict[str, Any]:
    return {
        "provider": {"id": provider, "label": ""},
        "promptIdx": 0,
        "testIdx": test,
        "prompt": {"raw": "Say {{word}}", "label": "Say {{word}}"},
        "vars": {"word": f"w{test % 2}"},
        "testCase": {"vars": {"word": f"w{test % 2}"}, "assert": [{"type": "equals"}]},
        "success": success,
        "score": 0.5 + success / 2,
        "namedScores": {"tone": 0.25},
        "latencyMs": 250,
        "cost": 0.001,
        "failureReason": 0 if success else 1,
    } | more


def write(path: Path, results: list[Any]) -> Path:
    content = {"evalId": "e", "results": {"version": 3, "results": results, "stats": {}}}
    path.write_text(json.dumps({**content, "config": {"description": "words"}}))
    return path


def test_providers_and_repeated_runs(tmp_path: Path) -> None:
    """Tests 0 and 2 have the same variables and assertions: they are runs of one item."""
    lost = {"failureReason": 2, "error": "API error: 429"}
    rows = [result("a", t, t > 0) for t in range(4)]
    rows += [result("b", t, True, **(lost if t == 3 else {})) for t in range(4)]
    warehouse = read_results(write(tmp_path / "out.json", rows))
    assert (warehouse.datasets, warehouse.candidates) == (("words",), ("a", "b"))
    names = [m.name for m in warehouse.measures]
    assert names == ["success", "score", "tone", "time", "cost"]
    found = warehouse.performances("words", "success")
    assert found.measure.unit_symbol == "share"
    np.testing.assert_array_equal(found.values, [[0.5, 1], [1, 1]])
    runs = warehouse.run_values("words", "success")
    np.testing.assert_array_equal(runs, [[[0, 1], [1, 1]], [[1, 1], [1, np.nan]]])
    assert warehouse.items["epoch"].tolist() == [2, 2]
    assert warehouse.items["item"].nunique() == 2
    assert warehouse.failures["message"].tolist() == ["run 2: API error: 429"]
    assert warehouse.performances("words", "time").values[0].tolist() == [0.25, 0.25]


def test_files_apart_are_aligned_by_their_tests(tmp_path: Path) -> None:
    """Whatever their numbers in each file."""
    one = write(tmp_path / "a.json", [result("a", t, t == 1) for t in (0, 1)])
    two = write(tmp_path / "b.json", [result("b", t, t == 3) for t in (3, 2)])
    found = import_results([one, two]).performances("words", "success")
    assert found.values.tolist() == [[0, 0], [1, 1]]


def test_prompts_are_candidates(tmp_path: Path) -> None:
    rows = [result("a", 0, True), result("a", 0, False, prompt={"label": "Whisper"}, promptIdx=1)]
    found = read_results(write(tmp_path / "out.json", rows))
    assert found.candidates == ("a (Say {{word}})", "a (Whisper)")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"provider": {}}, "result 2: found the provider a mapping; allowed an id"),
        ({"success": "yes"}, "success: found 'yes'; allowed true or false"),
        ({"vars": {}, "testCase": {}, "testIdx": None}, "without vars and testIdx"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ExchangeError, match=message):
        read_results(
            write(tmp_path / "o.json", [result("a", 0, True), result("a", 1, True) | change])
        )


def test_other_entries(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match="other than mappings"):
        read_results(write(tmp_path / "o.json", [result("a", 0, True), 3]))
