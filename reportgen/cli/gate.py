"""The verb `gate`: claims held against a run, for a job to end by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reportgen.cli.options import (
    OUTPUT,
    PLUGINS,
    SETTINGS,
    TIMEOUT,
    ReadOption,
    as_path,
    check_seconds,
    refuse_writing_over_study,
    say,
    verb,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.sections.expectations.power import SamplingDesign
    from reportgen.study.schema.options import AnalysisOptions
    from reportgen.study.setup import Setup


# ruff: noqa: D301 - the backspace that click reads as "keep these lines" is meant

FILE = {"type": click.Path(), "callback": as_path, "metavar": "FILE"}
STEP = "GITHUB_STEP_SUMMARY"
LONGEST = 6 * 3600.0  # seconds that a run made anew may take where nothing else is said


@click.command()
@verb
@click.argument("run", type=click.Path(), callback=as_path)
@click.option("--expect", "claims", multiple=True, metavar="CLAIM", help="In place of the study's.")
@click.option(
    "--on-undecided",
    type=click.Choice(["warn", "fail"]),
    help="What an undecided claim does [default: the study's, else warn].",
)
@click.option("--junit", **FILE, help="Write a JUnit file.")  # type: ignore[arg-type]
@click.option(
    "--summary",
    **FILE,  # type: ignore[arg-type]
    help=f"Append Markdown to a file; github is that of ${STEP}.",
)
@click.option(
    "--annotations",
    type=click.Choice(["github", "none"]),
    default="none",
    show_default=True,
    help="Print workflow commands, too, of which GitHub makes annotations.",
)
@click.option("--codequality", **FILE, help="Write a report of code quality for GitLab.")  # type: ignore[arg-type]
@click.option("--badge", **FILE, help="Write a badge as SVG.")  # type: ignore[arg-type]
@click.option(
    "--confirm",
    cls=ReadOption,
    type=click.Path(),
    callback=as_path,
    metavar="RUN",
    help="Where a claim fails: a run made anew, in which it has to fail again.",
)
@click.option(
    "--rerun",
    metavar="COMMAND",
    help="What makes that run; done only where a claim fails.",
)
@TIMEOUT
@click.option(
    "--check-power",
    is_flag=True,
    help="Say instead what the design can decide, and with how many replications.",
)
@OUTPUT
@SETTINGS
@PLUGINS
def gate(
    run: Path,
    claims: tuple[str, ...],
    on_undecided: str | None,
    junit: Path | None,
    summary: Path | None,
    annotations: str,
    codequality: Path | None,
    badge: Path | None,
    confirm: Path | None,
    rerun: str | None,
    timeout: float | None,
    check_power: bool,
    output: Path,
    settings: tuple[str, ...],
    allow_plugins: bool,
) -> None:
    """Hold claims against a run; exit code 1 where one fails.

    RUN is the folder of a run, a manifest that was executed, or a file of
    results. A line a claim goes to standard output. With --check-power RUN may
    be a manifest that was not executed yet.

    \b
    Examples:
      reportgen gate output/quickstart
      reportgen gate results.csv --expect 'new not worse than main by 0.02'
      reportgen gate output/nightly --junit gates.xml --annotations github --summary github
      reportgen gate times.csv --confirm again.csv --rerun 'python bench.py again.csv'
      reportgen gate studies/quickstart.yaml --expect 'svm better than lda' --check-power
    """
    from reportgen import gates
    from reportgen.api.stored_run import open_study

    check_rerun("gate", confirm, rerun, timeout)
    if check_power:
        for line in _power(run, claims, output, settings, allow_plugins=allow_plugins):
            say(line)
        return
    step = None if summary is None else _summary_file(summary)
    study = open_study(run, output, settings, allow_plugins=allow_plugins)
    refuse_writing_over_study(study)
    checks = study.gate(*claims, on_undecided=on_undecided)  # type: ignore[arg-type]
    found = checks.result
    if any(own.outcome == "fails" for own in found.gates) and confirm is not None:
        if rerun is not None:
            run_anew(rerun, timeout)
        again = open_study(confirm, output, settings, allow_plugins=allow_plugins)
        refuse_writing_over_study(again)
        checks = study.gate(*claims, on_undecided=on_undecided, confirm=again)  # type: ignore[arg-type]
        found = checks.result
    say(checks)
    manifest, lines = ("", {}) if claims else study.claim_lines
    if annotations == "github":
        for line in gates.github_commands(found, manifest, lines):
            write(line)
    if junit is not None:
        gates.write_junit(found, junit, study.name)
    if codequality is not None:
        gates.write_code_quality(found, codequality, manifest or study.name, lines)
    if badge is not None:
        gates.write_badge(found, badge)
    if step is not None:
        gates.append_summary(found, step, study.name)
    end_by(len(found.stopping))


def check_rerun(
    name: str, confirm: Path | str | None, rerun: str | None, timeout: float | None
) -> None:
    """Refuse a command without the run that it makes, and a time without the command.

    `name`: of the verb.
    """
    from reportgen.errors import StudyError

    if rerun is not None and confirm is None:
        raise StudyError("--rerun: found no --confirm; allowed with the run that it makes")
    if timeout is not None and rerun is None:
        raise StudyError("--timeout: found no --rerun; allowed with the command that it ends")
    check_seconds(name, "timeout", timeout)


def run_anew(command: str, timeout: float | None = None) -> None:
    """Do what makes a run anew; its output goes to standard error.

    `timeout`: seconds after which it is ended, with what it has started; `LONGEST` where None.
    Raises StudyError if it cannot be started, fails, or takes longer.
    """
    import shlex

    from reportgen.errors import StudyError
    from reportgen.processes import run_to_end

    longest = timeout or LONGEST
    try:
        done = run_to_end(shlex.split(command), shows=True, timeout=longest)
    except (OSError, ValueError, IndexError) as error:
        raise StudyError(
            f"--rerun: found {command}, which cannot be started ({error}); allowed a command"
        ) from None
    if not done.is_in_time:
        allowed = f"{longest:g} s; --timeout allows another time"
        raise StudyError(f"--rerun: {command}: found no end within the time; allowed {allowed}")
    if done.code:
        raise StudyError(f"--rerun: {command}: found exit code {done.code}; allowed 0")


def end_by(n_failed: int) -> None:
    """End with exit code 1 where expectations do not hold."""
    from reportgen.errors import FindingError

    if n_failed:
        failed = "expectation does" if n_failed == 1 else "expectations do"
        raise FindingError(f"{n_failed} {failed} not hold")


def _power(
    run: Path,
    claims: tuple[str, ...],
    output: Path,
    settings: tuple[str, ...],
    *,
    allow_plugins: bool,
) -> tuple[str, ...]:
    """Say what a design can decide: by what a run has found, or before there is one."""
    from reportgen import pipeline
    from reportgen.api.archive import is_archive
    from reportgen.api.stored_run import open_study
    from reportgen.errors import StudyError
    from reportgen.run_folder import PROVENANCE
    from reportgen.sections.expectations.power import describe_design, planned_units
    from reportgen.sections.expectations.result import Family
    from reportgen.study.claims import ALLOWED, Names
    from reportgen.study.schema.options import Expectation
    from reportgen.study.setup import make_setup

    job = None if is_archive(run) or run.is_dir() else pipeline.open_job(run, output, settings)
    if job is None or not job.study.setup or (job.warehouse_folder / PROVENANCE).exists():
        return open_study(run, output, settings, allow_plugins=allow_plugins).gate_power(*claims)
    setup = make_setup(job.study, allow_plugins=allow_plugins)
    names = Names(
        tuple(candidate.name for candidate in setup.candidates),
        tuple(measure.measure.name for measure in setup.measures),
        tuple(dataset.name for dataset in setup.datasets),
    )
    expect = tuple(Expectation(claim=text) for text in claims) or job.study.expect
    designs = {data.name: _design_of(setup, data, job.study.analysis) for data in setup.datasets}
    measures = {own.measure.name: own.measure for own in setup.measures}
    counts, n_contrasts = planned_units(expect, names, designs, measures)
    if not counts:
        raise StudyError(f"gate: found no claim that is tested; allowed {ALLOWED}")
    stages = setup.resampling.stages
    n_stages = len(stages.ends) if stages else 1
    return describe_design(counts, Family(job.study.analysis.alpha, n_contrasts, n_stages))


def _design_of(setup: Setup, data: DataSet, options: AnalysisOptions) -> SamplingDesign:
    """Return how replications of a data set will be drawn."""
    from reportgen.sections.expectations.power import SamplingDesign

    own, n = setup.resampling_of(data.name), data.n - data.n_test
    given = own.given.get(data.name, ())
    return SamplingDesign(setup.problem, own, n, data.n_test, options, given)


def _summary_file(path: Path) -> Path:
    """Return the file of a summary; that of the job where it goes by `github`."""
    import os
    from pathlib import Path

    from reportgen.errors import StudyError

    if str(path) != "github":
        return path
    if not os.environ.get(STEP):
        raise StudyError(f"--summary: found github, and no ${STEP}; allowed in a job of GitHub")
    return Path(os.environ[STEP])
