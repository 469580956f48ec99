"""The command `reportgen`, which is `python -m reportgen`, too."""

import sys

from reportgen.module_path import leave_working_folder


def main() -> None:
    """Leave the working folder to the study, and run the command line.

    It ends with exit code 2 where another distribution is installed into the package's folder.
    """
    leave_working_folder()
    from reportgen.installation import describe_other

    if fault := describe_other():
        sys.stderr.write(f"reportgen: {fault}\n")
        sys.exit(2)
    from reportgen.cli import main as command

    command(prog_name="reportgen")


if __name__ == "__main__":
    main()
