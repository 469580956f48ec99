"""What a report says of pairs beside the inference on one data set.

Over all data sets (the domain), by preferences and their consensus, by stages
and by settings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from reportgen.drawing import measure_words
from reportgen.report import Report, SectionContent
from reportgen.stats.pair_table import PairTable
from tests.sections.claims import (
    Claim,
    Judged,
    Key,
    Relation,
    any_of,
    chain_in,
    of_chain,
    of_decision,
    of_relation,
    of_unbeaten,
    without_p_values,
)
from tests.sections.reading import Said

CONSENSUS, STAGES = "consensus", "stages"
DECISIONS = {
    "relevantly better": "better-relevant",
    "relevantly worse": "worse-relevant",
    "not significant": "undecided",
    "not tested": "undecided",
}
OF_OTHERS = re.compile(
    r"model with|signs of whole|signed rank|Bayesian|methods|resampl|consensus|mean rank"
    r"|distinguished there|critical difference"
)
"""What a sentence on the domain says that speaks of another method than the verdict's."""


@dataclass(frozen=True)
class Study:
    """A report, and what was decided in it."""

    report: Report
    verdicts: Mapping[Key, PairTable]

    def of(self, name: str) -> Iterator[SectionContent]:
        """Return the contents of a section."""
        return (content for content in self.report.contents if content.name == name)

    @cached_property
    def local(self) -> dict[tuple[str, str], Key]:
        """The key of the verdict by data set and measure."""
        return {
            (content.dataset or "", measure): (content.dataset or "", measure, result.pairs.target)
            for content in self.of("inference")
            for measure, result in content.result.items()
            if result.pairs
        }

    @cached_property
    def given(self) -> dict[tuple[str, str], Key]:
        """The key of the tests on the replications, from which relations are read."""
        return {
            (content.dataset or "", name): (content.dataset or "", name, result.conditional.target)
            for content in self.of("inference")
            for name, result in content.result.items()
            if result.pairs and result.conditional
        }

    @cached_property
    def domain(self) -> SectionContent | None:
        """The section on all data sets."""
        return next(self.of("domain"), None)

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets."""
        return tuple(dataset.name for dataset in self.report.design.datasets)

    @cached_property
    def name(self) -> str:
        """A pattern that finds a candidate."""
        return any_of(self.report.design.candidates)

    @cached_property
    def several(self) -> str:
        """A pattern that finds a list of candidates."""
        return rf"{self.name}(?:, {self.name})*(?: and {self.name})?"

    def relation(self, dataset: str, measure: str, found: str) -> Key:
        """Return the key of a relation of one data set: that of the verdict if it is one."""
        own = (dataset, measure, found)
        is_verdict = found == f"{measure}/verdict"
        return self.given.get((dataset, measure), own) if is_verdict else own

    def domain_key(self, measure: str) -> Key:
        """Return the key of the verdict over all data sets."""
        verdict = self.domain.result.verdict.get(measure) if self.domain else None
        return "", measure, verdict.target if verdict else ""

    def measured(self, text: str) -> str | None:
        """Return the measure that a text names first."""
        found = [
            (text.find(words), -len(words), measure.name)
            for measure in self.report.design.measures
            for words in (measure_words(measure),)
            if words in text
        ]
        return min(found)[2] if found else None

    def pages(self, said: Said, section: str) -> Iterator[tuple[str, str]]:
        """Return the text of a section by data set."""
        for dataset in self.datasets:
            if (dataset, section) in said.pages:
                yield dataset, said.pages[dataset, section]
            elif len(self.datasets) == 1 and section in said.sections:
                yield dataset, said.sections[section]


def relations(study: Study) -> dict[Key, Relation]:
    """Return all relations of a report that are no verdicts."""
    found: dict[Key, Relation] = {}
    for content in study.of("preferences"):
        for r in content.result:
            key = study.relation(content.dataset or "", r.measure, r.id)
            if key[2] == r.id and not r.unavailable:
                names = [name for name in r.candidates if name not in r.missing_candidates]
                place = [r.candidates.index(name) for name in names]
                matrix = [[r.incidence[i][j] for j in place] for i in place]
                found[key] = Relation.of(names, matrix)
    for content in study.of("consensus"):
        if content.result.n_optimal == 1:
            found[content.dataset or "", "", CONSENSUS] = _of_optimum(content.result)
    if study.domain is not None:
        result = study.domain.result
        for measure, consensus in result.consensus.items():
            if consensus.n_optimal == 1:
                found["", measure, CONSENSUS] = _of_optimum(consensus)
        if result.consensus_all is not None and result.consensus_all.n_optimal == 1:
            found["", "", CONSENSUS] = _of_optimum(result.consensus_all)
    for content in study.of("sequential"):
        for measure, monitoring in content.result.items():
            found[content.dataset or "", measure, STAGES] = _of_stages(monitoring)
    return found


def _of_optimum(consensus: Any) -> Relation:
    return Relation.of(consensus.candidates, consensus.relations[0].incidence)


def _of_stages(monitoring: Any) -> Relation:
    """Take the verdicts of the stages, with those that they give the other way round."""
    judged = {}
    for pair in monitoring.pairs:
        winner = monitoring.winner(pair, pair.verdict)
        for a, b in ((pair.first, pair.second), (pair.second, pair.first)):
            if (pair.verdict or "").endswith("equivalent"):
                decision = "equivalent"
            else:
                decision = {None: "undecided", a: "better", b: "worse"}[winner]
            judged[a, b] = Judged(decision, winner)
    return Relation(tuple({name for both in judged for name in both}), judged)


# ------------------------------------------------------------- results, tables and figures


def of_results(study: Study) -> Iterator[Claim]:
    """Return what results, tables and figures claim of pairs, beside those of verdicts."""
    yield from _of_preferences(study)
    if study.domain is not None:
        yield from _of_rows(study, study.domain)
        yield from _of_methods(study, study.domain)
        yield from _of_incidence(study, study.domain)
    for content in study.of("sequential"):
        for monitoring in content.result.values():
            yield from _of_monitoring(study, content, monitoring)
    for part in settings_of(study):
        for pair in part.pairs:
            for dataset, verdict in pair.verdicts.items():
                key = study.given.get((dataset, part.measure.name), ("", "", ""))
                first, second = pair.first, pair.second
                if verdict == "worse":
                    first, second = second, first
                kind: Any = "level" if verdict == "undecided" else "better"
                yield Claim(key, first, second, kind, "sensitivity")


def _of_preferences(study: Study) -> Iterator[Claim]:
    for content in study.of("preferences"):
        for table in content.tables:
            heads = [column.name for column in table.columns]
            if table.name == "relations":
                (place,) = [i for i, c in enumerate(table.columns) if c.kind == "order"]
                for r, row in zip(content.result, table.rows, strict=True):
                    key = study.relation(content.dataset or "", r.measure, r.id)
                    yield from of_chain(row[place] or (), key, "table relations")
            elif table.name == "incidence":
                (r,) = [r for r in content.result if r.id == table.measure]
                key = study.relation(content.dataset or "", r.measure, r.id)
                yield from _of_matrix(heads, table.rows, key, "table incidence")


def _of_matrix(
    heads: list[str], rows: Iterable[tuple[Any, ...]], key: Key, where: str
) -> Iterator[Claim]:
    better = [
        (row[0], name)
        for row in rows
        for name, cell in zip(heads[1:], row[1:], strict=True)
        if cell == 1
    ]
    yield from of_relation(better, heads[1:], key, where)


def _of_rows(study: Study, domain: SectionContent) -> Iterator[Claim]:
    """Read the orders of single data sets: results, the table of means, the summary plot."""
    result = domain.result
    relation = result.relations.get(result.main, "")
    keys = {row.name: study.relation(row.name, result.main, relation) for row in result.rows}
    for row in result.rows:
        key, where = keys[row.name], "domain, data set"
        if row.unavailable:
            continue
        yield from of_chain(row.chain or (), key, where)
        yield from of_unbeaten(row.best, row.order, key, where)
        for group in row.level_groups:
            yield from (
                Claim(key, a, b, "level", where) for i, a in enumerate(group) for b in group[:i]
            )
        for a, b, is_better in zip(row.order, row.order[1:], row.is_better_than_next, strict=False):
            yield Claim(key, a, b, "better" if is_better else "not-better", where)
    there = {row.name for row in result.rows if not row.unavailable}
    for table in domain.tables:
        if table.name == "means":
            for name, chain, *_ in table.rows:
                yield from of_chain(chain or (), keys[name], "table means")
    for figure in domain.figures:
        if figure.name == "bsplot":
            drawn = figure.data.rows
            for (name, _, a, _, is_better, _), (other, _, b, *_) in pairwise(drawn):
                if name == other and name in there:
                    kind: Any = "better" if is_better else "not-better"
                    yield Claim(keys[name], a, b, kind, "figure bsplot")


def _of_methods(study: Study, domain: SectionContent) -> Iterator[Claim]:
    """Read the methods that decide, and that of the consensus."""
    for measure, agreement in domain.result.agreement.items():
        verdict = domain.result.verdict.get(measure)
        deciding = verdict.method if verdict else None
        (table,) = [t for t in domain.tables if (t.name, t.measure) == ("agreement", measure)]
        for method, row in zip(agreement.methods, table.rows, strict=True):
            key = {deciding: study.domain_key(measure), CONSENSUS: ("", measure, CONSENSUS)}.get(
                method.method
            )
            if key is None:
                continue
            names = verdict.order if verdict and method.method == deciding else ()
            where = f"table agreement: {method.method}"
            yield from of_relation(method.better, names, key, where)
            yield from of_chain(row[2] or (), key, where)


def _of_incidence(study: Study, domain: SectionContent) -> Iterator[Claim]:
    for table in domain.tables:
        if table.name == "incidence":
            heads = [column.name for column in table.columns]
            key = study.domain_key(table.measure)
            yield from _of_matrix(heads, table.rows, key, "domain, table incidence")


def _of_monitoring(study: Study, content: SectionContent, monitoring: Any) -> Iterator[Claim]:
    """Read the words of the stages in the table and the figure, and the fixed design."""
    dataset, measure = content.dataset or "", monitoring.measure.name
    keys = [(dataset, measure, STAGES)]
    local = study.given.get((dataset, measure))
    if local is not None and monitoring.run is not None:
        keys.append(local)  # stages that were gone by decide
    said = [
        (*row[0], row[4], "table of stages")
        for table in content.tables
        if (table.name, table.measure) == ("pairs", measure)
        for row in table.rows
    ]
    said += [
        (row[0], row[1], row[2], "figure of stages")
        for figure in content.figures
        if (figure.name, figure.measure) == ("stages", measure)
        for row in figure.data.rows
    ]
    for a, b, words, where in said:
        for key in keys:
            yield from _of_words(key, a, b, words, where)
    for table in content.tables:
        if (table.name, table.measure) == ("fixed", measure) and local and not monitoring.run:
            heads = [column.name for column in table.columns]
            place = heads.index(f"at_{monitoring.n_replications}")
            for row in table.rows:
                if row[place] is not None:
                    yield of_decision(local, *row[0], row[place], "table fixed")


def _of_words(key: Key, a: str, b: str, words: str, where: str) -> Iterator[Claim]:
    """Read what stages say of a pair, such as "better, not relevant"."""
    word, _, rest = words.partition(", ")
    if word in ("better", "worse"):
        first, second = (a, b) if word == "better" else (b, a)
        yield Claim(key, first, second, "slight" if rest == "not relevant" else "better", where)
    elif word == "equivalent":
        yield Claim(key, a, b, "equivalent", where)
        yield Claim(key, a, b, "level", where)
    else:
        yield Claim(key, a, b, "undecided", where)


def settings_of(study: Study) -> Iterator[Any]:
    for content in study.of("sensitivity"):
        for parts in content.result.values():
            yield from parts.values()


# ----------------------------------------------------------------------------- sentences


def of_text(study: Study, said: Said, sentences: Callable[..., Iterator[Claim]]) -> Iterator[Claim]:
    """Return what the sections on all data sets, and the pages beside the inference, claim.

    Parameters
    ----------
    study : Study
    said : Said
    sentences : callable
        Reads a paragraph of a verdict.
    """
    if len(study.datasets) > 1:
        yield from of_abstract(study, said.abstract, sentences)
        yield from _of_order(study, said.order)
    if study.domain is not None:
        for measure, line in domain_lines(study, said.sections.get("domain", "")):
            yield from _of_domain(study, line, measure, f"domain: {line}", sentences)
    for dataset, text in study.pages(said, "preferences"):
        yield from _of_ways(study, dataset, text)
    for dataset, text in study.pages(said, "sequential"):
        yield from _of_stopping(study, dataset, text)
    yield from _of_turns(study, said.sections.get("sensitivity", ""))


def of_abstract(
    study: Study, text: str, sentences: Callable[..., Iterator[Claim]]
) -> Iterator[Claim]:
    """Return what the abstract of a report on several data sets claims."""
    verdict = study.report.conclusion.verdict if study.report.conclusion else None
    if study.domain is not None and verdict is not None and verdict.dataset is None:
        measure = verdict.measure.name
        yield from _of_domain(study, text, measure, f"abstract: {text}", sentences)
    yield from _of_turns(study, text)


def _of_order(study: Study, text: str) -> Iterator[Claim]:
    """Read the order line of several data sets: the consensus, or the verdict."""
    conclusion = study.report.conclusion
    if conclusion is None or conclusion.line is None or conclusion.line.groups is None:
        return
    measure = conclusion.verdict.measure.name
    key = study.domain_key(measure)
    if "others" not in text:
        groups = [tuple(re.findall(study.name, part)) for part in text.split(">")]
        yield from of_chain(groups if all(groups) else (), key, f"order: {text}")


def domain_lines(study: Study, text: str) -> Iterator[tuple[str | None, str]]:
    """Return the paragraphs on the domain with the measure that they speak of."""
    assert study.domain is not None
    result = study.domain.result
    measure: str | None = result.main
    others = [name for name in result.bases if name != result.main]
    is_other = False
    for line in text.splitlines():
        if line in ("The other measure", "Other measures"):
            is_other = True
        elif is_other:
            named = study.measured(line)
            measure = named or (others[0] if len(others) == 1 else None)
        yield measure, line


def _of_domain(
    study: Study,
    text: str,
    measure: str | None,
    where: str,
    sentences: Callable[..., Iterator[Claim]],
) -> Iterator[Claim]:
    """Read a paragraph on all data sets: its verdicts, and its consensus."""
    if study.domain is None:
        return
    names = study.report.design.candidates
    verdict = study.domain.result.verdict.get(measure or "")
    last = ""
    for sentence in split(text, study.name):
        before, last = last, sentence
        if " > " in sentence and not sentence.startswith("Order by "):  # decisions, not one order
            of = measure or ""
            if not re.match(r"They are", sentence):
                signed = rf"{study.name}(?: > |, )"
                order = re.split(
                    rf" is the \w+(?: order|order)| order (?={signed})| is (?={signed})", sentence
                )
                chain = next(part for part in order if " > " in part)
                yield from of_chain(
                    chain_in(chain.partition(" (")[0], names), ("", of, CONSENSUS), where
                )
            continue
        if verdict is None or OF_OTHERS.search(sentence):
            continue
        key = study.domain_key(verdict.measure.name)
        if "differences are significant" in sentence:
            for who, whom in re.findall(rf"({study.name}) over ({study.several})", sentence):
                for other in re.findall(study.name, whom):
                    yield Claim(key, who, other, "better", where)
        yield from sentences(sentence, verdict, key, where, before)
        yield from _of_influence(study, sentence, key, where)


def _of_influence(study: Study, sentence: str, key: Key, where: str) -> Iterator[Claim]:
    """Read what is decided otherwise without a data set."""
    name = study.name
    if sentence.startswith("Without ") and not sentence.startswith("Without also"):
        words = rf"({name}) against ({name}) is then [a-z ]+? instead of ([a-z ]+?)(?=,| and |\.|$)"
        for a, b, word in re.findall(words, sentence):
            yield of_decision(key, a, b, DECISIONS.get(word, word), where)


def split(text: str, name: str) -> list[str]:
    """Split a paragraph into its sentences."""
    return re.split(rf"(?<=[.])\s+(?=[A-Zα-ω0-9]|{name})", text)


def _of_ways(study: Study, dataset: str, text: str) -> Iterator[Claim]:
    """Read orders and pairs by what they are read from: "By the verdicts on mean …"."""
    (content,) = [c for c in study.of("preferences") if (c.dataset or "") == dataset]
    ways = {way: r for r in content.result if (way := way_of(r)) and not r.unavailable}
    main = next((r for r in content.result if not r.unavailable), None)
    name = study.name
    for line in text.splitlines():
        for sentence in (s for whole in split(line, name) for s in re.split(r"; (?=by )", whole)):
            named = [way for way in ways if sentence[3:].startswith(way)]
            if sentence[:3] not in ("By ", "by ") or not named:
                continue
            r = ways[max(named, key=len)]
            key, where = study.relation(dataset, r.measure, r.id), f"preferences: {sentence}"
            if "the order is the same as" in sentence and main is not None:
                yield from of_chain(main.order or (), key, where)
            elif " > " in without_p_values(sentence):
                yield from of_chain(chain_in(sentence, r.candidates), key, where)
            elif "stand on one height" in sentence:
                yield from of_chain((r.present,), key, where)
            for a, b in re.findall(rf"({name}) is better than ({name})", sentence):
                yield Claim(key, a, b, "better", where)
            for a, b in re.findall(
                rf"({name}) and ({name}) (?:do not differ significantly|tie)", sentence
            ):
                yield Claim(key, a, b, "level", where)


def way_of(relation: Any) -> str:
    """Return what a relation is read from, as sentences have it; empty for rarer ones."""
    words = measure_words(relation.measured)
    if relation.by == "verdict" and not relation.relevant:
        return f"the verdicts on {'' if relation.measured.is_compared_by_ratio else 'mean '}{words}"
    if relation.by in ("mean", "median") and not relation.epsilon:
        return f"the {relation.by} {words}"
    return f"tests on the ranks of {words}" if relation.by == "friedman" else ""


def of_settled(sentence: str, name: str, key: Key, where: str) -> Iterator[Claim]:
    """Read what stages show of named pairs: "a is significantly better than b and c than d"."""
    stages: Key = (*key[:2], STAGES)
    for a, b in re.findall(rf"({name}) (?:is significantly better )?than ({name})", sentence):
        yield Claim(stages, a, b, "better", where)
    for a, b in re.findall(rf"({name}) and ({name}) are equivalent", sentence):
        yield Claim(stages, a, b, "equivalent", where)


def _of_stopping(study: Study, dataset: str, text: str) -> Iterator[Claim]:
    """Read what stages say where there is a single pair."""
    name = study.name
    for content in study.of("sequential"):
        if (content.dataset or "") != dataset:
            continue
        alone = [m for m in content.result.values() if len(m.pairs) == 1]
        if len(content.result) != 1 or not alone:
            continue
        key: Key = (dataset, alone[0].measure.name, STAGES)
        words = "significantly different(?:, but not relevant)?|equivalent|given up|open"
        for a, b, word in re.findall(
            rf"(?:In|By) \d+ stages?, [^.]*?, ({name}) and ({name}) are ({words})", text
        ):
            kinds: dict[str, Any] = {
                "significantly different": "better",
                "equivalent": "equivalent",
            }
            kinds["significantly different, but not relevant"] = "slight"
            yield Claim(key, a, b, kinds.get(word, "undecided"), "stages")


def _of_turns(study: Study, text: str) -> Iterator[Claim]:
    """Read pairs that turn: "a is better than b at (n = 50) and worse at (n = 500)"."""
    pattern = rf"({study.name}) is better than ({study.name}) at (.*?) and worse at (.*?)(?:;|\.|$)"
    for part in settings_of(study):
        labels = {f"({row.label})": row.dataset for row in part.settings}
        for a, b, better, worse in re.findall(pattern, text, re.MULTILINE):
            for names, first, second in ((better, a, b), (worse, b, a)):
                for label, dataset in labels.items():
                    if label in names:
                        key = study.local.get((dataset, part.measure.name), ("", "", ""))
                        yield Claim(key, first, second, "better", f"settings: {label}")


# -------------------------------------------------------------------------------- Markdown


def of_index(study: Study, heads: list[str], cells: list[str]) -> Iterator[Claim]:
    """Read a row of the index of data sets."""
    row = dict(zip(heads, cells, strict=False))
    dataset = row.get("Data set", "")
    names = study.report.design.candidates
    where = f"index: {dataset}"
    measures = [m for d, m in study.local if d == dataset]
    if measures and row.get("Unbeaten"):
        key = study.local[dataset, measures[0]]
        leaders = re.findall(study.name, row["Unbeaten"])
        every = study.verdicts[key].candidates
        yield from of_unbeaten(leaders, every, key, where)
        if row["Unbeaten"] == "no significant difference":
            yield from of_chain((every,), key, where)
    if re.match(rf"{study.name}(?: > |, )", row.get("Order", "")):
        (content,) = [c for c in study.of("preferences") if c.dataset == dataset]
        r = content.result[0]
        key = study.relation(dataset, r.measure, r.id)
        yield from of_chain(chain_in(row["Order"], names), key, where)
    if " > " in row.get("Consensus", ""):
        yield from of_chain(chain_in(row["Consensus"], names), (dataset, "", CONSENSUS), where)
