"""Annotations of a job: workflow commands of GitHub, at most ten of a kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reportgen.claims.explanation import details_of
from reportgen.claims.result import ExpectationsResult

MOST = 10  # of a kind that GitHub shows of one step
KINDS = ("error", "warning")


def github_commands(
    result: ExpectationsResult, manifest: str = "", lines: Mapping[int, int] | None = None
) -> tuple[str, ...]:
    """Write what does not hold as commands that GitHub shows beside the job.

    `manifest`: the file that the claims are in; empty where there is none.
    `lines`: its lines, by the place of a claim.
    Result: failures are errors, what is undecided and only warned of warnings. Where there are more
    than ten of a kind, the last counts the rest.
    """
    texts: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for i, (gate, detail) in enumerate(zip(result.gates, details_of(result), strict=True)):
        if gate.outcome == "holds":
            continue
        place = {"file": manifest, "line": str((lines or {}).get(i, 1))} if manifest else {}
        kind = "error" if gate.stops else "warning"
        title = {"title": f"{gate.outcome}: {gate.claim}"}
        texts[kind].append(_command(kind, place | title, detail or gate.outcome))
    return tuple(line for kind in KINDS for line in _at_most(kind, texts[kind]))


def _at_most(kind: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield as many lines as are shown, the last one counting what is left out."""
    if len(lines) <= MOST:
        yield from lines
        return
    yield from lines[: MOST - 1]
    left = len(lines) - MOST + 1
    title = {"title": f"{left} more expectations"}
    yield _command(kind, title, f"{left} more do not hold: see the job's log")


def _command(kind: str, properties: Mapping[str, str], message: str) -> str:
    r"""Write a workflow command, whatever its texts hold.

    >>> _command("error", {"title": "a, b: c"}, "100%\nsure")
    '::error title=a%2C b%3A c::100%25%0Asure'
    """
    given = ",".join(
        f"{key}={_escaped(text).replace(':', '%3A').replace(',', '%2C')}"
        for key, text in properties.items()
    )
    return f"::{kind} {given}::{_escaped(message)}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
