"""What candidates print: the first of it in one file, all of it counted, none on the terminal."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import BinaryIO

from reportgen.file_writing import open_to_add
from reportgen.terminal_text import terminal_text

LOG = "candidates.log"  # in the folder of the journal
MOST = 2**20  # bytes of one execution that are kept
OF_FIT = 2**13  # bytes of one fit that are kept
LARGEST = 8 * MOST  # a file of earlier executions that is larger is replaced
log = logging.getLogger("reportgen")


class PrintedOutput:
    """Takes what candidates print, and keeps the first of it.

    `path`: of the file, to which is added; None for nothing that is kept.
    `most`: bytes that are added to it.
    `of_fit`: bytes in a row that one fit has printed.
    """

    def __init__(self, path: Path | None = None, most: int = MOST, of_fit: int = OF_FIT) -> None:
        self.n_bytes = 0  # that were printed
        self.is_cut = False  # whether some of them are not in the file
        self._path = path
        self._left = 0 if path is None else most
        self._of_fit = self._left_of_fit = of_fit
        self._file: BinaryIO | None = None
        self._last = ""  # whose output the end of the file is

    def take(self, name: str, printed: bytes) -> None:
        """Add what was printed, below the name of the fit that printed it.

        A file that cannot be written costs no fit: what was to be in it counts as cut.
        """
        self.n_bytes += len(printed)
        head = ""
        if name != self._last:
            head, self._left_of_fit = f"\n== {name}\n", self._of_fit
        text = terminal_text(head + printed.decode("utf-8", errors="backslashreplace"))
        whole = text.encode("utf-8")
        kept = whole[: min(self._left, self._left_of_fit)]
        self.is_cut |= len(kept) < len(whole)
        if not kept:
            return
        try:
            if self._file is None:
                self._file = self._open()
            self._file.write(kept)
        except OSError:
            self.is_cut, self._left = True, 0
            return
        self._left -= len(kept)
        self._left_of_fit -= len(kept)
        self._last = name

    def close(self) -> None:
        """Close the file, and tell how much was printed and where it is."""
        if self._file is not None:
            self._file.close()
        if not self.n_bytes:
            return
        told = f"candidates printed {self.n_bytes:,} bytes"
        if self._file is None:
            log.info("%s, which are not kept", told)
        elif self.is_cut:
            log.warning("%s: the first of them are in %s", told, self._path)
        else:
            log.info("%s: %s", told, self._path)

    def _open(self) -> BinaryIO:
        if self._path is None:
            raise FileNotFoundError
        is_old = self._path.is_file() and self._path.stat().st_size > LARGEST
        if is_old:
            self._path.unlink()
        return open_to_add(self._path)
