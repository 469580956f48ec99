"""Manifests of earlier versions are read as they were meant, with a notice."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from reportgen.errors import StudyError
from reportgen.sections import find_sections
from reportgen.study.manifest import Study, load_study


def read(tmp_path: Path, text: str, **overrides: str) -> Study:
    """Read a manifest of results that exist."""
    (tmp_path / "r.csv").write_text("candidate,replication,error\na,1,0.1\n", "utf-8")
    path = tmp_path / "study.yaml"
    path.write_text(f"results: r.csv\n{text}", "utf-8")
    return load_study(path, {n: s.options for n, s in find_sections().items()}, overrides)


@pytest.mark.parametrize(
    ("text", "overrides", "place"),
    [
        ("analysis: {variance: pairwise}", {}, "study.yaml:2: analysis.variance"),
        (
            "sections: [eda, {inference: {variance: pairwise}}]",
            {},
            "study.yaml:2: sections.inference.variance",
        ),
        (
            "sections: [inference]",
            {"analysis.variance": "pairwise"},
            "--set analysis.variance=pairwise: analysis.variance",
        ),
    ],
)
def test_pairwise_variances_are_own_ones(
    tmp_path: Path,
    text: str,
    overrides: dict[str, str],
    place: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        study = read(tmp_path, text, **overrides)
    (message,) = caplog.messages
    assert message.removeprefix(f"{tmp_path}/") == (
        f"{place}: pairwise is called own now, and is read so"
    )
    chosen = {c.name: c.options.variance for c in study.sections or ()}
    assert chosen.get("inference", study.analysis.variance) == "own"
    assert ("pairwise" in study.text) is not bool(overrides)  # what is published is what was read


def test_todays_names_need_no_notice(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        study = read(tmp_path, "analysis: {variance: own}\nsections: [{inference: {alpha: 0.1}}]")
    assert study.analysis.variance == "own"
    assert not caplog.messages


def test_blocks_of_another_form_are_faults_as_ever(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="analysis: found 'pairwise'; allowed"):
        read(tmp_path, "analysis: pairwise\nsections: {inference: {variance: pairwise}}")
