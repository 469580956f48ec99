"""What tests ask of a page: its elements, ids, links and texts."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "img", "br", "input", "link", "path", "use", "mspace", "image", "hr", "wbr"}


class Page(HTMLParser):
    """A parsed page.

    Attributes
    ----------
    elements : list of (tag, attributes)
    text : str
        Without scripts and styles.
    unclosed : list of str
        Elements that a wrong element closed, or nothing.
    """

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.unclosed: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        self.unclosed += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()
        else:
            self.unclosed.append(f"/{tag} in {self._open[-3:]}")

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self._open):
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]

    @property
    def links(self) -> list[str]:
        return [a["href"] for _, a in self.elements if "href" in a]
