"""The grammar of designs names the schemes and assessments that there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from reportgen.study.resampling import ALLOWED
from reportgen.study.schema.resampling import Assessment, NamedScheme

PAGE = Path(__file__).parents[2] / "docs" / "designs.md"


@pytest.mark.parametrize(
    ("symbol", "names"),
    [
        ("scheme", {*get_args(NamedScheme), "fresh"}),
        ("assessment", {*get_args(Assessment)}),
        ("problem", {*ALLOWED}),
    ],
)
def test_a_rule_of_the_grammar_has_all_names_that_the_program_knows(
    symbol: str, names: set[str]
) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (rule,) = re.findall(rf"^{symbol} += (.*?) ;", text, re.MULTILINE | re.DOTALL)
    assert set(re.findall(r'"([^"]+)"', rule)) == names
