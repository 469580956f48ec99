"""Expected run times computed by cocopp, COCO's own postprocessing; writes run_times.json.

pip install coco-experiment==2.8.2 cocopp==2.9.1 six
python tests/golden/run_times.py <folder>

The folder is the one that tests/exchange/files/make_optimisers.py writes, with its .tdat files,
which cocopp asks for.
"""

import json
import math
import sys
from importlib.metadata import version
from pathlib import Path

TARGETS = [float(f"1e{exponent}") for exponent in range(2, -8, -1)]


def main(folder: Path) -> None:
    """Read, compute and write."""
    from cocopp.pproc import DataSetList

    found = []
    for candidate in sorted(folder.iterdir()):
        for own in DataSetList([str(candidate)]):
            times = [None if math.isinf(x) else float(x) for x in own.detERT(TARGETS)]
            dataset = f"bbob f{own.funcId} {own.dim}-D"
            found.append({"candidate": candidate.name, "dataset": dataset, "expected": times})
    about = {"cocopp": version("cocopp"), "targets": TARGETS, "runs": found}
    text = json.dumps(about, indent=1) + "\n"
    Path(__file__).with_suffix(".json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
