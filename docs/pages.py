"""Parts of pages that are made of the program, so that they cannot drift from it.

A page has `<!-- made: NAME -->` where such a part belongs; `fill` puts it there when Sphinx reads
the page.
"""

from __future__ import annotations

import json
import logging
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from inspect import cleandoc, isclass
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
MARK = re.compile(r"^<!-- made: ([\w-]+) -->$", re.MULTILINE)
MARKUP = re.compile(r"[|*_\[\]<>$\\]")


def fill(app: object, name: str, content: list[str]) -> None:
    """Put the made parts into the text of a page (Sphinx's event `source-read`)."""
    content[0] = MARK.sub(lambda found: PARTS[found[1]](), content[0])


def number(
    app: object, kind: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Make a plain list of a docstring's references, whose numbers occur once a page else."""
    for i, line in enumerate(lines):
        lines[i] = re.sub(r"(\[\d+\])_", r"\1", re.sub(r"^\.\. \[(\d+)\] ", r"\1. ", line))


def formula(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which needs no script (of Sphinx's translator)."""
    from docutils import nodes

    from reportgen.rendering.formulas import mathml

    tex = node.astext().replace("<", r"\lt ").replace(">", r"\gt ")
    is_display = isinstance(node, nodes.math_block)
    translator.body.append(mathml(tex, node.astext(), is_display=is_display))
    raise nodes.SkipNode


# ------------------------------------------------------------------------------- Python


def api() -> str:
    """Return the documentation of every public name."""
    import reportgen

    return _members(reportgen)


def statistics() -> str:
    """Return the documentation of every function of `reportgen.stats`."""
    from reportgen import stats

    return _members(stats)


def _members(module: ModuleType) -> str:
    """Return a chapter for each public name of a module, functions first."""
    found = {name: getattr(module, name) for name in module.__all__ if name[0] != "_"}
    return "\n\n".join(
        f"### {name}\n\n```{{eval-rst}}\n{_directive(value)}\n```"
        for name, value in sorted(found.items(), key=lambda item: isclass(item[1]))
    )


def _directive(value: Any) -> str:
    """Return the directive of a function, or of a class with its members."""
    path = f"{value.__module__}.{value.__qualname__}"
    return f".. autoclass:: {path}\n   :members:" if isclass(value) else f".. autofunction:: {path}"


# -------------------------------------------------------------------------- command line


def commands() -> str:
    """Return a chapter for each verb, from click."""
    import click

    from reportgen.cli import main

    verbs = {
        f"{name} {part}".strip(): own
        for name, verb in main.commands.items()
        for part, own in (verb.commands if isinstance(verb, click.Group) else {"": verb}).items()
    }
    contexts = [click.Context(c, info_name=f"reportgen {n}") for n, c in verbs.items()]
    records = [
        [r for p in c.command.get_params(c) if (r := p.get_help_record(c))] for c in contexts
    ]
    common = [record for record in records[0] if all(record in other for other in records)]
    own = [[record for record in found if record not in common] for found in records]
    chapters = ["\n".join(_command(*both)) for both in zip(contexts, own, strict=True)]
    return "\n".join([*chapters, "\n## Every verb\n", *_options(common)])


def _command(context: Any, records: list[tuple[str, str]]) -> Iterator[str]:
    """Write a verb: its words, usage and options."""
    command = context.command
    yield f"\n## {context.info_name.removeprefix('reportgen ')}\n"
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n"
    for paragraph in re.split(r"\n\s*\n", cleandoc(command.help)):
        kept = paragraph.removeprefix("\b\n")
        yield f"```text\n{kept}\n```\n" if kept != paragraph else f"{_plain(paragraph)}\n"
    if records:
        yield from _options(records)


def _options(records: list[tuple[str, str]]) -> Iterator[str]:
    """Write a table of options."""
    yield "| option | meaning |\n| --- | --- |"
    for names, meaning in records:
        if meaning:
            yield f"| {_code(names)} | {_plain(meaning)} |"


def _code(text: str) -> str:
    """Write code that may stand in a table."""
    return f"`{text.replace('|', chr(92) + '|')}`"


def _plain(text: str) -> str:
    """Write plain text that may stand in a table; code in backticks stays code."""
    pieces = re.split(r"(`[^`]*`)", " ".join(text.replace("``", "`").split()))
    return "".join(
        p if p[:1] == "`" else MARKUP.sub(lambda m: f"&#{ord(m[0])};", p) for p in pieces
    )


# ------------------------------------------------------------------------------ manifest


def manifest_keys() -> str:
    """Return every key of a manifest, from its JSON Schema."""
    from reportgen import pipeline

    return _all_keys(json.loads(pipeline.schema()))


def results_keys() -> str:
    """Return every key of results.json, from its JSON Schema."""
    return _all_keys(_results_schema())


def keys_of(part: str) -> str:
    """Return the keys of a part of results.json; what is inside of them is on the page of all."""
    definitions = _results_schema()["$defs"]
    return "\n".join(_keys(definitions[part]["properties"], definitions))


@cache
def _results_schema() -> Any:
    """Return the JSON Schema of results.json."""
    from reportgen.rendering.results_json import SCHEMA_FILE

    return json.loads(SCHEMA_FILE.read_text("utf-8"))


def _all_keys(schema: Mapping[str, Any]) -> str:
    """Write a table of the whole, and one of each definition that it needs."""
    definitions = schema["$defs"]
    lines = ["## The blocks\n", *_keys(schema["properties"], definitions)]
    named = {**dict.fromkeys(_order(schema["properties"], definitions))}
    for name in named:
        found = definitions[name]
        if keys := found.get("properties"):
            lines += [
                f"\n({_anchor(name)})=\n## {_title(name)}\n",
                _plain(found.get("description", "")),
            ]
            lines += ["", *_keys(keys, definitions)]
    return "\n".join(lines)


def _keys(properties: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    """Write a table of keys."""
    yield "| key | value | meaning |\n| --- | --- | --- |"
    for key, found in properties.items():
        default = found.get("default")
        is_short = default not in (None, "", [], {}) and len(json.dumps(default)) < 40
        told = f" Default: {_code(json.dumps(default))}." if is_short else ""
        text = _plain(found.get("description", ""))
        yield f"| {_code(key)} | {_kind(found, definitions)} | {text}{told} |"


def _kind(found: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Say what values a key takes."""
    if "$ref" in found:
        name = found["$ref"].rsplit("/", 1)[1]
        is_block = "properties" in definitions[name]
        return (
            f"[{_title(name)}](#{_anchor(name)})"
            if is_block
            else _kind(definitions[name], definitions)
        )
    if "const" in found:
        return _code(json.dumps(found["const"]))
    if "enum" in found:
        values = ("null" if value is None else str(value) for value in found["enum"])
        return ", ".join(map(_code, values))
    for key in ("anyOf", "oneOf"):
        if key in found:
            kinds = [_kind(one, definitions) for one in found[key] if one.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if found.get("type") == "array":
        return f"list of {_kind(found.get('items', {}), definitions)}"
    if found.get("type") == "object":
        inner = found.get("additionalProperties")
        if len(found.get("properties", ())) == 1:  # a section with options
            return _kind(*found["properties"].values(), definitions)
        return (
            f"mapping of names to {_kind(inner, definitions)}"
            if isinstance(inner, dict)
            else "mapping"
        )
    kinds = {"string": "text", "integer": "whole number", "boolean": "true or false"}
    kind = found.get("type", "any value")
    return (
        " or ".join(kinds.get(k, k) for k in kind)
        if isinstance(kind, list)
        else kinds.get(kind, kind)
    )


def _order(found: Any, definitions: Mapping[str, Any], seen: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the definitions that a part of the schema needs, each before its own."""
    if isinstance(found, dict):
        if "$ref" in found:
            name = found["$ref"].rsplit("/", 1)[1]
            if name not in seen:
                yield name
                yield from _order(definitions[name], definitions, (*seen, name))
        for value in found.values():
            yield from _order(value, definitions, seen)
    elif isinstance(found, list):
        for value in found:
            yield from _order(value, definitions, seen)


def _title(name: str) -> str:
    """Name a definition as a reader would."""
    if section := re.search(r"sections__(\w+?)__", name):
        return f"options of {section[1]}"
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removesuffix("Entry")).lower()
    return {"analysis options": "analysis", "study info": "study"}.get(
        words, words.replace("_", " ")
    )


def _anchor(name: str) -> str:
    file = "results-key" if name.islower() and "__" not in name else "key"
    return f"{file}-{_title(name).replace(' ', '-').replace('_', '-')}"


# ------------------------------------------------------------------------------- methods


def methods() -> str:
    """Return the methods as reports of made-up results state them, with all references."""
    pages = list(_reports())
    chapters, references = {}, {}
    for page in pages:
        for anchor, title, body in re.findall(
            r'<section id="(methods-[\w-]+)">\s*<h3>(.*?)</h3>(.*?)</section>', page, re.DOTALL
        ):
            chapters.setdefault(anchor, (title, body))
        references |= dict(re.findall(r'<li id="ref-([\w-]+)">(.*?)</li>', page, re.DOTALL))
    head = re.search(
        r'<section id="methods" class="art">\s*<h2>.*?</h2>(.*?)<section', pages[0], re.DOTALL
    )
    chapters = {"methods-brief": ("In brief", head[1] if head else ""), **chapters}
    parts = [f"({a})=\n## {title}\n\n{_raw(body)}" for a, (title, body) in chapters.items()]
    items = "\n".join(
        f'<li id="ref-{key}">{text}</li>'
        for key, text in sorted(references.items(), key=lambda item: _letters(item[1]))
    )
    return "\n\n".join([*parts, f"## References\n\n{_raw(f'<ul class=refs>{items}</ul>')}"])


def _letters(html: str) -> str:
    return re.sub("<[^>]*>", "", html).strip().casefold()


def _reports() -> Iterator[str]:
    """Yield reports that have all sections, of results that are drawn from a fixed seed."""
    import numpy as np
    import pandas as pd

    import reportgen

    logging.getLogger("reportgen").setLevel(logging.WARNING)
    rng = np.random.default_rng(2011)

    def results(n_datasets: int, n_replications: int) -> pd.DataFrame:
        names = [f"d{m}" for m in range(1, n_datasets + 1)]
        index = pd.MultiIndex.from_product(
            [names, range(1, n_replications + 1), ["lda", "rpart", "svm", "rf"]],
            names=["dataset", "replication", "candidate"],
        )
        shape = (n_datasets, n_replications, 4)
        level = 0.3 - 0.03 * np.arange(4) + 0.02 * rng.standard_normal((n_datasets, 1, 4))
        error = level + 0.02 * rng.standard_normal(shape)
        seconds = np.exp(np.arange(4) + 0.2 * rng.standard_normal(shape))
        values = {"misclassification": error.ravel(), "fit-time": seconds.ravel()}
        return pd.DataFrame(values, index=index).reset_index()

    def runs() -> pd.DataFrame:
        """Return five runs of two optimisers, the second of which misses a target at times."""
        rows = [
            ("sphere", b, name, 300, 20 * k + b, 60 + 30 * k + b if k < 2 or b < 4 else None)
            for b in range(1, 6)
            for k, name in enumerate(["cma-es", "random"], start=1)
        ]
        targets = ("evaluations to 1e0", "evaluations to 1e-3")
        columns = ["dataset", "replication", "candidate", "evaluations", *targets]
        return pd.DataFrame(rows, columns=columns)

    with tempfile.TemporaryDirectory() as folder:
        path, table = Path(folder, "results.csv"), Path(folder, "datasets.csv")
        for n_datasets, n_replications, keywords, sections in (
            (
                1,
                60,
                {
                    "n": {"d1": 200},
                    "resampling": {"scheme": "bootstrap", "replications": 60},
                    "reference": "lda",
                    "expect": ["svm better than lda"],
                    "plan": {"detect": 0.005},
                },
                "expectations eda inference preferences consensus sequential frontier plan",
            ),
            (10, 10, {"characteristics": table.name}, "domain psychoanalysis archetypes aggregate"),
            (4, 20, {"settings": table.name}, "eda sensitivity"),
        ):
            found = results(n_datasets, n_replications)
            found.to_csv(path, index=False)
            names = found["dataset"].unique()
            pd.DataFrame({"dataset": names, "n": range(50, 50 + len(names))}).to_csv(
                table, index=False
            )
            study = reportgen.compare(path, relevance=0.01, sections=sections.split(), **keywords)
            study.report(folder, formats=["html"], length="full")
            yield Path(folder, "report.html").read_text(encoding="utf-8")
        answers = HERE.parent / "studies" / "assistants" / "answers.csv"
        columns = {"dataset": "task", "candidate": "model", "cluster": "document", "epoch": "run"}
        study = reportgen.compare(
            answers, columns=columns, sections=["items", "inference"], better="larger"
        )
        study.report(folder, formats=["html"], length="full")
        yield Path(folder, "report.html").read_text(encoding="utf-8")
        for name in ("prompts", "variation", "assistants-battles"):
            reportgen.run(HERE.parent / "studies" / f"{name}.yaml", folder)
            study = reportgen.load(Path(folder, name))
            study.report(folder, formats=["html"], length="full")
            yield Path(folder, "report.html").read_text(encoding="utf-8")
        reportgen.run(HERE.parent / "studies" / "battles-looks.yaml", folder)
        study = reportgen.load(Path(folder, "battles-looks"))
        study.report(folder, formats=["html"], length="full")
        yield Path(folder, "report.html").read_text(encoding="utf-8")
        runs().to_csv(path, index=False)
        study = reportgen.compare(path, sections=["run_time", "eda"], better="smaller")
        study.report(folder, formats=["html"], length="full")
        yield Path(folder, "report.html").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------ notebook


def notebook() -> str:
    """Return the cells of monks3.ipynb with their output."""
    cells = json.loads((HERE / "monks3.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for cell in cells for part in _cell(cell))


def _cell(cell: Mapping[str, Any]) -> Iterator[str]:
    """Write a cell and what it gave."""
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield text
        return
    yield f"```python\n{text}\n```"
    for output in cell["outputs"]:
        data = output.get("data", {"text/plain": output.get("text", "")})
        if "text/html" in data:
            yield _raw(f'<div class="output">{"".join(data["text/html"])}</div>')
        elif "image/svg+xml" in data:
            yield _raw(f'<div class="output">{"".join(data["image/svg+xml"])}</div>')
        elif "image/png" in data:
            png = "".join(data["image/png"]).replace("\n", "")
            yield _raw(f'<div class="output"><img alt="" src="data:image/png;base64,{png}"></div>')
        else:
            yield f"```text\n{''.join(data['text/plain'])}\n```"


def _raw(html: str) -> str:
    """Write HTML that goes through Markdown as it is."""
    return f"``````{{raw}} html\n{html.strip()}\n``````"


PARTS: dict[str, Callable[[], str]] = {
    "api": api,
    "commands": commands,
    "manifest-keys": manifest_keys,
    "methods": methods,
    "notebook": notebook,
    "results-keys": results_keys,
    "statistics": statistics,
    **{f"keys-of-{part}": partial(keys_of, part) for part in _results_schema()["$defs"]},
}
