"""The command `reportgen`, which is `python -m reportgen`, too."""

import _signal  # type: ignore[import-not-found]  # `signal` imports other modules
import os
import sys

from reportgen.module_path import leave_working_folder


def main() -> None:
    """Leave the working folder to the study, and run the command line.

    It ends with exit code 2 where another distribution is installed into the package's folder, or
    the given date is none.
    """
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # no traceback from the next imports
    _open_standard_files()
    leave_working_folder()
    from reportgen.interruption import end_at_once_outside_verbs

    end_at_once_outside_verbs()
    from reportgen.installation import EPOCH, describe_other, epoch_fault

    if fault := describe_other() or epoch_fault(os.environ.get(EPOCH)):
        sys.stderr.write(f"reportgen: {fault}\n")
        sys.exit(2)
    if not os.environ.get(EPOCH):
        os.environ.pop(EPOCH, None)  # an empty one is none, but not to all packages
    from reportgen.cli import main as command

    output = sys.stdout
    try:
        command(prog_name="reportgen")
    except SystemExit:
        if sys.stdout is not output:  # click's mark: nobody reads a help text any more
            sys.exit(0)
        raise
    except OSError as error:  # nor what is wrong with an option, or its disk is full
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if not isinstance(error, BrokenPipeError):
            try:  # noqa: SIM105 - `contextlib` may be a file of the working folder
                sys.stderr.write(f"reportgen: {error.strerror}\n")
            except OSError:
                pass
        sys.exit(2)


def _open_standard_files() -> None:
    """Let no file of a study stand for standard input, output or error that is closed."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    main()
