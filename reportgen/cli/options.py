"""Options and error handling that the verbs of the command line share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from errno import ENAMETOOLONG
from math import isnan
from typing import TYPE_CHECKING, Any

import click

from reportgen import formats
from reportgen.errors import ReportgenError
from reportgen.terminal_text import terminal_text

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.api.study import BenchmarkStudy
    from reportgen.pipeline import Job


def as_path(context: click.Context, parameter: click.Parameter, value: str | None) -> Path | None:
    """Make a path of an argument; pathlib is left out of the start."""
    return None if value is None else as_paths(context, parameter, (value,))[0]


def as_paths(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[Path, ...]:
    """Make paths of arguments; an empty one, as a variable that is not set gives it, is none."""
    from pathlib import Path

    if "" in values:
        raise click.BadParameter("found nothing; allowed a path")
    return tuple(Path(value) for value in values)


def _sections() -> Iterable[str]:
    from reportgen.sections import find_sections

    return find_sections()


class Number(click.FloatRange):
    """A number of a range: nan lies in none."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number."""
        found = super().convert(value, param, ctx)
        if isnan(found):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return found


class ReadOption(click.Option):
    """An option whose path is read; other options that are paths are written."""


def completing(names: Callable[[], Iterable[str]]) -> Callable[..., list[str]]:
    """Let a shell complete the last name of a comma-separated list.

    Examples
    --------
    >>> completing(lambda: ("html", "json", "pdf"))(None, None, "pdf,h")
    ['pdf,html']
    """

    def complete(context: object, parameter: object, incomplete: str) -> list[str]:
        done, comma, last = incomplete.rpartition(",")
        return [f"{done}{comma}{name}" for name in names() if name.startswith(last)]

    return complete


def is_given(name: str) -> bool:
    """Whether an option of the running verb stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not click.core.ParameterSource.DEFAULT


def _names(context: object, parameter: object, lists: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the names of an option that may be given several times, none of them twice."""
    names = tuple(dict.fromkeys(split_list(",".join(lists)) or ()))
    if lists and not names:  # a variable that is not set
        raise click.BadParameter(f"found {lists[0]!r}; allowed names with commas between them")
    return names or None


LISTED: dict[str, Any] = {"metavar": "LIST", "multiple": True, "callback": _names}
STUDY = click.argument("study", type=click.Path(), callback=as_path)
RUN = click.argument("run", type=click.Path(), callback=as_path)
_PARENT: dict[str, Any] = {
    "type": click.Path(),
    "callback": as_path,
    "default": "output",
    "show_default": True,
    "help": "Parent of the study's folder.",
}
OUTPUT = click.option("-o", "--output", **_PARENT)
PARENT = click.option("--output", **_PARENT)  # of a verb whose -o is a file
SETTINGS = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Overrule the manifest: a dotted key and a value read as YAML. Repeatable.",
)
JOBS = click.option("--jobs", type=click.IntRange(1), help="Workers [default: one a core].")
CLUSTER = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Work on a Dask cluster: its scheduler, such as tcp://127.0.0.1:8786.",
)
FRESH = click.option("--fresh", is_flag=True, help="Measure anew what was measured before.")
RETRY = click.option(
    "--retry-failed", is_flag=True, help="Do again all fits that failed or took too long."
)
DRY = click.option("--dry-run", is_flag=True, help="Print what would be measured, and stop.")
PLUGINS = click.option(
    "--allow-plugins", is_flag=True, help="Let the packages that the manifest names run their code."
)
TEMPLATES = click.option(
    "--allow-templates",
    is_flag=True,
    help="Render by the study's own templates, and those of its theme.",
)
FORMATS = click.option(
    "--format",
    "formats",
    **LISTED,
    shell_complete=completing(lambda: formats.REPORTS),
    help=f"Any of {formats.in_words('report')} [default: the manifest's, else "
    f"{','.join(formats.USUAL)}].",
)
LENGTH = click.option(
    "--length",
    type=click.Choice(["article", "full"]),
    help="What changes a decision, with a supplement; or all in one [default: the manifest's, "
    "else article].",
)
LAYOUT = click.option(
    "--layout",
    type=click.Choice(["file", "folder"]),
    help="HTML as one file; or with style, drawings and data beside it and without scripts, for "
    "hosts that allow nothing inline [default: the manifest's report.html, else file].",
)
CLEAN = click.option(
    "--clean", is_flag=True, help="Remove reports of other results instead of moving them aside."
)
SECTIONS = click.option(
    "--sections",
    **LISTED,
    shell_complete=completing(_sections),
    help="Only these sections, such as eda,inference.",
)
COLUMNS = click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="NAME=COLUMN",
    help="The file's column of data sets, candidates … (dataset=problem). Repeatable.",
)
EPOCH = click.option(
    "--epoch",
    help="Which epoch of a training is its result: last, or such as 'best of val_loss (smaller)'.",
)
REPLICATION = click.option(
    "--replication",
    metavar="rows",
    help="That the rows of every candidate are its replications, in their order.",
)
ITEM = click.option(
    "--object",
    "item",
    default="",
    help="The name of the object in a file of R's save, the sheet, or the study of Optuna.",
)
BETTER = click.option(
    "--better",
    multiple=True,
    metavar="NAME=SIDE",
    help="Which side of a measure is better: smaller or larger. Repeatable.",
)
MEASURE = click.option("--measure", help="What the numbers of wide tables are.")
TIMEOUT = click.option(
    "--timeout",
    type=float,
    metavar="SECONDS",
    help="The command of --rerun is ended when it takes longer, and this one with it [default: "
    "21600, six hours].",
)
MOST_SECONDS = 366 * 24 * 3600


def verb(function: Callable[..., None]) -> Callable[..., None]:
    """Give a verb what all verbs have: verbosity, debugging, errors as exit codes."""

    def command(verbose: int, quiet: bool, debug: bool, **arguments: Any) -> None:
        import logging

        from reportgen.processes import collect_seldom

        collect_seldom()
        for stream in (sys.stdout, sys.stderr):  # a letter that one lacks is written as its number
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        log_to_stderr(
            logging.DEBUG if verbose or debug else logging.ERROR if quiet else logging.INFO
        )
        from reportgen.interruption import (
            INTERRUPTED,
            KEPT,
            TERMINATED,
            TerminatedError,
            as_exceptions,
        )

        try:
            with as_exceptions():
                refuse_writing_over(_read_by_command())
                function(**arguments)
        except ReportgenError as error:
            if debug:
                raise
            say(f"reportgen: {error}", is_error=True)
            sys.exit(error.exit_code)
        except OSError as error:  # a full disk, a folder that may not be written
            if debug:
                raise
            names = [str(n) for n in (error.filename, error.filename2) if n is not None]
            if error.errno == ENAMETOOLONG:
                names = [f"{name[:60]}…" for name in names]
            told = f"{' -> '.join(names)}: {error.strerror}" if names else error
            say(f"reportgen: {told}", is_error=True)
            sys.exit(ReportgenError.exit_code)
        except (MemoryError, ImportError) as error:
            # A library for which there is no room has no other sign of it.
            has_room = isinstance(error, ImportError) and "failed to map segment" not in str(error)
            if debug or has_room:
                raise
            why = f" ({error})" if str(error) else ""
            told = f"found too little memory{why}; allowed more"
            say(f"reportgen: {told}", is_error=True)
            sys.exit(ReportgenError.exit_code)
        except EOFError as error:  # of bytecode; click says "Aborted!", with exit code 1
            if debug:
                raise RuntimeError(str(error)) from error
            say(
                f"reportgen: found a module that was not written whole ({error}), as on a full "
                "disk; allowed a whole one, which Python makes anew where the program's folders "
                "__pycache__ are removed",
                is_error=True,
            )
            sys.exit(ReportgenError.exit_code)
        except RuntimeError as error:  # pathlib's, of links that lead to themselves, before 3.13
            if debug or not str(error).startswith("Symlink loop"):
                raise
            say(f"reportgen: {error}; allowed a path that ends", is_error=True)
            sys.exit(ReportgenError.exit_code)
        except UnicodeEncodeError as error:  # of a path, under a locale without its letters
            if debug:
                raise
            letter = ascii(error.object[error.start])
            say(
                f"reportgen: found the character {letter} in a path or a name; allowed those of "
                f"the encoding {error.encoding} (a locale of UTF-8, or PYTHONUTF8=1, has more)",
                is_error=True,
            )
            sys.exit(ReportgenError.exit_code)
        except KeyboardInterrupt as error:
            what, code = "interrupted", INTERRUPTED
            if isinstance(error, TerminatedError):
                what, code = "terminated", TERMINATED
            say(f"reportgen: {what}; {KEPT}", is_error=True)
            sys.exit(code)

    command.__name__ = function.__name__
    command.__doc__ = function.__doc__
    command.__click_params__ = getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
    for option in (
        click.option("-v", "--verbose", count=True, help="Print more."),
        click.option("-q", "--quiet", is_flag=True, help="Print errors only."),
        click.option("--debug", is_flag=True, help="Show the traceback of an error."),
    ):
        command = option(command)
    return command


def refuse_writing_over(read: Iterable[str | Path]) -> None:
    """Refuse a file to write that is one of those that are read, or of a run that is.

    `read`: files, and folders of runs or their warehouses.
    """
    from pathlib import Path

    context = click.get_current_context()
    written = {
        parameter.opts[-1]: path
        for parameter in context.command.params
        if not _is_read(parameter)
        and isinstance(path := context.params.get(parameter.name or ""), Path)
        and path.is_file()
    }
    if not written:
        return
    from reportgen.errors import StudyError
    from reportgen.run_folder import files_of

    files = [file for path in read for file in files_of(path)]
    for option, path in written.items():
        if any(_is_same_file(path, file) for file in files):
            raise StudyError(f"{option}: found {path}, which is read; allowed another file")


def refuse_writing_over_study(study: BenchmarkStudy) -> None:
    """Refuse a file to write that is read with a study: one that it names, or of its run."""
    job, _, _ = study.parts
    refuse_writing_over_job(job)


def refuse_writing_over_job(job: Job) -> None:
    """Refuse a file to write that is read with a job, or is of its run."""
    from reportgen.pipeline import files_read

    refuse_writing_over([*files_read(job.study), job.folder])


def _is_read(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Argument | ReadOption)


def _read_by_command() -> Iterator[str | Path]:
    """Yield the paths that the command line names to be read, among its other arguments."""
    context = click.get_current_context()
    for parameter in filter(_is_read, context.command.params):
        value = context.params.get(parameter.name or "")
        values = value if isinstance(value, tuple) else (value,)
        yield from (path for path in values if path is not None)


def _is_same_file(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second)
    except (OSError, ValueError):  # no path, or one of nothing
        return False


def check_seconds(name: str, option: str, seconds: float | None) -> None:
    """Refuse a time that is none.

    `name`: of the verb.
    """
    if seconds is not None and not 0 < seconds <= MOST_SECONDS:
        from reportgen.errors import StudyError

        allowed = f"seconds above 0, at most {MOST_SECONDS}"
        raise StudyError(f"{name}: found --{option} {seconds:g}; allowed {allowed}")


def split_list(text: str | None) -> tuple[str, ...] | None:
    """Split a comma-separated list; None where nothing was given."""
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())


def say(text: object, *, is_error: bool = False, ends_line: bool = True) -> None:
    """Print what a verb has to say; names and messages of others cannot steer the terminal.

    `is_error`: whether it goes to standard error.
    `ends_line`: whether a line's end follows.
    """
    write(terminal_text(str(text)), is_error=is_error, ends_line=ends_line)


def write(text: str, *, is_error: bool = False, ends_line: bool = True) -> None:
    """Write to standard output or error; a reader that has gone changes no exit code.

    Nor does an error's word that finds no place, such as on a full disk.
    """
    try:
        click.echo(text, err=is_error, nl=ends_line)
    except OSError as error:
        if not is_error and not isinstance(error, BrokenPipeError):
            raise
        gone = sys.stderr if is_error else sys.stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), gone.fileno())


def log_to_stderr(level: int) -> None:
    """Send the program's own log to standard error, a line a record."""
    import logging

    class PlainFormatter(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return terminal_text(super().format(record))

    log = logging.getLogger("reportgen")
    log.setLevel(level)
    for old in tuple(log.handlers):  # of an earlier verb, whose standard error may be closed
        log.removeHandler(old)
    handler = logging.StreamHandler()
    handler.setFormatter(PlainFormatter("%(message)s"))
    log.addHandler(handler)
    log.propagate = False
