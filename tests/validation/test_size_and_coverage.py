"""The table of sizes and coverages: whole, as promised, and met again by fresh simulations."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import sqrt
from pathlib import Path
from types import ModuleType

import pytest

from reportgen.stats.pairs.promise import promise_for

FOLDER = Path(__file__).resolve().parents[2] / "validation" / "size-and-coverage"
MODULES = ("study", "procedures", "judges", "null_laws", "earlier", "mistakes", "page")

FOUR = 4.0  # standard errors beyond which a cell is wrong
NEARLY = 0.03  # above 5%: what an approximation with few units may cost
FAR = 2.5  # standard errors: of some hundred cells that all lie below what is said
SLACK = 0.02  # what is said of some number of units holds for up to half as many again
FRESH = 999  # seed of the simulations here
N_RUNS = 300

CHEAP = [  # procedure, law, candidates, units
    ("ranks", "normal", 3, 10),
    ("ranks", "tied", 6, 10),
    ("signed ranks", "unequal", 3, 10),
    ("aligned ranks", "normal", 6, 10),
    ("Skillings-Mack", "tied", 6, 50),
    ("block F", "normal", 3, 50),
    ("block F", "unequal", 12, 10),
    ("sign flips", "unequal", 6, 10),
    ("Tukey", "normal", 2, 10),
    ("Bonferroni", "unequal", 6, 10),
    ("generating process", "process", 3, 50),
    ("verdict", "one bad", 5, 12),
    ("verdict", "two values", 5, 6),
    ("verdict", "skewness 2", 5, 20),
    ("verdict", "skewness 6.2", 12, 8),
    ("verdict", "failures", 5, 50),
    ("verdict, gaps", "normal", 5, 20),
    ("domain Hotelling", "domain, unequal", 6, 10),
]


@pytest.fixture(scope="module")
def study() -> Iterator[ModuleType]:
    """Return the script as a module."""
    sys.path.insert(0, str(FOLDER))
    import study

    yield study
    sys.path.remove(str(FOLDER))
    for name in MODULES:
        sys.modules.pop(name, None)


def differ(one, other) -> bool:
    """Whether two measurements of a cell are farther apart than simulation explains."""
    pooled = (one.n_errors + other.n_errors) / (one.n_runs + other.n_runs)
    error = sqrt(max(pooled * (1 - pooled), 1e-4) * (1 / one.n_runs + 1 / other.n_runs))
    return abs(one.rate - other.rate) > FOUR * error


def breaks_promise(cell) -> bool:
    """Whether a cell errs more, or less, often than it says."""
    promise = 0.06 if cell.claim == "at most 6%" else 0.05
    error = sqrt(promise * (1 - promise) / cell.n_runs)
    above = cell.rate - promise - FOUR * error
    if cell.claim == "exact":
        return above > 0 or 0.05 - cell.rate > FOUR * error
    return cell.claim != "none" and above > (NEARLY if cell.claim == "nearly" else 0)


def test_all_cells_are_there(study: ModuleType) -> None:
    cells = study.read_cells()
    assert study.missing(list(study.tasks(study.RUNS)), cells) == []
    from procedures import VERDICT

    sizes = {(cell.n_candidates, cell.n_units) for cell in cells if cell.kind == "test"}
    assert sizes == {(k, n) for k in (2, 3, 6, 12) for n in (10, 50, 250)}
    sizes = {(cell.n_candidates, cell.n_units) for cell in cells if cell.row == VERDICT}
    assert sizes == {(k, n) for k in (2, 5, 12, 50) for n in (6, 8, 12, 20, 30, 50, 100, 250)}
    assert {cell.law for cell in cells} == set(study.LAWS)
    assert all(0 <= cell.n_errors <= cell.n_runs >= study.FEWEST_RUNS for cell in cells)


def test_promises_are_kept(study: ModuleType) -> None:
    cells = study.read_cells()
    assert [cell for cell in cells if breaks_promise(cell)] == []
    kept = next(c for c in cells if c.claim == "exact")
    assert breaks_promise(replace(kept, n_errors=round(0.08 * kept.n_runs) + 1))
    assert breaks_promise(replace(kept, n_errors=round(0.01 * kept.n_runs)))
    assert breaks_promise(replace(kept, claim="at most", n_errors=round(0.09 * kept.n_runs)))
    assert breaks_promise(replace(kept, claim="at most 6%", n_errors=round(0.1 * kept.n_runs)))


@pytest.mark.slow
@pytest.mark.parametrize("task", CHEAP, ids=lambda task: ", ".join(map(str, task)))
def test_cells_are_met_again(study: ModuleType, task: tuple[str, str, int, int]) -> None:
    name, law, k, n = task
    known = {(c.row, c.law, c.n_candidates, c.n_units): c for c in study.read_cells()}
    for fresh in study.measure(study.Task(name, law, k, n, N_RUNS), seed=FRESH):
        cell = known[fresh.row, law, k, n]
        assert not differ(fresh, cell), f"{fresh.row}: {fresh.rate:.3f}, table {cell.rate:.3f}"
        assert (fresh.kind, fresh.claim) == (cell.kind, cell.claim)
        wrong = replace(cell, n_errors=cell.n_errors + round(0.12 * cell.n_runs))
        assert differ(fresh, wrong)


@pytest.mark.slow
def test_every_procedure_runs_and_can_be_taken_up(study: ModuleType, tmp_path: Path) -> None:
    few = (t for t in study.tasks(2) if t.n_candidates in (3, 5, 6) and t.law != "real")
    first = {t.procedure: t for t in few}  # those with the fewest units come last
    some = [t for t in first.values() if t.procedure != "closed ranks permuted"]
    path = tmp_path / "cells.csv"
    done = study.fill(some[:3], [], 1, path)
    assert study.missing(some, study.read_cells(path)) == some[3:]
    cells = study.fill(some[3:], done, 1, path)
    assert study.missing(some, cells) == []
    assert study.read_cells(path) == cells
    again = [cell for task in some for cell in study.measure(task)]
    assert sorted(again, key=repr) == sorted(cells, key=repr)  # streams do not depend on the order


def test_earlier_figures_hold(study: ModuleType) -> None:
    from earlier import FIGURES, reproduce

    found = {one.figure: one for one in study.read_earlier()}
    assert list(found) == list(FIGURES)
    assert [name for name, one in found.items() if not one.holds] == []
    fresh = reproduce("aligned values as independent samples, K = 3", 400)
    assert fresh.holds
    assert not replace(fresh, low=0.05, high=0.05).holds


def test_page_shows_the_table(study: ModuleType) -> None:
    from page import page

    cells = study.read_cells()
    text = page(cells, study.read_earlier())
    assert study.PAGE.read_text(encoding="utf-8") == text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    widths = {line.replace("\\|", "").count("|") for line in rows}
    assert max(widths) == 12 + 3  # twelve sizes, the name and the promise
    shown = f"{100 * cells[0].rate:.1f} ± {100 * cells[0].standard_error:.1f}"
    assert shown in next(line for line in rows if cells[0].row in line)


def test_page_says_of_verdicts_what_was_measured(study: ModuleType) -> None:
    """Every number of the sentences about verdicts is counted here anew."""
    from procedures import GAPS, SKEWNESS, VERDICT

    text = study.PAGE.read_text(encoding="utf-8")
    chapter = text[text.index("## The verdict") : text.index("## In short")]
    lines = [line for line in chapter.splitlines() if line.startswith("- ")]
    cells = [c for c in study.read_cells() if c.row in (VERDICT, GAPS)]
    kept = [c for c in cells if c.claim == "at most 6%"]
    free = [c for c in cells if c.claim == "none"]
    symmetric = [c for c in kept if c.law in ("normal", "one bad", "tied")]
    skewed = [c for c in kept if c.law.startswith("skewness")]
    others = [c for c in kept if c.law not in SKEWNESS]
    groups = (symmetric, skewed, others, free)
    assert sum(map(len, groups)) == len(cells)
    for line, group in zip(lines, groups, strict=True):
        above = [c for c in group if 50 * c.n_errors > 3 * c.n_runs]
        clearly = [
            c for c in above if c.n_errors - 0.06 * c.n_runs > 2 * sqrt(0.06 * 0.94 * c.n_runs)
        ]
        assert line.startswith(f"- {len(group)} cells ")
        assert f" {len(above)} lie above 6%, {len(clearly)} by more than two standard" in line
        highest = max(group, key=lambda c: c.rate)
        assert f"are {100 * highest.rate:.1f}% (" in line
        assert f"K = {highest.n_candidates}, {highest.n_units} units); " in line
    bold = chapter.count("**") // 2 - 1  # the word in the introduction
    clearly = [c for c in cells if c.n_errors - 0.06 * c.n_runs > 2 * sqrt(0.0564 * c.n_runs)]
    assert bold == len(clearly) > 20
    assert chapter.count("±") == len(cells)
    assert len(re.findall(r"\(\d+\.\d ± \d+\.\d\)", chapter)) == len(free)


def test_promises_of_reports_are_the_cells(study: ModuleType) -> None:
    """What a report says of its error is what was measured of as many units and candidates."""
    from procedures import SKEWNESS, VERDICT

    cells = [c for c in study.read_cells() if c.row == VERDICT and c.law in SKEWNESS]
    for cell in cells:
        n_pairs = cell.n_candidates * (cell.n_candidates - 1) // 2
        promise = promise_for(cell.n_units, SKEWNESS[cell.law], n_pairs=n_pairs)
        assert promise.is_kept == (cell.claim == "at most 6%")
        said = promise.error
        assert said is not None
        error = sqrt(said * (1 - said) / cell.n_runs)
        assert cell.rate <= said + FAR * error, cell  # the most of several numbers of candidates
        if promise.is_kept:
            assert cell.rate <= 0.06 + FAR * error, cell
    blocks = ((10, (2, 5)), (66, (12,)), (1225, (50,)))
    for cell, (n_pairs, candidates) in product(cells, blocks):
        if SKEWNESS[cell.law] < 1.75 or cell.n_candidates not in candidates:
            continue
        place = (cell.law, cell.n_units)
        same = [c for c in cells if (c.law, c.n_units) == place and c.n_candidates in candidates]
        most = max(same, key=lambda c: c.rate)
        said = promise_for(cell.n_units, SKEWNESS[cell.law], n_pairs=n_pairs).error
        assert said <= most.rate + FAR * most.standard_error + SLACK, (said, most)
