"""The verb `bench`: two variants of a command, timed in alternation until one is decided slower."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from reportgen.cli.options import as_path, say, verb

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.stats.interleaved import Interleaved

# ruff: noqa: D301 - the backspace that click reads as "keep these lines" is meant


@click.command()
@verb
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.argument("command", nargs=-1, metavar="-- COMMAND")
@click.option("--blocks", default=24, show_default=True, help="Blocks of four runs, at most.")
@click.option("--budget", type=float, metavar="SECONDS", help="No block begins after so long.")
@click.option(
    "--within",
    default=1.0,
    show_default=True,
    metavar="RATIO",
    help="What does not matter: 1.05 for 5%. 1: any difference does.",
)
@click.option("--alpha", default=0.05, show_default=True, help="Level of the comparison.")
@click.option("--no-confirm", is_flag=True, help="Let an alarm stand without running it anew.")
@click.option(
    "--times",
    type=click.Path(),
    callback=as_path,
    metavar="FILE",
    help="Write the seconds of all runs as CSV, which `run` reads.",
)
def bench(
    a: str,
    b: str,
    command: tuple[str, ...],
    blocks: int,
    budget: float | None,
    within: float,
    alpha: float,
    no_confirm: bool,
    times: Path | None,
) -> None:
    """Time A and B in alternation; exit code 1 where B is slower, and again when run anew.

    A and B stand for {} in the words after --; without these they are commands
    themselves. Each run is a process of its own. The order is ABBA, BAAB, ..., so that
    a drift of the machine favours neither. It ends when one is decided faster, or both
    alike, at the latest after so many blocks or seconds.

    \b
    Examples:
      reportgen bench main.py branch.py -- python {} --size 1000
      reportgen bench 'sort -u old.txt' 'sort -u new.txt' --within 1.05
      reportgen bench v1 v2 --budget 300 --times times.csv -- ./build/{}/solver
    """
    from time import monotonic

    from reportgen.errors import FindingError, StudyError
    from reportgen.execution.interleaved import commands_of, seconds_of
    from reportgen.stats.interleaved import compare_interleaved

    words = commands_of(a, b, command)
    if budget is not None and not budget > 0:
        raise StudyError(f"bench: found --budget {budget:g}; allowed seconds above 0")
    variants: tuple[Literal["A", "B"], ...] = ("A", "B")
    for who in variants:
        seconds_of(words[who])  # not counted: files come into memory
    begin = monotonic()
    try:
        found = compare_interleaved(
            lambda who: seconds_of(words[who]),
            most=blocks,
            alpha=alpha,
            area=within,
            has_time=lambda: budget is None or monotonic() - begin < budget,
            confirms=not no_confirm,
        )
    except ValueError as error:
        raise StudyError(f"bench: {error}") from None
    if times is not None:
        _write(found, times)
    say(describe(found, a, b, alpha, within))
    if found.outcome == "slower":
        raise FindingError(f"{b} is slower than {a}")


def describe(found: Interleaved, a: str, b: str, alpha: float, within: float) -> str:
    """Return what a comparison came to, in a few lines."""
    look, n = found.look, len(found.seconds)
    if not look.n:
        return f"open: {n} blocks before the time was over; the first look is after six"
    level = f"{100 * (1 - alpha):g}%"
    ratio = f"{b} takes {look.ratio:.4g} times as long as {a}"
    known = f"{ratio} ({look.lower:.4g} to {look.upper:.4g}, {level} over all looks)"
    verdict = {
        "slower": f"slower: {known}",
        "faster": f"faster: {known}",
        "alike": f"alike, within a factor of {within:g}: {known}",
        "not-confirmed": f"not confirmed: {known}",
        "open": f"open: {known}",
    }[found.outcome]
    lines = [verdict]
    if found.confirmation is not None:
        own = found.confirmation
        lines.append(
            f"run anew: {own.ratio:.4g} times ({own.lower:.4g} to {own.upper:.4g}, {own.n} blocks)"
        )
    elif found.outcome == "not-confirmed":
        lines.append("the time was over before it could be run anew")
    lines.append(f"{look.n} blocks of four processes, ABBA and BAAB in turn; {4 * n} timed in all")
    return "\n".join(lines)


def _write(found: Interleaved, file: Path) -> None:
    """Write a row a block and variant: the geometric mean of its two processes."""
    from reportgen.stats.interleaved import order_of

    rows = ["replication,candidate,seconds"]
    for block, seconds in enumerate(found.seconds.tolist()):
        for who in "AB":
            first, second = (
                x for x, own in zip(seconds, order_of(block), strict=True) if own == who
            )
            rows.append(f"{block + 1},{who},{(first * second) ** 0.5!r}")
    file.write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")
