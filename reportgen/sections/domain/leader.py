"""The candidate with the best mean rank against every other: of many candidates not all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reportgen.drawing import HAIR, SMALL, Sheet, fitted, shortened, text_width
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale
from reportgen.sections.domain.ranks import advantage

if TYPE_CHECKING:
    from reportgen.sections.domain.across_result import AcrossRanks
    from reportgen.stats.pair_table import Pair

LINE, HEAD, FOOT = 11.6, 18.0, 18.0  # pt a candidate; heads; legend


def leader_pairs(across: AcrossRanks) -> tuple[Pair, ...]:
    """Return the pairs of the candidate with the best mean rank."""
    return tuple(p for p in across.pairs or () if p.first == across.order[0])


def draw_leader(across: AcrossRanks, at: Scale, is_smaller_better: bool, sheet: Sheet) -> None:
    """Draw a bar a candidate: the data sets that the leader wins, ties and loses against it."""
    pairs = leader_pairs(across)
    names = shortened([p.second for p in pairs], 80 if sheet.is_phone else 130, SMALL)
    left = max(text_width(t, SMALL) for t in names.values()) + 20
    texts = [at.value(advantage(p, is_smaller_better)) for p in pairs]
    counts = [f"{p.wins}–{p.ties}–{p.losses}" for p in pairs]
    widths = [max(text_width(t, SMALL) for t in column) + 10 for column in (texts, counts)]
    heads = ("advantage", "w–t–l")
    widths = [max(w, text_width(h, SMALL) + 10) for w, h in zip(widths, heads, strict=True)]
    room = sheet.width - left - sum(widths)
    sheet.begin(HEAD + LINE * len(pairs) + FOOT)
    page = sheet.page()
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    ends = (left + room + widths[0], sheet.width)
    for head, end in zip(heads, ends, strict=True):
        page.text(end, 8, head, ha="right", va="center_baseline", **quiet)
    wins, ties, losses = [], [], []
    for i, pair in enumerate(pairs):
        y = HEAD + (i + 0.5) * LINE
        page.plot([left - 9], [y], **sheet.mark(pair.second, 4.6))
        is_told = pair.favoured is not None
        page.text(
            left - 16, y, names[pair.second], ha="right", va="center_baseline", fontsize=SMALL,
            fontweight=600 if is_told else 400,
        )  # fmt: skip
        n = pair.wins + pair.ties + pair.losses
        a, b = room * pair.wins / n, room * (pair.wins + pair.ties) / n
        wins.append((left, y - 3.6, a, 7.2))
        ties.append((left + a, y - 3.6, b - a, 7.2))
        losses.append((left + b, y - 3.6, room - b, 7.2))
        for text, end in zip((texts[i], counts[i]), ends, strict=True):
            page.text(end, y, text, ha="right", va="center_baseline", fontsize=SMALL)
    looks = (("ink", 0.72), ("ink", 0.4), ("ink", 0.13))
    for boxes, (colour, alpha) in zip((wins, ties, losses), looks, strict=True):
        fill_boxes(page, [b for b in boxes if b[2] > 0], sheet.colour(colour), alpha=alpha)
    middle = left + room / 2
    bottom = HEAD + LINE * len(pairs)
    draw_lines(page, [[(middle, HEAD), (middle, bottom)]], sheet.colour("paper"), HAIR, zorder=4)
    x, y = left, bottom + 10
    for words, (colour, alpha) in zip(("better", "equal", "worse"), looks, strict=True):
        fill_boxes(page, [(x, y - 3.6, 12, 7.2)], sheet.colour(colour), alpha=alpha)
        page.text(x + 16, y, words, va="center_baseline", **quiet)
        x += 26 + text_width(words, SMALL)
    share = f"share of {across.n_datasets} data sets; bold: by signed ranks"
    text = fitted(share, ends[1] - x, SMALL)
    page.text(x, y, text, va="center_baseline", **quiet)
    page.text(
        left, 8, fitted(f"{across.order[0]} against", room, SMALL), va="center_baseline", **quiet
    )
