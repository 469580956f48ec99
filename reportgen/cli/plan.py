"""The verb `plan`: how much is enough to detect a difference."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING

import click

from reportgen.cli.options import (
    OUTPUT,
    PLUGINS,
    SETTINGS,
    Number,
    as_path,
    refuse_writing_over_job,
    refuse_writing_over_study,
    say,
    verb,
)

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.pipeline import Job
    from reportgen.sections.plan.analysis import Plan

# ruff: noqa: D301 - the backspace that click reads as "keep these lines" is meant


@click.command()
@verb
@click.argument("run", type=click.Path(), callback=as_path)
@click.option(
    "--detect",
    required=True,
    metavar="SIZE",
    help="The difference: 0.5pp of shares, 5% of ratios, or a number in the measure's unit.",
)
@click.option(
    "--power",
    type=Number(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="With which probability it is to be detected.",
)
@click.option(
    "--pair",
    metavar="A,B",
    help="The candidates [default: the two best], or two levels of a factor.",
)
@click.option("--dataset", metavar="NAME", help="[default: the only one, or all together]")
@click.option("--measure", metavar="NAME", help="[default: the main one]")
@click.option(
    "--cost",
    "costs",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Of a fit of one candidate, and of a unit (data set, item) besides. Repeatable.",
)
@click.option(
    "--sd",
    "guesses",
    multiple=True,
    metavar="NAME=NUMBER",
    help="Guesses in place of a pilot: standard deviations of the difference over dataset, item, "
    "battle or replication, and split, seed, rest. Repeatable.",
)
@click.option("--figure", "file", type=click.Path(), callback=as_path, help="Draw half widths.")
@OUTPUT
@SETTINGS
@PLUGINS
def plan(
    run: Path,
    detect: str,
    power: float,
    pair: str | None,
    dataset: str | None,
    measure: str | None,
    costs: tuple[str, ...],
    guesses: tuple[str, ...],
    file: Path | None,
    output: Path,
    settings: tuple[str, ...],
    allow_plugins: bool,
) -> None:
    """Say how many data sets, splits, seeds, items or battles detect a difference.

    RUN is the folder of a run, a manifest that was executed, or a file of
    results: the pilot. With --sd a manifest that was not executed yet is enough.

    \b
    Examples:
      reportgen plan results.csv --detect 0.5pp
      reportgen plan output/quickstart --detect 1pp --power .9 --figure plan.svg
      reportgen plan results.csv --detect 0.5pp --cost fit=2 --cost unit=600
      reportgen plan study.yaml --detect 1pp --sd dataset=0.02 --sd seed=0.01
    """
    from reportgen.api.stored_run import open_study
    from reportgen.errors import StudyError
    from reportgen.pipeline import open_job
    from reportgen.study.errors import shown

    prices = _numbers(costs, "--cost")
    both = None if pair is None else tuple(name.strip() for name in pair.split(","))
    if both is not None and len(both) != 2:
        raise StudyError(f"--pair: found {shown(pair)}; allowed two candidates, A,B")
    found: Plan
    if guesses:
        option = "--pair" if pair is not None else "--dataset" if dataset is not None else None
        if option is not None:
            raise StudyError(f"{option}: found with --sd; allowed with a pilot alone")
        job = open_job(run, output, settings, allow_plugins=allow_plugins)
        refuse_writing_over_job(job)
        found = _of_guesses(job, detect, power, measure, prices, _numbers(guesses, "--sd"))
    else:
        study = open_study(run, output, settings, allow_plugins=allow_plugins)
        refuse_writing_over_study(study)
        found = study.plan(
            detect,
            power=power,
            pair=None if both is None else (both[0], both[1]),
            measure=measure,
            dataset=dataset,
            costs=prices or None,
        )
    for line in found.lines:
        say(line)
    if file is not None:
        found.figure(file)


def _numbers(texts: tuple[str, ...], option: str) -> dict[str, float]:
    """Read NAME=NUMBER."""
    from reportgen.errors import StudyError
    from reportgen.study.errors import shown

    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = nan
        if not isfinite(number):
            raise StudyError(
                f"{option}: found {shown(text)}; allowed NAME=NUMBER, of a finite number"
            )
        found[name.strip()] = number
    return found


def _of_guesses(
    job: Job,
    detect: str,
    power: float,
    measure: str | None,
    costs: dict[str, float],
    guesses: dict[str, float],
) -> Plan:
    """Plan a study by guessed standard deviations; one of results has their names."""
    from reportgen.exchange.tidy import study_results
    from reportgen.sections.plan.analysis import guessed, plan_by_guesses

    pilot, results = guessed(guesses), None
    if job.study.results is not None:
        results = study_results(job.study)
    return plan_by_guesses(job.study, pilot, detect, power, measure, costs, results=results)
