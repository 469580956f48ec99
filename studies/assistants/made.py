"""Make up an evaluation of four assistants on three tasks, of which the truth is known.

    python studies/assistants/made.py

writes answers.csv beside it. An answer is right with a probability that depends on the assistant,
on how hard the item is and on how hard its document is. On every task atlas is the best and dune
the worst; birch and cedar are equal: what tells them apart is chance.

It also writes battles.csv, in which judges prefer cedar to all others, atlas among them, so that
scores and battles order these two differently.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

SKILL = {"atlas": 1.5, "birch": 0.7, "cedar": 0.7, "dune": -0.1}  # log odds
PRICE = {"atlas": 9.0, "birch": 1.1, "cedar": 2.4, "dune": 0.4}  # USD for a thousand answers
TASKS = {  # documents, items of each, runs, standard deviations of documents and of items
    "reading": (40, 3, 2, 1.3, 0.8),
    "coding": (60, 1, 3, 0.0, 1.5),
    "arithmetic": (150, 1, 1, 0.0, 1.2),
}
LOST = 0.01  # answers that the service lost
WORTHS = {"atlas": 0.6, "birch": 0.0, "cedar": 1.0, "dune": -0.9}  # log worths of the battles
N_BATTLES, N_JUDGES = 900, 90
COLUMNS = "task,document,item,run,model,correct,cost"


def main() -> None:
    """Draw the answers, and write them."""
    rng = np.random.default_rng(2026)
    lines = [COLUMNS]
    for task, (n_documents, n_items, n_runs, between, within) in TASKS.items():
        for document in range(1, n_documents + 1):
            level = rng.normal(0.0, between)
            for item in range(1, n_items + 1):
                ease = level + rng.normal(0.0, within)
                name = f"{task[0]}{(document - 1) * n_items + item:03d}"
                own = f"{task[0].upper()}{document:02d}" if n_items > 1 else ""
                for run in range(1, n_runs + 1):
                    for model, skill in SKILL.items():
                        correct = int(rng.random() < 1 / (1 + np.exp(-skill - ease)))
                        cost = PRICE[model] / 1000 * rng.lognormal(-0.08, 0.4)
                        cells = ("", "") if rng.random() < LOST else (correct, f"{cost:.6f}")
                        row = (task, own, name, run, model, *cells)
                        lines.append(",".join(map(str, row)))
    text = "\n".join(lines) + "\n"
    Path(__file__).with_name("answers.csv").write_text(text, encoding="utf-8")
    write_battles()


def write_battles() -> None:
    """Draw battles of the same assistants, and write them."""
    rng = np.random.default_rng(7)
    names = list(WORTHS)
    lines = ["model_a,model_b,winner,judge"]
    for _ in range(N_BATTLES):
        a, b = (names[k] for k in rng.choice(len(names), 2, replace=False))
        odds = np.exp([(WORTHS[a] - WORTHS[b]) / 2, -0.7, (WORTHS[b] - WORTHS[a]) / 2])
        winner = ("model_a", "tie", "model_b")[int(rng.choice(3, p=odds / odds.sum()))]
        lines.append(f"{a},{b},{winner},judge {rng.integers(N_JUDGES) + 1}")
    text = "\n".join(lines) + "\n"
    Path(__file__).with_name("battles.csv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
