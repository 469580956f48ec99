"""The outcomes of expectations in words: a line a claim, and one for all."""

from __future__ import annotations

from reportgen.claims.result import ClaimTest, ExpectationsResult, Family
from reportgen.claims.words import contrast_words, count_words, family_words, found_words
from reportgen.rendering.tables import cell_text, format_cells
from reportgen.sections.expectations.tables import tabulate_claims
from reportgen.targets import TARGETS, target_words


def lines_of(result: ExpectationsResult) -> tuple[str, ...]:
    """Write a line a claim: its outcome, the claim, and the numbers behind it."""
    width = max(len(gate.claim) for gate in result.gates)
    return tuple(
        f"{gate.outcome:<9}  {gate.claim:<{width}}  {numbers}".rstrip()
        for gate, numbers in zip(result.gates, details_of(result), strict=True)
    )


def details_of(result: ExpectationsResult) -> tuple[str, ...]:
    """Write behind each claim what was found."""
    table = tabulate_claims(result)  # first − second, first / second
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, map(cell_text, row), strict=True)) for row in format_cells(table)]
    return tuple(
        _detail(gate, row, result.family) for gate, row in zip(result.gates, rows, strict=True)
    )


def _detail(gate: ClaimTest, row: dict[str, str], family: Family) -> str:
    """Write a claim's contrast with its interval, and why it is undecided."""
    contrast, parts = gate.deciding, list[str]()
    if contrast is not None and contrast.estimate is not None:
        unit = "" if row["unit"] in ("ratio", "–") else f" {row['unit']}"
        where = "over all data sets" if gate.dataset is None else f"on {gate.dataset}"
        if not TARGETS[contrast.target].is_shown:
            where += f" {target_words(contrast.target)}"
        kind = "mean" if contrast.second is None else "pair"
        label = family_words(family, alone=kind if contrast.is_open else "")
        bounds = f" ({label}: {row['interval']})" if contrast.lower is not None else ""
        number = f"{row['estimate']}{unit}{bounds}"
        parts.append(f"{gate.measure} {where}: {contrast_words(contrast)} = {number}")
    if words := found_words(gate):
        parts.append(words)
    return "; ".join(parts)


def summary_of(result: ExpectationsResult) -> str:
    """Write how many claims have which outcome, and how often that errs."""
    warned = [gate for gate in result.of_outcome("undecided") if not gate.stops]
    text = count_words(result) + (" (a warning)" if warned else "")
    if not result.tested:
        return f"{text}; checks have no error rate"
    contrasts = "contrast" if result.n_contrasts == 1 else "contrasts"
    sure = f"at most {100 * result.alpha:g}%"
    rough = f"nominally {100 * result.alpha:g}%, approximately"
    promise = f"any is wrong with a probability of {sure if result.is_promised else rough}"
    n = len(result.checks)
    checks = f"; {n} {'is a check' if n == 1 else 'are checks'}, without an error rate" if n else ""
    return f"{text}; {result.n_contrasts} distinct {contrasts}: {promise}{checks}"
