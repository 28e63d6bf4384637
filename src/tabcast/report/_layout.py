"""Pieces of the page: a picture with its words, its drawings for several widths, legends, small bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tabcast.report._forms import N_COLORS, color
from tabcast.report._html import escape, name
from tabcast.report._phrases import is_number, percent
from tabcast.report._words import Words

Data = Mapping[str, Any]
Draw = Callable[[float], str]

# Widths of a drawing, and the class of each: the style sheet shows the one that fits.
BESIDE = {"wide": 700, "narrow": 340}
FULL = {"wide": 820, "middle": 580, "narrow": 340}


def drawings(draw: Draw, widths: Mapping[str, int] = BESIDE) -> str:
    """The drawings of a picture for wide and narrow pages; the style sheet shows one."""
    drawn = (draw(float(width)).replace("<svg ", f'<svg class="{css}" ', 1) for css, width in widths.items())
    return f'<div class="drawing{" three" if len(widths) == 3 else ""}">{"".join(drawn)}</div>'


def figure(said: Words, *drawn: str, css: str = "") -> str:
    """A picture with its words."""
    says = f'<p class="says">{escape(said.says)}</p>' if said.says else ""
    return (
        f'<figure class="item {css}"><figcaption><h3>{escape(said.title)}</h3>{says}'
        f'<p class="read">{escape(said.read)}</p></figcaption><div class="drawings">{"".join(drawn)}</div></figure>'
    )


def legend(names: Sequence[Any], css: Sequence[str]) -> str:
    """Names with their colors."""
    items = "".join(
        f'<li><i class="swatch {one}"></i>{name(text, 32)}</li>' for text, one in zip(names, css, strict=True)
    )
    return f'<ul class="legend">{items}</ul>'


def class_legend(classes: Sequence[Any]) -> str:
    """Names of the classes in their colors; what has no color of its own is counted."""
    own = N_COLORS - 1
    if len(classes) <= N_COLORS:
        return legend(classes, [color(i) for i in range(len(classes))])
    return legend([*classes[:own], f"{len(classes) - own} others"], [color(i) for i in range(own + 1)])


def meter(share: float | None) -> str:
    """A small bar."""
    known = min(1.0, max(0.0, share)) if is_number(share) and share is not None else 0.0
    return (
        f'<svg class="small" viewBox="0 0 60 8" width="60" height="8" role="img" aria-label="{percent(known)}">'
        '<rect class="ground" width="60" height="8" rx="2"/>'
        f'<rect class="bar accent" width="{60 * known:.1f}" height="8" rx="2"/></svg>'
    )
