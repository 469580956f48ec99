"""The house keeps its shape: layers, names, and what may not be written down."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

import reportgen
from reportgen.sections import find_sections

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "reportgen"

# The field has a word of its own for each of these: candidate, performance measure, value.
NAMES_OF_MATPLOTLIB = {"_get_font_height_metrics"}  # which it asks a renderer for
FOREIGN_WORDS = {"learner", "learners", "metric", "metrics", "score", "scores"}
# what ranks, votes and likelihoods have are scores; what a candidate has is a performance
ROOMS_OF_SCORES = (
    PACKAGE / "stats",
    PACKAGE / "sections" / "aggregate",
    PACKAGE / "sections" / "consensus",
)
# missing, missing by design, not linked, gross outliers, interaction, density
FORMER_WORDS = {"absent", "lacking", "unasked", "strangers", "dwarfing", "affinity", "inset"}
ROOMS_WITHOUT_PURPOSE = {"utils", "util", "helpers", "helper", "common", "misc"}

# A package index, a machine's folders. Spelled in pieces, so that this file may be searched too.
HOSTS = (r"py" + r"pi\.org", "python" + "hosted", "file:/" + "//")
FOLDERS = ("/ro" + "ot/", "/ho" + "me/", "/wo" + "rk/", "/op" + "t/")
PRIVATE = re.compile("|".join((*HOSTS, *FOLDERS)))

HEAVY = {
    "jinja2",
    "matplotlib",
    "numpy",
    "pandas",
    "pyarrow",
    "pydantic",
    "scipy",
    "seaborn",
    "sklearn",
    "weasyprint",
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def defined_names(path: Path) -> Iterator[str]:
    """Yield what a module names itself: not the strings and foreign attributes it uses."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def tracked_files() -> list[Path]:
    try:
        listing = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [path for name in listing.split("\0") if name and (path := ROOT / name).is_file()]


def words(name: str) -> set[str]:
    """Split snake_case and CamelCase into lower-case words."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


def test_layers_hold() -> None:
    code = "from importlinter.cli import lint_imports_command as check; check()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_stands_in_the_layers() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers, *_ = contracts["tool"]["importlinter"]["contracts"]
    assert layers["exhaustive"]
    assert not layers.get("exhaustive_ignores")


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_words_of_the_field(path: Path) -> None:
    has_scores = any(path.is_relative_to(room) for room in ROOMS_OF_SCORES)
    forbidden = FOREIGN_WORDS - ({"score", "scores"} if has_scores else set())
    names = set(defined_names(path)) - NAMES_OF_MATPLOTLIB
    assert not {name for name in names if words(name) & forbidden}


def test_former_words_name_nothing() -> None:
    """One word a thing: what is missing is called so, and there is one verdict."""
    found = {
        (str(path.relative_to(PACKAGE)), name)
        for path in modules()
        for name in defined_names(path)
        if words(name) & FORMER_WORDS or (name == "Verdict" and path.stem != "verdict")
    }
    assert not found


def test_every_module_has_a_purpose() -> None:
    everything = chain(modules(), (ROOT / "tests").rglob("*.py"))
    assert not [p for p in everything if words(p.stem) & ROOMS_WITHOUT_PURPOSE]


@pytest.mark.slow
def test_imports_are_absolute() -> None:
    nodes = chain.from_iterable(ast.walk(tree(path)) for path in modules())
    assert not [n for n in nodes if isinstance(n, ast.ImportFrom) and n.level]


BINARY = frozenset({".png", ".pdf", ".parquet", ".woff2", ".RData", ".rda", ".rds", ".eval"})


@pytest.mark.parametrize("folder", ["reportgen", "benchmarks", "tools", "validation"])
def test_names_are_imported_from_where_they_are_defined(folder: str) -> None:
    """A package whose `__all__` is the face of its modules also counts."""
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in modules()}
    names = {name.removesuffix(".__init__"): path for name, path in names.items()}
    defined = {name: set(_defined(tree(path))) for name, path in names.items()}
    faces = {"reportgen", "reportgen.drawing", "reportgen.stats"}
    passed_on = [
        (str(path), module, alias.name)
        for path in sorted((ROOT / folder).rglob("*.py"))
        for module, aliases in _imports(tree(path))
        if module.partition(".")[0] == "reportgen" and module not in faces
        for alias in aliases
        if alias.name not in defined.get(module, ()) and f"{module}.{alias.name}" not in names
    ]
    assert not passed_on


def _defined(parsed: ast.Module) -> Iterator[str]:
    for node in ast.walk(parsed):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _imports(parsed: ast.Module) -> Iterator[tuple[str, list[ast.alias]]]:
    for node in ast.walk(parsed):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.names


def test_nothing_private_is_tracked() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked_files()
        if path.suffix not in BINARY
        for match in PRIVATE.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found


def test_help_starts_light() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "reportgen", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines()}
    assert "click" in loaded
    assert not loaded & {"dataclasses", "reportgen.notation", "reportgen.measures"}
    assert not {name.split(".")[0] for name in loaded} & HEAVY


@pytest.mark.parametrize("name", sorted(find_sections()))
def test_section_is_whole(name: str) -> None:
    section = find_sections()[name]
    folder = ROOT / Path(*section.package.split("."))
    assert section.name == folder.name
    assert (folder / "analysis.py").is_file()
    assert any((folder / f"{part}.py").is_file() for part in ("tables", "figures"))
    assert (ROOT / "templates" / "sections" / f"{name}.md.j2").is_file()
    assert list((ROOT / "tests" / "sections" / name).glob("test_*.py"))


@pytest.mark.parametrize("name", sorted(find_sections()))
def test_a_result_stands_apart_where_several_modules_make_it(name: str) -> None:
    """Otherwise it stands in the module of its analysis."""
    folder = PACKAGE / "sections" / name
    own = {f"reportgen.sections.{name}.{path.stem}": path for path in folder.glob("*.py")}
    uses = {m: own.keys() & {x for x, _ in _imports(tree(path))} for m, path in own.items()}
    analysis, result = (f"reportgen.sections.{name}.{part}" for part in ("analysis", "result"))
    makers = {module for module in uses[analysis] if result in uses[module]}
    assert result not in own or makers


# --- a method in one place --------------------------------------------------------------

OF_NO_METHOD = {"answers_of", "checked_weights", "count", "order_of", "settled"}
OF_NO_METHOD |= {"has_residual_variance"}  # with gaps, and without
OWN_CALLS = {"TypeVar", "getLogger"}  # of each module for itself
ORDERING = {"argsort", "argmin", "argmax", "sorted", "min", "max", "sort"}


def _name(node: ast.AST) -> str:
    """Return the last part of a name, or nothing."""
    return getattr(node, "attr", getattr(node, "id", ""))


def _is_direction(node: ast.AST) -> bool:
    """Whether an expression turns values round where larger ones are better."""
    return isinstance(node, ast.IfExp) and any(
        isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub) for n in ast.walk(node)
    )


def orders_by_direction(parsed: ast.Module) -> list[int]:
    """Return the lines that order by values, best first, by a sign of their own."""
    found = []
    for function in (n for n in ast.walk(parsed) if isinstance(n, ast.FunctionDef)):
        signs = {
            _name(n.targets[0])
            for n in ast.walk(function)
            if isinstance(n, ast.Assign) and _is_direction(n.value)
        }
        for call in (n for n in ast.walk(function) if isinstance(n, ast.Call)):
            keys = [k.value for k in call.keywords if k.arg == "key"]
            is_of_arrays = _name(call.func).startswith("arg")
            if _name(call.func) not in ORDERING or not (keys or is_of_arrays):
                continue
            for part in chain.from_iterable(map(ast.walk, keys or call.args)):
                is_signed = isinstance(part, ast.BinOp) and _name(part.left) in signs
                if is_signed or _is_direction(part):
                    found.append(call.lineno)
    return found


def bonferroni_by_hand(parsed: ast.Module) -> list[int]:
    """Return the lines that multiply a p-value by the size of a family, up to 1."""
    calls = (n for n in ast.walk(parsed) if isinstance(n, ast.Call) and len(n.args) == 2)
    return [
        call.lineno
        for call in calls
        if _name(call.func) in ("min", "minimum")
        and isinstance(call.args[0], ast.Constant)
        and call.args[0].value == 1
        and isinstance(call.args[1], ast.BinOp)
        and isinstance(call.args[1].op, ast.Mult)
        and {_name(_bare(call.args[1].left)), _name(_bare(call.args[1].right))}
        & {"p", "p_value", "p_values"}
    ]


def _bare(node: ast.expr) -> ast.expr:
    """Return what a number is made of: p of `float(p[i])`."""
    while isinstance(node, ast.Subscript | ast.Call):
        if isinstance(node, ast.Call) and (_name(node.func) != "float" or not node.args):
            break
        node = node.value if isinstance(node, ast.Subscript) else node.args[0]
    return node


def shared_definitions(parsed: Mapping[str, ast.Module]) -> dict[tuple[str, str], list[str]]:
    """Return the types, tables and patterns that several modules define alike, by their names.

    Numbers and texts may be equal by chance; a list of literals is one type, whatever its name.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for name, module in parsed.items():
        for node in module.body:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
                continue
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            is_own = isinstance(node.value, ast.Call) and _name(node.value.func) in OWN_CALLS
            parts = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
            is_plain = all(isinstance(n, parts) for n in ast.walk(node.value))
            if isinstance(target, ast.Name) and not (is_own or is_plain):
                value = ast.unparse(node.value)
                key = "" if value.startswith("Literal[") else target.id
                found.setdefault((key, value), []).append(name)
    return {key: names for key, names in found.items() if len(names) > 1}


def test_shared_definitions_are_found() -> None:
    """What the next test looks for."""
    one, two = map(ast.parse, ("A = tuple[int, int]\nN = 2 * 3", "A: X = tuple[int, int]\nN = 6"))
    assert shared_definitions({"one": one, "two": two}) == {
        ("A", "tuple[int, int]"): ["one", "two"]
    }
    assert (
        shared_definitions({"one": one, "two": ast.parse("A = tuple[int, str]\nN = 2 * 3")}) == {}
    )
    one, two = map(ast.parse, ("A = Literal['x']", "B = Literal['x']"))
    assert shared_definitions({"one": one, "two": two}) == {("", "Literal['x']"): ["one", "two"]}


def test_types_and_tables_are_defined_in_one_module() -> None:
    assert shared_definitions({str(path.relative_to(ROOT)): tree(path) for path in modules()}) == {}


def test_methods_by_hand_are_found() -> None:
    """What the next test looks for."""
    signed = "def f():\n    sign = 1 if smaller else -1\n    return "
    for code in ("sorted(d, key=lambda n: sign * d[n])", "np.argsort(sign * x)"):
        assert orders_by_direction(ast.parse(signed + code)) == [3]
    assert orders_by_direction(ast.parse("def f():\n    return x.argmin(a if b else -a)")) == [2]
    assert orders_by_direction(ast.parse(signed + "sorted(d, key=lambda n: other * d[n])")) == []
    for code in (
        "min(1.0, test.p_value * len(sides))",
        "np.minimum(1, n * p)",
        "min(1, float(p[i]) * n)",
    ):
        assert bonferroni_by_hand(ast.parse(code)) == [1]
    for code in ("min(1.0, 2 * share)", "min(1.0, 2 * tail(x[p]))"):
        assert bonferroni_by_hand(ast.parse(code)) == []


def test_functions_of_statistics_have_names_of_their_own() -> None:
    """Laws are told by their modules, which all have the same functions."""
    found: dict[str, list[str]] = {}
    for path in (PACKAGE / "stats").rglob("*.py"):
        names = [n.name for n in tree(path).body if isinstance(n, ast.FunctionDef)]
        for name in names if path.parent.name != "distributions" else ():
            if not name.startswith("_") and name not in OF_NO_METHOD:
                found.setdefault(name, []).append(path.stem)
    assert {name: files for name, files in found.items() if len(files) > 1} == {}


def test_methods_stand_in_one_file() -> None:
    """Orders by values are `best_first`'s, p-values are adjusted by `bonferroni` and `holm`."""
    own = {PACKAGE / "stats" / "ranking.py": orders_by_direction}
    own[PACKAGE / "stats" / "multiplicity" / "adjustment.py"] = bonferroni_by_hand
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in modules()
        for look in (orders_by_direction, bonferroni_by_hand)
        if own.get(path) is not look
        for line in look(tree(path))
    ]
    assert not found


# --- what is said in more than one place ------------------------------------------------


def locked(name: str) -> dict[str, str]:
    """Return a requirement file as version by package."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = (re.match(r"([a-z0-9.-]+)==([^ ]+)", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def test_locks_agree_and_have_hashes() -> None:
    running, developing = locked("requirements.txt"), locked("requirements-dev.txt")
    assert running.items() <= developing.items()
    for name in ("requirements.txt", "requirements-dev.txt"):
        entries = re.split(r"\n(?=[a-z])", (ROOT / name).read_text(encoding="utf-8"))[1:]
        assert len(entries) == len(locked(name))
        assert all("--hash=sha256:" in entry for entry in entries)
        assert not any("index" in entry or "://" in entry for entry in entries)


def test_locks_hold_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    developing = [d for d in groups["dev"] + groups["build"] if isinstance(d, str)]
    for file, wanted in {
        "requirements.txt": project["project"]["dependencies"],
        "requirements-dev.txt": developing,
    }.items():
        names = {re.split(r"[<>=~! \[]", d)[0].lower().replace(".", "-") for d in wanted}
        assert names <= locked(file).keys()


def test_one_version() -> None:
    version = re.escape(reportgen.__version__)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^version: \"?{version}\"?$", citation, re.MULTILINE)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (date,) = re.findall(rf"^## \[{version}\] - (\S+)$", changes, re.MULTILINE)
    assert f"\ndate-released: {date}\n" in citation
