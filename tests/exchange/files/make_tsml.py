"""Makes the folder tsml/ beside this file, by tsml-eval 0.6.0 (pip install tsml-eval).

python make_tsml.py
"""

from pathlib import Path

import numpy as np
from tsml_eval.utils.results_writing import write_classification_results, write_regression_results

HERE = Path(__file__).parent / "tsml"
rng = np.random.default_rng(1)
truth = np.array([0, 1, 1, 0, 1, 0, 1, 1])
for name, unit in (("ROCKET", "MILLISECONDS"), ("DrCIF", "NANOSECONDS")):
    for dataset in ("Chinatown", "Coffee"):
        for resample in (0, 1):
            chances = rng.dirichlet([1, 1], len(truth))
            predicted = chances.argmax(axis=1)
            is_known = not (name == "DrCIF" and resample == 1)
            write_classification_results(
                predicted, chances.round(3), truth, name, dataset, str(HERE), full_path=False,
                split="TEST", resample_id=resample, time_unit=unit, parameter_info="{}",
                accuracy=float((predicted == truth).mean()) if is_known else -1,
                fit_time=1500 + resample, predict_time=-1 if resample else 20, n_classes=2,
            )  # fmt: skip
write_regression_results(
    truth + 0.5, truth, "Ridge", "Covid", str(HERE.parent / "tsml-regression"), full_path=False,
    split="TEST", resample_id=0, mse=0.25,
)  # fmt: skip
