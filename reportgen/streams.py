"""Random streams by name: they do not depend on the order of work."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

LARGEST_WORD = 2**32 - 1


def stream(seed: int, *names: str | int) -> Generator:
    """Return the generator that belongs to a seed and a path of names.

    Two paths that differ give independent streams, so that a further data set,
    candidate or section changes none of the others.

    `seed`: the study's seed, not negative.
    `names`: for example a section and a data set, or a data set, a replication and a candidate.

    Examples
    --------
    >>> bool(stream(1, "eda", "monks3").random() == stream(1, "eda", "monks3").random())
    True
    >>> bool(stream(1, "eda", "monks3").random() == stream(1, "eda", "iris").random())
    False
    """
    path = b"".join([_frame(str(name).encode()) for name in names])
    digest = sha256(path).digest()
    if seed <= LARGEST_WORD:  # the same entropy, without a conversion of each number
        words = np.frombuffer(seed.to_bytes(4, "little") + digest, dtype="<u4")
        return Generator(PCG64(SeedSequence(words)))
    words = np.frombuffer(digest, dtype="<u4")
    return Generator(PCG64(SeedSequence([seed, *(int(w) for w in words)])))


def _frame(part: bytes) -> bytes:
    """Prefix a part with its length, so that ("ab", "c") is not ("a", "bc")."""
    return len(part).to_bytes(4, "big") + part
