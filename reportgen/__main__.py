"""The command `reportgen`, which is `python -m reportgen`, too."""

import os
import sys

from reportgen.module_path import leave_working_folder


def main() -> None:
    """Leave the working folder to the study, and run the command line.

    It ends with exit code 2 where another distribution is installed into the package's folder, or
    the given date is none.
    """
    leave_working_folder()
    from reportgen.installation import EPOCH, describe_other, epoch_fault

    if fault := describe_other() or epoch_fault(os.environ.get(EPOCH)):
        sys.stderr.write(f"reportgen: {fault}\n")
        sys.exit(2)
    if not os.environ.get(EPOCH):
        os.environ.pop(EPOCH, None)  # an empty one is none, but not to all packages
    from reportgen.cli import main as command

    command(prog_name="reportgen")


if __name__ == "__main__":
    main()
