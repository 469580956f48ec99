"""The formats of a report: a row for each, which all that name formats read.

A report, an export and a document that is no report (a difference, a history) take formats by the
same names.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Figures = Literal["all", "paper", "none"]
Density = Literal["full", "compact"]
"""Whether a report, a result, a drawing or the page of a data set has all, or what matters most."""


class Levels(NamedTuple):
    """The levels of headings, where an article and its supplement are not two documents."""

    supplement: int = 0  # levels by which headings of a supplement are lower
    page: int = 3  # of sections on the page of a data set
    overview: int = 3  # of what stands below the index of data sets


class Format(NamedTuple):
    """A format, who takes it, and how it is made."""

    name: str
    file: str = ""  # of a report in the run's folder; none: no report has this format
    # The module of reportgen.rendering with `render(report, destination, folders)`, which writes
    # that file and what belongs to it.
    module: str = ""
    quarto: str = ""  # what the program Quarto renders the project of `qmd` to, if it makes this
    option: str = ""  # the key of `report` in a manifest that `render` takes, too
    # What it shows of figures: as a page and as paper, as paper, not at all.
    figures: Figures = "none"
    has_pictures: bool = False  # whether figures are files of it, as PDF and PNG
    further: tuple[str, ...] = ()  # files of a report beside its own
    folders: tuple[str, ...] = ()  # folders of its own in the run's folder
    # Whether its own folder has other files, among them a user's: it is not compared byte by byte,
    # and not shared with a report.
    is_project: bool = False
    is_long: bool = False  # whether to tell that it is being made
    # Whether its module has `documents`, `set_document` and `write_documents`, so that workers set
    # it beside other formats, and another of that name with `_engine`, which they import before.
    is_set_beside: bool = False
    export: str = ""  # what an export writes in it; none: no export has this format
    is_document: bool = False  # whether documents that are no report have it
    is_html: bool = False  # whether this program sets it from HTML
    # Whether it is one text without a supplement and without drawings: sections say all at once.
    is_summary: bool = False
    has_dataset_files: bool = False  # whether pages of very many data sets are files beside it
    has_index: bool = True  # whether an article has an index of data sets before their entries
    levels: Levels = Levels()


SUPPLEMENT = "supplement.pdf"  # of an article in PDF
PROJECT = "qmd"  # what the program Quarto reads

_OWN = (  # in the order they are written: what is least likely to fail first
    Format("json", "results.json", "results_json", is_document=True),
    Format(
        *("html", "report.html", "page"),
        option="html",
        figures="all",
        folders=("datasets", "report_files"),
        is_long=True,
        is_document=True,
        is_html=True,
        has_dataset_files=True,
    ),
    Format(*("md", "report.md", "markdown"), export="tables", is_document=True, is_summary=True),
    Format(
        *("pdf", "report.pdf", "pdf"),
        figures="paper",
        further=(SUPPLEMENT,),
        is_long=True,
        is_set_beside=True,
        is_html=True,
        has_index=False,  # the entries follow on paper, so that no table needs to lead to them
    ),
    Format(
        *(PROJECT, "quarto/index.qmd", "quarto"),
        option="quarto",
        figures="paper",
        has_pictures=True,
        folders=("quarto",),
        is_project=True,
        levels=Levels(page=4, overview=2),
    ),
    Format(
        *("latex", "latex/main.tex", "latex"),
        option="latex",
        figures="paper",
        has_pictures=True,
        folders=("latex",),
        is_project=True,
        export="tables, figures, numbers and references of a manuscript",
    ),
)
_BY_QUARTO = tuple(
    Format(
        *(f"quarto-{form}", f"quarto/index{ending}"),
        quarto=form,
        figures="paper",
        further=(f"quarto/supplement{ending}",),
        is_long=True,
    )
    for form, ending in (
        ("html", ".html"),
        ("pdf", ".pdf"),
        # Of a document of its own: Quarto lets Typst write a PDF that has its document's name, so
        # that one of LaTeX with that name would be gone.
        ("typst", "-typst.pdf"),
        ("docx", ".docx"),
    )
)
_OTHERS = (
    Format("csv", export="performances, predictions and tables"),
    Format("parquet", export="performances and predictions"),
    Format("text", is_document=True, is_summary=True),
)
FORMATS = {row.name: row for row in (*_OWN, *_BY_QUARTO, *_OTHERS)}

REPORTS = tuple(row.name for row in FORMATS.values() if row.file)
EXPORTS = ("csv", "parquet", *(row.name for row in _OWN if row.export))
DOCUMENTS = ("text", *(row.name for row in _OWN if row.is_document))
BY_QUARTO = tuple(row.quarto for row in _BY_QUARTO)
USUAL = ("html", "pdf")  # of a report for which nobody names formats
OLD_NAMES = {"tex": "latex"}  # that are still understood

FILES = tuple(file for row in FORMATS.values() if row.file for file in (row.file, *row.further))
"""All files that a report may have at fixed places, apart from tables, figures and projects."""

SHARED = tuple(file for row in _OWN if not row.is_project for file in (row.file, *row.further))
"""Those of which all bytes are the program's."""

WRITTEN = tuple(file for row in _OWN for file in (row.file, *row.further))
"""Those that this program writes itself."""

FOLDERS = tuple(folder for row in _OWN for folder in row.folders)
SHARED_FOLDERS = tuple(folder for row in _OWN if not row.is_project for folder in row.folders)


def format_of(file: str) -> Format | None:
    """Return the format of a file of a report.

    Examples
    --------
    >>> [format_of(file).name for file in ("supplement.pdf", "quarto/index-typst.pdf")]
    ['pdf', 'quarto-typst']
    """
    of_report = (row for row in FORMATS.values() if row.file)
    return next((row for row in of_report if file in (row.file, *row.further)), None)


def with_required(names: set[str]) -> set[str]:
    """Return formats with those that they are made from.

    Examples
    --------
    >>> sorted(with_required({"md", "quarto-docx"}))
    ['md', 'qmd', 'quarto-docx']
    """
    return names | ({PROJECT} if any(FORMATS[name].quarto for name in names) else set())


def figures_of(names: set[str]) -> Figures:
    """Return what some formats show of figures."""
    shown = {FORMATS[name].figures for name in names}
    return "all" if "all" in shown else "paper" if "paper" in shown else "none"


def in_words(kind: Literal["report", "export"]) -> str:
    """List the formats of a report or an export, as the help of a verb does.

    Examples
    --------
    >>> in_words("report")[:61]
    'json,html,md,pdf,qmd,latex, and by the program Quarto quarto-'
    """
    if kind == "report":
        own, others = ",".join(row.name for row in _OWN), ",".join(row.name for row in _BY_QUARTO)
        return f"{own}, and by the program Quarto {others}"
    return "; ".join(f"{name}: {FORMATS[name].export}" for name in EXPORTS)
