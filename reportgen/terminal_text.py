"""Text for terminals and the logs of jobs, which what others wrote must not steer."""

from __future__ import annotations

import re

STEERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Characters that a terminal obeys: all controls but tab and line feed, marks of direction, and
halves of characters, which cannot be written at all."""
COMMAND = re.compile(r"(?m)^([ \t]*:)(?=:)|(##)(?=\[)")
"""What begins a workflow command of a job: two colons in front, and an older form anywhere."""


def terminal_text(text: str) -> str:
    r"""Write text so that it can be read, and does nothing else.

    Examples
    --------
    >>> terminal_text("a\x1b[31m\u202eb")
    'a\\u001b[31m\\u202eb'
    >>> terminal_text("::error::x"), terminal_text("a::b ##[error]")
    (':\u200b:error::x', 'a::b ##\u200b[error]')
    """
    plain = STEERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return COMMAND.sub("\\g<0>\u200b", plain)
