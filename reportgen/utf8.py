"""Text that is not UTF-8, and where."""

from __future__ import annotations


def utf8_fault(content: bytes) -> tuple[int, str] | None:
    r"""Return the line of the first byte that no text in UTF-8 has there, and what was found.

    Result: None where all is UTF-8.

    Examples
    --------
    >>> utf8_fault(b"name\nGr\xf6\xdfe")
    (2, 'found the byte 0xf6, which is not UTF-8')
    """
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return line, f"found the byte 0x{content[error.start]:02x}, which is not UTF-8"
    return None
