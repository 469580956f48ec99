from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from jinja2 import DictLoader, Environment, FileSystemLoader
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from reportgen.errors import RenderingError
from reportgen.rendering import compiled_templates, templates
from reportgen.rendering.compiled_templates import CompiledTemplates
from reportgen.rendering.templates import (
    environment,
    get_template,
    read_formulas,
    read_references,
    render_block,
    template_folder,
)


def reading(source: str, *folders: Path) -> ImmutableSandboxedEnvironment:
    made = environment(folders, lambda text: Markup("[{}]").format(text))
    made.loader = DictLoader({"t": source})
    return made


def rendered(source: str, **variables: object) -> str:
    return render_block(get_template(reading(source), "t"), "b", variables)


def test_templates_lie_in_the_checkout_or_the_wheel() -> None:
    assert (template_folder() / "html" / "report.html.j2").is_file()


def test_every_interpolated_string_is_written_by_the_back_end() -> None:
    source = '{% set s = "<s>" %}{% block b %}{{ s }} {{ "c" }} {{ n }} {{ ["x", "y"]|join("+") }}'
    assert rendered(source + "{% endblock %}", n=3) == "[&lt;s&gt;] [c] [3] [x+y]"


def test_markup_of_macros_and_sets_is_not_written_twice() -> None:
    source = "{% macro m(x) %}*{{ x }}*{% endmacro %}{% block b %}{% set t %}{{ m(1) }}{% endset %}"
    assert rendered(source + "{{ t }}{% endblock %}") == "*[1]*"


@pytest.mark.parametrize("value", [0.5, None, [1], {"a": 1}])
def test_what_has_no_words_of_its_own_must_pass_a_filter(value: object) -> None:
    with pytest.raises(RenderingError, match="allowed a number by a filter"):
        rendered("{% block b %}{{ x }}{% endblock %}", x=value)


def test_undefined_names_raise_with_block_and_template() -> None:
    with pytest.raises(RenderingError, match=r"block 'b' of t.*'missing' is undefined"):
        rendered("{% block b %}{{ missing }}{% endblock %}")


def test_lines_of_lone_tags_vanish_and_other_line_ends_stay() -> None:
    source = (
        "{% block b %}\nOne {% if 1 %}two{% endif %}\nthree\n  {% if 1 %}\nfour\n"
        "  {% endif %} <# no #>\nfive\n\nsix\n{% endblock %}"
    )
    assert rendered(source).split() == ["One", "two", "three", "four", "five", "six"]
    assert "five\n\nsix" in rendered(source)
    assert "four\n five" in rendered(source) or "four\nfive" in rendered(source)


def test_messages_keep_the_line_of_the_source() -> None:
    with pytest.raises(RenderingError, match="line 4"):
        rendered("{% block b %}\n{% if 1 %}\n{% endif %}\n{% nonsense %}{% endblock %}")


def test_ids_are_not_comments() -> None:
    assert rendered("{% block b %}{#id}{% endblock %}") == "{#id}"


def test_absent_blocks_are_empty() -> None:
    assert rendered("{% block other %}x{% endblock %}") == ""


def test_templates_run_in_a_sandbox() -> None:
    with pytest.raises(RenderingError, match="found '__class__'"):
        rendered("{% block b %}{{ x.__class__.__mro__ }}{% endblock %}", x="a")


def test_a_folder_comes_before_ours(tmp_path: Path) -> None:
    (tmp_path / "sections").mkdir()
    (tmp_path / "sections" / "eda.md.j2").write_text("{% block title %}Mine{% endblock %}")
    found = environment((tmp_path,), Markup.escape)
    assert render_block(found.get_template("sections/eda.md.j2"), "title", {}) == "Mine"


def test_another_package_brings_its_template_beside_its_code(tmp_path: Path) -> None:
    (tmp_path / "mine.md.j2").write_text("{% block title %}Mine{% endblock %}")
    (tmp_path / "references.bib").write_text("@book{me2026, author = {Me, A.}, year = 2026}")
    (tmp_path / "formulas.toml").write_text("[mine]\ntex = 'x'\nalt = \"x\"\n")
    found = environment((tmp_path,), Markup.escape)
    assert render_block(found.get_template("sections/mine.md.j2"), "title", {}) == "Mine"
    assert read_references((tmp_path,))["me2026"].short_names == "Me"
    assert "eugster2011" in read_references((tmp_path,))
    assert read_formulas((tmp_path,))["mine"]["tex"] == "x"


def test_a_template_outside_the_folders_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "secret.md.j2").write_text("x")
    inner = tmp_path / "inner"
    inner.mkdir()
    with pytest.raises(RenderingError, match="found none"):
        get_template(environment((inner,), Markup), "../secret.md.j2")


@pytest.mark.parametrize(
    ("name", "given", "text"),
    [
        ("count", 1234567, "1,234,567"),
        ("words", 12, "twelve"),
        ("words", 13, "13"),
        ("share", 0.05, "5"),
        ("ordinal", 22, "22nd"),
        ("number", -0.001, "0.00"),
        ("capital", "six", "Six"),
    ],
)
def test_filters_write_numbers(name: str, given: object, text: str) -> None:
    assert templates.FILTERS[name](given) == text


def test_what_was_compiled_is_compiled_once_and_never_mistaken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mine.md.j2"
    file.write_text("{% block b %}{% if x %}so {% endif %}\nold{% endblock %}")

    def told(*, in_markdown: bool = True) -> str:
        found = environment((tmp_path,), Markup.escape, in_markdown=in_markdown)
        return render_block(get_template(found, file.name), "b", {"x": True})

    apart = (told(), told(in_markdown=False))
    assert apart[0] != apart[1]
    with monkeypatch.context() as patch:
        patch.setattr(ImmutableSandboxedEnvironment, "compile", None)
        assert (told(), told(in_markdown=False)) == apart
    file.write_text(file.read_text().replace("old", "new"))
    assert "new" in told()


def test_no_code_of_a_study_is_kept_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "prefix"))
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "mine.md.j2").write_text("{% block b %}{{ 3|words }}{% endblock %}")
    found = environment((folder,), Markup.escape)
    assert render_block(get_template(found, "mine.md.j2"), "b", {}) == "three"
    get_template(found, "document/abstract.md.j2")  # ours, compiled with limits for theirs
    assert [path.name for path in tmp_path.rglob("*")] == ["templates", "mine.md.j2"]


class Ours:
    """A folder of our templates, whose code Python keeps below another one."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "ours" / "t.md.j2"
        self.file.parent.mkdir()
        self.kept = folder / "kept"
        self.compiled = 0

    def says(self, kind: str = "a", **options: Any) -> str:
        """Render the template as a process does that has compiled nothing yet."""
        counter = self

        class Counting(Environment):
            def compile(self, *args: Any, **kwargs: Any) -> Any:
                counter.compiled += 1
                return super().compile(*args, **kwargs)

        codes = CompiledTemplates(kind, self.file.parent)
        loader = FileSystemLoader(self.file.parent)
        return (
            Counting(loader=loader, bytecode_cache=codes, **options)
            .get_template("t.md.j2")
            .render()
        )

    def files(self) -> list[Path]:
        return [path for path in self.kept.rglob("*") if path.is_file()]


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ours:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "kept"))
    return Ours(tmp_path)


def test_code_of_our_templates_is_kept_as_that_of_modules(ours: Ours) -> None:
    ours.file.write_text("one {{ 1 + 1 }}")
    assert [ours.says(), ours.says()] == ["one 2", "one 2"]
    assert ours.compiled == 1
    (kept,) = ours.files()
    assert kept.suffix == ".pyc"
    ours.file.write_text("two {{ 1 + 1 }}")  # as long, and perhaps within the same second
    assert ours.says() == "two 2"
    assert ours.compiled == 2


def test_kinds_of_templates_and_other_compilers_have_code_of_their_own(
    ours: Ours, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours.file.write_text("<# no #>{# yes #}")
    assert ours.says("text", comment_start_string="<#", comment_end_string="#>") == "{# yes #}"
    assert ours.says("page") == "<# no #>"
    assert ours.compiled == len(ours.files()) == 2
    monkeypatch.setattr(compiled_templates, "_compiler", lambda: "another")
    assert ours.says("page") == "<# no #>"
    assert ours.compiled == 3


def test_where_python_keeps_no_code_templates_are_compiled(
    ours: Ours, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    ours.file.write_text("one")
    assert [ours.says(), ours.says()] == ["one", "one"]
    assert ours.compiled == 2
    assert not ours.files()


def test_a_link_that_leads_out_of_the_folder_is_no_template(tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret.md.j2", tmp_path / "templates"
    folder.mkdir()
    secret.write_text("secret")
    (folder / "x.md.j2").symlink_to(secret)
    (folder / "all").symlink_to(tmp_path)
    (folder / "plain.txt").write_text("secret")
    (folder / "own.md.j2").write_text("own")
    (folder / "references.bib").symlink_to(secret)
    read = templates.environment([folder], Markup)
    for name in ("x.md.j2", "all/secret.md.j2", "plain.txt"):
        with pytest.raises(RenderingError, match="found none"):
            templates.get_template(read, name)
    assert templates.get_template(read, "own.md.j2").render() == "own"
    assert templates.read_references([folder]) == templates.read_references([])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("references.bib", b" " * 1_000_001, "found 1,000,001 bytes; allowed up to 1,000,000"),
        ("references.bib", b"@book{a, title = {\xff}}", "no UTF-8"),
        ("formulas.toml", b" " * 1_000_001, "found 1,000,001 bytes; allowed up to 1,000,000"),
        ("formulas.toml", b"a = \xff", "no UTF-8"),
        ("formulas.toml", b"a = [", "no TOML"),
        ("formulas.toml", b"a = " + b"[" * 100_000, "no TOML"),
    ],
)
def test_files_that_templates_cite_are_bounded_and_told(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(content)
    read = read_references if name == "references.bib" else read_formulas
    with pytest.raises(RenderingError, match=words) as found:
        read([tmp_path])
    assert str(tmp_path / name) in str(found.value)
