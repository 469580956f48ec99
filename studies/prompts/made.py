"""Make up answers of four models under five prompts, of which the truth is known.

    python studies/prompts/made.py

writes answers.csv beside it. atlas and birch are alike with their best prompts, of which atlas has
three and birch one. Examples help dune and no other model; the other effects add up.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

MODELS = {"atlas": 1.1, "birch": 0.9, "cedar": 0.4, "dune": 0.2}  # log odds
PROMPTS = {"plain": 0.0, "steps": 0.4, "example": 0.0, "terse": -0.4, "role": 0.0}
ALONE = {("dune", "example"): 0.9, ("birch", "steps"): 0.2, ("atlas", "role"): 0.4}
ALONE |= {("atlas", "example"): 0.4}
N_ITEMS, DIFFICULTY, OWN = 300, 1.3, 0.5


def main() -> None:
    """Draw the answers, and write them."""
    rng = np.random.default_rng(2026)
    lines = ["item,model,prompt,correct"]
    for item in range(N_ITEMS):
        level = rng.normal(0, DIFFICULTY)
        for model, own in MODELS.items():
            for prompt, more in PROMPTS.items():
                odds = own + more + ALONE.get((model, prompt), 0.0) + level + rng.normal(0, OWN)
                correct = int(rng.random() < 1 / (1 + np.exp(-odds)))
                lines.append(f"q{item + 1:03d},{model},{prompt},{correct}")
    text = "\n".join(lines) + "\n"
    Path(__file__).with_name("answers.csv").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
