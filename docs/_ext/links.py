"""Names of the API in pages and docstrings are links; pages have a description; tables can be stacked on a phone."""

import html
import re
import sys
from pathlib import Path

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx import addnodes
from sphinx.ext.autodoc.mock import mock
from sphinx.transforms import SphinxTransform

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from list_public import list_public

NARROW, WIDE = 3, 14  # columns: fewer fit on a phone, more do not fit on a laptop either
with mock(["torch"]):  # as autodoc_mock_imports of conf.py
    PATHS = {one.name: one.path for names in list_public().values() for one in names if one.kind != "data"}
PATHS |= {path: path for path in PATHS.values()}


class LinkNames(SphinxTransform):
    """Turn a literal such as ``CASTClassifier`` or ``Holdout(0.2)`` into a link to its page of the reference."""

    default_priority = 600

    def apply(self) -> None:
        """Wrap the literals of a page."""
        for literal in list(self.document.findall(nodes.literal)):
            name = re.sub(r"\(.*\)$", "", literal.astext())
            parents = [literal.parent, literal.parent.parent]
            if name not in PATHS or any(
                isinstance(one, nodes.reference | addnodes.pending_xref | nodes.title) for one in parents
            ):
                continue
            link = addnodes.pending_xref(
                "", refdomain="py", reftype="obj", reftarget=PATHS[name], refdoc=self.env.docname, refwarn=False
            )
            literal.replace_self(link)
            link += literal


def describe(app, pagename, templatename, context, doctree) -> None:
    """Add the description of a page, which search engines and messengers show: its first paragraph."""
    if doctree is None:
        return
    text = next((one.astext() for one in doctree.findall(nodes.paragraph)), "")
    text = html.escape(re.sub(r"\s+", " ", text)[:200], quote=True)
    title = html.escape(BeautifulSoup(context.get("title", ""), "html.parser").get_text(), quote=True)
    tags = {"og:title": title, "og:description": text, "og:type": "website", "og:site_name": "tabcast"}
    context["metatags"] = context.get("metatags", "") + "".join(
        [
            f'<meta name="description" content="{text}">\n',
            '<meta name="twitter:card" content="summary">\n',
            *(f'<meta property="{name}" content="{value}">\n' for name, value in tags.items()),
        ]
    )


def label_cells(app, pagename, templatename, context, doctree) -> None:
    """Write the heading of its column into every cell of a wide table; site.css stacks the cells where needed."""
    page = BeautifulSoup(context.get("body") or "", "html.parser")
    for table in page.find_all("table"):
        headings = [" ".join(one.get_text(" ").split()) for one in table.select("thead tr:last-child > th")]
        if len(headings) < NARROW:
            continue
        table["class"] = [*table.get("class", []), "stacked" if len(headings) < WIDE else "stacked flowing"]
        table["role"] = "table"  # as a block it would be none to a screen reader
        for row in table.select("tbody tr"):
            row["role"] = "row"
            for cell, heading in zip(row.find_all("td", recursive=False), headings, strict=False):
                cell["role"], cell["data-label"] = "cell", heading
    context["body"] = str(page)


def setup(app) -> dict:
    """Register all three."""
    app.add_transform(LinkNames)
    app.connect("html-page-context", describe)
    app.connect("html-page-context", label_cells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
