from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import DictLoader
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from reportgen.errors import RenderingError
from reportgen.rendering import templates
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
    with pytest.raises(RenderingError, match="must pass a filter"):
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
    with pytest.raises(RenderingError, match="reads '__class__'"):
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
    with pytest.raises(RenderingError, match="no template"):
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


def test_nothing_that_was_compiled_is_kept_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "mine.md.j2").write_text("{% block b %}{{ 3|words }}{% endblock %}")
    found = environment((tmp_path,), Markup.escape)
    assert render_block(get_template(found, "mine.md.j2"), "b", {}) == "three"
    assert not (tmp_path / "cache").exists()


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
        with pytest.raises(RenderingError, match="there is no template"):
            templates.get_template(read, name)
    assert templates.get_template(read, "own.md.j2").render() == "own"
    assert templates.read_references([folder]) == templates.read_references([])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("references.bib", b" " * 1_000_001, "found 1,000,001 bytes; 1,000,000 are allowed"),
        ("references.bib", b"@book{a, title = {\xff}}", "no UTF-8"),
        ("formulas.toml", b" " * 1_000_001, "found 1,000,001 bytes; 1,000,000 are allowed"),
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
