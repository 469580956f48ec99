"""The verb `bench`: two variants of a command, timed in alternation until one is decided slower."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from reportgen.cli.options import as_path, check_seconds, say, verb

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
    "--timeout",
    type=float,
    metavar="SECONDS",
    help="A process that takes longer is ended, and with it the comparison [default: the budget, "
    "else 600].",
)
@click.option(
    "--within",
    default=1.0,
    show_default=True,
    metavar="RATIO",
    help="What does not matter: 1.05 for 5%. 1: any difference does.",
)
@click.option("--alpha", default=0.05, show_default=True, help="Level of the comparison.")
@click.option(
    "--runs",
    is_flag=True,
    help="A process prints the seconds of its runs, one a line: their mean is its value.",
)
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
    timeout: float | None,
    within: float,
    alpha: float,
    runs: bool,
    no_confirm: bool,
    times: Path | None,
) -> None:
    """Time A and B in alternation; exit code 1 where B is slower, and again when run anew.

    A and B stand for {} in the words after --; without these they are commands
    themselves. Each time is that of a process of its own, or with --runs the mean of those
    that it prints. The order is ABBA, BAAB, ..., so that
    a drift of the machine favours neither. It ends when one is decided faster, or both
    alike, at the latest after so many blocks or seconds. What a process leaves
    behind is ended (on Linux).

    \b
    Examples:
      reportgen bench main.py branch.py -- python {} --size 1000
      reportgen bench 'sort -u old.txt' 'sort -u new.txt' --within 1.05
      reportgen bench v1 v2 --budget 300 --times times.csv -- ./build/{}/solver
    """
    from time import monotonic

    from reportgen.errors import FindingError, StudyError
    from reportgen.execution import interleaved
    from reportgen.progress import live_progress, stage
    from reportgen.stats.interleaved import check_options, compare_interleaved

    words = interleaved.commands_of(a, b, command)
    for name, limit in (("budget", budget), ("timeout", timeout)):
        check_seconds("bench", name, limit)
    longest = timeout or budget or interleaved.LONGEST
    done: list[float] = []
    variants: tuple[Literal["A", "B"], ...] = ("A", "B")
    try:
        check_options(blocks, alpha, within)
        with live_progress() as progress, stage("timing"):

            def run(who: Literal["A", "B"]) -> float:
                done.append(interleaved.seconds_of(words[who], longest, has_runs=runs))
                if progress:
                    progress.count(len(done), 4 * blocks, "processes")
                return done[-1]

            for who in variants:  # not counted: files come into memory
                interleaved.seconds_of(words[who], longest, has_runs=runs)
            begin = monotonic()
            found = compare_interleaved(
                run,
                most=blocks,
                alpha=alpha,
                area=within,
                has_time=lambda: budget is None or monotonic() - begin < budget,
                confirms=not no_confirm,
            )
    except ValueError as error:
        raise StudyError(f"bench: {error}") from None
    finally:
        if times is not None and len(done) >= 4:
            _write(done, times)
    say(describe(found, a, b, alpha, within))
    if found.outcome == "slower":
        raise FindingError(f"{b} is slower than {a}")


def describe(found: Interleaved, a: str, b: str, alpha: float, within: float) -> str:
    """Return what a comparison came to, in a few lines."""
    from reportgen.notation import level_words

    look, n = found.look, len(found.seconds)
    if not look.n:
        return f"open: {n} blocks before the time was over; the first look is after six"
    level = level_words(alpha)
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


def _write(done: list[float], file: Path) -> None:
    """Write a row a whole block and variant: the geometric mean of its two processes."""
    from reportgen.file_writing import write_text
    from reportgen.stats.interleaved import order_of

    rows = ["replication,candidate,seconds"]
    for block, seconds in enumerate(zip(*[iter(done)] * 4, strict=False)):
        for who in "AB":
            first, second = (
                x for x, own in zip(seconds, order_of(block), strict=True) if own == who
            )
            rows.append(f"{block + 1},{who},{(first * second) ** 0.5!r}")
    write_text(file, "\n".join(rows) + "\n")
