"""The code of templates, kept in this process and, of our own ones, beside them.

Compiling our templates takes longer than rendering them. Their code is kept as Python keeps that of
our modules, by its own import system: in `__pycache__` beside the file, where that can be written,
and by the rules that the user has set for it (`PYTHONDONTWRITEBYTECODE`, `PYTHONPYCACHEPREFIX`).
Who could change it there could change the program. Templates of a study, a theme or another package
leave nothing on disk.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import jinja2
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket

COMPILERS = ("compiled_templates.py", "sandbox.py", "templates.py")
"""The modules beside this one by which the code of a template is made."""


class CompiledTemplates(BytecodeCache):
    """The code of templates of one kind, by name and content.

    The same templates render every format of a report.

    `kind`: a word for how they are compiled.
    `folder`: of our own templates; None where templates of others are compiled, too: their code
    counts what it does.
    """

    def __init__(self, kind: str, folder: Path | None) -> None:
        self._codes: dict[tuple[str, str], Any] = {}
        self._kind = kind
        self._folder = folder

    def get_bucket(
        self, environment: Environment, name: str, filename: str | None, source: str
    ) -> Bucket:
        """Return the bucket of a template, with its code if that is kept or is ours."""
        bucket = super().get_bucket(environment, name, filename, source)
        if bucket.code is None and self._folder is not None and filename is not None:
            path = Path(filename)
            if path.is_relative_to(self._folder):
                bucket.code = _OwnTemplate(environment, name, path, source, self._kind).code()
                self.dump_bytecode(bucket)
        return bucket

    def load_bytecode(self, bucket: Bucket) -> None:
        """Put the code into a bucket, if it is there."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a bucket."""
        self._codes[bucket.key, bucket.checksum] = bucket.code


class _OwnTemplate(SourceFileLoader):
    """One of our templates as Python's import system sees it: a source that is compiled."""

    def __init__(
        self, environment: Environment, name: str, file: Path, source: str, kind: str
    ) -> None:
        # Python names what it keeps by all but the last ending.
        super().__init__(name, f"{file}.{kind}.j2")
        self._environment = environment
        self._name = name
        self._file = file
        self._source = source
        self._kind = kind

    def code(self) -> CodeType:
        """Return the code: what is kept of this text, else it is compiled and kept."""
        found = self.get_code(self.name)
        if found is None:
            raise ImportError(f"{self._file}: no code")
        return found

    def path_stats(self, path: Any) -> dict[str, Any]:
        """Return by what Python knows a source again: its content stands for its time here."""
        text = "\0".join((_compiler(), self._kind, self._name, self._source))
        time = int.from_bytes(sha256(text.encode()).digest()[:4])
        return {"mtime": time, "size": len(self._source.encode())}

    def get_data(self, path: str) -> bytes:
        """Read the source, or what is kept of it."""
        return self._source.encode() if path == self.path else super().get_data(path)

    def source_to_code(self, data: Any, path: Any, **_: Any) -> CodeType:  # type: ignore[override]
        """Compile the template."""
        return self._environment.compile(self._source, self._name, str(self._file))

    def _cache_bytecode(self, source_path: str, bytecode_path: str, data: bytes) -> None:
        """Write what is kept, with the mode of the template."""
        self.set_data(bytecode_path, data, _mode=self._file.stat().st_mode & 0o666)


@cache
def _compiler() -> str:
    """Return what stands for the programs that compile: a change of theirs compiles anew."""
    here = Path(__file__).resolve().parent
    own = sha256(b"\0".join((here / name).read_bytes() for name in COMPILERS)).hexdigest()
    return f"{jinja2.__version__} {own}"
