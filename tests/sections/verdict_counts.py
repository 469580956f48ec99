"""How many pairs, or data sets, a report says are of some kind, and how many are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

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
    way_of,
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
    for text in said.findings:
        yield from counts_of_finding(study, text)
    if study.domain is not None:
        for measure, line in domain_lines(study, said.sections.get("domain", "")):
            yield from _counts_of_domain(study, line, measure)
            yield from _of_tally(study, line)
    for dataset, text in study.pages(said, "sequential"):
        yield from _counts_of_stages(study, dataset, text)
    for dataset, text in study.pages(said, "inference"):
        yield from _counts_of_page(study, dataset, text)


def counts_of_finding(study: Study, text: str) -> Iterator[Count]:
    """Return the counts in a finding on several data sets."""
    if len(study.datasets) < 2:
        return
    if text.startswith("Over "):
        yield from _counts_of_domain(study, text, study.measured(text))
    measure = study.measured(text)
    if measure is None:
        return
    keys = {d: key for (d, m), key in study.local.items() if m == measure}
    tables = {d: study.verdicts[key] for d, key in keys.items()}
    yield from _of_leaders(study, text, tables)
    yield from _of_judged(text, tables)
    yield from _of_new_data(study, text, measure, tables)
    yield from _against(study, text, tables)
    yield from _of_chains(study, text)
    yield from _of_turned_pairs(study, text)


def _unbeaten(table: PairTable) -> tuple[str, ...]:
    """Return who is decided to be worse than nobody, counted pair by pair."""
    beaten = {b for p in table for b in (p.first, p.second) if p.favoured not in (None, b)}
    return tuple(name for name in table.candidates if name not in beaten)


def _of_leaders(study: Study, text: str, tables: Mapping[str, PairTable]) -> Iterator[Count]:
    """Read "svm leads in … on 13 of 21 data sets, on 7 of them alone; rf on 7 (3 alone)."."""
    told = {d: t for d, t in tables.items() if t.n_significant}
    leading = {d: _unbeaten(table) for d, table in told.items()}
    joint = {n: sum(n in x for x in leading.values()) for n in study.report.design.candidates}
    sole = {n: sum(x == (n,) for x in leading.values()) for n in joint}
    name, several = study.name, study.several
    head = re.match(rf"({several}) leads? in .*? on (\d+) of (\d+) data sets?", text)
    if head:
        names = re.findall(name, head[1])
        most = [n for n in joint if joint[n] == max(joint.values())]
        yield Count(sorted(names), sorted(most), f"leads: {text}")
        yield Count((number(head[2]), number(head[3])), (joint[names[0]], len(tables)), text)
        how = re.search(r"there\), (always|never|on (\d+) of them) alone", text)
        if how:
            yield Count(_alone(how, joint[names[0]]), sole[names[0]], f"alone: {text}")
        rest = text.partition("; ")[2]
        for who, n, *how_often in re.findall(
            rf"({name}) on (\d+) \((?:(always|never)|(\d+)) alone\)", rest
        ):
            true = (joint[who], sole[who])
            k = (
                {"always": int(n), "never": 0}.get(how_often[0])
                if how_often[0]
                else int(how_often[1])
            )
            yield Count((int(n), k), true, f"leads: {text}")
    many = re.match(rf"({NUMBER}) candidates lead in .*? on (\d+) of (\d+) data sets?", text, re.I)
    if many:
        true = sum(n == max(joint.values()) for n in joint.values()), max(joint.values())
        yield Count((number(many[1]), number(many[2])), true, text)
        yield Count(number(many[3]), len(tables), text)
    silent = re.search(r"On (\d+)(?: of (\d+))?,? .*?no pair is decided", text)
    if silent and not silent[0].startswith("On the"):
        yield Count(number(silent[1]), len(tables) - len(told), f"nobody leads: {text}")


def _alone(found: re.Match[str], every: int) -> int:
    return {"always": every, "never": 0}.get(found[1], number(found[2]) if found[2] else 0)


def _of_judged(text: str, tables: Mapping[str, PairTable]) -> Iterator[Count]:
    """Read "Judged one data set at a time, 9 of 36 pairs are decided …"."""
    if not text.startswith("Judged one data set at a time") or "reversed" in text:
        return
    pairs = [pair for table in tables.values() for pair in table]
    found = re.search(
        rf"time, (\d[\d,]*) of (\d[\d,]*) pairs are decided.*?; ({NUMBER}) differences? (?:is|are) "
        rf"shown to be relevant, ({NUMBER}) pairs? to be equivalent, and ({NUMBER}) (?:is|are) und",
        text,
    )
    assert found, text
    decisions = [pair.decision.replace("worse", "better") for pair in pairs]
    true = (
        sum(pair.significant for pair in pairs),
        len(pairs),
        *(decisions.count(d) for d in ("better-relevant", "equivalent", "undecided")),  # type: ignore[arg-type]
    )
    yield Count(tuple(map(number, found.groups())), true, text)


def _of_new_data(
    study: Study, text: str, measure: str, tables: Mapping[str, PairTable]
) -> Iterator[Count]:
    """Read "For new data of the same sources … 3 of these 18 pairs are decided"."""
    words = rf"same sources \(.*?\) ({NUMBER}) of (?:these|the) (\d[\d,]*) pairs (?:is|are) decided"
    found = re.search(words, text)
    if found:
        new = {
            d: study.verdicts[d, measure, "generating-process"]
            for d in tables
            if (d, measure, "generating-process") in study.verdicts
        }
        true = sum(t.n_significant for t in new.values()), sum(len(tables[d]) for d in new)
        yield Count((number(found[1]), number(found[2])), true, text)


def _against(study: Study, text: str, tables: Mapping[str, PairTable]) -> Iterator[Count]:
    """Read "Against the reference …: 3 times better, once undecided (4 comparisons)"."""
    found = re.match(
        rf"Against the reference ({study.name}), in .*, data set by data set, (.*)", text
    )
    if not found:
        return
    pairs = [t.between(n, found[1]) for t in tables.values() for n in t.candidates if n != found[1]]
    decisions = [p.decision.removesuffix("-relevant") for p in pairs if p is not None]
    said = {w: number(n or "once") for n, w in re.findall(
        r"(?:(\d[\d,]*) times|once) (better|worse|equivalent|undecided)", found[2])}  # fmt: skip
    yield Count(said, {w: decisions.count(w) for w in dict.fromkeys(decisions)}, text)


def _of_chains(study: Study, text: str) -> Iterator[Count]:
    """Read on how many data sets the preferences are no chain."""
    found = re.match(r"By (.*?) the candidates form no chain on (\d+) of (\d+) data sets", text)
    if found:
        mains = [c.result[0] for c in study.of("preferences") if not c.result[0].unavailable]
        true = sum(r.order is None for r in mains), len(mains)
        yield Count((number(found[2]), number(found[3])), true, text)


def _of_turned_pairs(study: Study, text: str) -> Iterator[Count]:
    """Read how many preferences another relation turns round."""
    found = re.match(
        r"Judged one data set at a time, (\d[\d,]*) of (\d[\d,]*) preferences by (.*?) are turned "
        r"round by (.*?)\.",
        text,
    )
    if not found:
        return
    turned = every = 0
    for content in study.of("preferences"):
        by = {way_of(r): r for r in content.result if not r.unavailable}
        if found[3] in by and found[4] in by:
            first, other = by[found[3]], by[found[4]]
            every += len(first.pairs)
            turned += sum(other.is_better(b, a) for a, b in first.pairs)
    if every:
        yield Count((number(found[1]), number(found[2])), (turned, every), text)


def _counts_of_domain(study: Study, text: str, measure: str | None) -> Iterator[Count]:
    """Read how many pairs are decided over all data sets."""
    verdict = study.domain.result.verdict.get(measure or "") if study.domain else None
    if verdict is None:
        return
    pairs = verdict.pairs
    decided = sum(p.favoured is not None for p in pairs)
    undecided = sum(p.decision == "undecided" for p in pairs)
    equal = sum(p.decision == "equivalent" and p.favoured is None for p in pairs)
    for sentence in split(text, study.name):
        if OF_OTHERS.search(sentence) or "would be decided" in sentence:
            continue
        where = f"domain: {sentence}"
        found = re.search(
            rf"({NUMBER}) of (?:the )?(\d+) pairs (?:is|are) (?:decided|distinguished)",
            sentence,
            re.I,
        )
        if found:
            yield Count((number(found[1]), number(found[2])), (decided, len(pairs)), where)
        if re.search(r"[Nn]o pair (?:of the \w+ candidates )?is decided", sentence):
            yield Count(0, decided, where)
        found = re.search(rf"[Tt]he other (?:({NUMBER}) pairs are|pair is) undecided", sentence)
        if found:
            yield Count(number(found[1] or "once"), undecided, where)
        found = re.search(
            rf"({NUMBER}) of the (\d+) pairs (?:is|are) equivalent within .* without being "
            rf"distinguished; ({NUMBER}) (?:is|are) undecided",
            sentence,
            re.I,
        )
        if found:
            said = tuple(map(number, found.groups()))
            yield Count(said, (equal, len(pairs), undecided), where)
        found = re.search(rf"depends for ({NUMBER}) of (\d+) pairs on the variance", sentence)
        if found and study.domain is not None:
            fits = study.domain.result.others(verdict.measure.name)
            differing = {
                (p.first, p.second)
                for fit in fits
                for p in pairs
                if {p.first, p.second} <= set(fit.pairs.candidates)
                and (q := fit.pairs.between(p.first, p.second)) is not None
                and q.favoured != p.favoured
            }
            yield Count((number(found[1]), number(found[2])), (len(differing), len(pairs)), where)


def _of_tally(study: Study, text: str) -> Iterator[Count]:
    """Read "svm is not beaten by any other candidate on 13 of 21 data sets, on 7 alone; …"."""
    assert study.domain is not None
    rows = [row for row in study.domain.result.rows if not row.unavailable]
    name = study.name
    head = re.match(rf"({name}) is not beaten by any other candidate on (\d+) of (\d+) data", text)
    if not head:
        return
    yield Count(number(head[3]), len(rows), text)
    sentence = split(text, name)[0]
    for part in sentence.split("; "):
        found = re.match(
            rf"({name}) is (?:not beaten by any other candidate )?on (\d+).*?"
            rf"(?:, always (alone)|, on (\d+) of them alone|, never alone)",
            part,
        )
        if found:
            joint = sum(found[1] in row.best for row in rows)
            sole = sum(row.best == (found[1],) for row in rows)
            alone = number(found[2]) if found[3] else number(found[4])
            yield Count((number(found[2]), alone), (joint, sole), part)


def _counts_of_stages(study: Study, dataset: str, text: str) -> Iterator[Count]:
    """Read "of the 6 pairs 4 are different, 1 is equivalent and 1 is open"."""
    kinds = {
        "different": r"(\d+) (?:is|are) different(?! but)",
        "slight": r"(\d+) (?:is|are) different but not relevantly",
        "equivalent": r"(\d+) (?:is|are) equivalent",
        "not-distinguished": r"(\d+) (?:is|are) not distinguished",
        "open": r"(\d+) (?:is|are) open",
    }
    (content,) = [c for c in study.of("sequential") if (c.dataset or "") == dataset]
    many = [m for m in content.result.values() if len(m.pairs) > 1]
    said = re.findall(rf"of the {NUMBER} pairs ([^.]* (?:is|are) [^.]*)\.", text)
    said = [s for s in said if re.match(r"\d+ (?:is|are) (?:different|equivalent|not|open)", s)]
    for monitoring, sentence in zip(many, said, strict=True):
        words = [p.verdict for p in monitoring.pairs]
        true = {
            "different": words.count("less") + words.count("greater"),
            "slight": words.count("less-equivalent") + words.count("greater-equivalent"),
            **{k: words.count(k) for k in ("equivalent", "not-distinguished", "open")},
        }
        found = {k: re.search(pattern, sentence) for k, pattern in kinds.items()}
        yield Count({k: int(m[1]) if m else 0 for k, m in found.items()}, true, sentence)


def _counts_of_page(study: Study, dataset: str, text: str) -> Iterator[Count]:
    """Read how many pairs of a data set are decided; a page of several measures is left out."""
    keys = [key for (d, _), key in study.local.items() if d == dataset]
    if len(keys) != 1:
        return
    table = study.verdicts[keys[0]]
    decisions = [pair.decision.replace("worse", "better") for pair in table]
    equal = [p.favoured is None for p in table if p.decision == "equivalent"]
    kinds = (
        (r"(\d+) ha(?:s|ve) a relevant difference", decisions.count("better-relevant")),
        (r"(\d+) (?:is|are) decided(?! by)", decisions.count("better")),
        (r"(\d+) (?:is|are) decided by", equal.count(False)),
        (r"(\d+) (?:is|are) equivalent without", equal.count(True)),
        (r"(\d+) (?:is|are) undecided", decisions.count("undecided")),
    )
    for every, told in re.findall(rf"Of the ({NUMBER}) pairs (\d+ (?:ha|is|are)[^.]*)\.", text):
        said = [int(m[1]) if (m := re.search(words, told)) else 0 for words, _ in kinds]
        true = [n for _, n in kinds]
        yield Count((number(every), said), (len(table), true), f"{dataset}: {told}")
    for n, every in re.findall(
        rf"In all, ({NUMBER}) of the ({NUMBER}) pairs (?:is|are) left", text
    ):
        true_pair = decisions.count("undecided"), len(table)
        yield Count((number(n), number(every)), true_pair, f"{dataset}: left undecided")
