"""Formulas as MathML, which browsers show by themselves: no script, no image, no network."""

from docutils import nodes
from latex2mathml.converter import convert


def visit_inline(writer, node: nodes.math) -> None:
    """Write a formula within a sentence."""
    writer.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def visit_block(writer, node: nodes.math_block) -> None:
    """Write a formula of its own; those that are wider than a phone scroll."""
    writer.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app) -> dict:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
