"""Make up battles of six chat models, of which the truth is known.

    python studies/battles/made.py

writes battles.csv beside it. Judges compare two answers to one prompt. Worths of atlas and birch
are equal, the best; ember and fern are equal, the worst. A judge has tastes, so that battles of one
judge belong together, and the answer shown first is preferred a little more often.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

WORTHS = {"atlas": 0.8, "birch": 0.8, "cedar": 0.3, "dune": -0.1, "ember": -0.9, "fern": -0.9}
N_BATTLES, N_JUDGES = 1500, 120
TASTE, ORDER, TIES = 0.4, 0.25, -0.4  # log worths; log of the strength of ties
BAD = 0.4  # of the ties, those of two bad answers
LANGUAGES = ("de", "en", "fr")


def main() -> None:
    """Draw the battles, and write them."""
    rng = np.random.default_rng(2026)
    names, worths = list(WORTHS), np.array([*WORTHS.values()])
    tastes = rng.normal(0, TASTE, (N_JUDGES, len(names)))
    lines = ["model_a,model_b,winner,judge,language"]
    for _ in range(N_BATTLES):
        a, b = rng.choice(len(names), 2, replace=False)
        judge = int(N_JUDGES * rng.random() ** 1.5)
        own = worths + tastes[judge]
        d = own[a] - own[b] + ORDER
        odds = np.exp([d / 2, TIES, -d / 2])
        outcome = int(rng.choice(3, p=odds / odds.sum()))
        tie = "tie (bothbad)" if rng.random() < BAD else "tie"
        winner = ("model_a", tie, "model_b")[outcome]
        cells = (names[a], names[b], winner, f"judge {judge + 1}", rng.choice(LANGUAGES))
        lines.append(",".join(cells))
    text = "\n".join(lines) + "\n"
    Path(__file__).with_name("battles.csv").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
