"""The policy of a page: what a browser may load and run of it.

It is the first element of a page's head, and is put there after the page was rendered, so that no
template can leave it out or stand before it. A second policy can only forbid more. The encoding
comes next: by another one, or by a guess, a browser would read other tags than are looked at here.
"""

from __future__ import annotations

import base64
import hashlib
import re

from reportgen.errors import RenderingError

WITHOUT_SCRIPT = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)
OF_FILES = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
)
"""Of pages whose style and drawings are files beside them, for hosts that allow nothing inline."""

HEAD = re.compile(r'\s*<!doctype html>\s*<html(?: lang="[A-Za-z-]+")?>\s*<head>', re.IGNORECASE)
BEGINNING = '<!doctype html>\n<html lang="en">\n<head>'
ENCODING = '<meta charset="utf-8">'
META = re.compile(rf'\n<meta http-equiv="Content-Security-Policy" content="([^"<>]*)">\n{ENCODING}')
TAG = re.compile(r"<(meta|link)(?![a-z0-9:-])", re.IGNORECASE)
PLAIN_TAG = re.compile(r'<(?:meta|link)((?:\s+[a-z.:-]+="[^"]*")*)\s*/?>', re.IGNORECASE)
ATTRIBUTE = re.compile(r'([a-z.:-]+)="([^"]*)"', re.IGNORECASE)
RELATIONS = ("stylesheet", "icon")


def policy_of_script(script: str, pictures: str = "data: blob:") -> str:
    """Return the policy of a page in which one script runs, and nothing is fetched.

    `pictures`: where pictures may come from.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        "default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; img-src {pictures}; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def with_policy(page: str, policy: str) -> str:
    """Put a policy, and the encoding, before all else that a page has.

    A page that does not begin as ours do gets such a beginning; a browser passes over its own.

    Raises RenderingError if the page leads elsewhere by itself, or connects to another host.

    Examples
    --------
    >>> print(with_policy("<script>x()</script>", "default-src 'none'"))
    <!doctype html>
    <html lang="en">
    <head>
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'">
    <meta charset="utf-8"><script>x()</script>
    """
    if fault := _fault(page):
        raise RenderingError(f"found {fault} in the page; allowed what leads and connects nowhere")
    found = HEAD.match(page)
    head, rest = (found[0], page[found.end() :]) if found else (BEGINNING, page)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return f"{head}\n{meta}\n{ENCODING}{rest}"


def policy_fault(page: str, allowed: frozenset[str]) -> str:
    """Return what is wrong with the policy of a page of a run; "" if nothing is.

    `allowed`: policies of pages that this version writes.
    """
    head = HEAD.match(page)
    policy = META.match(page, head.end()) if head else None
    if policy is None:
        return "no policy and encoding as the first elements of its head"
    if policy[1] not in allowed:
        return "another policy than pages of this version"
    return _fault(page[policy.end() :])


def _fault(page: str) -> str:
    """Return what leads a page elsewhere, which no policy forbids: a refresh, a link to a host."""
    for found in TAG.finditer(page):
        tag = PLAIN_TAG.match(page, found.start())
        if tag is None:
            return f"a <{found[1].lower()}> that is not written plainly"
        pairs = reversed(ATTRIBUTE.findall(tag[1]))  # of two of a name the first one counts
        attributes = {name.lower(): value for name, value in pairs}
        if "http-equiv" in attributes:
            return f"<meta http-equiv={attributes['http-equiv'][:40]!r}>"
        if found[1].lower() == "link" and attributes.get("rel") not in RELATIONS:
            return f"<link rel={attributes.get('rel', '')[:40]!r}>"
    return ""
