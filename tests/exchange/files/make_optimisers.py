"""Runs of two optimisers, by the loggers of COCO 2.8.2 (coco-experiment) and ioh 0.3.22.

python make_optimisers.py
"""

import shutil
from pathlib import Path

import cocoex
import ioh
import numpy as np

BUDGET = 120
HERE = Path(__file__).parent


def random_search(function, low, high, rng):
    for _ in range(BUDGET):
        function(low + (high - low) * rng.random(len(low)))


def one_plus_one(function, low, high, rng):
    x, step = np.zeros(len(low)), 1.0
    y = function(x)
    for _ in range(BUDGET - 1):
        other = np.clip(x + step * rng.normal(size=len(x)), low, high)
        value = function(other)
        x, y, step = (other, value, step * 1.5) if value <= y else (x, y, step * 0.9)


OPTIMISERS = {"random": random_search, "one-plus-one": one_plus_one}

for name, optimise in OPTIMISERS.items():
    rng = np.random.default_rng(1)
    suite = cocoex.Suite("bbob", "", "dimensions: 2 function_indices: 1,8 instance_indices: 1-3")
    observer = cocoex.Observer("bbob", f"result_folder: {name} algorithm_name: {name}")
    for problem in suite:
        problem.observe_with(observer)
        optimise(problem, problem.lower_bounds, problem.upper_bounds, rng)
    del problem, observer  # writes the files
shutil.rmtree(HERE / "coco", ignore_errors=True)
shutil.move("exdata", HERE / "coco")
for file in (HERE / "coco").rglob("*.[tmr]dat"):
    file.unlink()

shutil.rmtree(HERE / "iohprofiler", ignore_errors=True)
for name, optimise in OPTIMISERS.items():
    rng = np.random.default_rng(1)
    logger = ioh.logger.Analyzer(
        root=str(HERE / "iohprofiler"), folder_name=name, algorithm_name=name
    )
    for function in (1, 8):
        for instance in (1, 2):
            problem = ioh.get_problem(function, instance, 2, ioh.ProblemClass.BBOB)
            problem.attach_logger(logger)
            for _ in range(2):
                optimise(problem, np.full(2, -5.0), np.full(2, 5.0), rng)
                problem.reset()
            problem.detach_logger()
    logger.close()
logger = ioh.logger.Analyzer(root=str(HERE), folder_name="iohprofiler-pbo", algorithm_name="random")
problem = ioh.get_problem(1, 1, 8, ioh.ProblemClass.PBO)
problem.attach_logger(logger)
rng = np.random.default_rng(1)
for _ in range(3):
    for _ in range(20):
        problem(rng.integers(0, 2, 8).tolist())
    problem.reset()
problem.detach_logger()
logger.close()
