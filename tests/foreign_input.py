"""A program that gives foreign input to the verbs, and prints what Python was asked to do.

Its argument is a file of JSON: `calls`, each a list of words of the command line or the code `load`
with a path; `written`, folders in which files may be written; `secret`, a file that nothing reads.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

BARRED = (
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork"),
    *("os.forkpty", "pty.spawn", "socket.connect", "socket.getaddrinfo", "socket.bind"),
    *("urllib.Request", "pickle.find_class", "code.__new__"),
)
CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.symlink", "os.link", "os.truncate")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
HARMLESS = ("/dev/null",)
OWN_PROGRAMS = (["rev-parse", "HEAD"], ["uname", "-p"])  # of git and uname, for the provenance

IS_PROGRAM = __name__ == "__main__"
GIVEN = json.loads(Path(sys.argv[1]).read_text("utf-8")) if IS_PROGRAM else {"written": []}
WRITTEN = tuple(os.path.realpath(folder) for folder in GIVEN["written"])
events: list[str] = []


def is_known(path: Any) -> bool:
    """Whether a file lies where one may be written."""
    name = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
    return not name or name in HARMLESS or os.path.realpath(name).startswith(WRITTEN)


def is_there(arguments: tuple[Any, ...]) -> bool:
    """Whether a file is changed where it may be, or in a folder that is removed as a whole."""
    return is_known(arguments[0]) or (isinstance(arguments[-1], int) and arguments[-1] >= 0)


def is_own(event: str, arguments: tuple[Any, ...]) -> bool:
    """Whether a program is started that the provenance asks, or what a page itself has is read."""
    if event == "subprocess.Popen":
        return arguments[1][-2:] in OWN_PROGRAMS
    return event == "urllib.Request" and arguments[0].startswith("data:")


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    """Note what nobody should do."""
    if event == "open":
        path, mode, flags = arguments
        is_written = (isinstance(flags, int) and flags & WRITING) or set(mode or "r") & set("wax+")
        if (is_written and not is_known(path)) or str(path) == GIVEN["secret"]:
            events.append(f"open {path} {mode}")
    elif (event in BARRED and not is_own(event, arguments)) or (
        event in CHANGES and not is_there(arguments)
    ):
        events.append(f"{event} {arguments!r:.200}")


def call(words: list[str]) -> tuple[int, str]:
    """Run a verb, or load a file and ask the study for all that a notebook shows."""
    import reportgen
    from reportgen.cli import main

    printed = StringIO()
    code = 0
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            if words[0] == "load":
                study = reportgen.load(words[1])
                printed.write(str(study) + study._repr_html_())
            else:
                main(words, standalone_mode=False)
        except SystemExit as error:
            code = int(error.code or 0)
        except reportgen.ReportgenError as error:
            code = error.exit_code
            printed.write(str(error))
    return code, printed.getvalue()


if IS_PROGRAM:
    with redirect_stdout(StringIO()):  # which ask other programs for libraries and faces
        import weasyprint  # noqa: F401
        from matplotlib import font_manager  # noqa: F401
    call(GIVEN["calls"][0])  # which imports what the verbs need
    sys.addaudithook(watch)
    found = []
    for words in GIVEN["calls"]:
        events.clear()
        code, text = call(words)
        found.append({"words": words, "code": code, "text": text, "events": [*events]})
    print(json.dumps(found))
