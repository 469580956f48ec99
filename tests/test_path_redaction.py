"""What is said of files in reports, whatever the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.path_redaction import redact_command, redact_paths


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Error in file('/data/me/x.csv'): no", "Error in file('…/x.csv'): no"),
        ("/usr/lib/a b.py:12: late; ~/me/b.R", "…/a b.py:12: late; …/b.R"),
        (r"C:\Users\me\x.R failed, {file}/srv/me/y", "…/x.R failed, …/y"),
        ("see https://a.org/b/c/d, 1/2/3, km/h/s, /tmp", None),
        ("{home}/mine/x.csv and {home}/y.csv", "…/x.csv and ~/y.csv"),
    ],
)
def test_folders_are_left_out(text: str, expected: str | None) -> None:
    found = redact_paths(text.replace("{home}", str(Path.home())).replace("{file}", "file:/" + "/"))
    assert found == (text if expected is None else expected)


def test_a_command_names_files_from_its_study_or_from_home() -> None:
    home, folder = Path.home(), Path("/srv/study")
    command = f"run s.yaml --set results={folder}/a/r.csv --set x={home}/z --set y={home}room/z"
    expected = f"run s.yaml --set results=a/r.csv --set x=~/z --set y={home}room/z"
    assert redact_command(command, folder) == expected
