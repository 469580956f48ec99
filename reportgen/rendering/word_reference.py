"""The document whose styles and page Word's files of the Quarto project have.

Its text is as wide as figures are, and its tables are in small type, so that numbers stay whole.
"""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import NamedTuple

NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
EPOCH = (1980, 1, 1, 0, 0, 0)  # of all files in it, so that the same report gives the same bytes
PAGE = '<w:pgSz w:w="11906" w:h="16838"/>'  # A4, in twentieths of a point
MARGINS = (
    '<w:pgMar w:top="1418" w:right="1160" w:bottom="1418" w:left="1160" w:header="709" '
    'w:footer="709" w:gutter="0"/>'
)


class Style(NamedTuple):
    """A style of paragraphs."""

    name: str
    base: str  # the style that it is based on
    size: int = 0  # half points; 0: as the base
    before: int = 0  # twentieths of a point
    after: int = 0
    further: str = ""  # properties of its letters
    kept: str = ""  # properties of the paragraph


STYLES = (
    Style("Body Text", "Normal", before=90, after=90),
    Style("First Paragraph", "BodyText", before=90, after=90),
    Style("Compact", "Normal", 14, 20, 20, kept="<w:keepLines/>"),
    Style("Compact Kept", "Compact", before=20, after=20, kept="<w:keepNext/><w:keepLines/>"),
    Style("Title", "Normal", 36, 0, 120, "<w:b/>"),
    Style("Author", "Normal", 22, 0, 60),
    Style("Date", "Normal", 20, 0, 120),
    Style("Abstract", "Normal", 20, 60, 120),
    Style("Bibliography", "Normal", 20, 0, 60),
    Style("heading 1", "Normal", 30, 360, 120, "<w:b/>", "<w:keepNext/>"),
    Style("heading 2", "Normal", 25, 280, 100, "<w:b/>", "<w:keepNext/>"),
    Style("heading 3", "Normal", 22, 220, 80, "<w:b/>", "<w:keepNext/>"),
    Style("heading 4", "Normal", 22, 180, 60, "<w:i/>", "<w:keepNext/>"),
    Style("caption", "Normal", 18, 60, 120, kept="<w:keepLines/>"),
    Style("Table Caption", "Caption", 18, 120, 60, kept="<w:keepNext/><w:keepLines/>"),
    Style("Image Caption", "Caption", 18, 60, 160),
    Style("Figure", "Normal"),
    Style("Captioned Figure", "Figure", kept="<w:keepNext/>"),
)


def word_reference() -> bytes:
    """Return the document."""
    files = {
        "[Content_Types].xml": (
            f'{HEAD}<Types xmlns="{PACKAGE}/content-types">'
            '<Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{WORD}.document.main+xml"/>'
            f'<Override PartName="/word/styles.xml" ContentType="{WORD}.styles+xml"/></Types>'
        ),
        "_rels/.rels": _relation(f"{OFFICE}/officeDocument", "word/document.xml"),
        "word/_rels/document.xml.rels": _relation(f"{OFFICE}/styles", "styles.xml"),
        "word/document.xml": (
            f"{HEAD}<w:document {NAMESPACE}><w:body><w:p/><w:sectPr>{PAGE}{MARGINS}</w:sectPr>"
            "</w:body></w:document>"
        ),
        "word/styles.xml": _styles(),
    }
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _relation(kind: str, target: str) -> str:
    return (
        f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{kind}" Target="{target}"/></Relationships>'
    )


def _styles() -> str:
    faces = '<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:eastAsia="Calibri" w:cs="Calibri"/>'
    letters = f'<w:rPr>{faces}<w:sz w:val="22"/><w:lang w:val="en-GB"/></w:rPr>'
    normal = (
        f"<w:docDefaults><w:rPrDefault>{letters}</w:rPrDefault></w:docDefaults>"
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/>'
        "</w:style>"
    )
    margins = "".join(f'<w:{side} w:w="50" w:type="dxa"/>' for side in ("left", "right"))
    rule = 'w:val="single" w:sz="{}" w:space="0" w:color="auto"'.format
    head = "".join(f"<w:{side} {rule(size)}/>" for side, size in (("top", 8), ("bottom", 4)))
    ends = "".join(f"<w:{side} {rule(8)}/>" for side in ("top", "bottom"))
    table = (  # Quarto puts each figure and table into a table without a head, which has no rules
        '<w:style w:type="table" w:styleId="Table"><w:name w:val="Table"/>'
        f"<w:tblPr><w:tblCellMar>{margins}</w:tblCellMar></w:tblPr><w:trPr><w:cantSplit/></w:trPr>"
        f'<w:tblStylePr w:type="firstRow"><w:tcPr><w:tcBorders>{head}</w:tcBorders></w:tcPr>'
        "</w:tblStylePr></w:style>"
        '<w:style w:type="table" w:styleId="Ruled"><w:name w:val="Ruled"/>'  # by tables.lua
        f'<w:basedOn w:val="Table"/><w:tblPr><w:tblBorders>{ends}</w:tblBorders></w:tblPr>'
        "</w:style>"
    )
    return f"{HEAD}<w:styles {NAMESPACE}>{normal}{''.join(map(_style, STYLES))}{table}</w:styles>"


def _style(style: Style) -> str:
    name = style.name.title().replace(" ", "")
    size = f'<w:sz w:val="{style.size}"/>' if style.size else ""
    space = f'<w:spacing w:before="{style.before}" w:after="{style.after}"/>'
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{style.name}"/>'
        f'<w:basedOn w:val="{style.base}"/><w:pPr>{style.kept}{space}</w:pPr>'
        f"<w:rPr>{style.further}{size}</w:rPr></w:style>"
    )
