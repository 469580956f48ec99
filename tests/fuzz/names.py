"""Names as people, programs and enemies write them."""

from __future__ import annotations

from hypothesis import strategies as st

PLAIN = ("a", "b", "svm", "lda", "random forest", "k-NN (k=5)", "x10", "x9")
ALIKE = ("é", "e\u0301", "É", "A", "ａ", " a", "a ", "a\u00a0", "ﬁt", "fit", "\ufeffa")
UNSEEN = ("\u202eabc", "a\u200bb", "\u200b", "a\u2028b", "a\nb", "a\tb", "\x07", "a\x00b", "\x85")
NUMBERS = ("1", "1.0", "01", "1e5", "-0", "١", "0x1F", "1_000", "inf", "1,5", "2020-01-01")
NOTHINGS = ("NA", "nan", "null", "None", "", "-", "N/A", "true", "FALSE", "~")
MARKUP = (
    *("<b>", "&amp;", "{{ 7*7 }}", "{% raw %}", "$x^2$", "\\input{x}", "[a](b)", "*a*", "`a`"),
    *("|a|", "# a", "- a", "a: b", "'a'", '"a"', 'a"b', "a,b", "a;b", "=1+1", "@x", "%s", "{a}"),
    *("🙂", "👩\u200d🔬", "日本", "שלום", "../x", "con", "a.b", "a/b", "C:\\x"),
)
OURS = ("dataset", "candidate", "measure", "value", "sections", "study", "a vs. b", "a > b")
LONG = "long name " * 10_000

odd = st.sampled_from((*ALIKE, *UNSEEN, *NUMBERS, *NOTHINGS, *MARKUP, *OURS))
names = st.one_of(st.sampled_from(PLAIN), odd, st.text(max_size=12))
"""Any name; text of Unicode without surrogates, which no UTF-8 holds."""
rare = st.one_of(names, st.just(LONG), st.just("\ud800"))
"""Names that files hardly hold: of a hundred thousand characters, half of a pair."""


def distinct(n: int, *, is_plain: bool = False) -> st.SearchStrategy[list[str]]:
    """Return `n` names of which no two are equal."""
    own = [f"c{k}" for k in range(1, n + 1)]
    if is_plain:
        return st.just(own)
    return st.one_of(st.just(own), st.lists(names, min_size=n, max_size=n, unique=True))
