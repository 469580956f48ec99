"""One verdict a pair: whether all that a report says of a pair is what was decided.

`contradictions` walks the results, the tables and the data of the figures of a
report, and the sentences of it as a reader sees them, and returns what says
something else of a pair than its verdict on that data set, measure and target.
Sentences and results that name another method are left out.
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reportgen.drawing import measure_words
from reportgen.report import Report
from reportgen.stats.pair_table import PairTable
from tests.schemas import results
from tests.sections import study_verdicts, verdict_counts
from tests.sections.claims import (
    Claim,
    Key,
    Kind,
    Truth,
    agrees,
    any_of,
    of_chain,
    of_decision,
    of_unbeaten,
    plain_markdown,
)
from tests.sections.reading import Said

OF_OTHERS = re.compile(
    r"other method|further method|one pooled variance|own variance |on joint ranks|^on ranks"
    r"|friedman|test observations|one-sided|without (this|these .*) replication|adjusted for"
    r"|no longer decided|decided in addition|another decision|failures ranked|rank tests"
    r"|part from the verdict|would be|means and rank sums|posterior|signed ranks|the question of",
    re.IGNORECASE,
)
"""What a sentence says that speaks of another method than the verdict's."""

OF_OTHERS_TOO = re.compile(r"tests of these samples|\(descriptive\)|grey|new data", re.IGNORECASE)
"""What a remark says that does."""

FOR_NEW_DATA = "For new data of this source"
OTHERS_IN_RESULTS = ("methods", "rank_pairs", "worst_rank", "many_to_one", "outlier")
OTHERS_IN_RESULTS += ("test_observations", "effects", "mixed_model", "block_model", "across")
OTHERS_IN_RESULTS += ("sign_flips", "influence")
PAIR_FIGURES = ("pairs", "pairs-small", "intervals")
ALTERNATIVE: Mapping[str, Kind] = {
    "better, relevant": "relevant",
    "better, not relevant": "slight",
    "better": "better",
    "worse, relevant": "relevant",
    "worse, not relevant": "slight",
    "worse": "better",
    "equivalent": "equivalent",
    "not significant": "undecided",
    "not tested": "undecided",
}
INTERVAL_TABLES = ("pairs", "leader-pairs")


def contradictions(
    report: Report, texts: Iterable[Said] = (), markdown: Iterable[str] = ()
) -> list[str]:
    """Return all that a report says of a pair other than its verdict.

    Parameters
    ----------
    report : Report
    texts : iterable of Said
        The report as it is read.
    markdown : iterable of str
        The report as Markdown.
    """
    study = study_verdicts.Study(report, verdicts(report))
    truth: Truth = {**study.verdicts, **study_verdicts.relations(study)}
    claims = [*of_results(report), *of_tables(report), *of_figures(report), *of_relations(report)]
    claims += study_verdicts.of_results(study)
    counts = list(verdict_counts.counts(study))
    for said in texts:
        claims += [*of_text(report, said), *study_verdicts.of_text(study, said, of_sentence)]
        counts += verdict_counts.counts_of_text(study, said)
    for text in markdown:
        claims += of_markdown(study, text)
        for line in _lines(text):
            counts += verdict_counts.counts_of_abstract(study, line)
    return [
        *(
            f"{c.where}: {c.first}, {c.second} {c.kind}, on {c.key}"
            for c in claims
            if c.key in truth and not agrees(truth[c.key], c)
        ),
        *(f"{n.where}: says {n.said}, is {n.true}" for n in counts if n.said != n.true),
    ]


def verdicts(report: Report) -> dict[Key, PairTable]:
    """Return the verdicts of a report: on data sets, for new data of their sources, over all."""
    found: dict[Key, PairTable] = {}
    for _, dataset, measure, result, key in _keyed(report):
        found[key] = result.pairs
        for beside in (getattr(result, "new_data", None), getattr(result, "conditional", None)):
            if beside and beside.pairs:
                found[dataset, measure, beside.target] = beside.pairs
    return found


# -------------------------------------------------------------------- results, tables, figures


def of_results(report: Report) -> Iterator[Claim]:
    """Return what results.json claims: all lists of pairs that name no other method."""
    whole = results(report)["sections"]
    for content in report.contents:
        if content.name == "sequential":
            continue  # whose decisions are those of tests, stage by stage
        found = whole[content.name]
        found = found if content.dataset is None else found[content.dataset]
        where = f"results.json, {content.name}"
        yield from _of_json(found, content.dataset or "", "", where)


def _of_json(found: Any, dataset: str, measure: str, where: str) -> Iterator[Claim]:
    if isinstance(found, Mapping):
        of = found.get("measure")
        measure = of["name"] if isinstance(of, Mapping) and "name" in of else measure
        if {"first", "second", "decision", "target"} <= set(found):
            key = (dataset, measure, found["target"])
            yield of_decision(key, found["first"], found["second"], found["decision"], where)
            return
        for name, value in found.items():
            if name not in OTHERS_IN_RESULTS:
                yield from _of_json(value, dataset, measure, f"{where}.{name}")
    elif isinstance(found, list):
        for value in found:
            yield from _of_json(value, dataset, measure, where)


def of_tables(report: Report) -> Iterator[Claim]:
    """Return what the decisions in the tables of pairs claim."""
    for content, _, _, result, key in _keyed(report):
        for table in content.tables:
            if table.measure != result.measure.name or table.name not in INTERVAL_TABLES:
                continue
            (place,) = [i for i, c in enumerate(table.columns) if c.kind == "decision"]
            for row in table.rows:
                yield of_decision(key, *row[0], row[place], f"table {table.name}")


def of_figures(report: Report) -> Iterator[Claim]:
    """Return what the data of the figures of pairs claim, and their alternative texts."""
    for content, _, _, result, key in _keyed(report):
        for figure in content.figures:
            if figure.name not in PAIR_FIGURES or figure.measure != result.measure.name:
                continue
            for row in figure.data.rows:
                cells = dict(zip(figure.data.columns, row, strict=True))
                decision = cells["decision"]
                yield of_decision(key, cells["first"], cells["second"], decision, "figure")
            yield from _of_alternative(figure.alt, result, key)


def _of_alternative(text: str, result: Any, key: Key) -> Iterator[Claim]:
    name = any_of(result.pairs.candidates)
    words = "|".join(sorted(ALTERNATIVE, key=len, reverse=True))
    for first, second, word in re.findall(rf"({name}) against ({name}) [^;]*?, ({words})", text):
        names = (second, first) if word.startswith("worse") else (first, second)
        yield Claim(key, *names, ALTERNATIVE[word], "alternative text")


def of_relations(report: Report) -> Iterator[Claim]:
    """Return what groups, leaders and preferences that rest on the verdict claim."""
    for _, _, _, result, key in _keyed(report):
        yield from of_chain(result.groups or (), key, "groups")
        for name in result.leaders:
            for other in result.order:
                if other != name and other in result.leaders:
                    yield Claim(key, name, other, "level", "leaders")
    for content in report.contents:
        for relation in content.result if content.name == "preferences" else ():
            if relation.by == "verdict" and not relation.unavailable and not relation.relevant:
                key = (content.dataset or "", relation.measure, relation.target)
                yield from _of_incidence(relation, key)


def _of_incidence(relation: Any, key: Key) -> Iterator[Claim]:
    for i, row in enumerate(relation.incidence):
        for j, is_better in enumerate(row):
            if is_better:
                first, second = relation.candidates[i], relation.candidates[j]
                yield Claim(key, first, second, "better", "preferences")


def _keyed(report: Report) -> Iterator[tuple[Any, str, str, Any, Key]]:
    """Return all results that hold a verdict; the data set of that over all of them is empty."""
    for content in report.contents:
        found = {"inference": content.result, "domain": getattr(content.result, "verdict", {})}
        for measure, result in found.get(content.name, {}).items():
            if result.pairs:
                dataset = content.dataset or ""
                yield content, dataset, measure, result, (dataset, measure, result.pairs.target)


# ---------------------------------------------------------------------------------- sentences


def of_text(report: Report, said: Said) -> Iterator[Claim]:
    """Return what the abstract, the order line, the sections and the remarks claim."""
    of = [row for row in _keyed(report) if row[1]]
    datasets = list(dict.fromkeys(row[1] for row in of))
    for dataset in datasets:
        mine = [row for row in of if row[1] == dataset]
        main = (mine[0][3], mine[0][4])
        if len(report.design.datasets) == 1:
            yield from _of_part(said.abstract, main, "abstract")
            yield from _of_order(said.order, *main)
            yield from _of_section(said.sections.get("inference", ""), mine)
            for _, remark in said.remarks:
                if not OF_OTHERS_TOO.search(remark):
                    yield from _of_part(remark, main, "remark")
        else:
            yield from _of_section(said.entries.get(dataset, ""), mine)
            yield from _of_section(said.pages.get((dataset, "inference"), ""), mine)


def _of_order(text: str, result: Any, key: Key) -> Iterator[Claim]:
    """Read "a > b, c > d" where it is the order of all candidates, and "a > b; c > d" else."""
    name = any_of(result.pairs.candidates)
    for line in text.split("; "):
        groups = [tuple(re.findall(name, part)) for part in line.split(">")]
        if "others" in line or (len(groups) < 2 and "; " in text):
            continue
        for above, below in itertools.pairwise(groups):
            yield from (Claim(key, a, b, "better", "order") for a in above for b in below)
        if ";" not in text:
            yield from of_chain(groups if all(groups) else (), key, "order")


def of_markdown(study: study_verdicts.Study, text: str) -> Iterator[Claim]:
    """Return what the abstract, the index and the tables of decisions in Markdown claim."""
    every = list(_keyed(study.report))
    is_one = len(study.datasets) == 1
    current, heads = None, []
    for line in _lines(text):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|"):
            if cells[0] == "Data set":
                heads = cells
            elif heads and cells[0] in study.datasets:
                yield from study_verdicts.of_index(study, heads, cells)
            yield from _of_row(line, current)
            continue
        dataset = re.search(r"^Table S?\d+\. .*?\. \((.*)\)$", line)
        where = "" if re.search("over (?:the domain|these data sets)", line) else None
        where = dataset[1] if dataset else study.datasets[0] if is_one else where
        current = _measured(line, [row for row in every if row[1] == where]) or current
        if is_one and every:
            main = (every[0][3], every[0][4])
            if line.startswith("Order by"):
                yield from _of_order(line.partition(": ")[2].partition(" (")[0], *main)
            else:
                yield from _of_part(line, main, "Markdown")
        else:
            yield from study_verdicts.of_abstract(study, line, of_sentence)


def _lines(text: str) -> list[str]:
    """Return the lines of Markdown without its marks."""
    return html.unescape(plain_markdown(text)).splitlines()


def _of_row(line: str, of: tuple[Any, Key] | None) -> Iterator[Claim]:
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    pair = re.fullmatch(r"(.+) – (.+)", cells[0])
    words = re.sub(r"^\W+", "", cells[-1])
    if pair and of and set(pair.groups()) <= set(of[0].pairs.candidates):
        yield of_decision(of[1], pair[1], pair[2], words, f"Markdown: {line}")


def _measured(text: str, of: list[Any]) -> tuple[Any, Key] | None:
    """Return the result that a finding speaks of: that of the measure which it names."""
    named = [
        (text.find(words), -len(words), row)
        for row in of
        for words in (measure_words(row[3].measure),)
        if words in text
    ]
    first = min(named, key=lambda x: x[:2], default=None)
    return None if first is None else (first[2][3], first[2][4])


def _of_section(text: str, of: list[Any]) -> Iterator[Claim]:
    """Read the paragraphs of a section, which a heading divides by measures."""
    if not of:
        return
    current = (of[0][3], of[0][4])
    heads = {f"By {measure_words(row[3].measure)}": (row[3], row[4]) for row in of}
    for line in text.splitlines():
        if line in heads:
            current = heads[line]
        else:
            yield from _of_part(line, current, "section")


def _of_part(text: str, of: tuple[Any, Key] | None, where: str) -> Iterator[Claim]:
    """Read one paragraph, sentence by sentence."""
    if of is None:
        return
    result, key = of
    last = ""
    for sentence in study_verdicts.split(text, any_of(result.pairs.candidates)):
        target = "generating-process" if sentence.startswith(FOR_NEW_DATA) else key[2]
        at = f"{where}: {sentence}"
        if " that the study names" in sentence and " replications settle the " in sentence:
            yield from study_verdicts.of_settled(sentence, any_of(result.pairs.candidates), key, at)
        elif not OF_OTHERS.search(sentence):
            yield from of_sentence(sentence, result, (*key[:2], target), at, last)
        last = sentence


def of_sentence(
    sentence: str, result: Any, key: Key, where: str, last: str = ""
) -> Iterator[Claim]:
    """Read one sentence; `last` is the one before, to which words like "it" and "both" refer."""
    name = any_of(result.pairs.candidates)
    several = rf"{name}(?:, {name})*(?: (?:and|or) {name})?"
    against = re.match(rf"Against the reference ({name}), in [^:]*: (.*)", sentence)
    if against:
        for names, word in re.findall(
            rf"({several}) (?:is|are) (better|worse|equivalent|not significantly different)",
            against[2],
        ):
            for other in re.findall(name, names):
                yield of_decision(
                    key, other, against[1], "undecided" if word.startswith("not") else word, where
                )
        return
    yield from _of_better(sentence, result, key, where, last)
    yield from _of_first(sentence, result, key, where)
    for names in re.findall(rf"[Nn]o candidate is significantly better than ({several})", sentence):
        yield from of_unbeaten(re.findall(name, names), result.order, key, where)
    for loser in re.findall(
        rf"({name}) (?:is|are) (?:shown to be )?worse than all other", sentence
    ):
        others = [n for n in result.order if n != loser]
        yield from (Claim(key, other, loser, "better", where) for other in others)
    for a, b in re.findall(rf"({name}) and ({name}) are equivalent", sentence):
        yield Claim(key, a, b, "equivalent", where)
    for a, b in re.findall(
        rf"(?:no significant|[Tt]he) difference between ({name}) and ({name})"
        r"(?! is significant| significant)",
        sentence,
    ):
        yield Claim(key, a, b, "level" if "not significant" in sentence else "undecided", where)
    listed = re.match(r"(No significant difference|Equivalent)[^;]*?(?::| are) (.*)", sentence)
    for a, b in re.findall(rf"({name}) and ({name})", listed[2]) if listed else ():
        kind: Kind = "equivalent" if listed and listed[1] == "Equivalent" else "undecided"
        yield Claim(key, a, b, kind, where)
    if re.search("significant, yet (?:too small to matter|inside)", sentence):
        for a, b in re.findall(rf"({name}) over ({name})", sentence):
            yield Claim(key, a, b, "slight", where)


def _of_better(sentence: str, result: Any, key: Key, where: str, last: str) -> Iterator[Claim]:
    """Read who is better than whom, and whether that matters."""
    name = any_of(result.pairs.candidates)
    several = rf"{name}(?:, {name})*(?: (?:and|or) {name})?"
    first = None
    for m in re.finditer(
        rf"({name}|[Ii]t|[Bb]oth leaders|Both|All of them|All \w+ leaders|All \w+) (?:is|are)"
        rf"(?: significantly| shown to be)?(?: also)? better than"
        rf" ({several}|each of the other|every other candidate|the other candidate|the other"
        r"|all others)([^;.]*)",
        sentence,
    ):
        who, whom, rest = m.groups()
        leading = re.match(rf"({several}) (?:make|have|are|lead)", last)
        if who in ("it", "It"):
            firsts = [first] if first else re.findall(name, last)[:1]
        elif re.fullmatch(name, who):
            firsts = [who]
        else:
            firsts = re.findall(name, leading[1]) if leading else list(result.leaders)
        first = firsts[0] if firsts else None
        others = re.findall(name, whom) if re.fullmatch(several, whom) else None
        seconds = [n for n in result.order if n not in firsts] if others is None else others
        is_relevant = rest.lstrip(", ").startswith(("by a relevant amount", "and relevantly so"))
        is_relevant |= "): more than" in sentence
        kind: Kind = "relevant" if is_relevant else "better"
        kind = "slight" if re.search("too little to matter|, yet by a difference", rest) else kind
        yield from (Claim(key, a, b, kind, where) for a in firsts for b in seconds)
    if sentence.startswith("The advantage is ") and re.findall(name, last):
        head = re.findall(name, last)[0]
        kinds: dict[str, Kind] = {"rel": "relevant", "too": "slight", "of ": "better"}
        for word, whom in re.findall(
            rf"(relevant|too small to matter|of open relevance)(?: \([^)]*\))? over ({several}"
            r"|all others)",
            sentence,
        ):
            others = re.findall(name, whom) or [n for n in result.order if n != head]
            yield from (Claim(key, head, other, kinds[word[:3]], where) for other in others)


def _of_first(sentence: str, result: Any, key: Key, where: str) -> Iterator[Claim]:
    """Read who makes the fewest errors, and whether that is significant."""
    name = any_of(result.pairs.candidates)
    several = rf"{name}(?:, {name})*(?: (?:and|or) {name})?"
    for who, whom in re.findall(
        rf"({several}) makes? fewer errors than ({several}|every other candidate)", sentence
    ):
        names = re.findall(name, who)
        others = re.findall(name, whom) or [n for n in result.order if n not in names]
        yield from (Claim(key, a, b, "better", where) for a in names for b in others)
    if " fewer errors than " in sentence:
        for who, whom in re.findall(rf"; ({several}) than ({several})", sentence):
            pairs = itertools.product(re.findall(name, who), re.findall(name, whom))
            yield from (Claim(key, a, b, "better", where) for a, b in pairs)
    for told in re.findall(rf"by [^:]*: no difference between ({several}) is shown", sentence):
        names = re.findall(name, told)
        yield from (Claim(key, a, b, "level", where) for a in names for b in names if a < b)
    for told in re.findall(rf"({several}) are not shown to be worse than any other", sentence):
        yield from of_unbeaten(re.findall(name, told), result.order, key, where)
    for who in re.findall(rf"({name}) makes the fewest errors", sentence):
        yield from (Claim(key, who, n, "better", where) for n in result.order if n != who)
    level = re.match(rf"({several}) (?:make|are|have) .* (?:neither|none of them) is", sentence)
    for i, a in enumerate(names := re.findall(name, level[1]) if level else []):
        yield from (Claim(key, a, b, "level", where) for b in names[:i])
