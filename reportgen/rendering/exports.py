"""Files of a report: its figures and tables, and the archive of earlier reports."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from reportgen import formats
from reportgen.data_classes import dataclass
from reportgen.errors import WarehouseError
from reportgen.file_writing import write_bytes, write_text
from reportgen.folder_files import files_in
from reportgen.rendering.markup import github_text
from reportgen.rendering.names import Key, exhibits_of, file_stems, slug
from reportgen.rendering.results_json import SECTIONS
from reportgen.rendering.tables import (
    cell_text,
    comma_separated,
    format_cells,
    is_wordy,
    table_series,
)
from reportgen.report import PAIRS, RESULTS, Figure, Report, Table

log = logging.getLogger("reportgen")

TableKind = Literal["csv", "md"]

REPORT = formats.FORMATS["html"].file

DATASETS, FILES = formats.FORMATS["html"].folders
"""The folders of the pages of data sets, where each has a file of its own, and of style sheet,
drawings and data of pages that have them not inside."""

EARLIER = "earlier"
"""The folder of reports of other results, in formats that were not written anew."""

FOLDERS = ("tables", "figures")
"""The folders of a report's files in whatever format."""

DEEPEST = 4  # folders and file of a path in an index

WRITTEN = ".written-{}"  # lists the files of a kind that a report has put into a folder


def write_tables(
    report: Report, folder: Path, kind: TableKind = "csv", *, has_all: bool = False
) -> tuple[Path, ...]:
    """Write every table, placed or not; the pairs that `PAIRS` has not once more.

    `folder`: made when it is not there; what an earlier report left in it goes, and nothing else.
    `kind`: CSV with all digits, or as a reader sees it: Markdown.
    `has_all`: for other programs, with the pairs that lie in `PAIRS`, too.
    """
    stems = file_stems(report)
    has_pairs = not has_all and (folder.parent / PAIRS).exists()
    texts = {
        f"{stems[key]}.{kind}": _WRITERS[kind](table)
        for key, table in exhibits_of(report)
        if isinstance(table, Table) and not (has_pairs and _is_of_pairs(key))
    }
    return write_texts(texts, folder, kind)


def _is_of_pairs(key: Key) -> bool:
    """Whether a table has all pairs, of a data set or over all, by the verdict or by ranks."""
    return key.section in SECTIONS and key.name in ("pairs", "across")


def _csv_text(table: Table) -> str:
    series = table_series(table)
    return comma_separated(series.columns, series.rows)


def markdown_table(table: Table) -> str:
    """Write a table in GitHub's Markdown."""
    rows = [[column.label for column in table.columns]]
    rows += [[cell_text(cell) for cell in row] for row in format_cells(table)]
    rule = "".join(f"| {':--' if is_wordy(column) else '--:'} " for column in table.columns) + "|"
    lines = ["".join(f"| {github_text(text)} " for text in row) + "|" for row in rows]
    return "\n".join([lines[0], rule, *lines[1:], ""])


_WRITERS: Mapping[TableKind, Callable[[Table], str]] = MappingProxyType(
    {"csv": _csv_text, "md": markdown_table}
)


def write_figures(report: Report, folder: Path) -> tuple[Path, ...]:
    """Write every figure as SVG with its real colours.

    `folder`: made when it is not there; what an earlier report left in it goes, and nothing else.
    """
    stems = file_stems(report)
    texts = {
        f"{stems[key]}.svg": f"{figure.print}\n"
        for key, figure in exhibits_of(report)
        if isinstance(figure, Figure) and not figure.fault
    }
    return write_texts(texts, folder, "svg")


@dataclass(frozen=True, slots=True)
class _Edition:
    """The results that a file of a report belongs to."""

    digest: str  # SHA-256 of their results.json
    date: str = ""  # of their provenance; "" in indices of version 0.1

    @property
    def folder(self) -> str:
        """The folder of such files in `earlier/`."""
        return slug(f"{self.date[:10]}-{self.digest[:8]}")


def archive_earlier(
    folder: Path,
    results: Path,
    written: Collection[Path],
    names: Collection[str],
    *,
    date: str = "",
    clean: bool = False,
) -> None:
    """Move the files of an earlier report into `earlier/`, unless they have the same results.

    The folder's name has the date and the digest of their results.

    `folder`: the run's folder.
    `results`: the report's results.json: reports with the same results are the same.
    `written`: the files that were written with it.
    `names`: of all files that a report may consist of. A file that is in no index stays, with a
    warning.
    `date`: of the results.
    `clean`: whether such files are removed instead.
    """
    edition = _Edition(sha256(results.read_bytes()).hexdigest(), date)
    index = folder / WRITTEN.format("report")
    known = _read_editions(index)
    current = {path.relative_to(folder).as_posix(): edition for path in written}
    for name in names:
        path = folder / name
        if name in current or not path.exists():
            continue
        if name not in known:
            log.warning("%s: is not of this report, and stays as it is", path)
        elif known[name].digest == edition.digest:
            current[name] = known[name]
        elif clean:
            _remove(folder, name)
        else:
            _move(folder, name, folder / EARLIER / known[name].folder)
    lines = (f"{of.digest} {name} {of.date}".rstrip() + "\n" for name, of in current.items())
    write_text(index, "".join(lines), follows=False)


def check_whole(folder: Path) -> None:
    """Refuse a report that was being replaced by another one when the program was killed.

    Raises WarehouseError if its results are not those that its index names.
    """
    known = _read_editions(folder / WRITTEN.format("report")).get(RESULTS)
    results = folder / RESULTS
    if known and results.is_file() and known.digest != sha256(results.read_bytes()).hexdigest():
        raise WarehouseError(
            f"{folder}: found files of two reports, as writing one was broken off; allowed those "
            f"of one, which are written by: reportgen report {shlex.quote(str(folder))}"
        )


def _remove(folder: Path, name: str) -> None:
    """Remove a report of other results, with its pages of data sets."""
    path = folder / name
    path.unlink()
    if name == REPORT:
        write_texts({}, path.parent / DATASETS, "html")
        if own_files(path.parent / FILES):
            write_files({}, path.parent / FILES)
    for file in _beside(path, name):
        file.unlink()
    log.info("%s: removed, it was an earlier report with other results", path)


def _move(folder: Path, name: str, earlier: Path) -> None:
    """Move a report of other results, with its pages of data sets."""
    path, destination = folder / name, (earlier / name).parent
    destination.mkdir(parents=True, exist_ok=True)
    for file in _beside(path, name):
        place = destination / file.relative_to(path.parent)
        place.parent.mkdir(parents=True, exist_ok=True)
        file.replace(place)
    if name == REPORT:
        pages = path.parent / DATASETS
        texts = {
            own: (pages / own).read_text(encoding="utf-8")
            for own in _read_index(pages / WRITTEN.format("html"), "html")
            if (pages / own).exists()
        }
        write_texts(texts, destination / DATASETS, "html")
        write_texts({}, pages, "html")
        files = path.parent / FILES
        if names := own_files(files):
            found = {own: files / own for own in names}
            data = {own: file.read_bytes() for own, file in found.items() if file.exists()}
            write_files(data, destination / FILES)
            write_files({}, files)
    path.replace(destination / path.name)
    own_format = formats.format_of(name)
    log.info(
        "%s: moved to %s, as it has other results; --format %s writes one of these",
        path,
        destination,
        own_format.name if own_format else path.suffix[1:],
    )


def _beside(path: Path, name: str) -> list[Path]:
    """Return the other files of the project whose document a path is."""
    own_format = formats.format_of(name)
    if own_format is None or not own_format.is_project:
        return []
    files = (path.parent / name for name in own_files(path.parent))
    return [file for file in files if file != path and file.exists()]


def _read_editions(index: Path) -> dict[str, _Edition]:
    """Return the files that an index lists, with their results."""
    if not index.is_file():
        return {}
    lines = index.read_text(encoding="utf-8", errors="replace").splitlines()
    entries = (line.split(" ") for line in lines)
    return {entry[1]: _Edition(entry[0], *entry[2:3]) for entry in entries if len(entry) > 1}


def write_texts(texts: dict[str, str], folder: Path, kind: str) -> tuple[Path, ...]:
    """Write files into a folder, and remove those of their kind that an earlier report left.

    `texts`: by file name.
    `folder`: made when it is not there and there is something to write.
    `kind`: the files' ending.
    """
    index = folder / WRITTEN.format(kind)
    if not texts and not index.exists():
        return ()
    files = {name: text.encode() for name, text in texts.items()}
    return _write_all(files, folder, index, _read_index(index, kind))


def report_files(folder: Path) -> dict[str, Path]:
    """Return the files of the report in the folder of a run, by their paths in it.

    `folder`: links in it are left out, also folders that are links, and so are the projects for
    Quarto and LaTeX.
    """
    found = [folder / name for name in formats.SHARED]
    for place in (*FOLDERS, *formats.SHARED_FOLDERS):
        found += files_in(folder / place, folder)
    return {
        file.relative_to(folder).as_posix(): file
        for file in found
        if file.is_file() and not file.is_symlink() and not file.name.startswith(".")
    }


def own_report_files(folder: Path, names: Collection[str]) -> tuple[str, ...]:
    """Return the paths of a report's files and indices in the folder of a run.

    `names`: of the files that a report may consist of, beside those that its indices list.
    """
    found = [folder / name for name in names]
    for place in (*FOLDERS, *formats.FOLDERS):
        for index in (folder / place).glob(WRITTEN.format("*")):
            found += [index, *(index.parent / name for name in _listed(index))]
    own = dict.fromkeys(file.relative_to(folder).as_posix() for file in found)
    return tuple(n for n in own if (folder / n).is_file() and not (folder / n).is_symlink())


def write_files(files: Mapping[str, bytes], folder: Path) -> tuple[Path, ...]:
    """Write files into a folder and its folders, and remove those that an earlier report left.

    `files`: by path within the folder, with slashes.
    `folder`: made when it is not there.
    """
    return _write_all(files, folder, folder / WRITTEN.format("files"), own_files(folder))


def _write_all(
    files: Mapping[str, bytes], folder: Path, index: Path, earlier: Iterable[str]
) -> tuple[Path, ...]:
    """Write files and the index of them, and remove those that were there and are not now."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in earlier:
        if name not in files:
            (folder / name).unlink(missing_ok=True)
    lines = "".join(f"{name}\n" for name in files)
    write_text(index, lines, follows=False)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, data, follows=False)
    return tuple(folder / name for name in files)


def own_files(folder: Path) -> list[str]:
    """Return the paths of the files that `write_files` has put into a folder, none beyond it."""
    return _listed(folder / WRITTEN.format("files"))


def _listed(index: Path) -> list[str]:
    """Return the paths that an index lists, none beyond its folder."""
    if not index.is_file():
        return []
    names = index.read_text(encoding="utf-8", errors="replace").splitlines()
    parts = {name: Path(name).parts for name in names if name}
    return [
        n
        for n, p in parts.items()
        if len(p) <= DEEPEST and ".." not in p and not Path(n).is_absolute()
    ]


def _read_index(index: Path, kind: str) -> list[str]:
    """Return the files of a kind that an index lists, and nothing beyond its folder."""
    if not index.is_file():
        return []
    names = index.read_text(encoding="utf-8", errors="replace").splitlines()
    return [name for name in names if Path(name).name == name and name.endswith(f".{kind}")]
