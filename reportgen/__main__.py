"""`python -m reportgen` is the command line."""

from reportgen.cli import main

if __name__ == "__main__":
    main(prog_name="reportgen")
