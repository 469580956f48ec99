"""docs/licences.md names every package that is installed, with the licence that it states."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = (ROOT / "requirements.txt").read_text("utf-8")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """Load the tool, which is no part of the package."""
    spec = spec_from_file_location("licences", ROOT / "tools" / "licences.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def installed(package: str) -> str:
    """Return the version of a package that is installed, or nothing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def test_the_page_has_all_that_is_required_and_nothing_else(tool: ModuleType) -> None:
    listed = tool.listed(tool.PAGE.read_text("utf-8"))
    assert sorted(listed) == tool.required(REQUIREMENTS)
    assert len(listed) > 40
    assert "not named" not in listed.values()


def test_licences_are_those_that_the_packages_state(tool: ModuleType) -> None:
    """Of the locked versions: others may state theirs in other words."""
    listed = tool.listed(tool.PAGE.read_text("utf-8"))
    locked = dict(re.findall(r"^([a-z0-9._-]+)==([^ ;\\]+)", REQUIREMENTS, re.MULTILINE))
    here = [name for name, number in locked.items() if installed(name) == number]
    if not here:
        pytest.skip("no package has its locked version here")
    assert {name: tool.licence_of(name) for name in here} == {name: listed[name] for name in here}


def test_a_row_stays_where_a_package_is_not_installed(tool: ModuleType) -> None:
    text = tool.table("pytest==9 \\\nno-such-package==1 \\\nno-other==2\n", {"no-other": "MIT"})
    assert tool.listed(text) == {"no-other": "MIT", "no-such-package": "not named", "pytest": "MIT"}


def test_fonts_of_reports_are_on_the_page(tool: ModuleType) -> None:
    from reportgen.rendering.fonts import house_faces, unknown_letters

    page = tool.PAGE.read_text("utf-8")
    names = {"SourceSerifPro": "Source Serif Pro", "SourceSansPro": "Source Sans Pro"}
    families = {re.split(r"[-_]", face.file.stem)[0] for face in house_faces()}
    for family in families:
        assert names.get(family, re.sub(r"General$", "", family)) in page, family
    assert not unknown_letters("ж")  # of DejaVu Sans
    assert "DejaVu Sans" in page
