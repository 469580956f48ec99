"""The scripts of `validation/`, which are no package."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

from tests.conftest import ROOT


def load_study(folder: str) -> ModuleType:
    """Return a folder's script as a module."""
    path = ROOT / "validation" / folder / "study.py"
    spec = importlib.util.spec_from_file_location(f"{folder.replace('-', '_')}_study", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
