from __future__ import annotations

import subprocess
import sys

import pytest

from reportgen.drawing.artists import HELP

CODE = """
from reportgen.drawing import Sheet, candidate_styles
from reportgen.drawing.style import house_settings
with house_settings():
    sheet = Sheet(candidate_styles(["rf", "svm"]), 300)
    sheet.begin(100)
    sheet.axes(0, 0, 0, 0).set(xlim=(0, 1), title="x")
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
class Own(Line2D):
    def set_own(self, own):
        pass
print(Axes.set.__doc__ is not None, "own" in Own.set.__doc__)
"""


@pytest.mark.parametrize("is_command", [True, False])
def test_only_where_nobody_asks_for_help_do_artists_have_none(is_command: bool) -> None:
    begin = "from reportgen.processes import collect_seldom; collect_seldom()\n" * is_command
    words = [sys.executable, "-c", begin + CODE]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert done.stdout.split() == [str(not is_command), "True"], (
        f"Artist.{HELP} has changed; import_artists can be deleted"
    )
