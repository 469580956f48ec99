"""The command `reportgen`, which is `python -m reportgen`, too."""

from reportgen.module_path import leave_working_folder


def main() -> None:
    """Leave the working folder to the study, and run the command line."""
    leave_working_folder()
    from reportgen.cli import main as command

    command(prog_name="reportgen")


if __name__ == "__main__":
    main()
