"""What is said where the package of clusters is not installed, and what needs none of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WITHOUT = """
import sys
sys.modules["distributed"] = None
from reportgen.cli import main
main()
"""
IMPORTED = """
import sys
import reportgen.execution.cluster.isolated_process
print("distributed" in sys.modules)
"""


def test_without_dask_an_option_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text("dataset,candidate,error\n1,a,1\n1,b,2\n", "utf-8")
    words = ["run", "results.csv", "--cluster", "tcp://127.0.0.1:9"]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "--cluster needs the package distributed: pip install" in done.stderr
    assert "Traceback" not in done.stderr


def test_processes_of_a_worker_import_no_dask() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            IMPORTED,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False"]
