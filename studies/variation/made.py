"""Sources of variation one at a time and all together, as Bouthillier et al. (2021) vary them.

Three small networks learn scikit-learn's digits. A run has a bootstrap sample of the data, initial
weights, an order of the data, and a random search for learning rate and weight decay, each from a
seed of its own. One at a time: 20 seeds of each source, the others kept. Together: 40 runs in which
all four change, and a grid of 5 splits by 5 initial weights by 2 searches.

    python made.py > variation.csv
"""

from __future__ import annotations

import csv
import sys
from itertools import pairwise, product

import numpy as np
from sklearn.datasets import load_digits

HIDDEN = {"softmax": 0, "narrow": 16, "wide": 64}
ONE, TOGETHER = 20, 40  # levels of each source alone; runs in which all change
TRIALS, EPOCHS, BATCH = 4, 12, 32


def learn(x, y, hidden, rate, decay, init, order):
    """Learn by stochastic gradients; return the weights."""
    sizes = [x.shape[1], hidden, 10] if hidden else [x.shape[1], 10]
    start = np.random.default_rng([1, init])
    layers = [[start.normal(size=(m, n)) / np.sqrt(m), np.zeros(n)] for m, n in pairwise(sizes)]
    shuffle, target = np.random.default_rng([2, order]), np.eye(10)[y]
    for _ in range(EPOCHS):
        places = shuffle.permutation(len(x))
        for begin in range(0, len(x) - BATCH + 1, BATCH):
            rows = places[begin : begin + BATCH]
            inputs = [x[rows]]
            for w, b in layers[:-1]:
                inputs.append(np.tanh(inputs[-1] @ w + b))
            slope = (probabilities(layers, x[rows]) - target[rows]) / BATCH
            for layer, given in zip(layers[::-1], inputs[::-1], strict=True):
                back = slope @ layer[0].T * (1 - given**2)
                layer[0] -= rate * (given.T @ slope + decay * layer[0])
                layer[1] -= rate * slope.sum(axis=0)
                slope = back
    return layers


def probabilities(layers, x):
    """Return the probabilities of the classes."""
    for w, b in layers[:-1]:
        x = np.tanh(x @ w + b)
    z = x @ layers[-1][0] + layers[-1][1]
    z = np.exp(z - z.max(axis=1, keepdims=True))
    return z / z.sum(axis=1, keepdims=True)


def error(layers, x, y):
    """Return the share of wrong predictions."""
    return float((probabilities(layers, x).argmax(axis=1) != y).mean())


def tune(x, y, hidden, tuning):
    """Return learning rate and decay that do best on a third of the learning sample."""
    rng = np.random.default_rng([3, tuning])
    places = rng.permutation(len(x))
    inside, outside = places[len(x) // 3 :], places[: len(x) // 3]
    best = (np.inf, 0.1, 1e-4)
    for _ in range(TRIALS):
        rate, decay = 10 ** rng.uniform(-2, 0), 10 ** rng.uniform(-5, -1.5)
        layers = learn(x[inside], y[inside], hidden, rate, decay, 0, 0)
        best = min(best, (error(layers, x[outside], y[outside]), rate, decay))
    return best[1:]


def design():
    """Yield the levels of split, weights, order and tuning of every run, each once."""
    cells = {}
    for source in range(4):
        for level in range(ONE):
            cells[tuple(level if i == source else 0 for i in range(4))] = None
    for level in range(ONE, ONE + TOGETHER):
        cells[(level,) * 4] = None
    for split, init, tuning in product(range(5), range(5), range(2)):
        cells[(split, init, 0, tuning)] = None
    return cells


def main() -> None:
    """Write a row a run and candidate."""
    digits = load_digits()
    x, y = digits.data / 16 - 0.5, digits.target
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["split", "weights", "order", "tuning", "candidate", "misclassification"])
    known = {}
    for split, init, order, tuning in design():
        rng = np.random.default_rng([0, split])
        learned = rng.integers(len(x), size=len(x))
        left = np.setdiff1d(np.arange(len(x)), learned)
        for name, hidden in HIDDEN.items():
            key = split, tuning, name
            if key not in known:
                known[key] = tune(x[learned], y[learned], hidden, tuning)
            layers = learn(x[learned], y[learned], hidden, *known[key], init, order)
            row = (split, init, order, tuning, name)
            out.writerow([*row, round(error(layers, x[left], y[left]), 5)])


if __name__ == "__main__":
    main()
