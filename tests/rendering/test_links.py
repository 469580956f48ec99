from __future__ import annotations

from reportgen.rendering.page import link_files


def test_a_link_names_the_file_its_target_stands_in() -> None:
    made = link_files(
        {
            "report.html": '<h1 id="top">x</h1> <a class="data" href="#set">s</a>',
            "datasets/a.html": '<article id="set"><a href="#top">t</a> <a href="#set">s</a>',
        }
    )
    assert made == {
        "report.html": '<h1 id="top">x</h1> <a class="data" href="datasets/a.html#set">s</a>',
        "datasets/a.html": '<article id="set"><a href="../report.html#top">t</a>'
        ' <a href="#set">s</a>',
    }


def test_other_references_and_unknown_targets_stay() -> None:
    text = '<use href="#m1"/><a href="https://e.org/#top">e</a><a href="#nowhere">n</a>'
    files = {"a.html": '<p id="top"><p id="m1">', "b.html": text}
    assert link_files(files)["b.html"] == text


def test_an_id_of_several_files_is_that_of_the_first() -> None:
    files = {"a.html": '<p id="x">', "b.html": '<p id="x">', "c.html": '<a href="#x">x</a>'}
    assert link_files(files)["c.html"] == '<a href="a.html#x">x</a>'
