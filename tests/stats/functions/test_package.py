"""`reportgen.stats` is light, and has the functions that it lists."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

from reportgen import stats

HEAVY = ("jinja2", "matplotlib", "pandas", "pyarrow", "pydantic", "seaborn", "sklearn")

IMPORTED = """
import sys
import reportgen.stats as stats
assert "numpy" not in sys.modules and "scipy" not in sys.modules
assert set(stats.__all__) <= set(dir(stats))
assert "numpy" not in sys.modules
for name in stats.__all__:
    getattr(stats, name)
print(*(name for name in sys.argv[1:] if name in sys.modules))
result = stats.friedman([[0.1, 0.2], [0.1, 0.3]])
repr(result), result.to_columns()
assert "pandas" not in sys.modules
result.to_frame()
assert "pandas" in sys.modules
"""


@pytest.mark.slow
def test_import_is_light() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *HEAVY], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_functions_are_those_of_the_interface() -> None:
    assert stats.__all__ == sorted(stats.__all__)
    for name in stats.__all__:
        function = getattr(stats, name)
        assert function.__name__ == name
        assert function.__module__.startswith("reportgen.stats.")
        assert not hasattr(function, "__path__")  # no folder of the package has the name
    assert dir(stats) == stats.__all__


def test_functions_stay_after_the_kernels_are_imported() -> None:
    for module in ("consensus_relations.nearest", "archetypal_analysis.fit", "domain.model"):
        import_module(f"reportgen.stats.{module}")
    assert callable(stats.consensus)
    assert callable(stats.archetypes)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'fridman'") as caught:
        stats.fridman  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("fridman", stats)  # Python names the nearest
