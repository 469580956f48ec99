"""Broken files of other programs give results or an error of ours, and nothing else."""

from __future__ import annotations

import json
import random
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import ExchangeError, ReportgenError
from reportgen.exchange import paper_tables, spreadsheets
from reportgen.exchange.files import read_table
from reportgen.exchange.tidy import read_results
from tests.exchange.shapes import BASE, SHAPES, ZEAL, Shape, cells, optuna, xlsx

ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 1e308, 10**400, "", "x", "\x1b"),
    *([], {}, [[]], [None], {"": 1}),
)
N_CHANGES = 6
PROGRAMS = (
    *("MTEB", "SWE-bench", "Google", "criterion", "JMH", "`go test", "`data.js`", "a database"),
    *("the folder of MLflow", "a folder of Hydra", "the folder of Weights", "`<algorithm>_acc"),
    *("a spreadsheet, ", "a table"),
)
"""Beginnings of rows of the page."""
TEXTS = (".tex", ".md", ".txt", ".csv", ".yaml", ".js", "")


def of_program(own: Shape) -> bool:
    return own.row.startswith(PROGRAMS) and not own.refused


@pytest.mark.parametrize("own", filter(of_program, SHAPES), ids=lambda own: own.row[:50])
def test_a_changed_file_is_read_or_refused(own: Shape, tmp_path: Path) -> None:
    if "spreadsheet" in own.row:
        pytest.importorskip("python_calamine", reason="an extra")
    chance = random.Random(own.row)
    for i in range(N_CHANGES):
        folder = tmp_path / str(i) / "runs"
        folder.mkdir(parents=True)
        made = own.make(folder)
        source = made[0] if isinstance(made, tuple) else made
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        change(chance.choice(files), chance)
        try:
            frame = read_results(source, **own.options).frame
        except ReportgenError:
            continue
        assert len(frame)


def change(path: Path, chance: random.Random) -> None:
    """Change a leaf of JSON, a piece of text, or a byte."""
    content = path.read_bytes()
    if path.suffix == ".json":
        document = json.loads(content)
        places = list(leaves(document))
        owner, key = chance.choice(places)
        owner[key] = chance.choice(ODD)
        path.write_text(json.dumps(document))
        return
    at = chance.randrange(len(content))
    odd = (b"", b"\xff", b"{", b"}", b"\\", b"&", b"|", b"\n", b"nan", b"1e999", b"$", b":", b"-")
    if path.suffix not in TEXTS:
        odd = (b"", b"\x00", b"\xff")
    n = chance.choice((0, 1, 30))
    path.write_bytes(content[:at] + chance.choice(odd) + content[at + n :])


def leaves(node: Any) -> list[tuple[Any, Any]]:
    """Return owner and key of each entry."""
    entries = node.items() if isinstance(node, dict) else enumerate(node)
    found = []
    for key, value in entries:
        found.append((node, key))
        if isinstance(value, dict | list):
            found += leaves(value)
    return found


def test_a_spreadsheet_that_unpacks_to_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = xlsx(tmp_path / "r.xlsx", {"Runs": cells(BASE)})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/media/zeros", bytes(1 << 20))
    monkeypatch.setattr(spreadsheets, "MOST_BYTES", 1 << 19)
    with pytest.raises(ExchangeError, match="when unpacked"):
        read_table(path)


def test_a_spreadsheet_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    path = xlsx(tmp_path / "r.xlsx", {"Runs": cells(BASE)})
    with pytest.raises(ExchangeError, match=r"pip install 'reportgen-benchmark\[spreadsheets\]'"):
        read_table(path)


def test_errors_of_a_spreadsheet_are_missing(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine", reason="an extra")
    rows = [*cells(BASE)[:-1], ["d2", 3, "rf", "#DIV/0!"]]
    frame = read_results(xlsx(tmp_path / "r.xlsx", {"Runs": rows})).frame
    assert frame["value"].isna().sum() == 1


def test_a_database_is_opened_read_only(tmp_path: Path) -> None:
    path = optuna(tmp_path / "s.db")
    path.chmod(0o444)
    before = path.read_bytes()
    read_table(path)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


def test_another_database_is_told(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as base:
        base.execute("CREATE TABLE runs (a INTEGER)")
    with pytest.raises(ExchangeError, match="with the tables runs; allowed a study of Optuna"):
        read_table(tmp_path / "other.db")
    with pytest.raises(ExchangeError, match=r"none\.db: found no such file"):
        read_table(tmp_path / "none.db")


def test_an_infinite_value_of_a_trial_is_told(tmp_path: Path) -> None:
    path = optuna(tmp_path / "s.db")
    with closing(sqlite3.connect(path)) as base:
        base.execute("UPDATE trial_values SET value = NULL, value_type = 'INF_POS' WHERE rowid = 1")
        base.commit()
    columns = {"candidate": "params_model", "replication": "user_attrs_seed"}
    with pytest.raises(ExchangeError, match="trial 0, column value: found 'inf'"):
        read_results(path, columns=columns | {"dataset": "user_attrs_dataset"}, measures=ZEAL)


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{tabular}",
        r"\begin{tabular}{l}\end{tabular}",
        r"\begin{tabular}{l" + "{" * 5000 + r"\end{tabular}",
        r"\begin{tabular}{ll} a & b \\" + r"\textbf{" * 5000 + r"1 & 2 \end{tabular}",
        "a | b\n---|---\n" + "**" * 5000 + " | 1\n",
        "a | b\n---|---\n" + "*a " * 1300 + " | 1\n",
        r"\begin{tabular}{l}" * 20_000,
        r"\begin{tabular}{ll} a & b \\ \cline" + " " * 100_000 + r"1 & 2 \end{tabular}",
    ],
)
def test_odd_markup_ends(text: str, tmp_path: Path) -> None:
    for name in ("t.tex", "t.md"):
        (tmp_path / name).write_text(text)
        try:
            read_table(tmp_path / name)
        except ExchangeError:
            continue


def test_text_of_cells() -> None:
    found = {
        r"\makecell{LDA}": "LDA",
        r"\textcolor{red}{0.9}": "0.9",
        r"\cellcolor[gray]{0.9} 0.8": "0.8",
        r"0.8\footnote{of Breiman}": "0.8",
        r"\num{0.8}": "0.8",
        r"{\color{red} 0.8}": "0.8",
        "$0.8^{*}$": "0.8",
        r"$0.8^{\ast\ast}$": "0.8",
        r"R\&D~lab": "R&D lab",
        "—": "",
    }
    assert {text: paper_tables._latex_text(text) for text in found} == found


def test_cells_of_markdown_keep_what_is_no_emphasis() -> None:
    found = {
        "svc__C=1__gamma=2": "svc__C=1__gamma=2",
        r"model\_a": "model_a",
        r"\*a\*": "*a*",
        "a*b*c": "a*b*c",
        "__model_a__": "model_a",
        "**a *b* c**": "a b c",
        "***0.9***": "0.9",
        "~~0.8~~ `0.9`": "0.8 0.9",
    }
    assert {text: paper_tables._markdown_text(text) for text in found} == found


@pytest.mark.parametrize("name", ["t.tex", "t.md"])
def test_a_table_beyond_its_limits_is_told(name: str, tmp_path: Path) -> None:
    cell = "x" * (paper_tables.MOST_LETTERS + 1)
    head, end = ("a | b\n--|--\n", "| 1\n")
    if name == "t.tex":
        head, end = (r"\begin{tabular}{ll} a & b \\ ", r"& 1 \end{tabular}")
    (tmp_path / name).write_text(head + cell + end)
    with pytest.raises(ExchangeError, match="found a cell of 4,09"):
        read_table(tmp_path / name)
    (tmp_path / name).write_text(head + " " * paper_tables.MOST_BYTES)
    with pytest.raises(ExchangeError, match="found more than 1 MiB"):
        read_table(tmp_path / name)
