"""The abstract as it is read: plain words, every back end, names that are an attack."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest

from reportgen.conclusion.recommendation import Cost, recommend
from reportgen.conclusion.result import (
    Caveats,
    Conclusion,
    Consensus,
    FirstSplit,
    OrderLine,
    order_line,
)
from reportgen.conclusion.verdict import Comparison
from reportgen.rendering.render_context import HTML, MARKDOWN, PDF, BackEnd
from reportgen.report import Report
from reportgen.stats.pair_table import PairTable
from reportgen.stats.verdict import Verdict
from tests.builders import warehouse_of
from tests.conclusion.cases import CASES, analysed, bootstrap, case, plain, told, written
from tests.conclusion.verdicts import AREA, cost, verdict
from tests.sections.domain.making import draw_values
from tests.sections.reading import ERROR, TIME, blocks, faults
from tests.test_snapshots import FOLDER, compare

USUAL = ("winner", "domain", "scenarios", "undecided-by-cost")


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_words_are_sound_and_those_of_the_snapshot(name: str, snapshot_update: bool) -> None:
    text = told(case(name))
    compare(FOLDER / f"abstract-{name}.txt", text, is_new=snapshot_update)
    assert not faults(text)
    assert "**" not in text


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("back_end", [pytest.param(PDF, marks=pytest.mark.slow), MARKDOWN])
def test_every_back_end_says_the_same(name: str, back_end: BackEnd) -> None:
    html = written(case(name))
    other = written(case(name), back_end)
    for part in ("text", "order_label", "order", "order_key"):
        here, there = plain(getattr(html, part)), plain(getattr(other, part))
        assert re.sub(r"[*_]", "", there) == re.sub(r"[*_]", "", here)


@pytest.mark.parametrize("name", USUAL)
def test_the_usual_abstract_has_about_110_words(name: str) -> None:
    assert 80 <= len(plain(written(case(name)).text).split()) <= 150


@pytest.mark.parametrize("name", CASES)
def test_no_abstract_is_too_long(name: str) -> None:
    assert len(plain(written(case(name)).text).split()) <= 150


def test_the_step_is_read_aloud() -> None:
    assert (
        'role="img" title="better than" aria-label="better than">&gt;<'
        in written(case("winner")).order
    )


@pytest.mark.parametrize("reference", [None, "lda"])
def test_without_significance_line_and_key_say_it_once(reference: str | None) -> None:
    report = case("all-undecided")
    assert report.conclusion
    assert report.conclusion.line
    line = replace(report.conclusion.line, reference=reference)
    found = written(replace(report, conclusion=replace(report.conclusion, line=line)))
    assert plain(found.order).startswith("no significant difference")
    assert "for new data" not in plain(found.order)
    key = plain(found.order_key)
    assert key.startswith("tested at 5% over all 6 pairs, for new data of this source")
    assert "no difference" not in key


def test_names_are_no_markup() -> None:
    names = ("<script>alert(1)</script>", "*x* _y_ **z**", "{{7*7}}{% raw %}", "[x](javascript:1)")
    values = {ERROR: blocks((0.1, 0.2, 0.2, 0.3), 30, 0.02)}
    report = analysed(bootstrap(values, names))
    found = written(report)
    whole = "".join(map(str, (found.text, found.order, found.order_key)))
    assert "<script" not in whole
    assert "&lt;script&gt;" in whole
    assert "javascript:1)</a>" not in whole
    for name in names:
        assert name in plain(whole)


# ---------------------------------------------------------------- conclusions made by hand


def said(conclusion: Conclusion) -> str:
    return told(replace(case("winner"), conclusion=conclusion))


def concluded(found: Comparison, *costs: Cost, **more: object) -> Conclusion:
    advice = recommend(found, costs)
    return Conclusion("verdict", advice, found, costs, order_line(found), **more)  # type: ignore[arg-type]


def text_of(found: Comparison, *costs: Cost) -> str:
    text = " ".join(said(concluded(found, *costs)).split())
    assert not faults(text)
    return text


def by(found: Comparison, pairs: PairTable) -> Comparison:
    """Return a verdict with other pairs."""
    return replace(found, verdict=replace(found.verdict, pairs=pairs))


@dataclass(frozen=True)
class OfSources(Verdict):
    """A verdict on few data sets, some of them with a fixed test sample."""

    fixed: tuple[str, ...] = ()


NEW = "for new data of this source"
SIX_SETS = {"dataset": None, "target": "domain", "basis": "own-variance", "n_units": 12}


@pytest.mark.parametrize(
    ("found", "costs", "sentence"),
    [
        (
            verdict("ab", means={"a": 0.1, "b": 0.1}),
            (),
            (
                "Both candidates have the same mean error, 10.00% over 20 bootstrap samples. "
                "These data give no ground to choose."
            ),
        ),
        (
            verdict(
                "abc", is_open=True, **SIX_SETS | {"n_units": 5, "target": "experiment"}, wins=5
            ),
            (),
            (
                "a is ahead on all five data sets; that shows little: one of three equal "
                "candidates is so with a probability of 1%. If one must be taken now, take a."
            ),
        ),
        (
            verdict("abc", is_open=True, **SIX_SETS | {"n_units": 2, "target": "experiment"}),
            (),
            (
                "Recommendation: none before there are more data sets (now 2). a has the smallest"
                " mean error so far."
            ),
        ),
        (
            verdict("ab", relevance=AREA, limits={"ab": (-0.006, 0.02)}),
            (cost({"a": 12.0, "b": 1.0}, ["ba"]),),
            (
                "Recommendation: b. It takes 1/12.0 of the time of a, and its mean error is "
                f"larger by at most 0.60 percentage points {NEW}, which does not matter here "
                "(area: 1 percentage point)."
            ),
        ),
        (
            verdict("abc", ["ab", "ac"]),
            (),
            "simultaneous over all 3 pairs). Recommendation: a. One data set says nothing",
        ),
        (
            verdict("abc", ["ab", "bc"]),
            (),
            f"Recommendation: a. It alone is not shown to be worse than another {NEW}.",
        ),
        (
            verdict("abc", ["ab", "ac"], target="experiment", unknown="scheme-unknown"),
            (),
            (
                "a makes the fewest errors here; what holds for new data is not known, as the "
                "sampling scheme is not."
            ),
        ),
        (
            verdict("ab", ["ab"], target="experiment", unknown="scheme-unknown"),
            (),
            ("). What holds for new data is not known, as the sampling scheme is not."),
        ),
        (
            verdict("ab", means={"a": 0.1, "b": 0.101}, inside=["ab"], relevance=AREA),
            (),
            (
                "Recommendation: a or b, whichever is easier to use. They differ by less than "
                "matters (1 percentage point)."
            ),
        ),
        (
            verdict("abc", ["ac"]),
            (cost({"a": 1.0, "b": 2.0, "c": 0.1}),),
            (
                "Recommendation: a, for its cost. Of the two not shown to be worse, a has the "
                f"smallest mean error and the shortest mean time. That it makes the fewest errors "
                f"{NEW} is not shown; it may make up to 2.00 percentage points more than another."
            ),
        ),
        (
            verdict("abcd", ["ad"], **SIX_SETS),
            (cost({"a": 3.0, "b": 9.0, "c": 1.0, "d": 0.1}),),
            (
                "Recommendation: by error a, by time c (not significant). "
                "By error neither is shown worse "
                "than another for data sets like these: a 10.00% in 3.00 s, c 12.00% in 1.00 s. b, "
                "at 3.00 times the time of a, has no smaller error. a may make up to 2.00 "
                "percentage points more errors than another."
            ),
        ),
        *(
            (
                verdict("abc", **SIX_SETS),
                (cost({"a": 3.0, "b": 2.0, "c": 1.0}, cheaper),),
                f"Recommendation: by error a, by time b or c ({decided}).",
            )
            for cheaper, decided in (
                (["ba", "ca"], "significant"),
                (["ca"], "significant for c"),
            )
        ),
        (
            verdict("abc", ["ac"]),
            (),
            (
                "Recommendation: a, provisionally. a and b are not shown to be worse than any "
                f"other {NEW}. a may make up to 2.00 percentage points more errors than another."
            ),
        ),
        (
            verdict("ab"),
            (),
            (
                f"No recommendation by error: no difference between a and b is shown {NEW}. "
                "Taking a costs at most 2.00, taking b at most 4.00 percentage points."
            ),
        ),
        (
            verdict("ab", target="seeds", unknown="seeds"),
            (),
            "What holds for new data is not known, as all seeds share one split.",
        ),
    ],
)
def test_each_state_has_its_sentence(
    found: Comparison, costs: tuple[Cost, ...], sentence: str
) -> None:
    assert sentence in text_of(found, *costs)


def test_that_the_lead_has_the_best_mean_is_said_once() -> None:
    assert text_of(verdict("abc", ["ac"])).count("a has the smallest mean error") == 1
    assert "It has the smallest mean error" not in text_of(verdict("abc", ["ac"]))


def test_a_difference_keeps_its_sign() -> None:
    found = verdict("ab", means={"a": 0.1, "b": 0.11}, limits={"ab": (-0.002, 0.01)})
    pairs = replace(found.pairs, estimate=np.array([0.0042]))
    text = text_of(by(found, pairs))
    assert "a’s advantage is −0.42 percentage points (95% interval −1.00 to 0.20)" in text
    assert "a’s advantage is 1.00 percentage points" in text_of(verdict("ab"))


def test_an_interval_outside_the_family_is_of_the_pair_alone() -> None:
    found = verdict("abc", limits={"ab": (-0.01, 0.01)})
    text = text_of(found)
    assert "simultaneous over all 3 pairs)" in text
    open_pair = replace(found.pairs, is_open=np.array([False, False, True]))
    assert "simultaneous over 2 of 3 pairs)" in text_of(by(found, open_pair))
    alone = np.array([np.nan, 0.01, 0.01])
    pairs = replace(found.pairs, adjusted_p_value=alone, is_open=np.isnan(alone))
    text = text_of(by(found, pairs))
    assert ", of this pair alone)" in text
    assert "simultaneous" not in text


def test_who_is_ahead_on_how_many_data_sets_is_said() -> None:
    found = verdict("ab", **SIX_SETS, wins=12)
    assert "; a is ahead on 12 data sets, b on none." in text_of(found)


def test_without_variation_there_is_nothing_to_judge_by() -> None:
    found = verdict("ab", is_open=True, n_units=3)
    pairs = found.pairs.with_columns(deviation=np.zeros(1))
    text = text_of(by(found, pairs))
    assert "There is no variation to judge by: the pair differs by the same amount" in text
    assert "Recommendation: none without any variation." in text


def test_decisions_in_a_circle() -> None:
    text = text_of(verdict("abc", ["ab", "bc", "ca"]))
    assert "a, b and c are not shown to be worse" in text
    assert "no order of all candidates: significance is not transitive" in text


def test_learning_samples_that_are_small_are_said_once() -> None:
    text = text_of(verdict("abc", n_learned=350, n_observations=554))
    assert text.count("learning from about 350 of 554 observations") == 1


def test_too_small_to_matter() -> None:
    found = verdict("abc", ["ab", "ac"], relevance=AREA, limits={"ab": (-0.008, -0.001)})
    assert "Over b it is better by too little to matter." in text_of(found)


def of(names: str, *better: str, **more: object) -> Conclusion:
    return concluded(verdict(names, better), **more)


@pytest.mark.parametrize(
    "what", ["influence", "outlier", "dependent", "missing_candidates", "missing"]
)
def test_caveats(what: str) -> None:
    own = {
        "influence": {"influence": ("d9",), "leaders_without": ("a", "b")},
        "outlier": {"n_outliers": 1, "n_changed": 2},
        "dependent": {"is_dependent": True},
        "missing_candidates": {"missing_candidates": ("x", "y")},
        "missing": {
            "n_missing": 1,
            "n_values": 60,
            "incomplete_candidates": ("a",),
            "complete": ("b", "c"),
        },
    }
    sentence = {
        "influence": "Without d9 the unbeaten candidates would be a and b.",
        "outlier": "In one replication values dwarf all others; "
        "without it two verdicts would be others.",
        "dependent": "The folds share observations, so the tests are too liberal.",
        "missing_candidates": "x and y have no value and are left out.",
        "missing": "1 of 60 values of the error is missing, that of a.",
    }
    found = replace(of("abc", "ab", "ac", "bc"), caveats=Caveats(**own[what]))  # type: ignore[arg-type]
    text = said(found)
    assert sentence[what] in " ".join(text.split())
    assert not faults(text)


@pytest.mark.parametrize(
    "reason",
    [
        "fixed-test-sample", "cross-validated-bootstrap", "merged-samples", "hold-out",
        "scheme-unknown", "folds-unknown", "sizes-unknown", "asked", "sources", "seeds",
        "learnt-observations",
    ],
)  # fmt: skip
def test_every_reason_against_new_data_has_words(reason: str) -> None:
    found = verdict("ab", target="experiment", unknown=reason)
    assert "What holds for new data is not known, as " in text_of(found)


@pytest.mark.parametrize(
    ("division", "sentence"),
    [
        (FirstSplit("size"), "Who does best goes with the characteristic size."),
        (
            FirstSplit("nvar.n", "number of variables", is_exploratory=True),
            "Who does best seems to go with the number of variables (nvar.n); this is exploratory.",
        ),
        (
            FirstSplit("cvar.kurt", "mean kurtosis, 3 for the normal", leads_alike=True),
            "How far candidates are apart goes with the mean kurtosis (cvar.kurt).",
        ),
        (
            FirstSplit(None),
            "No characteristic of the data sets is found on which it depends who does best.",
        ),
    ],
)
def test_what_decides(division: FirstSplit, sentence: str) -> None:
    text = said(replace(of("abc", "ab", "ac", "bc"), division=division))
    assert sentence in " ".join(text.split())
    assert not faults(text)


# ------------------------------------------------------------------------- other measures


def timed(means: tuple[float, ...], n: int, noise: float) -> Report:
    rng = np.random.default_rng(3)
    values = np.array(means) * np.exp(noise * rng.standard_normal((n, len(means))))
    return analysed(
        bootstrap({TIME: values}, ("anna", "bert", "cara")[: len(means)]), ("inference",)
    )


def test_pairs_of_times() -> None:
    here = "on the machine and in the session measured"
    text = told(timed((0.004, 0.001), 30, 0.1))
    assert re.match(
        rf"bert is faster than anna, {here}: .*; anna takes \d\.\d\d times as long", text
    )
    open_text = told(timed((0.004, 0.0039), 12, 0.5))
    assert re.match(
        rf"The difference between \w+ and \w+ is not significant {here}: "
        r".* takes 1\.\d\d times as long",
        open_text,
    )
    leaders = told(timed((0.004, 0.0041, 0.1), 20, 0.3))
    assert re.match(
        rf"2 of 3 differences are significant {here}: \w+ and \w+ are faster than cara", leaders
    )


def test_snapshots_are_plain_text() -> None:
    folder = Path(__file__).resolve().parent.parent / "snapshots"
    for file in folder.glob("abstract-*.txt"):
        assert not re.search(r"[<{}\\]", file.read_text(encoding="utf-8").replace(">", ""))


def test_html_alone_is_the_default() -> None:
    assert written(case("ties")) == written(case("ties"), HTML)


@pytest.mark.parametrize(
    ("n_optimal", "words", "level"),
    [
        (1, "the order nearest to those of all 21 data sets, whatever", "level"),
        (2, "as in both orders nearest to those of all 21 data sets, whatever", "in both"),
        (5, "as in all 5 orders nearest to those of all 21 data sets, whatever", "in all"),
    ],
)
def test_a_comma_is_a_level_in_one_order_only(n_optimal: int, words: str, level: str) -> None:
    report = case("domain")
    assert report.conclusion
    names = report.design.candidates
    beside = Consensus((names[:2], names[2:]), n_members=21, n_optimal=n_optimal)
    line = OrderLine(((*names,),), consensus=beside)
    found = written(replace(report, conclusion=replace(report.conclusion, line=line)))
    assert words in plain(found.order_key)
    assert plain(found.order_key).endswith(level)
    assert "(" not in plain(found.order_key)
    assert plain(found.order) == ", ".join(names)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ([[0.24, 0.40]] * 5, "Recommendation: anna. This is shown on all five data sets."),
        ([[0.24, 0.40]] * 2, "Recommendation: anna. This is shown on both data sets."),
        (
            [[0.24, 0.40]] * 4 + [[0.30, 0.30]],
            "Recommendation: anna. This is shown on at least four of the five data sets.",
        ),
        (
            [[0.24, 0.40, 0.50]] * 4 + [[0.30, 0.30, 0.50]],
            "Against each of them this is shown on at least four of the five data sets.",
        ),
        ([[0.24, 0.276]] * 5, "Recommendation: anna. Of other sources this says nothing."),
    ],
)
def test_the_winner_on_few_data_sets_is_said_to_win_on_how_many(
    levels: list[list[float]], words: str
) -> None:
    facts = {f"d{m}": {"n_observations": 100} for m in range(len(levels))}
    warehouse = warehouse_of(
        {ERROR: draw_values(1, levels, 30, 0.03)},
        ("anna", "bert", "cara")[: len(levels[0])],
        problem="real-world",
        resampling={"scheme": "bootstrap"},
        facts=facts,
    )
    report = analysed(warehouse, ("inference", "domain"))
    assert report.conclusion.recommendation.state == "won"
    assert words in plain(written(report).text)


@pytest.mark.parametrize(
    ("fixed", "words"),
    [
        ((), ", each counted alike: "),
        (("d0",), " (on d0 as these learning samples go), each counted alike: "),
        (("d0", "d2"), " (on d0 and d2 as these learning samples go), each counted alike: "),
        (("d0", "d1", "d2"), ", as these learning samples go, each counted alike: "),
    ],
)
def test_the_sources_with_a_fixed_test_sample_are_named(fixed: tuple[str, ...], words: str) -> None:
    few = {"dataset": None, "target": "these-sources", "n_units": 3}
    found = verdict("ab", ["ab"], is_given_samples=bool(fixed), **few)
    every = {own.name: getattr(found.verdict, own.name) for own in fields(found.verdict)}
    found = replace(found, verdict=OfSources(**every, fixed=fixed))
    assert f"for new data of these 3 sources{words}" in text_of(found)
