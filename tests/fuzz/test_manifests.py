"""Any manifest: `check` has an answer, or an error that names the file and the key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from tests.fuzz.executions import FUZZ
from tests.fuzz.manifests import (
    FILES,
    HOSTILE,
    STUDIES,
    changed_manifests,
    changed_texts,
    whole_manifests,
    write_files,
)
from tests.fuzz.names import names
from tests.fuzz.outcome import Outcome, command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the manifests name."""
    folder = tmp_path_factory.mktemp("manifests")
    write_files(folder)
    for name in ("assistants", "skeletons"):
        (folder / name).symlink_to(STUDIES / name)
    return folder


@pytest.fixture(autouse=True)
def _without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)


def check(folder: Path, *settings: str) -> Outcome:
    arguments = [part for text in settings for part in ("--set", text)]
    places = [*FILES, folder.name, "sections: ", "report.", *(["--set"] if settings else [])]
    return command("check", folder / "study.yaml", "-o", folder, *arguments, places=places)


def check_manifest(folder: Path, content: Mapping[str, Any]) -> Outcome:
    with (folder / "study.yaml").open("w", encoding="utf-8") as file:
        yaml = YAML(typ="safe", pure=True)
        yaml.allow_unicode = True
        yaml.dump(content, file)
    return check(folder)


@FUZZ
@given(changed_manifests())
def test_a_changed_manifest(folder: Path, content: Mapping[str, Any]) -> None:
    check_manifest(folder, content)


@FUZZ
@given(whole_manifests)
def test_a_manifest_of_the_schema(folder: Path, content: Mapping[str, Any]) -> None:
    check_manifest(folder, content)


@FUZZ
@given(changed_texts())
def test_a_changed_text(folder: Path, text: bytes) -> None:
    (folder / "study.yaml").write_bytes(text)
    check(folder)


KEYS = (
    "seed",
    "analysis.alpha",
    "analysis.relevance",
    "sections",
    "setup.datasets",
    "report.theme",
)


@FUZZ
@given(
    st.one_of(st.sampled_from(KEYS), names, st.lists(names, min_size=2).map(".".join)),
    st.one_of(st.sampled_from([repr(x) for x in HOSTILE]), names, st.text(max_size=20)),
)
def test_a_setting_of_the_command_line(folder: Path, key: str, value: str) -> None:
    (folder / "study.yaml").write_text((STUDIES / "quickstart.yaml").read_text("utf-8"), "utf-8")
    check(folder, f"{key}={value}")
