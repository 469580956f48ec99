"""LaTeX for a manuscript: pdfLaTeX sets it without an error, and the picture is as it should be."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import reportgen as rg
from reportgen.cli import main
from reportgen.pipeline import analyse
from reportgen.rendering.latex import write_paper
from reportgen.rendering.latex_log import problems_in
from reportgen.report import Report
from reportgen.study.schema import LatexEntry
from tests.rendering.conftest import FOLDERS, HOSTILE, make_report
from tests.rendering.installed_latex import OF_CLASSES, OF_UNICODE, need_latex
from tests.rendering.test_latex import ATTACKS

WIDEST = 3.0  # pt that a line may be too wide: less than a letter
TROUBLE = re.compile(r"^!.*|.*Warning.*|Overfull.*|.*undefined.*", re.MULTILINE)

IEEE = r"\usepackage[numbers]{natbib}\usepackage{url}"
OF_CLASS = {  # what classes themselves complain of, and that Debian has no jss.bst
    "article": re.compile("(?!)"),
    "IEEEtran": re.compile("(?!)"),
    "jss": re.compile(
        r"output is active|natbib|hyperref|Font|undefined references|Label\(s\)|rerun"
    ),
}

NONE = re.compile("(?!)")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def _pdflatex() -> None:
    need_latex("pdflatex")  # Debian: texlive-latex-recommended
    need_latex("bibtex")


def _troubles(folder: Path) -> list[str]:
    """Set `main.tex` with all that it could take in, and return what the log complains of."""
    path = folder / "main.tex"
    path.write_text(re.sub(r"(?m)^% (?=\\(?:input|clearpage))", "", path.read_text()))
    for command in ("pdflatex", "bibtex", "pdflatex", "pdflatex", "pdflatex"):
        options = ["-interaction=nonstopmode"] if command == "pdflatex" else []
        subprocess.run([command, *options, "main"], cwd=folder, capture_output=True, check=False)
    log = (folder / "main.log").read_text(encoding="latin-1")
    found = TROUBLE.findall(log)
    return [line for line in found if _excess(line) > WIDEST]


def _excess(line: str) -> float:
    """Return by how much a line is too wide; of any other complaint infinity."""
    excess = re.search(r"\(([0-9.]+)pt too wide\)", line)
    return float(excess[1]) if excess else float("inf")


def test_names_that_are_attacks_are_set_as_they_are(tmp_path: Path) -> None:
    names = (
        *HOSTILE,
        *ATTACKS,
        r"\write18{touch pwned}",
        "x" * 120,
        "深度学习" * 9,
        "é ≥ − ł 猫 Ω",
    )
    report = make_report(names, names)
    written = write_paper(report, tmp_path / "paper", FOLDERS)
    (told,) = set(_troubles(tmp_path / "paper"))
    assert "pdflatex has no letters of other scripts" in told
    known = {path.name for path in written} | {".written-files"}
    assert {p.name for p in tmp_path.rglob("*") if p.is_file() and p.stem != "main"} <= known


@pytest.mark.parametrize("program", ["lualatex", "xelatex"])
def test_letters_of_other_scripts_are_those_of_a_font(
    program: str, report: Report, tmp_path: Path
) -> None:
    """Cyrillic and Hebrew letters are in DejaVu; no font has the last one, which is its number."""
    need_latex(program, "newunicodechar.sty", *OF_UNICODE, font="DejaVu Sans")
    title = "<!-- Дом שלום \U00013000"
    told = replace(report, study=replace(report.study, title=title))
    folder = tmp_path / "paper"
    write_paper(told, folder, FOLDERS)
    for _ in range(2):
        subprocess.run(
            [program, "-interaction=nonstopmode", "main"],
            cwd=folder,
            capture_output=True,
            check=False,
        )
    log = (folder / "main.log").read_text(encoding="utf-8", errors="replace")
    assert not re.search("^!", log, re.MULTILINE)
    assert [line for line in problems_in(log) if "font" in line] == [
        (
            "no font of the document has U+13000 (pdflatex has no letters of other scripts, "
            "lualatex and xelatex take those of fonts that are installed)"
        )
    ]
    text = subprocess.run(
        ["pdftotext", "-l", "1", folder / "main.pdf", "-"], capture_output=True, check=True
    ).stdout.decode()
    assert "<!-- Дом" in text  # hyphens of a name are no dash
    assert "שלום" in text or "םולש" in text  # as it stands, or as it is read
    assert "U+13000" in text


def test_an_unknown_number_is_told(report: Report, tmp_path: Path) -> None:
    write_paper(replace(report, contents=()), tmp_path / "paper", FOLDERS)
    main_file = tmp_path / "paper" / "main.tex"
    text = main_file.read_text()
    at = text.partition(r"\maketitle")[0].count("\n") + 1
    main_file.write_text(
        text.replace(r"\maketitle", r"\maketitle \rgnum{no.such} \rgnum{study.seed}")
    )
    assert [line for line in _troubles(tmp_path / "paper") if "no.such" in line] == [
        f"Package reportgen Warning: Number `no.such' undefined on input line {at}."
    ]


CLASSES = {
    "article": (),
    "IEEEtran": (("plainnat", "IEEEtranN"), (r"\usepackage{natbib,url}", IEEE)),
    "jss": ((r"\usepackage{natbib,url}", ""), (r"\bibliographystyle{plainnat}", "")),
}
WIDTHS = {"article": 450.0, "IEEEtran": 450.0, "jss": 400.0}  # its letters are wider
JSS = r"""\Plaintitle{A study}\Plainauthor{A. Author}\Address{A. Author}
\Abstract{\input{abstract}}\Keywords{\input{keywords}}\Plainkeywords{trees}
"""


@pytest.mark.parametrize(("name", "columns"), [("article", 2), ("IEEEtran", 2), ("jss", 1)])
def test_the_texts_are_set_in_the_class_of_a_journal(
    name: str, columns: Literal[1, 2], tmp_path: Path
) -> None:
    need_latex("pdflatex", f"{name}.cls", *OF_CLASSES)  # Debian: texlive-publishers, r-base-core
    rng = np.random.default_rng(1)
    values = rng.normal([0.3, 0.27, 0.2], 0.02, size=(8, 12, 3))
    study = rg.compare(
        values, measure="misclassification", candidates=["lda", "rpart", "svm"], name="toys"
    )
    report = analyse(*study.parts, formats=["latex"])
    report = replace(report, study=replace(report.study, keywords=("trees",)))
    write_paper(report, tmp_path, FOLDERS, LatexEntry(columns=columns, width=WIDTHS[name]))
    path = tmp_path / "main.tex"
    text = path.read_text()
    for old, new in CLASSES[name]:
        assert old in text
        text = text.replace(old, new)
    if name != "article":
        options = {"IEEEtran": "[journal]", "jss": "[article,nojss]"}[name]
        text = re.sub(r"\\documentclass.*", rf"\\documentclass{options}{{{name}}}", text)
        text = re.sub(r"\\usepackage\[margin=.*\n", "", text)
    if name == "jss":
        text = re.sub(r"\\begin\{abstract\}[^@]*?\\end\{abstract\}", "", text)
        text = re.sub(r"\\(?:maketitle|date\{.*\})", "", text)
        text = text.replace(r"\begin{document}", JSS + r"\begin{document}")
    path.write_text(text)
    found = _troubles(tmp_path)
    troubles = [line for line in found if not OF_CLASS[name].search(line)]
    assert troubles == []
    if shutil.which("pdftotext"):
        command = ["pdftotext", "main.pdf", "-"]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
        words = " ".join(run.stdout.decode().split())
        assert "??" not in words
        assert "svm" in words
        assert re.search(r"(?:TABLE|Table) S", words)
        assert re.search(r"S1\.? D ?esign", words, re.IGNORECASE)  # IEEE's appendix has no heads


IN_CLASS = {
    "article": (r"[a4paper]{article}\usepackage[margin=25mm]{geometry}", 1, 450.0),
    "IEEEtran": ("[journal]{IEEEtran}", 2, 510.0),
    "elsarticle": ("[final,5p,twocolumn]{elsarticle}", 2, 500.0),
    "jss": ("[article,nojss]{jss}", 1, 400.0),
}
LONG = ("gradient-boosted-trees-tuned", "random_forest_of_1000_trees", "support-vector-machine",
        "k-nearest-neighbours-scaled", "linear discriminant", "neural-network-2")  # fmt: skip


@pytest.mark.parametrize("name", IN_CLASS)
def test_the_papers_table_is_set_in_the_class_of_a_journal(name: str, tmp_path: Path) -> None:
    need_latex("pdflatex", f"{name}.cls", *OF_CLASSES)  # Debian: texlive-publishers, r-base-core
    head, columns, width = IN_CLASS[name]
    rng = np.random.default_rng(1)
    many = rng.normal(np.linspace(0.2, 0.3, 10), 0.02, size=(21, 8, 10))
    attacks = [attack for attack in ATTACKS if attack.isprintable()]
    tables = []
    for values, names in (
        (rng.normal(0.3, 0.02, size=(8, 8, 6)), LONG),
        (many, [f"m{i}" for i in range(10)]),
        (many[0, :, :6], LONG),
        (many[:3, :, : len(attacks)], attacks),
    ):
        study = rg.compare(values, measure="misclassification", candidates=names, name="d")
        for options in ({"reference": study.candidates[1], "sort": "best"}, {"spread": "interval"}):
            text = study.to_latex("means", columns=columns, width=width, **options)
            label = f"tab:{len(tables)}-"
            tables.append(text.replace("tab:", label))
    packages = r"\usepackage{array,booktabs,graphicx,longtable,pdflscape,rotating}\extrafloats{100}"
    text = "\n\\clearpage\n".join(tables)
    jss = JSS.replace(r"\input{abstract}", "x").replace(r"\input{keywords}", "x")
    start = (
        f"\\title{{T}}\\author{{A}}{jss if name == 'jss' else ''}\n\\begin{{document}}\nWords.\n"
    )
    (tmp_path / "main.tex").write_text(
        f"\\documentclass{head}{packages}\n{start}{text}\n\\end{{document}}\n"
    )
    troubles = [line for line in _troubles(tmp_path) if not OF_CLASS.get(name, NONE).search(line)]
    assert troubles == []


def test_both_commands_write_the_same_manuscript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner

    rng = np.random.default_rng(1)
    values = rng.normal([0.3, 0.2], 0.02, size=(1, 12, 2))
    rg.compare(values, measure="misclassification", candidates=["lda", "svm"], name="toy").save(
        tmp_path / "toy.zip"
    )
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    report = ["report", str(tmp_path / "toy.zip"), "--format", "latex"]
    export = ["export", str(tmp_path / "toy.zip"), "--format", "latex", "--to"]
    found = []
    for command in (report, [*export, str(tmp_path / "paper")]):
        done = runner.invoke(main, command)
        assert done.exit_code == 0, done.output
        (folder,) = (p.parent for p in tmp_path.rglob("main.tex") if p.parent not in found)
        found.append(folder)
    files = [
        {p.relative_to(f).as_posix(): p.read_bytes() for p in f.rglob("*") if p.is_file()}
        for f in found
    ]
    assert "results.tex" in files[0]
    assert files[0] == files[1]


def test_a_study_is_exported_as_a_document(tmp_path: Path) -> None:
    from click.testing import CliRunner

    rng = np.random.default_rng(1)
    means = {"lda": 0.1, "svm^2": 0.15, "50% knn": 0.2}
    rows = [
        f"{dataset},{b},{name},misclassification,{mean + rng.normal(0, 0.02):.4f}"
        for dataset in ("one_1", "two & more")
        for b in range(12)
        for name, mean in means.items()
    ]
    head = "dataset,replication,candidate,measure,value"
    (tmp_path / "mine.csv").write_text("\n".join([head, *rows]))
    manifest = tmp_path / "mine.yaml"
    manifest.write_text("results: mine.csv\nsections: [eda, inference]\nexecution: {jobs: 1}\n")
    study = rg.run(manifest, tmp_path / "out")
    options = (
        "--output",
        str(tmp_path / "out"),
        "--format",
        "tex",
        "--to",
        str(tmp_path / "paper"),
    )
    done = CliRunner().invoke(main, ["export", str(manifest), *options])
    assert done.exit_code == 0, done.output
    paper = tmp_path / "paper"
    table = paper / "tables" / "one-1-inference-pairs-misclassification.tex"
    assert study.to_latex("pairs", dataset="one_1") == table.read_text()
    numbers = (paper / "numbers.tex").read_text()
    mean = study.performances.query("dataset == 'one_1' and candidate == 'lda'")["value"].mean()
    assert rf"\rgdef{{one-1.lda.mean}}{{{100 * mean:.2f}\%}}" in numbers
    assert len(list((paper / "figures").glob("*.pdf"))) >= 4
    main_file = (paper / "main.tex").read_text()
    assert _troubles(paper) == []
    assert main_file.count(r"\rgfloat") == 2
    if shutil.which("pdftotext"):
        command = ["pdftotext", "main.pdf", "-"]
        told = subprocess.run(command, cwd=paper, capture_output=True, check=True).stdout.decode()
        words = " ".join(told.split())
        assert words.index("S1 Design") < words.index("Table S1:")  # not at the page's head
    if shutil.which("pdffonts"):
        fonts = _fonts(paper / "main.pdf")
        assert fonts
        assert all(re.search(r" (?:CID TrueType|TrueType|Type 1C?) .* yes yes ", f) for f in fonts)


def _fonts(path: Path) -> list[str]:
    listed = subprocess.run(["pdffonts", path], capture_output=True, text=True, check=True).stdout
    return listed.splitlines()[2:]
