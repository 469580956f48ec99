"""A program that takes part as a candidate, and does what its first argument says."""

import csv
import os
import subprocess
import sys
import time
from pathlib import Path


def main(behaviour: str, learn: str, test: str, predictions: str, seed: str, task: str) -> None:
    """Read the samples, misbehave as asked, and predict the most frequent response."""
    with Path(learn).open(newline="") as file:
        rows = list(csv.reader(file))
    with Path(test).open(newline="") as file:
        n_test = len(list(csv.reader(file))) - 1
    responses = [row[-1] for row in rows[1:]]
    most = max(sorted(set(responses)), key=responses.count)
    header, answer = ["prediction"], [most]
    if behaviour == "facts":
        facts = [str(Path.cwd()), os.environ["TMPDIR"], seed, task, *rows[0], *sys.argv]
        Path("facts.txt").write_text("\n".join(facts), encoding="utf-8")
    elif behaviour == "probabilities":
        header, answer = ["1", "0"], ["0.25", "0.75"]
    elif behaviour == "words":
        answer = ["setosa"]
    elif behaviour == "other":
        header = ["forecast"]
    elif behaviour == "short":
        n_test -= 1
    elif behaviour == "silent":
        sys.exit(0)
    elif behaviour == "fails":
        print("x" * 1000, "the matrix\nis singular", file=sys.stderr)
        sys.exit(3)
    elif behaviour == "talks":
        for _ in range(20):
            print("x" * 10**6, file=sys.stderr)
        sizes = [path.stat().st_size for path in Path(os.environ["TMPDIR"]).iterdir()]
        Path("size.txt").write_text(str(sum(sizes)), encoding="ascii")
        print("in the end", file=sys.stderr)
        sys.exit(3)
    elif behaviour == "dies":
        os.abort()
    elif behaviour in ("leaves", "hangs"):
        sleep = [sys.executable, "-c", "import time; time.sleep(300)"]
        child = subprocess.Popen(sleep, start_new_session=behaviour == "leaves")
        Path("child.txt").write_text(str(child.pid), encoding="utf-8")
        if behaviour == "hangs":
            time.sleep(300)
    with Path(predictions).open("w", newline="") as file:
        csv.writer(file).writerows([header, *[answer] * n_test])


if __name__ == "__main__":
    main(*sys.argv[1:])
