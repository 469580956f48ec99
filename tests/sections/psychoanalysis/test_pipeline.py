"""From manifests to results.json, executed and imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
from click.testing import CliRunner

from reportgen.cli import main
from tests.sections.psychoanalysis.making import study

EXECUTED = """
study: {name: small}
measures: [misclassification]
setup:
  datasets:
    - {name: ds1, generator: hyperplane, n: 80}
    - {name: ds2, generator: circle, n: 80}
  candidates: [lda, knn]
  resampling: {scheme: subsampling, replications: 12}
execution: {jobs: 1}
sections: [{psychoanalysis: {cluster: none, min_size: 5}}]
"""


def _run(manifest: Path) -> dict[str, Any]:
    arguments = ["run", str(manifest), "--output", str(manifest.parent / "out"), "--format", "json"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    (folder,) = (manifest.parent / "out").iterdir()
    results: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return results["sections"]


def test_an_executed_study_finds_what_decides(tmp_path: Path) -> None:
    manifest = tmp_path / "small.yaml"
    manifest.write_text(EXECUTED)
    found = _run(manifest)["psychoanalysis"]["misclassification"]
    assert found["n_units"] == 24
    assert found["tree"]["split"]["characteristic"] == "i2r.fcc"
    table = pd.read_parquet(tmp_path / "out" / "small" / "warehouse" / "characteristics.parquet")
    assert len(table) == 2 * 13
    assert (tmp_path / "out" / "small" / "tables").is_dir()


def test_results_with_characteristics_have_the_section_by_themselves(tmp_path: Path) -> None:
    warehouse = study(8, step=0.05)
    warehouse.frame[["dataset", "replication", "candidate", "measure", "value"]].to_csv(
        tmp_path / "results.csv", index=False
    )
    table = warehouse.characteristics.drop(columns=["replication", "scheme"])
    table.to_csv(tmp_path / "chars.csv", index=False)
    manifest = tmp_path / "imported.yaml"
    manifest.write_text(
        "results: {file: results.csv, characteristics: chars.csv}\n"
        "sections: [{psychoanalysis: {permutations: 199, resamples: 0}}]\n"
    )
    found = _run(manifest)["psychoanalysis"]["misclassification"]
    assert [t["name"] for t in found["characteristics"]] == ["i2r.fcc", "obs.n", "var.n", "origin"]
    assert found["tree"]["tests"]
