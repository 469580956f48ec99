"""A manifest is read with the sections' options, and without their analyses."""

import subprocess
import sys

import pytest

from reportgen.sections import find_sections
from reportgen.study.schema.options import AnalysisOptions

ADDED = """
import sys
import reportgen.study.manifest
from reportgen.sections import find_sections
before = set(sys.modules)
for section in find_sections().values():
    section.options
print(*(set(sys.modules) - before))
"""


@pytest.fixture(scope="module")
def added() -> set[str]:
    """Return the modules that the options of all sections add to those of the manifest."""
    done = subprocess.run([sys.executable, "-c", ADDED], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.slow
def test_options_are_found(added: set[str]) -> None:
    sections = find_sections().values()
    own = {s.package: s.options for s in sections if s.options is not AnalysisOptions}
    assert own
    assert all(options.__module__ == package for package, options in own.items())
    assert own.keys() <= added


def test_options_load_no_analysis_and_no_library(added: set[str]) -> None:
    parts = ("analysis", "result", "figures", "tables")
    assert not {name for name in added if name.split(".")[-1] in parts}
    assert not {name.split(".")[0] for name in added} & {"scipy", "sklearn", "matplotlib"}
