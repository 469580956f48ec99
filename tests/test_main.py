"""The command line itself; what its verbs do is tested with the pipeline."""

from __future__ import annotations

import json
import os
import py_compile
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from click.testing import CliRunner

from reportgen import __version__
from reportgen.cli import main
from reportgen.errors import ReportgenError
from reportgen.interruption import INTERRUPTED, KEPT, TERMINATED
from tests.conftest import ROOT

pytestmark = pytest.mark.usefixtures("blanks_as_figures")


def test_version() -> None:
    assert CliRunner().invoke(main, ["--version"]).output == f"reportgen {__version__}\n"


@pytest.mark.parametrize("verb", sorted(main.commands))
def test_every_verb_has_an_example_on_a_line_of_its_own(verb: str) -> None:
    lines = CliRunner().invoke(main, [verb, "--help"]).output.splitlines()
    assert any(line.startswith(f"    reportgen {verb} ") for line in lines)


def test_interruption_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    from reportgen import pipeline

    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "open_job", interrupt)
    result = CliRunner().invoke(main, ["run", "any.yaml"])
    assert result.exit_code == INTERRUPTED
    assert "kept" in result.stderr


def test_debug_shows_where_an_error_comes_from() -> None:
    result = CliRunner().invoke(main, ["check", "missing.yaml", "--debug"])
    assert isinstance(result.exception, ReportgenError)
    assert result.exception.__traceback__ is not None


FULL = """
import resource, sys
from reportgen.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
main(prog_name="reportgen")
"""


def test_a_module_that_a_full_disk_has_cut_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "reportgen.api.bundle", raising=False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    made = py_compile.compile(str(ROOT / "reportgen" / "api" / "bundle.py"))
    Path(str(made)).write_bytes(Path(str(made)).read_bytes()[:1000])
    told = CliRunner().invoke(main, ["bundle", str(tmp_path)])
    assert told.exit_code == 2
    assert "found a module that was not written whole (marshal data too short)" in told.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit on Windows")
def test_a_disk_that_is_full_loses_nothing(tmp_path: Path) -> None:
    study = tmp_path / "full.yaml"
    study.write_text(
        "measures: [misclassification]\n"
        "setup: {datasets: [iris], candidates: [lda], resampling: {replications: 60}}\n"
    )

    arguments = ["execute", str(study), "--output", str(tmp_path), "--jobs", "1"]
    limit = "2000"  # bytes in one file: the journal does not fit
    first = subprocess.run(
        [sys.executable, "-c", FULL, limit, *arguments],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # bytecode would be cut, too
        capture_output=True,
        text=True,
        check=False,
    )
    assert first.returncode == 3, first.stderr
    assert "the journal cannot be written" in first.stderr
    assert "Traceback" not in first.stderr
    journal = tmp_path / "full" / "warehouse" / "journal"
    n_kept = len(journal.read_bytes().splitlines()) - 3  # versions, the family, the torn line
    assert n_kept > 10
    second = CliRunner().invoke(main, arguments)
    assert second.exit_code == 0, second.stderr
    told = json.loads((journal.parent / "provenance.json").read_text(encoding="utf-8"))["execution"]
    assert (told["fits"], told["reused_fits"]) == (60 - n_kept, n_kept)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM on Windows")
def test_a_program_that_is_terminated_says_so(tmp_path: Path) -> None:
    rows = [f"{c},{b},{b + k}" for k, c in enumerate("xyz") for b in range(200)]
    (tmp_path / "r.csv").write_text("\n".join(["candidate,replication,cost", *rows, ""]))
    words = [sys.executable, "-m", "reportgen", "run", "r.csv", "--format", "html,pdf"]
    with Popen(words, cwd=tmp_path, stderr=PIPE, stdout=PIPE, text=True) as running:
        assert running.stderr is not None
        next(line for line in running.stderr if "analysing" in line)
        running.terminate()
        told = running.stderr.read()
    assert running.returncode == TERMINATED
    assert told.endswith("reportgen: terminated; what was measured is kept\n")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize(
    "words",
    [("history", "add", "r.csv", "-o", "loop"), ("run", "loop"), ("run", "r.csv", "-o", "loop/x")],
)
def test_links_that_lead_to_themselves_are_told(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    rows = [f"{c},{b},{b % 7 + k}" for k, c in enumerate("xy") for b in range(9)]
    Path("r.csv").write_text("\n".join(["candidate,replication,cost", *rows, ""]))
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 2, found.output
    assert "loop" in found.stderr


BEFORE = """
class Signalling:
    def find_spec(self, name, path=None, target=None):
        if name == "click.types":
            os.kill(os.getpid(), number)
sys.meta_path.insert(0, Signalling())
"""
AFTER = """
class Signalling:
    def find_spec(self, name, path=None, target=None):
        if name == "click.types":
            atexit.register(os.kill, os.getpid(), number)
sys.meta_path.insert(0, Signalling())
"""
LAST = """
class Signalling:
    def __del__(self, kill=os.kill, pid=os.getpid(), number=number):
        kill(pid, number)
builtins.signalling = Signalling()  # which goes last of all
"""
WITHIN = """
class Signalling:
    def find_spec(self, name, path=None, target=None):
        if name == "reportgen.study.schema":
            try:
                os.kill(os.getpid(), number)
            except BaseException:
                raise ValueError("built no class") from None  # as pydantic does
sys.meta_path.insert(0, Signalling())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM on Windows")
@pytest.mark.parametrize("when", [BEFORE, AFTER, WITHIN], ids=["before", "after", "within"])
@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, INTERRUPTED, "interrupted"), (signal.SIGTERM, TERMINATED, "terminated")],
)
def test_a_signal_while_python_imports_or_ends_leaves_no_traceback(
    when: str, number: int, code: int, word: str
) -> None:
    begin = "import atexit, os, signal, sys\n"
    begin += "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # as in a terminal
    end = (
        "\nfrom reportgen.__main__ import main\nsys.argv[1:] = ['schema', '-o', os.devnull]\nmain()"
    )
    text = f"{begin}number = {int(number)}\n{when}{end}"
    ended = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=False
    )
    assert ended.returncode == code, ended.stderr
    kept = f"; {KEPT}" if when == WITHIN else ""
    assert ended.stderr == f"reportgen: {word}{kept}\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM on Windows")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_python_frees_its_modules_changes_no_exit_code(number: int) -> None:
    """A second Ctrl-C may come so soon after the first."""
    text = (
        "import builtins, os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"number = {int(number)}\n{LAST}\n"
        "from reportgen.__main__ import main\n"
        "sys.argv[1:] = ['schema', '-o', os.devnull]\n"
        "main()"
    )
    words = [sys.executable, "-c", text]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def _ended(words: list[str], folder: Path, redirection: str) -> int:
    """Return the exit code of a command whose output a shell has redirected."""
    line = f'"$0" -m reportgen "$@" {redirection}'
    words = ["bash", "-c", line, sys.executable, *words]
    return subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, check=False).returncode


FULL_DEVICE = Path("/dev/full")
TRACEBACK = "Traceback (most recent call last)"


@pytest.mark.slow
@pytest.mark.skipif(not FULL_DEVICE.exists(), reason="there is no full device")
def test_an_output_that_is_full_is_told_or_changes_no_exit_code(tmp_path: Path) -> None:
    """Exit code 1 would mean that an expectation fails."""
    for words in (["--help"], ["schema"]):
        assert _ended(words, tmp_path, f"> {FULL_DEVICE} 2> told") == 2
        told = (tmp_path / "told").read_text()
        assert "No space left on device" in told
        assert TRACEBACK not in told
        assert _ended(words, tmp_path, f"> {FULL_DEVICE} 2>&1") == 2
    for words in (["check", "nothing.csv"], ["check"]):
        assert _ended(words, tmp_path, f"2> {FULL_DEVICE}") == 2


GONE = "> >(exec true; )"
"""A reader that ends at once."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize("redirection", [">&-", ">&- 2>&-", f"{GONE} 2>&1", GONE])
def test_a_closed_output_changes_no_exit_code(tmp_path: Path, redirection: str) -> None:
    rows = [f"{c},{b},{b % 7 + k}" for k, c in enumerate("xy") for b in range(30)]
    (tmp_path / "r.csv").write_text("\n".join(["candidate,replication,cost", *rows, ""]))
    gate = ["gate", "r.csv", "--expect"]
    assert _ended([*gate, "x better than y in this experiment"], tmp_path, redirection) == 0
    assert _ended([*gate, "y better than x in this experiment"], tmp_path, redirection) == 1
    assert _ended([*gate, "y"], tmp_path, redirection) == 2
    assert _ended(["run", "--no-such"], tmp_path, redirection) == 2
    assert _ended(["--help"], tmp_path, redirection) == 0
    if redirection not in (">&-", GONE):
        return
    words = ["run", "r.csv", "--format", "md", "--sections", "inference"]
    assert _ended(words, tmp_path, redirection) == 0
    assert (tmp_path / "output" / "r" / "report.md").is_file()


@pytest.mark.parametrize(
    "words",
    [("run", "study.yaml", "-o", ""), ("check", ""), ("import", "", "-o", "x.parquet")],
    ids=["where to", "a study", "files"],
)
def test_an_empty_path_is_none(words: tuple[str, ...]) -> None:
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 2
    assert "found nothing; allowed a path" in found.stderr
