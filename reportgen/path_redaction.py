"""Path redaction: absolute paths of this machine are shortened in what a report shows."""

from __future__ import annotations

import re
from pathlib import Path

PATH = re.compile(
    r"(?<![\w.:/\\~…])(?:file://)?(?:~|[A-Za-z]:)?(?:[/\\][^\s/\\:;,'\"`()<>\[\]{}|*?]+){2,}[/\\]?"
)
"""An absolute path of two parts or more; no address of a page."""

SEPARATOR = re.compile(r"[/\\]")


def redact_paths(text: str) -> str:
    """Leave of each absolute path in a text its last part, and of a folder at home `~`.

    Examples
    --------
    >>> redact_paths("cannot open '/srv/me/lda.R', see https://a.org/b/c and/or 1/2/3")
    "cannot open '…/lda.R', see https://a.org/b/c and/or 1/2/3"
    """
    return PATH.sub(lambda found: f"…/{_last_part(found[0])}", _without_home(text))


def redact_command(command: str, folder: Path) -> str:
    """Write the paths in a command as the study's folder sees them, or from home on.

    `folder`: the manifest's.

    Examples
    --------
    >>> redact_command("reportgen run s.yaml --set results=/srv/a/r.csv", Path("/srv/a"))
    'reportgen run s.yaml --set results=r.csv'
    """
    return _without_home(command.replace(f"{folder.resolve().as_posix().rstrip('/')}/", ""))


def _last_part(path: str) -> str:
    return SEPARATOR.split(path.rstrip("/\\"))[-1]


def _without_home(text: str) -> str:
    home = str(Path.home())
    return re.sub(rf"(?<![\w.]){re.escape(home)}(?=[/\\])", "~", text) if len(home) > 1 else text
