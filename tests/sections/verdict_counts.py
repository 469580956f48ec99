"""How many pairs, or data sets, a report says are of some kind, and how many are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from reportgen.drawing import measure_words
from reportgen.report import SectionContent
from reportgen.stats.pair_table import PairTable
from tests.sections.claims import NUMBER, Count, number
from tests.sections.reading import Said
from tests.sections.study_verdicts import (
    OF_OTHERS,
    Study,
    domain_lines,
    settings_of,
    split,
)


def counts(study: Study) -> Iterator[Count]:
    """Return the counts in tables."""
    for content in study.of("inference"):
        for table in content.overview:
            heads = [column.name for column in table.columns]
            for row in table.rows if table.name == "overview" else ():
                cells = dict(zip(heads, row, strict=True))
                key = study.local.get((cells["dataset"], table.measure))
                if key is not None:
                    true = study.verdicts[key].n_significant
                    yield Count(cells["decided"], true, f"overview: {cells['dataset']}")
    for part in settings_of(study):
        yield from _of_setting_tables(study, part)
    if study.domain is not None:
        yield from _of_otherwise(study, study.domain)


def _of_setting_tables(study: Study, part: Any) -> Iterator[Count]:
    """Read in how many settings each pair comes out how, and how many pairs a setting decides."""
    keys = {r.dataset: study.local.get((r.dataset, part.measure.name)) for r in part.settings}
    tables = {r.dataset: study.verdicts[k] for r in part.settings if (k := keys[r.dataset])}
    for row in part.settings:
        if row.dataset in tables:
            true = tables[row.dataset].n_significant
            yield Count(row.n_distinguished, true, f"setting {row.label}")
    for content in study.of("sensitivity"):
        for table in content.tables:
            if table.measure != part.measure.name or table.name != "pairs":
                continue
            if len(list(settings_of(study))) > 1:
                continue  # which of them a table is of, only its number says
            for (a, b), better, undecided, worse, *_ in table.rows:
                found = [t.between(a, b) for t in tables.values()]
                ways = [pair.favoured for pair in found if pair is not None]
                true = (ways.count(a), ways.count(None), ways.count(b))
                yield Count((better, undecided, worse), true, f"table of settings: {a}, {b}")


def _of_otherwise(study: Study, domain: SectionContent) -> Iterator[Count]:
    """Read how many pairs a method orders, and how many it orders otherwise than decided."""
    for table in domain.tables:
        heads = [column.name for column in table.columns]
        if table.name != "agreement" or "n_changed" not in heads:
            continue
        verdict = domain.result.verdict[table.measure]
        decided = {
            (p.favoured, p.second if p.favoured == p.first else p.first)
            for p in verdict.pairs
            if p.favoured
        }
        for method, row in zip(
            domain.result.agreement[table.measure].methods, table.rows, strict=True
        ):
            true = len({frozenset(p) for p in decided ^ set(method.better)})
            yield Count(row[-1], true, f"methods: {method.method}")
            if method.method == verdict.method:
                yield Count(row[heads.index("pairs")], len(decided), f"methods: {method.method}")


def counts_of_text(study: Study, said: Said) -> Iterator[Count]:
    """Return the counts in findings and sections."""
    yield from counts_of_abstract(study, said.abstract)
    if study.domain is not None:
        for measure, line in domain_lines(study, said.sections.get("domain", "")):
            yield from _counts_of_domain(study, line, measure)
    for dataset, text in study.pages(said, "sequential"):
        yield from _counts_of_stages(study, dataset, text)
    for dataset, text in study.pages(said, "inference"):
        yield from _counts_of_page(study, dataset, text)
    for dataset, text in said.entries.items():
        yield from _counts_of_page(study, dataset, text)


def counts_of_abstract(study: Study, text: str) -> Iterator[Count]:
    """Return the counts in the abstract: of one data set, or of the domain."""
    verdict = study.report.conclusion.verdict if study.report.conclusion else None
    if verdict is None:
        return
    if verdict.dataset is None:
        yield from _counts_of_domain(study, text, verdict.measure.name)
    else:
        key = study.local[verdict.dataset, verdict.measure.name]
        for sentence in split(text, study.name):
            yield from _of_pairs(sentence, study.verdicts[key], None)


def _counts_of_domain(study: Study, text: str, measure: str | None) -> Iterator[Count]:
    """Read how many pairs are decided over all data sets."""
    verdict = study.domain.result.verdict.get(measure or "") if study.domain else None
    if verdict is None:
        return
    pairs = verdict.pairs
    decided = sum(p.favoured is not None for p in pairs)
    for sentence in split(text, study.name):
        if OF_OTHERS.search(sentence) or re.search(
            "would be significant|^Where no difference", sentence
        ):
            continue
        where = f"domain: {sentence}"
        found = re.search(
            rf"(?:({NUMBER}) of(?: the)?|all) (\d+) differences (?:is|are) significant",
            sentence,
            re.I,
        )
        if found:
            said = number(found[1] or found[2]), number(found[2])
            yield Count(said, (decided, len(pairs)), where)
        if re.search(r"[Nn]o difference (?:of the \w+ candidates )?is significant", sentence):
            yield Count(0, decided, where)


def _counts_of_stages(study: Study, dataset: str, text: str) -> Iterator[Count]:
    """Read "of the 6 pairs 4 are different, 1 is equivalent and 1 is open"."""
    kinds = {
        "decided": r"(\d+) (?:is|are) significantly different",
        "slight": r"(\d+) of them not relevant",
        "equivalent": r"(\d+) (?:is|are) equivalent",
        "not-distinguished": r"(\d+) (?:is|are) given up",
        "open": r"(\d+) (?:is|are) open",
    }
    (content,) = [c for c in study.of("sequential") if (c.dataset or "") == dataset]
    many = [m for m in content.result.values() if len(m.pairs) > 1]
    found = re.findall(rf"stages?, at a family-wise [^.]*?, of {NUMBER} pairs ([^.]*)\.", text)
    for monitoring, sentence in zip(many, found, strict=True):
        words = [p.verdict for p in monitoring.pairs]
        slight = words.count("less-equivalent") + words.count("greater-equivalent")
        true = {
            "decided": words.count("less") + words.count("greater") + slight,
            "slight": slight,
            **{k: words.count(k) for k in ("equivalent", "not-distinguished", "open")},
        }
        said = {k: re.search(pattern, sentence) for k, pattern in kinds.items()}
        yield Count({k: int(m[1]) if m else 0 for k, m in said.items()}, true, sentence)


def _counts_of_page(study: Study, dataset: str, text: str) -> Iterator[Count]:
    """Read how many pairs of a data set are decided, measure by measure."""
    keys = [key for (d, _), key in study.local.items() if d == dataset]
    measures = {m.name: m for m in study.report.design.measures}
    heads = {f"By {measure_words(measures[key[1]])}": key for key in keys}
    key = keys[0] if keys else None
    for line in text.splitlines():
        key = heads.get(line, key)
        if key is not None:
            new = study.verdicts.get((*key[:2], "generating-process"))
            yield from _of_pairs(
                line, study.verdicts[key], new if key[2] == "conditional" else None
            )


def _of_pairs(text: str, table: PairTable, new: PairTable | None) -> Iterator[Count]:
    """Read "Of 15 differences 13 are significant, 9 of them larger than …", and what is like it."""
    decided = table.n_significant
    for word, every, n in re.findall(
        rf"(None of(?: the)?|All|Of) ({NUMBER}) differences (?:({NUMBER}) )?(?:is|are) significant",
        text,
    ):
        none = 0 if word.startswith("None") else None
        said = number(n) if word == "Of" else number(every) if word == "All" else none
        yield Count((said, number(every)), (decided, len(table)), text)
    for n, every in re.findall(
        rf"(?<!or )(?<!ranks )\b({NUMBER}) of ({NUMBER}) differences? (?:is|are) significant", text
    ):
        yield Count((number(n), number(every)), (decided, len(table)), text)
    kinds = ["open" if p.kind == "undecided" and p.is_open else p.kind for p in table]
    for words, kind in (
        (rf"significant[^,.]*, ({NUMBER}) of them larger than", "relevant"),
        (rf"({NUMBER}) are significant, yet (?:too small|inside)", "slight"),
        (rf"({NUMBER}) are equivalent", "equivalent"),
        (rf"(?<!of )(?<!All )({NUMBER}) are not significant", "undecided"),
    ):
        for n in re.findall(words, text):
            yield Count(number(n, len(table)), kinds.count(kind), f"{kind}: {text}")
    part = "all |none of them shown to be |not shown to be |"
    for word in re.findall(rf"significant(?: \(\w+ \w+\))?, ({part})larger than", text):
        true = decided if word in ("all ", "") else 0
        yield Count(true, kinds.count("relevant"), f"relevant: {text}")
    for n, every in re.findall(
        rf"({NUMBER}) of the ({NUMBER}) differences stays? significant", text
    ):
        assert new is not None
        both = [(p, new.between(p.first, p.second)) for p in table if p.favoured]
        true = sum(q is not None and q.favoured == p.favoured for p, q in both)
        yield Count((number(n, decided), number(every)), (true, decided), text)
