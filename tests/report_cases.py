"""The cases of `shared/cases/report` with their results, which lie beside the checkout."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases" / "report"
DATA = CASES.parents[1] / "reference" / "data"


def case(name: str, folder: Path) -> Path:
    """Return a case in a folder, with the results that its manifest names."""
    shutil.copytree((CASES / name).parent, folder)
    if "two_" in name or "pm." in name:
        pairs = pd.read_csv(DATA / "pmid_rf_svm.csv")
        pairs.index = pd.RangeIndex(1, len(pairs) + 1, name="replication")
        tidy = pairs.reset_index().melt("replication", None, "candidate", "misclassification")
        tidy.assign(dataset="PmID").to_csv(folder / "pm.csv", index=False)
    if "pm." in name:  # keys that are gone since: there is one test of a stage, and one rule
        manifest = folder / "pm.yaml"
        text = manifest.read_text(encoding="utf-8")
        gone = r"\b(?:test|rule|alternative|final): \w+,? ?"
        manifest.write_text(re.sub(gone, "", text), encoding="utf-8")
    if "unstructured" in name:
        shutil.copy(DATA / "uci621raw.csv", folder)
    if "skel" in name:
        bodies = pd.read_csv(DATA / "skel2.csv")
        shutil.copy(DATA / "skel2.csv", folder)
        tall = bodies["Height"] > bodies["Height"].median()
        bodies.assign(Gender=np.where(tall, "tall", "short")).to_csv(
            folder / "skelg.csv", index=False
        )
    return folder / Path(name).name
