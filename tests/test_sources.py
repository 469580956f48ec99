"""The page of the sources: its calls run, its pictures are there, its studies are what they say."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib.figure import Figure
from PIL import Image

import reportgen
from reportgen.sections import find_sections
from reportgen.study.manifest import load_study

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "sources.md"
DATA = ROOT.parent / "shared" / "reference" / "data"
STUDIES = ROOT / "studies" / "sources"
TEXT = PAGE.read_text(encoding="utf-8")


def module(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import a script that is no part of the package."""
    spec = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, found)
    spec.loader.exec_module(found)
    return found


@pytest.mark.slow
def test_every_call_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = module(ROOT / "tools" / "sources.py", monkeypatch)
    shutil.copytree(STUDIES, tmp_path / "studies" / "sources")
    monkeypatch.chdir(tmp_path)
    found = list(tool.calls(TEXT))
    assert len(found) > 35
    names: dict[str, Any] = {}
    for code, picture in found:
        value = tool.evaluate(code, names)
        if picture is not None:
            assert isinstance(value, Figure), code
            tool.save(value, tmp_path / "picture.png")
            with Image.open(tmp_path / "picture.png") as drawn:
                darkest, lightest = drawn.convert("L").getextrema()
            assert lightest - darkest > 100, code
        elif "import" not in code and "reportgen.run" not in code:
            assert value is not None, code
            assert not hasattr(value, "__len__") or len(value), code


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason="the reference data are not there")
def test_published_results_are_read_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = re.findall(r'reportgen run (\S+) --set "results=(.*)"', TEXT)
    (monks3, given), (uci621, others) = (
        (ROOT / study, yaml.safe_load(words.replace("/path/to", str(DATA))))
        for study, words in found
    )
    made = module(STUDIES / "made.py", monkeypatch)
    study = reportgen.run(monks3, tmp_path, results=given, sections=["eda"])
    means = study.summary("misclassification").set_index("candidate")["mean"]
    assert means[list(made.NAMES)].to_numpy() == pytest.approx(made.MEAN, abs=5.1e-5)
    pooled = {"variance": "pooled"}
    study = reportgen.run(uci621, tmp_path, results=others, sections=["domain"], analysis=pooled)
    golden = json.loads((DATA.parent / "golden" / "uci621.json").read_text(encoding="utf-8"))
    chains = {
        row.name: row.chain and "<".join("~".join(sorted(level)) for level in row.chain)
        for row in study.result("domain").rows
    }
    assert [name for name, chain in chains.items() if chain is None] == ["ttnc", "Crcl"]
    printed = golden["printed_in_dissertation"]["chains"]
    assert chains == {n: chains[n] and printed[n] for n in chains}


@pytest.mark.slow
def test_the_tree_of_real_fits_is_what_the_page_says(tmp_path: Path) -> None:
    text = (ROOT / "studies" / "toy-separability.yaml").read_text(encoding="utf-8")
    manifest = tmp_path / "toy.yaml"
    trees = []
    for size in (20, 51):
        own = text.partition("  - eda")[0].replace("min_size: 20", f"min_size: {size}")
        manifest.write_text(own, encoding="utf-8")
        study = reportgen.run(manifest, jobs=1)
        trees.append(study.result("psychoanalysis")["misclassification"].tree)
    assert [tree.split.characteristic for tree in trees] == ["i2r.fcc", "i2r.fcc"]
    (again,) = (node for node in trees[0].children if node.split)
    assert (list(again.datasets), again.split.characteristic) == (["ds1"], "cvar.kurt")
    assert again.split.p_value == pytest.approx(0.019, abs=0.0005)
    assert sorted(node.n for node in again.children) == [41, 59]
    assert not any(node.split for node in trees[1].children)


def test_calls_are_found_with_their_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = module(ROOT / "tools" / "sources.py", monkeypatch)
    page = (
        "```python\nf(1)\n```\n\n![words](a/b.png)\n\n| source | `g(2)` | |\n\n```python\nh\n```\n"
    )
    assert list(tool.calls(page)) == [("f(1)", "a/b.png"), ("g(2)", None), ("h", None)]
    assert tool.evaluate("x = 3", names := {}) is None
    assert tool.evaluate("x + 1", names) == 4


def test_every_picture_of_the_page_is_there_and_no_other() -> None:
    shown = {Path(name).name for name in re.findall(r"\(gallery/sources/([^)]+)\)", TEXT)}
    stored = {path.name for path in (ROOT / "docs" / "gallery" / "sources").iterdir()}
    assert shown == stored


@pytest.mark.parametrize("section", [s for s in find_sections().values() if s.requests],
                         ids=lambda s: s.name)  # fmt: skip
def test_every_figure_on_request_has_its_place_on_the_page(section: Any) -> None:
    named = set(re.findall(rf"`{section.name}: {{[^`]*?figures: \[([^\]]+)\]", TEXT))
    shown = {name for group in named for name in group.split(", ")}
    shown |= set(re.findall(r"draws `([a-z-]+)`", TEXT))
    assert set(section.requests) <= shown | {"cd"}
    assert 'figure("cd")' in TEXT


def test_studies_of_the_page_are_those_that_are_there() -> None:
    named = set(re.findall(r"studies/sources/([\w-]+)\.yaml", TEXT))
    assert named == {path.stem for path in STUDIES.glob("*.yaml")}
    options = {name: section.options for name, section in find_sections().items()}
    for path in STUDIES.glob("*.yaml"):
        load_study(path, options)
        assert re.search("made[ -]up", path.read_text("utf-8"), re.IGNORECASE), path


def test_stand_ins_have_what_the_sources_print(monkeypatch: pytest.MonkeyPatch) -> None:
    made = module(STUDIES / "made.py", monkeypatch)
    errors = pd.read_csv(STUDIES / "monks3.csv").pivot_table(
        index="replication", columns="candidate", values="misclassification"
    )[list(made.NAMES)]
    assert errors.shape == (250, 6)
    assert errors.mean().to_numpy() == pytest.approx(made.MEAN, abs=0.002)
    assert errors.std().to_numpy() == pytest.approx(made.SD, rel=0.15)
    domain = pd.read_csv(STUDIES / "uci621.csv")
    assert tuple(dict.fromkeys(domain["dataset"])) == made.SETS
    error = (made.OF_SETS**2 + made.OF_BOTH**2) ** 0.5 / len(made.SETS) ** 0.5
    means = domain.groupby("dataset")[list(made.NAMES)].mean().mean()
    assert np.abs(means.to_numpy() - made.KAPPA).max() < 3 * error


def test_stand_ins_are_what_their_program_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = module(STUDIES / "made.py", monkeypatch)
    monkeypatch.setattr(made, "HERE", tmp_path)
    made.main()
    for path in sorted(STUDIES.glob("*.csv")):
        ours, drawn = pd.read_csv(path), pd.read_csv(tmp_path / path.name)
        numbers = ours.select_dtypes("number").columns
        assert list(ours.columns) == list(drawn.columns)
        # a last digit may be rounded otherwise where logarithms differ
        wanted = pytest.approx(ours[numbers].to_numpy(), rel=2e-3, abs=6e-3)
        assert drawn[numbers].to_numpy() == wanted
