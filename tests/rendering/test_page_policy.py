"""The policy is the first element of every page, whatever templates have written."""

from __future__ import annotations

import re
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from reportgen.errors import RenderingError
from reportgen.rendering import page
from reportgen.rendering.page_policy import OF_FILES, policy_fault, policy_of_script, with_policy
from reportgen.report import Report
from reportgen.study.schema import HtmlForm

POLICY = "default-src 'none'"
META = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
BEGINNING = '<!doctype html>\n<html lang="en">\n<head>\n'


@pytest.mark.parametrize(
    ("text", "head"),
    [
        (f"{BEGINNING}<title>", BEGINNING),
        ("\n<!DOCTYPE html><html><head><title>", "\n<!DOCTYPE html><html><head>\n"),
        ("<script>x()</script><html><head><title>", BEGINNING),
        ("<!doctype html><!-- <html><head> --><script>", BEGINNING),
        ("<html onload=x()><head><title>", BEGINNING),
        ("<body>no head", BEGINNING),
        ("", BEGINNING),
    ],
)
def test_nothing_stands_before_the_policy(text: str, head: str) -> None:
    found = with_policy(text, POLICY)
    assert found.startswith(f"{head}{META}")
    assert found.count(META) == 1
    assert policy_fault(found, frozenset((POLICY,))) == ""


@pytest.mark.parametrize(
    "tag",
    [
        '<meta http-equiv="refresh" content="0;url=https://example.org">',
        '<META HTTP-EQUIV="refresh" content="0">',
        "<meta http-equiv=refresh content=0>",
        '<meta/http-equiv="refresh">',
        '<meta name=a"b http-equiv=refresh c="">',
        '<meta name=">" http-equiv="refresh">',
        '<meta http-equiv="Content-Security-Policy" content="script-src *">',
        '<link rel="preconnect" href="https://example.org">',
        '<link href="https://example.org" rel="dns-prefetch" rel="icon">',
        "<link rel=prefetch href=x>",
    ],
)
def test_what_leads_a_page_elsewhere_is_refused(tag: str) -> None:
    with pytest.raises(RenderingError, match=r"found .* in the page"):
        with_policy(f"<html><head>{tag}</head>", POLICY)
    assert policy_fault(with_policy("<p>", POLICY) + tag, frozenset((POLICY,)))


def test_texts_and_drawings_are_no_such_tags() -> None:
    text = (
        '<meta name="description" content="http-equiv &lt;meta"><metadata>x</metadata><p>&lt;meta'
    )
    assert text in with_policy(text, POLICY)


def test_the_encoding_is_not_left_to_a_page_or_a_guess() -> None:
    """By ISO-2022-JP a browser passes over the three bytes, and reads a refresh."""
    spelled = '<meta charset="iso-2022-jp"><\x1b(Bmeta http-equiv="refresh" content="0;url=x">'
    found = with_policy(f"<html><head>{spelled}", POLICY)
    assert found.index('<meta charset="utf-8">') < found.index("iso-2022-jp") < 1024
    told = "no policy and encoding as the first elements of its head"
    assert policy_fault(found.replace('charset="utf-8"', ""), frozenset((POLICY,))) == told


RUN = "document.title='ran'"
RUNNING = f"""<title>quiet</title><script>{RUN}</script><script src="ADDRESS/s"></script>
<base href="ADDRESS/"><img src="ADDRESS/i"><img src="data:," onerror="{RUN}">
<svg onload="{RUN}"><a href="javascript:{RUN}"/></svg><details open ontoggle="{RUN}"></details>
<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>
<iframe src="javascript:parent.{RUN}"></iframe>
<iframe src="ADDRESS/f"></iframe><object data="ADDRESS/o"></object><embed src="ADDRESS/e">
<video poster="ADDRESS/v"></video><input autofocus onfocus="{RUN}">
<style>@import url(ADDRESS/c); p {{ background: url(ADDRESS/b) }}</style><p>x</p>
<body onload="{RUN}">"""
REFRESH = '<meta charset="iso-2022-jp"><\x1b(Bmeta http-equiv="refresh" content="0;url=ADDRESS/r">'


@pytest.mark.browser
@pytest.mark.parametrize("text", [RUNNING, REFRESH], ids=["running", "refresh"])
def test_a_browser_runs_and_fetches_nothing_of_a_hostile_page(
    chromium: str, tmp_path: Path, text: str
) -> None:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    own = text.replace("ADDRESS", f"http://127.0.0.1:{server.server_port}")

    def shown(page_text: str) -> str:
        asked.clear()
        file = tmp_path / "page.html"
        file.write_text(page_text, encoding="utf-8")
        # in its own time the browser waits for a refresh, which it else may end before
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--dump-dom")
        options += ("--timeout=20000", "--virtual-time-budget=1000")
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        command = [chromium, *options, profile, file.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        return done.stdout

    try:
        held = shown(with_policy(own, policy_of_script("1")))
        assert asked == []
        assert "<head>" in held
        assert "<title>ran" not in held
        bare = shown(f"<!doctype html><html><head>{own}")
        assert asked, "without a policy the page fetches something"
        assert ("<title>ran" in bare) == (text == RUNNING)
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("form", ["file", "folder"])
def test_a_template_cannot_leave_it_out(
    many: Report, folders: tuple[Path, ...], tmp_path: Path, form: HtmlForm
) -> None:
    folder = tmp_path / "templates/html"
    folder.mkdir(parents=True)
    evil = "<!doctype html><script>document.title='ran'</script><p>{{ title }}</p>"
    for name in ("report", "dataset"):
        (folder / f"{name}.html.j2").write_text(evil, encoding="utf-8")
    own = (tmp_path / "templates", *folders)
    (written,) = page.render(many, tmp_path / "report.html", own, form)
    text = written.read_text(encoding="utf-8")
    first = re.search("<(?!!doctype|html|head).*?>", text)
    assert first is not None
    assert first[0].startswith('<meta http-equiv="Content-Security-Policy" content="default-src')
    assert text.index("<script>") > first.end()
    assert ("script-src" in first[0]) == (form == "file")
    assert "'unsafe-inline'; script-src 'sha256-" in first[0] or OF_FILES in first[0]
