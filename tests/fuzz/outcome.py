"""What a command may end with: an answer that makes sense, or a refusal that says where and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from hypothesis import currently_in_test_context, event

from reportgen.cli import main
from reportgen.errors import FindingError, ReportgenError
from reportgen.study.errors import is_one_line
from tests.schemas import validator_of

REFUSED, FAILED = ReportgenError.exit_code, FindingError.exit_code
ROUNDING = 1e-9  # relative: estimates and limits are sums in different orders
WORDS = (("found ", "; allowed "),)
"""What a refusal says of what was found, and of what is allowed."""
ORDERS = (
    ("lower", "estimate", "upper"),
    ("min", "lower_quartile", "median", "upper_quartile", "max"),
    ("min", "mean", "max"),
)
"""Keys whose numbers ascend where an entry has them all."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended.

    Attributes
    ----------
    exit_code : int
    output : str
    refusal : str
        The error, "" where there is none.
    told : str
        All that goes to standard error.
    """

    exit_code: int
    output: str
    refusal: str
    told: str


def command(*arguments: object, places: Iterable[str], failing: bool = False) -> Outcome:
    """Run the command line in this process, and look at what it says.

    Parameters
    ----------
    arguments
        Of the command line.
    places : iterable of str
        Names of files, keys, or names, of which a refusal has to say one.
    failing : bool
        Whether an answer may be that a claim does not hold.
    """
    found = CliRunner().invoke(main, [*map(str, arguments)])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    _, begin, refusal = found.stderr.partition("reportgen: ")
    outcome = Outcome(found.exit_code, found.stdout, refusal if begin else "", found.stderr)
    if currently_in_test_context():
        event("an answer" if outcome.exit_code == 0 else "a refusal")
    assert "Traceback" not in found.output
    allowed = (0, REFUSED, FAILED) if failing else (0, REFUSED)
    assert outcome.exit_code in allowed, found.output
    assert bool(outcome.refusal) == (outcome.exit_code != 0), found.output
    if outcome.exit_code == REFUSED:
        check_refusal(outcome.refusal, places)
    return outcome


def check_refusal(text: str, places: Iterable[str]) -> None:
    """Check that a refusal says where, what was found, and what is allowed."""
    assert any(place in text for place in places), text
    assert any(found in text and allowed in text for found, allowed in WORDS), text
    assert all(map(is_one_line, text.split("\n"))), repr(text)
    assert len(text) < 20_000, text[:1000]


def answer(folder: Path) -> dict[str, Any]:
    """Return the results.json of a folder; its numbers make sense."""
    text = (folder / "results.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text, parse_constant=_refuse_constant)
    check_answer(found)
    return found


def check_answer(found: dict[str, Any]) -> None:
    """Check results.json against its schema, and its numbers against what they can be."""
    error = next(validator_of().iter_errors(found), None)
    assert error is None, (list(error.absolute_path), error.message[:500])
    for place, entry in entries(found):
        wrong = _wrong_numbers(entry)
        assert not wrong, (place, wrong)


def entries(tree: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every mapping in a tree of lists and mappings, with its place."""
    if isinstance(tree, dict):
        yield place, tree
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, inner in parts:
        if isinstance(inner, dict | list):
            yield from entries(inner, (*place, str(key)))


def leaves(tree: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every value in a tree of lists and mappings, with its place."""
    if isinstance(tree, dict | list):
        for key, inner in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from leaves(inner, (*place, str(key)))
    else:
        yield place, tree


def _wrong_numbers(entry: dict[str, Any]) -> dict[str, Any]:
    """Return what cannot be among the numbers of an entry."""
    wrong = {
        key: x
        for key, x in entry.items()
        if isinstance(x, float | int)
        and not isinstance(x, bool)
        and (
            (key.endswith("p_value") and not key.startswith("log10") and not 0 <= x <= 1)
            or (key in ("sd", "standard_error", "variance", "n") and x < 0)
            or (key == "mean_rank" and x < 1)
        )
    }
    p, adjusted = entry.get("p_value"), entry.get("adjusted_p_value")
    if isinstance(p, float) and isinstance(adjusted, float) and adjusted < p * (1 - 1e-6) - 1e-9:
        wrong |= {"p_value": p, "adjusted_p_value": adjusted}
    for keys in ORDERS:
        numbers = [entry[key] for key in keys if key in entry]
        if len(numbers) < len(keys) or any(not isinstance(x, float | int) for x in numbers):
            continue
        slack = ROUNDING * max(map(abs, numbers))
        if any(x > y + slack for x, y in pairwise(numbers)):
            wrong |= dict(zip(keys, numbers, strict=True))
    return wrong


def _refuse_constant(name: str) -> None:
    raise AssertionError(f"results.json has {name}, which is no JSON")
