"""The report's figures and tables as files of their own."""

from __future__ import annotations

from pathlib import Path

from reportgen.document import Report
from reportgen.rendering.cells import comma_separated, table_series
from reportgen.rendering.naming import Key, file_stems


def write_tables(report: Report, folder: Path) -> tuple[Path, ...]:
    """Write every table, placed or not, as CSV with all digits.

    Parameters
    ----------
    report : Report
    folder : Path
        Made when it is not there; what an earlier report left in it goes.
    """
    stems = file_stems(report)
    texts = {}
    for content in report.contents:
        for table in content.tables:
            key = Key("table", content.name, table.name, table.measure, content.dataset)
            series = table_series(table)
            texts[f"{stems[key]}.csv"] = comma_separated(series.columns, series.rows)
    return _write(texts, folder, "*.csv")


def write_figures(report: Report, folder: Path) -> tuple[Path, ...]:
    """Write every figure as SVG with its real colours.

    Parameters
    ----------
    report : Report
    folder : Path
        Made when it is not there; what an earlier report left in it goes.
    """
    stems = file_stems(report)
    texts = {}
    for content in report.contents:
        for figure in content.figures:
            key = Key("figure", content.name, figure.name, figure.measure, content.dataset)
            texts[f"{stems[key]}.svg"] = figure.print + "\n"
    return _write(texts, folder, "*.svg")


def _write(texts: dict[str, str], folder: Path, pattern: str) -> tuple[Path, ...]:
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(pattern):
        if left.name not in texts:
            left.unlink()
    paths = []
    for name, text in texts.items():
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="\n")
        paths.append(path)
    return tuple(paths)
