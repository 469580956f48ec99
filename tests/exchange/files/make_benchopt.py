"""Makes benchopt.parquet beside this file, by benchopt 1.10.0 (pip install benchopt pyarrow).

    python make_benchopt.py

A benchmark of two data sets and three solvers, with 2 repetitions: one solver is exact, the others
go on and stop four times.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

FILES = {
    "objective.py": """
import numpy as np
from benchopt import BaseObjective

class Objective(BaseObjective):
    name = "Ridge"
    parameters = {"lmbd": [0.1]}

    def set_data(self, X, y):
        self.X, self.y = X, y

    def evaluate_result(self, beta):
        rest = self.y - self.X @ beta
        value = rest @ rest / 2 + self.lmbd * beta @ beta / 2
        return {"value": float(value), "norm": float(beta @ beta)}

    def get_one_result(self):
        return {"beta": np.zeros(self.X.shape[1])}

    def get_objective(self):
        return {"X": self.X, "y": self.y, "lmbd": self.lmbd}
""",
    "datasets/simulated.py": """
import numpy as np
from benchopt import BaseDataset

class Dataset(BaseDataset):
    name = "Simulated"
    parameters = {"n, p": [(30, 4), (20, 3)]}

    def get_data(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(self.n, self.p))
        return {"X": X, "y": X @ np.ones(self.p) + rng.normal(size=self.n)}
""",
    "solvers/gd.py": """
import numpy as np
from benchopt import BaseSolver

class Solver(BaseSolver):
    name = "gd"
    sampling_strategy = "iteration"
    parameters = {"step": [0.5, 1.0]}

    def set_objective(self, X, y, lmbd):
        self.X, self.y, self.lmbd = X, y, lmbd

    def run(self, n_iter):
        b, size = np.zeros(self.X.shape[1]), np.linalg.norm(self.X, 2) ** 2 + self.lmbd
        for _ in range(n_iter):
            b -= self.step / size * (self.X.T @ (self.X @ b - self.y) + self.lmbd * b)
        self.b = b

    def get_result(self):
        return {"beta": self.b}
""",
    "solvers/exact.py": """
import numpy as np
from benchopt import BaseSolver

class Solver(BaseSolver):
    name = "exact"
    sampling_strategy = "run_once"

    def set_objective(self, X, y, lmbd):
        self.X, self.y, self.lmbd = X, y, lmbd

    def run(self, _):
        A = self.X.T @ self.X + self.lmbd * np.eye(self.X.shape[1])
        self.b = np.linalg.solve(A, self.X.T @ self.y)

    def get_result(self):
        return {"beta": self.b}
""",
}
DROPPED = ("platform", "system", "version", "env", "benchmark", "file_", "run_date")  # of a machine

with TemporaryDirectory() as name:
    for path, text in FILES.items():
        (Path(name) / path).parent.mkdir(exist_ok=True)
        (Path(name) / path).write_text(text)
    command = shutil.which("benchopt") or str(Path(sys.executable).parent / "benchopt")
    options = ["-r", "2", "-n", "4", "--no-plot", "--no-html"]
    subprocess.run([command, "run", name, *options], check=True)

    import pandas as pd

    table = pd.read_parquet(next(Path(name).rglob("*.parquet")))
    kept = [column for column in table.columns if not column.startswith(DROPPED)]
    table[kept].to_parquet(Path(__file__).parent / "benchopt.parquet", compression="zstd")
