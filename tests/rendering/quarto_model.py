"""A stand-in for the program Quarto: its `render` by Pandoc, Typst and pdfLaTeX.

It tries what reads Quarto's work (`tools/check_quarto.py`) and what Quarto reads (extensions, code,
books, websites), after Quarto's documentation; what the real program does is not known by it.

A shortcode is called wherever it stands, also in the head; documents of a project have its
metadata; paths with `/` before them are of the project; a book in one file is one document.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.rendering import as_quarto, quarto_cells

HARNESS = Path(__file__).with_name("quarto_extension.lua")
EXTENSION = "_extensions/reportgen/reportgen.lua"
ESCAPED = re.compile(r"\{\{\{<.*?>\}\}\}")
SHORTCODE = re.compile(r"(?<!\{)\{\{<\s*(\w+)\s*(.*?)\s*>\}\}")
WRITERS = {"html": "html", "pdf": "latex", "typst": "typst", "docx": "docx"}
ENDINGS = {"html": ".html", "pdf": ".pdf", "typst": ".pdf", "docx": ".docx"}
OUTPUTS = {"book": "_book", "website": "_site", "manuscript": "_manuscript", "default": "."}
UNCOUNTED = """\
#show figure.where(caption: none): it => {
  counter(figure.where(kind: it.kind)).update(n => n - 1)
  it
}
"""
PREFIXES = ("fig", "tbl", "sec")


class RenderingStoppedError(Exception):
    """Rendering ends with a message."""


def warn(text: str) -> None:
    print(f"WARNING (main.lua:1) {text}", file=sys.stderr)


# ---------------------------------------------------------------------------------- projects


def project_of(folder: Path) -> Path | None:
    """Return the folder with `_quarto.yml` that a folder is in."""
    return next((own for own in (folder, *folder.parents) if (own / "_quarto.yml").exists()), None)


def settings_of(project: Path | None) -> dict[str, Any]:
    return yaml.safe_load((project / "_quarto.yml").read_text("utf-8")) if project else {}


def merged(base: Any, over: Any) -> Any:
    """Return metadata, with the second in place of the first; lists are put together."""
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return {**base, **{k: merged(base[k], v) if k in base else v for k, v in over.items()}}
    if isinstance(base, list) and isinstance(over, list):
        return [*base, *(item for item in over if item not in base)]
    return base if over in ("default", None) else over


def kind_of(project: Path | None) -> str:
    return str((settings_of(project).get("project") or {}).get("type", "default"))


def head_of(text: str) -> tuple[dict[str, Any], str]:
    """Return the head of a document, and the rest."""
    found = quarto_cells.FRONT.match(text)
    if not found:
        return {}, text
    return yaml.safe_load(found[0].strip("-\n ")) or {}, text[found.end() :]


def from_document(value: Any, project: Path, folder: Path) -> Any:
    """Return a project's metadata, with paths of files that are there seen from a document."""
    if isinstance(value, Mapping):
        return {key: from_document(own, project, folder) for key, own in value.items()}
    if isinstance(value, list):
        return [from_document(own, project, folder) for own in value]
    is_path = isinstance(value, str) and value and not value.startswith("/")
    if is_path and (project / value).exists():
        return os.path.relpath(project / value, folder)
    return value


# ------------------------------------------------------------------------------- a document


def text_of(document: Path, options: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the head of a document, and its text with what its code returns."""
    head, body = head_of(as_quarto.source(document))
    is_code = bool(quarto_cells.CELL.search(body))
    if is_code and options["execute"]:
        body = quarto_cells.executed(body, document.parent, options["parameters"])
    return head, body


def called(text: str, folder: Path, project: Path | None) -> str:
    """Call the shortcodes that Quarto has itself; those of extensions become raw text."""
    names = (project or folder) / "_variables.yml"
    known = yaml.safe_load(names.read_text("utf-8")) if names.exists() else {}

    def one(found: re.Match[str]) -> str:
        if found[1] == "env":
            return os.environ.get(found[2], "")
        if found[1] == "var":
            value: Any = known
            for part in found[2].split("."):
                value = value[part]
            return str(value)
        if found[1] == "rg":
            return f"`{found[0]}`{{=shortcode}}"
        warn(f"Shortcode '{found[1]}' not found")
        return found[0]

    parts = re.split(r"(\{\{\{<.*?>\}\}\})", text)
    return "".join(p if ESCAPED.fullmatch(p) else SHORTCODE.sub(one, p) for p in parts)


def render_text(
    head: Mapping[str, Any],
    body: str,
    *,
    document: Path,
    project: Path | None,
    form: str,
    output: Path,
    known: frozenset[str] = frozenset(),
) -> None:
    """Render a text as a document. `known`: labels of other documents of a book."""
    base = form.rpartition("-")[2]
    writer, folder = WRITERS[base], document.parent
    settings = settings_of(project)
    formats = settings.pop("format", {})
    formats = formats if isinstance(formats, Mapping) else {formats: {}}
    own_formats = head.get("format", {})
    own_formats = own_formats if isinstance(own_formats, Mapping) else {own_formats: {}}
    options = merged(merged({}, formats.get(form) or {}), own_formats.get(form) or {})
    options = options if isinstance(options, Mapping) else {}
    meta = from_document(settings, project, folder) if project else {}
    meta = {**merged(meta, head), **options}
    for key in ("project", "book", "website", "manuscript", "format", "filters", "execute"):
        meta.pop(key, None)
    front = yaml.safe_dump(meta, allow_unicode=True, sort_keys=False)
    text = called(f"---\n{front}---\n\n{body}", folder, project)
    media = folder / f"{document.stem}_files" / "mediabag"
    env = {
        **os.environ,
        "RG_INPUT": str(document),
        "RG_EXTENSION": str(_extension(folder, project)),
        "RG_FLOATS": "1",
        "RG_FORMAT": writer,
        "RG_MEDIA": str(media),
        **({"RG_PROJECT": str(project)} if project else {}),
    }
    ending = as_quarto.EXTENSIONS.get(writer, "svg")
    words = [as_quarto.pandoc(), "-f", "markdown", "-t", "json"]
    words += [f"--default-image-extension={options.get('default-image-extension', ending)}"]
    if "=shortcode}" in text:
        words += ["-L", str(HARNESS)]
    done = subprocess.run(
        words, input=text.encode(), capture_output=True, cwd=folder, env=env, check=False
    )
    sys.stderr.write(done.stderr.decode())
    if done.returncode:
        raise RenderingStoppedError(f"Error running filter ({done.returncode})")
    tree = _placed(json.loads(done.stdout), folder, project, known)
    tree = as_quarto.resolve(tree, writer)
    _write(tree, writer, document, output, options, meta)


def _extension(folder: Path, project: Path | None) -> Path:
    places = [place / EXTENSION for place in (folder, project or folder)]
    return next((place for place in places if place.exists()), places[0])


def _placed(tree: Any, folder: Path, project: Path | None, known: frozenset[str]) -> Any:
    """Lead paths of the project there, and write what refers to nothing as Quarto does."""
    labels = {as_quarto._identifier(node) for node in as_quarto.nodes(tree["blocks"])}

    def one(node: Any) -> Any:
        if node["t"] == "Image" and node["c"][2][0].startswith("/") and project:
            path = project / node["c"][2][0][1:]
            if path.exists():
                node["c"][2][0] = os.path.relpath(path, folder)
        if node["t"] == "Cite":
            key = node["c"][0][0]["citationId"]
            if key.partition("-")[0] in PREFIXES and key not in labels:
                if key in known:
                    return [{"t": "Str", "c": "Table 1.1"}]
                warn(f"Unable to resolve crossref @{key}")
                return [{"t": "Strong", "c": [{"t": "Str", "c": f"?@{key}"}]}]
        return node

    return as_quarto.change(tree, one)


def _write(
    tree: Any,
    writer: str,
    document: Path,
    output: Path,
    options: Mapping[str, Any],
    meta: Mapping[str, Any],
) -> None:
    """Write a document by Pandoc, and set it."""
    folder = document.parent
    words = ["-f", "json", "-t", writer, "--standalone", "--number-sections"]
    words += [w for file in _listed(options.get("include-in-header")) for w in ("-H", file)]
    words += ["--citeproc"] if meta.get("bibliography") else []
    words += ["--embed-resources", "--mathml"] if options.get("embed-resources") else []
    words += ["--metadata", "pagetitle=x"] if writer == "html" else []
    if options.get("reference-doc"):
        words += ["--reference-doc", str(options["reference-doc"])]
    filters = [name for name in _listed(options.get("filters")) if name.endswith(".lua")]
    words += [word for name in filters for word in ("-L", name)]
    if writer == "latex":
        words += ["-V", "documentclass=scrartcl", "-V", "papersize=a4", "-V", "classoption=DIV=11"]
    if writer == "typst":  # Pandoc counts tables without a caption; Quarto does not
        header = document.with_name(f"{document.stem}-header.typ")
        header.write_text(UNCOUNTED, encoding="utf-8")
        words += ["-H", header.name]
    text = json.dumps(tree)
    output.parent.mkdir(parents=True, exist_ok=True)
    if writer in ("html", "docx"):
        as_quarto.run([*words, "-o", str(output)], folder, text)
        is_taken = writer == "html" and not options.get("embed-resources")
        if is_taken and kind_of(project_of(folder)) != "manuscript":
            _take_along(output, folder)
        return
    source = document.with_suffix(".tex" if writer == "latex" else ".typ")
    as_quarto.run([*words, "-o", str(source)], folder, text)
    if writer == "typst":
        import typst

        made = document.with_suffix(".pdf")  # whatever had that name
        typst.compile(str(source), output=str(made), root="/")
        shutil.move(made, output)
        return
    for _ in range(2):
        subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", source.name],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            check=False,
        )
    made = source.with_suffix(".pdf")
    if not made.exists():
        raise RenderingStoppedError("compilation failed- error")
    if made != output:
        shutil.move(made, output)
    for ending in () if options.get("latex-clean") is False else (".aux", ".log", ".out", ".tex"):
        source.with_suffix(ending).unlink(missing_ok=True)


def _listed(value: Any) -> list[str]:
    return list(map(str, value)) if isinstance(value, list) else [str(value)] if value else []


def _take_along(page: Path, folder: Path, destination: Path | None = None) -> None:
    """Put pictures of a page beside where it will be."""
    html = page.read_text(encoding="utf-8")
    for address in set(re.findall(r'<img[^>]*?\ssrc="([^":]*)"', html)):
        source = (folder / address).resolve()
        place = (destination or page.parent) / "site_libs" / source.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place)
        html = html.replace(f'src="{address}"', f'src="site_libs/{source.name}"')
    page.write_text(html, encoding="utf-8")


# -------------------------------------------------------------------------------- the program


def render(path: Path, options: dict[str, Any]) -> Iterator[Path]:
    """Render a document, or a project; yield the files."""
    is_project = path.is_dir()
    project = project_of(path if is_project else path.parent)
    settings = settings_of(project)
    about = settings.get("project", {}) or {}
    kind = about.get("type", "default")
    if is_project and about.get("pre-render"):
        subprocess.run(about["pre-render"], shell=True, cwd=path, check=True)
    documents = [path]
    if is_project:
        names = settings.get("book", {}).get("chapters") or about.get("render") or ["**/*.qmd"]
        found = (own for name in names for own in sorted(path.glob(name)))
        documents = [own for own in found if not _is_hidden(own.relative_to(path))]
    if is_project and kind == "manuscript":
        yield from _manuscript(path, documents, settings, options)
        return
    known = settings.get("format", {"html": {}})
    forms = options["forms"] or list(known if isinstance(known, Mapping) else [known])
    place = (project or path.parent) / OUTPUTS[kind] if is_project else path.parent
    for form in forms:
        base = form.rpartition("-")[2]
        texts = {own: text_of(own, options) for own in documents}
        if kind == "book" and base != "html":
            first = documents[0]
            body = "\n\n".join(text for _, text in texts.values())
            output = place / f"book{ENDINGS[base]}"
            head = {"title": settings["book"]["title"]}
            more: dict[str, Any] = {"document": first, "project": project, "form": form}
            render_text(head, body, output=output, **more)
            yield output
            continue
        labels = frozenset(
            label
            for _, text in texts.values()
            for word in re.findall(r"\{\{< rg (table|figure) ([a-z0-9-]+)", text)
            for label in (f"{'tbl' if word[0] == 'table' else 'fig'}-{word[1]}",)
        )
        for own, (head, body) in texts.items():
            name = options["output"] or f"{own.stem}{ENDINGS[base]}"
            inside = own.parent.relative_to(path) if is_project else Path()
            output = place / inside / name
            is_book = kind == "book"
            render_text(
                head,
                body,
                document=own,
                project=project,
                form=form,
                output=output,
                known=labels if is_book else frozenset(),
            )
            yield output


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(("_", ".")) for part in path.parts)


def _manuscript(
    project: Path, documents: Sequence[Path], settings: Mapping[str, Any], options: dict[str, Any]
) -> Iterator[Path]:
    """Render the article in each format, and all else as a notebook to a page beside it.

    What is rendered is put into the folder of the manuscript at the end: until then a PDF of Typst
    is written over one of LaTeX, as it has the name of its document.
    """
    own = settings.get("manuscript") or {}
    article = project / own.get("article", "index.qmd")
    if not article.exists():
        raise RenderingStoppedError("Unable to determine the root input document")
    forms = settings.get("format", {"html": {}})
    forms = options["forms"] or list(forms if isinstance(forms, Mapping) else [forms])
    made = {}
    notebooks = [own for own in documents if own != article]
    for document in [*notebooks, article]:
        head, body = text_of(document, options)
        for form in forms if document == article else ["html"]:
            base = form.rpartition("-")[2]
            stem = document.stem if document == article else f"{document.stem}-preview"
            is_typst = base == "typst" and "pdf" in forms
            output = document.with_name(f"{stem}{'-typst' if is_typst else ''}{ENDINGS[base]}")
            render_text(
                *(head, body),
                document=document,
                project=project,
                form=form,
                output=output,
            )
            made[output] = project / OUTPUTS["manuscript"] / output.relative_to(project)
    for output, place in made.items():
        if not output.exists():
            raise RenderingStoppedError(f"No such file or directory (os error 2): {output}")
        place.parent.mkdir(parents=True, exist_ok=True)
        if output.suffix == ".html":
            _take_along(output, output.parent, place.parent)
        shutil.move(output, place)
        yield place


def main(words: Sequence[str]) -> int:
    """Do what a command says."""
    given = list(words)
    if given == ["--version"]:
        print("0.0.0 (a stand-in)")
        return 0
    if given[:1] != ["render"]:
        print("quarto: only render is known", file=sys.stderr)
        return 2
    options: dict[str, Any] = {"forms": [], "output": "", "execute": True, "parameters": {}}
    path = Path()
    rest = iter(given[1:])
    for word in rest:
        if word == "--to":
            options["forms"] = next(rest).split(",")
        elif word == "--output":
            options["output"] = next(rest)
        elif word in ("--no-execute", "--execute"):
            options["execute"] = word == "--execute"
        elif word == "-P":
            name, _, value = next(rest).partition(":")
            options["parameters"][name] = yaml.safe_load(value)
        else:
            path = Path(word).resolve()
    try:
        for output in render(path, options):
            print(f"Output created: {output}", file=sys.stderr)
    except (RenderingStoppedError, AssertionError) as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
