from __future__ import annotations

import json
import math
import re
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from reportgen.errors import RenderingError
from reportgen.rendering import results_json
from reportgen.rendering.results_json import SCHEMA_FILE, plain
from reportgen.report import Report
from reportgen.stats.pairs.paired_max_t import paired_max_t
from tests.schemas import results

SCHEMA: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))


def part(name: str) -> jsonschema.Draft202012Validator:
    """Return a validator of one of the schema's definitions."""
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


def test_every_reference_of_the_schema_leads_somewhere() -> None:
    names = set(re.findall(r'"\$ref": "#/\$defs/([^"]+)"', SCHEMA_FILE.read_text("utf-8")))
    assert names <= {*SCHEMA["$defs"]}
    assert len(names) > 30


def test_numbers_keep_all_digits_and_infinite_ones_are_null(report: Report, tmp_path: Path) -> None:
    content = report.contents[0]
    means = {"a": 1 / 3, "b": math.nan, "c": np.float64(0.1), "d": -math.inf}
    changed = replace(content, result=replace(content.result, means=means))
    path = results_json.render(replace(report, contents=(changed,)), tmp_path / "results.json")[0]
    found = json.loads(path.read_text(encoding="utf-8"))["sections"]["toy"]["monks"]
    assert found == {
        "means": {"a": 1 / 3, "b": None, "c": 0.1, "d": None},
        "order": [["svm"], ["rf", "lda"]],
    }


def test_results_of_the_study_stand_under_their_section(report: Report) -> None:
    contents = (replace(report.contents[0], name="whole", dataset=None),)
    found = results(replace(report, contents=contents))["sections"]
    assert found["whole"]["means"]["svm"] == 0.01


def test_design_has_the_keys_that_scripts_rely_on(many: Report) -> None:
    design = results(many)["design"]
    assert design["datasets"][2] == "set 2"
    assert design["candidates"] == ["svm", "rf", "lda"]
    assert design["measures"] == [
        {
            "name": "misclassification",
            "better": "smaller",
            "unit": "share",
            "bounds": [0.0, 1.0],
            "scale": None,
        }
    ]
    assert design["replications"]["set 6"] == 25


@pytest.mark.slow
def test_results_fit_the_schema(report: Report, many: Report, hostile: Report) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for each in (report, many, hostile):
        validator.validate(results(each))


def test_the_same_report_gives_the_same_bytes(hostile: Report, tmp_path: Path) -> None:
    one, two = (results_json.render(hostile, tmp_path / n)[0].read_bytes() for n in "ab")
    assert one == two


def test_arrays_scalars_and_mappings_become_plain() -> None:
    value = OrderedDict(a=np.arange(4).reshape(2, 2), b=np.bool_(True), c=np.int64(3), d={2, 1})
    assert plain(value) == {"a": [[0, 1], [2, 3]], "b": True, "c": 3, "d": [1, 2]}


@pytest.mark.parametrize("value", [object(), {(1, 2): 3}, {None: 1}, 1j])
def test_what_json_has_no_word_for_is_an_error(value: object) -> None:
    with pytest.raises(RenderingError, match=r"results\.json: found .*; allowed"):
        plain(value)


def test_enumerations_of_the_contract_are_all_there_is() -> None:
    """Nothing is taken away; what is new comes from the program (`tests/test_docs.py`)."""
    defs = SCHEMA["$defs"]
    assert set(defs["target"]["enum"]) >= {
        *("conditional", "generating-process", "domain", "these-sources"),
        *("items-like-these", "these-tasks"),
    }
    assert set(defs["decision"]["enum"]) == {
        *("better-relevant", "better", "equivalent"),
        *("undecided", "worse", "worse-relevant"),
    }
    assert set(defs["method"]["enum"]) >= {
        *("own-variance", "own-variance-bonferroni", "families", "sources", "wins"),
        *("tukey", "tukey-kramer", "max-t", "bonferroni"),
        *("dunnett", "sign-flip", "new-data", "permutation-t", "closed-means"),
        "signed-rank-holm",
        *("joint-ranks", "closed-ranks", "aligned-ranks"),
        *("score", "cluster-robust", "task-means", "mcnemar", "mcnemar-mid-p"),
        *("cluster-sign-flip", "welch", "brunner-munzel", "bootstrap-ratio"),
    }
    assert set(defs["order"]["properties"]["order_class"]["enum"]) == {
        *("linear", "weak", "semiorder", "interval", "partial", "none")
    }


PAIR = {
    **{"first": "a", "second": "b", "estimate": 0.1, "lower": 0.0, "upper": 0.2, "p_value": 0.1},
    **{"standard_error": 0.1, "statistic": 1.0, "df": None, "adjusted_p_value": 0.2},
    **{"method": "own-variance", "target": "conditional", "scale": "difference"},
    **{"significant": False, "decision": "undecided"},
}


@pytest.mark.parametrize(
    "change",
    [{"target": "everything"}, {"method": "t"}, {"decision": "draw"}, {"lower": "0"}, {"first": 1}],
)
def test_a_pair_outside_the_contract_does_not_fit(change: dict[str, object]) -> None:
    assert part("pair").is_valid(PAIR)
    assert not part("pair").is_valid(PAIR | change)


@pytest.mark.parametrize("key", ["target", "decision", "adjusted_p_value", "lower", "scale"])
def test_a_pair_lacks_nothing(key: str) -> None:
    assert not part("pair").is_valid({k: v for k, v in PAIR.items() if k != key})


@pytest.mark.parametrize("name", ["inference", "domain_verdict"])
def test_many_pairs_may_lie_in_a_file_of_their_own(name: str) -> None:
    keys = SCHEMA["$defs"][name]["properties"]
    rows = jsonschema.Draft202012Validator({**keys["pairs"], "$defs": SCHEMA["$defs"]})
    assert keys["pairs_file"]["type"] == "string"
    assert rows.is_valid(None)
    assert rows.is_valid([PAIR])
    assert not rows.is_valid([PAIR | {"decision": "draw"}])
    assert "pairs_file" not in SCHEMA["$defs"][name]["required"]


def test_relations_and_their_classes() -> None:
    order = {"chain": None, "incidence": [[0, 1], [0, 0]], "order_class": "partial", "best": ["a"]}
    assert part("order").is_valid(order)
    assert not part("order").is_valid(order | {"order_class": "total"})
    assert not part("order").is_valid(order | {"incidence": [[0, "1"], [0, 0]]})
    assert set(order) == set(SCHEMA["$defs"]["order"]["required"])


@pytest.mark.parametrize(
    "value", [{}, [], [[]], [{}], {"a": []}, {"ü\n": [1, [2, None]]}, "x", 0.1, [True, "</script>"]]
)
def test_what_is_written_is_read_again(value: object) -> None:
    assert json.loads(results_json.format_json(value)) == value


@pytest.mark.parametrize("value", [math.nan, [1, None, math.inf], {"a": [[0.5, -math.inf]]}])
def test_numbers_that_json_lacks_are_never_written(value: object) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        results_json.format_json(value)
    assert "null" in results_json.format_json(plain(value))


def test_lists_of_one_kind_of_items_become_plain_as_single_items_do() -> None:
    items = [1, 2.5, None, True, "nan", math.inf, np.float64("nan"), np.int64(3), (1, math.nan)]
    arrays = [np.array([[1.0, math.inf]]), np.array([True]), np.array(["a"]), np.array([None, 2])]
    for sequence in (items, tuple(items), *([item, item] for item in items), *arrays):
        assert plain(sequence) == [plain(item) for item in sequence]


def test_every_key_and_every_row_has_a_line() -> None:
    matrix = [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    assert results_json.format_json({"k": 1, "m": matrix}).splitlines() == [
        "{",
        ' "k": 1,',
        ' "m": [',
        "  [0, 1, 1],",
        "  [0, 0, 1],",
        "  [0, 0, 0]",
        " ]",
        "}",
    ]


def test_a_table_of_pairs_is_written_as_its_rows_are() -> None:
    """By column: the fields of a pair that belong into results, in their order."""
    values = np.random.default_rng(1).normal(size=(20, 4)) + np.array([0, 0.2, 2, 4])
    values[:, 1] = values[:, 0]  # no statistic
    bare = paired_max_t(values, 0.05, np.random.default_rng(1))
    named = bare.named(("svm", "rf", "lda", "knn"), "conditional").decided((-0.5, 0.5))
    for table in (bare, named):
        rows = plain(table)
        assert rows == [plain(pair) for pair in table]
        assert [list(row) for row in rows] == [list(plain(pair)) for pair in table]
        assert None in [row["statistic"] for row in rows]
