"""Small published data: tic-tac-toe, Titanic, cars."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

Table = tuple[pd.DataFrame, pd.Series]
Board = tuple[str, ...]

SQUARES = tuple(
    f"{row}-{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
LINES = (
    *((3 * i, 3 * i + 1, 3 * i + 2) for i in range(3)),
    *((i, i + 3, i + 6) for i in range(3)),
    (0, 4, 8),
    (2, 4, 6),
)

SHIP = {  # by sex and age: first, second, third class, crew
    "no": {
        ("male", "child"): (0, 0, 35, 0),
        ("female", "child"): (0, 0, 17, 0),
        ("male", "adult"): (118, 154, 387, 670),
        ("female", "adult"): (4, 13, 89, 3),
    },
    "yes": {
        ("male", "child"): (5, 11, 13, 0),
        ("female", "child"): (1, 13, 14, 0),
        ("male", "adult"): (57, 14, 75, 192),
        ("female", "adult"): (140, 80, 76, 20),
    },
}

SPEED = (
    *(4, 4, 7, 7, 8, 9, 10, 10, 10, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15),
    *(15, 16, 16, 17, 17, 17, 18, 18, 18, 18, 19, 19, 19, 20, 20, 20, 20, 20, 22, 23, 24, 24, 24),
    *(24, 25),
)
DISTANCE = (
    *(2, 10, 4, 22, 16, 10, 18, 26, 34, 17, 28, 14, 20, 24, 28, 26, 34, 34, 46, 26, 36, 60, 80, 20),
    *(26, 54, 32, 40, 32, 40, 50, 42, 56, 76, 84, 36, 46, 68, 32, 48, 52, 56, 64, 66, 54, 70, 92),
    *(93, 120, 85),
)
MODERN = (30, 8)


def tic_tac_toe() -> Table:
    """Return the 958 boards at the end of a game that x has begun.

    The class is whether x has three in a row.

    References
    ----------
    .. [1] D. W. Aha (1991), Tic-Tac-Toe Endgame, UCI Machine Learning Repository.
    """
    boards = sorted(_ends())
    inputs = pd.DataFrame(boards, columns=list(SQUARES)).astype(
        pd.CategoricalDtype(["b", "o", "x"])
    )
    wins = pd.Categorical(["positive" if _has_won(board, "x") else "negative" for board in boards])
    return inputs, pd.Series(wins, name="class")


def titanic() -> Table:
    """Return the 2,201 people aboard: class, sex, age, and whether they survived.

    References
    ----------
    .. [1] R. J. M. Dawson (1995), "The unusual episode data revisited", Journal
       of Statistics Education 3.
    """
    rows = [
        (place, sex, age, survived)
        for survived, groups in SHIP.items()
        for (sex, age), counts in groups.items()
        for place, count in zip(("first", "second", "third", "crew"), counts, strict=True)
        for _ in range(count)
    ]
    frame = pd.DataFrame(rows, columns=["class", "sex", "age", "survived"])
    return frame.drop(columns="survived").astype("category"), frame["survived"]


def cars() -> Table:
    """Return 51 cars: their speed in mph, and the distance in ft in which they stop.

    50 are of the 1920s; the last one is a modern car that stops in 8 ft from
    30 mph.

    References
    ----------
    .. [1] D. R. McNeil (1977), Interactive Data Analysis, Wiley.
    .. [2] M. J. A. Eugster (2011), Benchmark experiments, dissertation,
       Ludwig-Maximilians-Universität München, chapter 3.
    """
    return (
        pd.DataFrame({"speed": [*map(float, SPEED), float(MODERN[0])]}),
        pd.Series([*map(float, DISTANCE), float(MODERN[1])], name="dist"),
    )


def _ends() -> set[Board]:
    """Return the boards with which a game can end."""
    ends: set[Board] = set()
    going: set[Board] = {("b",) * 9}
    for turn in range(9):
        player = "xo"[turn % 2]
        after = {board for before in going for board in _moves(before, player)}
        over = {board for board in after if _has_won(board, player) or "b" not in board}
        ends |= over
        going = after - over
    return ends


def _moves(board: Board, player: str) -> Iterator[Board]:
    for square, mark in enumerate(board):
        if mark == "b":
            yield (*board[:square], player, *board[square + 1 :])


def _has_won(board: Board, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in LINES)
