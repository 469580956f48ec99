"""The extension of Quarto, in Pandoc's own Lua, called as Quarto documents that it calls it."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from reportgen.rendering.manuscript import pieces
from reportgen.rendering.quarto_extension import write_extension
from reportgen.rendering.references import read_bibtex
from reportgen.rendering.templates import template_folder
from tests.builders import blank_figures
from tests.rendering import as_quarto, quarto_shortcodes
from tests.rendering.installed_latex import OF_CLASSES, need_latex
from tests.rendering.test_quarto import ATTACKS, MODELS
from tests.test_pipeline import call

HARNESS = Path(__file__).with_name("quarto_extension.lua")
SHORTCODE = re.compile(r"\{\{<.*?>\}\}")
ROWS = 8  # replications
MOST = 400  # numbers that are asked for at once


def results(place: Path, names: Sequence[str], datasets: Sequence[str], rows: int = ROWS) -> Path:
    """Write made-up errors as a file of results."""
    rng = np.random.default_rng(1)
    lines = ["dataset,replication,candidate,measure,value"]
    for d, dataset in enumerate(datasets):
        for b in range(rows):
            for k, name in enumerate(names):
                value = 0.3 + 0.03 * k + 0.02 * d + rng.normal(0, 0.02)
                words = (f'"{text.replace(chr(34), chr(34) * 2)}"' for text in (dataset, name))
                dataset_word, word = words
                lines.append(f"{dataset_word},{b},{word},error,{value:.4f}")
    path = place / "r.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run_of(place: Path, names: Sequence[str], datasets: Sequence[str]) -> Path:
    """Return the folder of a run with its Quarto project."""
    path = results(place, names, datasets)
    done = call("run", path, "--output", place, "--format", "qmd", "--jobs", "1")
    assert done.exit_code == 0, done.output
    return place / "r"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_of(tmp_path_factory.mktemp("plain"), ("lda", "rpart", "svm"), ("monks3",))


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with blank_figures():
        return run_of(
            tmp_path_factory.mktemp("several"), MODELS[1:4], [f"task {i}" for i in range(4)]
        )


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with blank_figures():
        return run_of(tmp_path_factory.mktemp("attacked"), ATTACKS[:5], ATTACKS[12:14])


def manuscript(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "quarto" / "manuscript.json").read_text("utf-8"))
    return found


def render(
    text: str,
    results: Path | str,
    folder: Path,
    *,
    form: str = "html",
    to: str = "json",
    floats: bool = True,
    project: Path | None = None,
    more: Sequence[str] = (),
    head: str = "",
) -> tuple[str, str]:
    """Return what Pandoc writes of a document with shortcodes, and what it says.

    `form`: that the extension sees.
    `head`: more of the metadata.
    """
    head = f"---\nreportgen:\n  results: {results}\n{head}---\n\n"
    head, raw = (
        SHORTCODE.sub(lambda found: f"`{found[0]}`{{=shortcode}}", own) for own in (head, text)
    )
    env = {
        **os.environ,
        "RG_INPUT": str(folder / "paper.qmd"),
        "RG_EXTENSION": str(template_folder() / "quarto" / "extension" / "reportgen.lua"),
        **({"RG_FLOATS": "1"} if floats else {}),
        **({"RG_PROJECT": str(project)} if project else {}),
        "RG_FORMAT": form,
    }
    words = [as_quarto.pandoc(), "-f", "markdown", "-t", to, "-L", str(HARNESS), *more]
    done = subprocess.run(
        words, input=(head + raw).encode(), capture_output=True, cwd=folder, env=env, check=False
    )
    assert (done.returncode == 0) == (not done.stderr), done.stderr.decode()
    return done.stdout.decode(), done.stderr.decode()


def tree_of(text: str, results: Path | str, folder: Path, **more: Any) -> as_quarto.Node:
    said, fault = render(text, results, folder, **more)
    assert not fault, fault
    found: as_quarto.Node = json.loads(said)
    return found


def fault_of(text: str, results: Path | str, folder: Path, **more: Any) -> str:
    said, fault = render(text, results, folder, **more)
    assert not said
    return fault.split("stack traceback")[0].strip().splitlines()[1].strip()


def leaves(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from leaves(value, (*path, key))
        else:
            yield ".".join((*path, key)), value


def spoken(text: str) -> str:
    """Return a text with single blanks, as Pandoc keeps words and what is between them."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f]", " ", text).split(" ")).strip()


RUNS = ("plain", "several", "attacked")


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest) -> Path:
    found: Path = request.getfixturevalue(request.param)
    return found


# ------------------------------------------------------------------------------- numbers


@pytest.mark.slow
def test_every_number_has_the_text_that_the_project_has(run: Path, tmp_path: Path) -> None:
    numbers = dict(leaves(manuscript(run)["numbers"]))
    keys = list(numbers)[:: max(1, len(numbers) // MOST)]
    assert len(keys) > 100
    text = "\n\n".join(f"{{{{< rg number {key} >}}}} x" for key in keys)
    blocks = tree_of(text, run, tmp_path)["blocks"]
    found = {key: as_quarto.plain(own)[:-2] for key, own in zip(keys, blocks, strict=True)}
    assert found == {key: spoken(numbers[key]) for key in keys}
    assert not quarto_shortcodes.in_tree({"t": "x", "c": blocks})


@pytest.mark.slow
def test_keys_are_those_of_latex(plain: Path, tmp_path: Path) -> None:
    done = call(
        "export", plain.parent / "r.csv", "--output", plain.parent, "--to", tmp_path / "tex"
    )
    assert done.exit_code == 0, done.output
    defined = re.findall(
        r"^\\rgdef\{([^}]+)\}", (tmp_path / "tex" / "numbers.tex").read_text("utf-8"), re.MULTILINE
    )
    assert {"monks3.svm.mean", "monks3.misclassification.svm.mean", "exact.monks3.svm.mean"} <= {
        *defined
    }
    text = "\n\n".join(f"{{{{< rg number {key} >}}}}" for key in defined)
    blocks = tree_of(text, plain, tmp_path)["blocks"]
    assert len(blocks) == len(defined)
    assert all(block["t"] == "Para" and block["c"] for block in blocks)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("monks3.svn.mean", "monks3.misclassification has no 'svn'; near: svm, "),
        ("monks3.misclassification.svn.mean", "monks3.misclassification has no 'svn'; near: svm, "),
        ("monks3.svm.maen", "monks3.misclassification.svm has no 'maen'; near: "),
        ("monks3.eror.svm.mean", "monks3 has no 'eror'; allowed: misclassification"),
        ("monk3.svm.mean", "as there is no 'monk3'; allowed: monks3, "),
        ("exact.monks3.svm.maen", "exact.monks3.misclassification.svm has no 'maen'; near: "),
        ("monks3.svm", "monks3.misclassification.svm has no number of its own; near: "),
    ],
)
def test_an_unknown_key_stops_and_names_what_is_near(
    key: str, said: str, plain: Path, tmp_path: Path
) -> None:
    found = fault_of(f"{{{{< rg number {key} >}}}}", plain, tmp_path)
    assert found.startswith(f"reportgen: found no number '{key}'")
    assert said in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nubmer x", "found 'nubmer'; allowed: abstract, caption, figure, number, "),
        ("number", "number: found 0 keys; allowed one"),
        ("number a b", "number: found 2 keys; allowed one"),
        ("number monks3.svm.mean mesure=x", "number: found mesure=; allowed: results"),
        ("verdict svm", "verdict: found 1 names; allowed two candidates, or none"),
        (
            "verdict svm svn",
            "no verdict on svm-vs-svn on misclassification of monks3; near: ",
        ),
        ("verdict svm lda dataset=monk", "as there is no 'monk'; allowed: monks3"),
        ("verdict svm lda measure=eror", "monks3 has no 'eror'; allowed: misclassification"),
        ("table piars", "found no table 'piars'; near: pairs, "),
        ("figure piars", "found no figure 'piars'; allowed: pairs, "),
        ("figure ../../secret", "found no figure '../../secret'; allowed: "),
        ("table pairs measure=x", "found no table 'pairs' of that measure, data set and section"),
        ("table pairs label=fig-x", "label: found 'fig-x'; allowed tbl- and letters, or none"),
        ("caption pairs", "caption: found 'pairs'; allowed table or figure, and its name"),
    ],
)
def test_what_is_not_there_stops(text: str, said: str, plain: Path, tmp_path: Path) -> None:
    assert said in fault_of(f"{{{{< rg {text} >}}}}", plain, tmp_path)


# ------------------------------------------------------------------------------- sentences


def test_a_verdict_is_the_sentence_of_a_pair(run: Path, tmp_path: Path) -> None:
    content = manuscript(run)
    numbers, main = content["numbers"], content["main_measure"]
    dataset = "domain" if "domain" in numbers else "monks3"
    pairs = {k: v["sentence"] for k, v in numbers[dataset][main].items() if "-vs-" in k}
    assert len(pairs) > 5
    keys = {key: key.split("-vs-") for key in list(pairs)[:30]}
    text = "\n\n".join(f"{{{{< rg verdict {a} {b} >}}}}" for a, b in keys.values())
    blocks = tree_of(text, run, tmp_path)["blocks"]
    assert [as_quarto.plain(block) for block in blocks] == [spoken(pairs[key]) for key in keys]
    assert not quarto_shortcodes.in_tree({"t": "x", "c": blocks})


def test_metadata_may_choose_too(several: Path, tmp_path: Path) -> None:
    """Quarto takes `key=value` of metadata for one word."""
    first, second = MODELS[1:3]
    key = manuscript(several)["names"]["task 1"]
    for chosen in (f"dataset={key}", 'dataset="task 1"'):
        code = f'{{{{< rg verdict "{first}" "{second}" {chosen} results={several} >}}}}'
        plain_text = tree_of(code, several, tmp_path)["blocks"]
        head = f"abstract: |\n  x {code} y\n"
        (abstract,) = tree_of("", several, tmp_path, head=head)["meta"]["abstract"]["c"]
        assert as_quarto.plain(abstract) == f"x {as_quarto.plain(plain_text)} y"
    head = "abstract: x {{< rg number a.b results=nowhere >}}\n"
    assert "found no run at 'nowhere'" in fault_of("", several, tmp_path, head=head)


def test_candidates_are_called_as_the_study_does(several: Path, tmp_path: Path) -> None:
    a, b = MODELS[2:4]
    text = f'{{{{< rg verdict "{a}" "{b}" >}}}}'
    (block,) = tree_of(text, several, tmp_path)["blocks"]
    assert {a, b} <= {*as_quarto.plain(block).split()}
    (other,) = tree_of(
        f'{{{{< rg sentence "{a}" "{b}" dataset="task 1" measure=misclassification >}}}}',
        several,
        tmp_path,
    )["blocks"]
    assert "on task 1" in as_quarto.plain(other)


def test_the_abstract_is_that_of_the_report(run: Path, tmp_path: Path) -> None:
    text = "{{< rg abstract >}}\n\nx {{< rg verdict >}} x {{< rg abstract >}}\n"
    blocks = tree_of(text, run, tmp_path)["blocks"]
    report = as_quarto.read(as_quarto.source(run / "quarto" / "index.qmd"), run / "quarto")
    abstract = report["meta"]["abstract"]
    head = as_quarto.plain(abstract).replace("\u2060", "")  # between the braces of metadata
    assert as_quarto.plain(blocks[-2]).split() == head.split()
    assert as_quarto.plain(blocks[-1]).startswith("x " + as_quarto.plain(blocks[-2])[:40])
    assert not quarto_shortcodes.in_tree({"t": "x", "c": blocks})


# ------------------------------------------------------------------------------- tables, figures


def exhibits_text(content: Mapping[str, Any]) -> str:
    return "\n\n".join(
        f"{{{{< rg {kind} {own['stem']} >}}}}"
        for kind in ("table", "figure")
        for own in content[f"{kind}s"]
    )


@pytest.mark.slow
def test_every_table_is_that_of_the_report(run: Path, tmp_path: Path) -> None:
    content = manuscript(run)
    text = "\n\n".join(f"{{{{< rg table {own['stem']} >}}}}" for own in content["tables"])
    blocks = tree_of(text, run, tmp_path)["blocks"]
    assert len(blocks) == len(content["tables"]) > 3
    n_named = 0
    for own, block in zip(content["tables"], blocks, strict=True):
        file = run / "quarto" / f"_table-{own['stem']}.qmd"
        assert block["c"][0][0] == f"tbl-{own['stem']}"
        (other,) = as_quarto.read(file.read_text("utf-8"), file.parent)["blocks"]
        found, expected = (  # a dash of a manuscript has no word joiner, which its font may lack
            as_quarto.plain(node).replace("–\u2060", "–").split() for node in (block, other)
        )
        if "Cite" not in {node["t"] for node in as_quarto.nodes(other)}:
            assert found == expected, own["stem"]
        widths = [
            [spec[1].get("c") for spec in node["c"][2]]
            for tree in (block, other)
            for node in as_quarto.nodes(tree)
            if node["t"] == "Table"
        ]
        assert len(widths) == 2
        for a, b in zip(*widths, strict=True):
            assert a == pytest.approx(b, abs=0.001) or a is b is None
        n_named += own["name"] == "pairs"
    assert n_named


def test_every_figure_is_of_the_format(run: Path, tmp_path: Path) -> None:
    content = manuscript(run)
    text = "\n\n".join(f"{{{{< rg figure {own['stem']} >}}}}" for own in content["figures"])
    for form, ending in {"latex": "pdf", "docx": "png", "typst": "svg", "html": "svg"}.items():
        tree = tree_of(text, run, tmp_path, form=form, project=project_at(run.parent))
        images = [node["c"][2][0] for node in as_quarto.nodes(tree) if node["t"] == "Image"]
        stems = [own["stem"] for own in content["figures"]]
        assert images == [f"/r/quarto/figures/{stem}.{ending}" for stem in stems]
        assert not quarto_shortcodes.in_tree({"t": "x", "c": tree["blocks"]})
        assert len(stems) > 1


def project_at(folder: Path) -> Path:
    (folder / "_quarto.yml").write_text("project:\n  type: book\n", encoding="utf-8")
    return folder


def test_outside_of_a_project_a_picture_is_taken_along(plain: Path, tmp_path: Path) -> None:
    html, fault = render(
        "{{< rg figure pairs >}}",
        plain,
        tmp_path,
        to="html",
        more=("--extract-media", str(tmp_path / "media"), "--standalone", "-M", "title=x"),
    )
    assert not fault
    (name,) = re.findall(r'src="([^"]*)"', html)
    stem = "inference-pairs-misclassification"
    assert re.search(rf"/reportgen-{stem}-[0-9a-f]{{8}}\.svg$", name)
    file = plain / "quarto" / "figures" / f"{stem}.svg"
    assert (tmp_path / name).read_bytes() == file.read_bytes()


def test_labels_and_captions(plain: Path, tmp_path: Path) -> None:
    text = (
        '{{< rg table pairs label=tbl-a caption="My *own* {{ words" >}}\n\n'
        "::: {#fig-b}\n{{< rg figure pairs label=none >}}\n\n"
        "{{< rg caption figure pairs >}} x\n:::\n"
    )
    table, figure = tree_of(text, plain, tmp_path)["blocks"]
    assert table["c"][0][0] == "tbl-a"
    assert as_quarto.plain(table["c"][1][-1]) == "My *own* {{ words"
    assert [block["t"] for block in figure["c"][1]] == ["Plain", "Para"]
    tree = tree_of(text, plain, tmp_path, floats=False)
    assert [block["c"][0][0] for block in tree["blocks"]] == ["tbl-a", "fig-b"]


def test_of_several_data_sets_one_is_chosen(several: Path, tmp_path: Path) -> None:
    tables = [own for own in manuscript(several)["tables"] if own["dataset"]]
    name = next(own["name"] for own in tables if not _is_of_all(several, own["name"]))
    said = fault_of(f"{{{{< rg table {name} >}}}}", several, tmp_path)
    assert "data sets and none chosen; allowed dataset= one of task 0, task 1, " in said
    for dataset in ("task 2", "task-2"):
        text = f'{{{{< rg table {name} dataset="{dataset}" >}}}}'
        (block,) = tree_of(text, several, tmp_path)["blocks"]
        assert block["c"][0][0] == f"tbl-{name}"
    (block,) = tree_of("{{< rg table pairs >}}", several, tmp_path)["blocks"]
    own = next(own for own in manuscript(several)["tables"] if own["name"] == "pairs")
    caption = "".join(text for _, text in own["caption"])
    assert as_quarto.plain(block["c"][1][-1]).split() == caption.split()


def _is_of_all(run: Path, name: str) -> bool:
    return any(own["name"] == name and not own["dataset"] for own in manuscript(run)["tables"])


# ------------------------------------------------------------------------------- where the run is


def test_a_run_is_named_in_many_ways(plain: Path, tmp_path: Path) -> None:
    own = tmp_path / "book" / "parts"
    own.mkdir(parents=True)
    shutil.copytree(plain, tmp_path / "book" / "out--1")
    project = project_at(tmp_path / "book")
    for given in (
        *("../out--1", "out--1", "/out--1", "out--1/results.json", "../out--1/quarto/"),
        *(plain, f"{plain}/results.json"),
    ):
        blocks = tree_of("{{< rg number study.seed >}}", given, own, project=project)["blocks"]
        assert as_quarto.plain(blocks)
    chapter = "{{< rg number study.seed results=../../out--1 >}}"  # of a book in one file
    root = tmp_path / "book"
    assert as_quarto.plain(tree_of(chapter, "nowhere", root, project=root)["blocks"])
    assert "found no run at '../../out--1'" in fault_of(chapter, "nowhere", own)
    text = "{{< rg number study.seed results=../out--1 >}}"
    assert as_quarto.plain(tree_of(text, "nowhere", own)["blocks"])


def test_without_a_run_it_stops(plain: Path, tmp_path: Path) -> None:
    text = "{{< rg number study.seed >}}"
    assert "found no run at 'nowhere'" in fault_of(text, "nowhere", tmp_path)
    shutil.copytree(plain, tmp_path / "r")
    file = tmp_path / "r" / "results.json"
    file.write_text(file.read_text("utf-8") + " ", encoding="utf-8")
    assert "found other results in results.json than in manuscript.json" in fault_of(
        text, "r", tmp_path
    )
    shutil.rmtree(tmp_path / "r" / "quarto")
    said = fault_of(text, "r", tmp_path)
    assert "found results.json, and no quarto/manuscript.json" in said
    assert f"reportgen report {tmp_path}/r --format qmd" in said


# ------------------------------------------------------------------------------- another's results


def changed(run: Path, place: Path, **changes: Any) -> Path:
    """Return a copy of a run whose file for manuscripts has something else."""
    folder = place / "theirs"
    shutil.copytree(run, folder, ignore=shutil.ignore_patterns("*.pdf", "*.png", "warehouse"))
    (folder / "quarto" / "manuscript.json").write_text(
        json.dumps(manuscript(run) | changes), encoding="utf-8"
    )
    return folder


def test_texts_of_anybody_are_letters(plain: Path, tmp_path: Path) -> None:
    kinds = ("text", "emph", "strong", "code", "math", "raw", "html")
    own = [[kind, name] for name in ATTACKS for kind in kinds]
    table = {
        **manuscript(plain)["tables"][0],
        **{
            "stem": "t",
            "caption": own,
            "heads": [own],
            "rows": [[own]],
            "left": [True],
            "widths": [],
        },
    }
    theirs = changed(plain, tmp_path, texts={"abstract": [own], "verdict": [own]}, tables=[table])
    calls = ("abstract", "verdict", "table t", "caption table t")
    text = "\n\n".join(f"{{{{< rg {words} >}}}}" for words in calls)
    tree = tree_of(text, theirs, tmp_path)
    assert not quarto_shortcodes.in_tree({"t": "x", "c": tree["blocks"]})
    kinds_found = {node["t"] for node in as_quarto.nodes(tree["blocks"])}
    assert not kinds_found & {"RawInline", "RawBlock", "Cite", "Link", "Image", "Note", "Quoted"}
    formulas = [node["c"][1] for node in as_quarto.nodes(tree["blocks"]) if node["t"] == "Math"]
    assert not [tex for tex in formulas if re.search(r"\\|[%#&~]|\{\{<", tex)]
    said = as_quarto.plain(tree["blocks"][0])
    assert not [name for name in ATTACKS if said.count(spoken(name)) < len(kinds)]


def test_formulas_have_letters_and_accents_alone(plain: Path, tmp_path: Path) -> None:
    fine = r"\alpha = \frac{1}{2}"
    formulas = [fine, r"\input{/etc/passwd}", r"x \$ y", r"\directlua{x}", r"\\ x"]
    own = [["math", tex] for tex in formulas]
    theirs = changed(plain, tmp_path, texts={"abstract": [own]})
    tree = tree_of("{{< rg abstract >}}", theirs, tmp_path)
    assert [n["c"][1] for n in as_quarto.nodes(tree["blocks"]) if n["t"] == "Math"] == [fine]


@pytest.mark.parametrize("stem", ["../../secret", "/etc/passwd", "a/b", "..", "a.b", "x y", ""])
def test_no_picture_is_of_another_place(stem: str, plain: Path, tmp_path: Path) -> None:
    figure = {**manuscript(plain)["figures"][0], "stem": stem, "name": "mine"}
    theirs = changed(plain, tmp_path, figures=[figure])
    (theirs / "secret.svg").write_text("<svg></svg>", encoding="utf-8")
    said = fault_of("{{< rg figure mine >}}", theirs, tmp_path)
    assert "allowed none" in said


@pytest.mark.parametrize(
    "content",
    [
        "a secret",
        "<svg><script>alert(1)</script></svg>",
        '<svg><image href="file:/etc/passwd"/></svg>',
        '<svg><image xlink:href="../../x.png"/></svg>',
        '<svg><image href="https://e.org/x.png"/></svg>',
        '<svg onload="alert(1)"></svg>',
        '<!DOCTYPE svg [<!ENTITY x SYSTEM "/etc/passwd">]><svg>&x;</svg>',
        "<svg><foreignObject/></svg>",
        "<svg><style>@import url(https://e.org)</style></svg>",
        '<svg><path fill="url(https://e.org/x)"/></svg>',
    ],
)
def test_a_picture_shows_what_is_in_it_alone(content: str, plain: Path, tmp_path: Path) -> None:
    shutil.copytree(plain, tmp_path / "r")
    (name,) = {own["stem"] for own in manuscript(plain)["figures"] if own["name"] == "pairs"}
    file = tmp_path / "r" / "quarto" / "figures" / f"{name}.svg"
    file.unlink()
    file.write_text(content, encoding="utf-8")
    said = fault_of("{{< rg figure pairs >}}", "r", tmp_path)
    assert "found what is no drawing of reportgen" in said


@pytest.mark.parametrize(
    "content",
    ["", "x", "[]", "null", '{"schema_version": "1"}', '{"schema_version": 99}', "[" * 5000],
)
def test_a_file_of_another_kind_is_refused(content: str, plain: Path, tmp_path: Path) -> None:
    folder = tmp_path / "r" / "quarto"
    folder.mkdir(parents=True)
    (folder / "manuscript.json").write_text(content, encoding="utf-8")
    said = fault_of("{{< rg number study.seed >}}", "r", tmp_path)
    assert said.startswith("reportgen: ")
    assert "manuscript.json" in said or not content


WRONG = (None, 1, "x", [], {}, [[]], [None], {"a": 1}, [{"stem": 1}], [[["text"]]], [[[1, 2]]])


CALLS = ("number a.b.c", "verdict", "verdict a b", "abstract", "table pairs", "figure pairs")
READERS = {  # which calls read a key
    "names": ("verdict a b",),
    "numbers": ("number a.b.c", "verdict a b"),
    "texts": ("verdict", "abstract"),
    "tables": ("table pairs",),
    "figures": ("figure pairs",),
    "main_measure": ("number a.b.c", "verdict a b"),
}


@pytest.mark.slow
@pytest.mark.parametrize("key", READERS)
def test_values_of_another_kind_end_in_words(key: str, plain: Path, tmp_path: Path) -> None:
    """Each value in each call that reads the key, and in turn in one of the others."""
    for number, value in enumerate(WRONG):
        theirs = changed(plain, tmp_path / str(number), **{key: value})
        for text in {*READERS[key], CALLS[number % len(CALLS)]}:
            said, fault = render(f"{{{{< rg {text} >}}}}", theirs, tmp_path)
            assert said or "reportgen: found" in fault, (value, text, fault)


# ------------------------------------------------------------------------------- in every format


def document_of(run: Path, place: Path, form: str) -> tuple[as_quarto.Node, Path]:
    """Return all that a run has as a document, numbered as Quarto does."""
    text = exhibits_text(manuscript(run)) + "\n\n{{< rg abstract >}}\n"
    tree = tree_of(text, run, place, form=form, project=project_at(run.parent))

    def local(node: as_quarto.Node) -> as_quarto.Node:
        if node["t"] == "Image":  # Quarto leads paths of a project there
            node["c"][2][0] = f"{run.parent}{node['c'][2][0]}"
        return node

    return as_quarto.resolve(as_quarto.change(tree, local), form), place / f"paper.{form}"


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_html_word_and_typst_take_all(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    run: Path = request.getfixturevalue(name)
    for form, ending in (("html", "html"), ("docx", "docx"), ("typst", "typ")):
        tree, _ = document_of(run, tmp_path, form)
        output = tmp_path / f"paper.{ending}"
        more = ["--embed-resources", "--mathml"] if form == "html" else []
        as_quarto.run(
            [
                *("-f", "json", "-t", form, "--standalone", "-M", "title=Paper", *more),
                *("-o", str(output)),
            ],
            tmp_path,
            json.dumps(tree),
        )
        assert output.stat().st_size > 4_000
    assert "<script" not in (tmp_path / "paper.html").read_text("utf-8")
    typst = pytest.importorskip("typst", reason="typst is not installed")
    typst.compile(str(tmp_path / "paper.typ"), output=str(tmp_path / "t.pdf"), root="/")
    assert (tmp_path / "t.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_latex_sets_all(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    need_latex("pdflatex", *OF_CLASSES)
    run: Path = request.getfixturevalue(name)
    tree, _ = document_of(run, tmp_path, "latex")
    output = tmp_path / "paper.tex"
    heads = [w for file in ("symbols.tex",) for w in ("-H", str(run / "quarto" / file))]
    words = ["-f", "json", "-t", "latex", "--standalone", "-M", "title=Paper", *heads]
    as_quarto.run([*words, "-o", str(output)], tmp_path, json.dumps(tree))
    for _ in range(2):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", output.name],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
    log = output.with_suffix(".log").read_text("utf-8", errors="replace")
    assert not re.findall(r"^! .*", log, re.MULTILINE), done.stdout[-2000:]
    assert "undefined" not in log


# ------------------------------------------------------------------------------- the files


def test_the_extension_is_written_and_replaced(tmp_path: Path) -> None:
    done = call("quarto-extension", tmp_path / "paper")
    assert done.exit_code == 0, done.output
    place = tmp_path / "paper" / "_extensions" / "reportgen"
    assert {path.name for path in place.iterdir()} == {"_extension.yml", "reportgen.lua"}
    assert re.search(r"^version: \d+\.\d+\.\d+$", (place / "_extension.yml").read_text(), re.M)
    (place / "reportgen.lua").write_text("old", encoding="utf-8")
    write_extension(tmp_path / "paper")
    assert "return { rg = rg }" in (place / "reportgen.lua").read_text("utf-8")


def test_a_file_in_place_of_its_folder_is_named(tmp_path: Path) -> None:
    for place in ("paper", "_extensions"):
        (tmp_path / place).write_text("", "utf-8")
    for folder in (tmp_path / "paper", tmp_path):
        done = call("quarto-extension", folder)
        assert done.exit_code == 2
        assert "_extensions/reportgen: found a file in its place; allowed a folder" in done.output


def test_the_starter_follows_its_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "paper"
    assert call("quarto-extension", folder, "--starter").exit_code == 0
    monkeypatch.setattr(logging.getLogger("reportgen"), "propagate", True)  # which a verb ends
    (folder / "index.qmd").write_text("mine", encoding="utf-8")
    write_extension(folder, starter=True)
    assert (folder / "index.qmd").read_text() == "mine"
    assert "index.qmd: is there, and stays as it is" in caplog.text
    (folder / "index.qmd").unlink()
    write_extension(folder, starter=True)
    project = (folder / "_quarto.yml").read_text("utf-8")
    (command,) = re.findall(r"^  pre-render: reportgen (.*)$", project, re.MULTILINE)
    (where,) = re.findall(r"^  results: (.*)$", project, re.MULTILINE)
    settings = yaml.safe_load(project)
    assert settings["manuscript"] == {"article": "index.qmd"}  # without the key Quarto may stop
    assert not {"pdf", "typst"} <= set(settings["format"])  # which write over one another
    monkeypatch.chdir(folder)
    with blank_figures():
        done = call(*command.split(), "--jobs", "1", "--set", "setup.resampling.replications=12")
    assert done.exit_code == 0, done.output
    text = (folder / "index.qmd").read_text("utf-8").split("---", 2)[2]
    tree = as_quarto.resolve(tree_of(text, where, folder, project=folder), "html")
    assert "The experiment" not in as_quarto.plain(tree["blocks"])
    labels = re.findall(r'"((?:fig|tbl)-[a-z]+)"', json.dumps(tree["blocks"]))
    assert {*labels} >= {"tbl-pairs", "fig-pairs", "fig-values"}


# ------------------------------------------------------------------------------- pieces


def test_pieces_know_citations() -> None:
    known = read_bibtex("@article{holm1979, author={Holm, Sture}, year={1979}}")
    text = "By Holm [@holm1979, ch. 2] and @holm1979; [@other]."
    assert pieces(text, known) == [["text", "By Holm (Holm, 1979, ch. 2) and Holm (1979); ."]]
