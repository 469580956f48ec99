"""Expected run times computed by cocopp 2.8 (COCO's own postprocessing); writes run_times.json.

Run in an environment of its own (Python 3.11, coco-experiment, cocopp, six) on the folder that
tests/exchange/files/make_optimisers.py writes, with its .tdat files, which cocopp asks for:

python tests/golden/run_times.py <folder>
"""

import json
import math
import sys
from importlib.metadata import version
from pathlib import Path

from cocopp.pproc import DataSetList

TARGETS = [float(f"1e{exponent}") for exponent in range(2, -8, -1)]

found = []
for folder in sorted(Path(sys.argv[1]).iterdir()):
    for own in DataSetList([str(folder)]):
        times = [None if math.isinf(x) else float(x) for x in own.detERT(TARGETS)]
        dataset = f"bbob f{own.funcId} {own.dim}-D"
        found.append({"candidate": folder.name, "dataset": dataset, "expected": times})

Path(__file__).with_suffix(".json").write_text(
    json.dumps({"cocopp": version("cocopp"), "targets": TARGETS, "runs": found}, indent=1) + "\n"
)
