"""SVG piece by piece: elements that escape what is not markup, text, axes, marks.

Colors, line widths and fonts come from classes of report.css, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup, escape

from tabcast.report._scales import PHONE, TABLET, Scale, fit_text
from tabcast.report._text import clean


def number(value: float) -> str:
    """A coordinate with at most two decimals, finer than any screen.

    Examples
    --------
    >>> number(10.0), number(0.126), number(-0.001)
    ('10', '0.13', '0')
    """
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def element(tag: str, /, *inside: Any, **attributes: Any) -> Markup:
    """An SVG element; whatever is inside it or in its attributes and is not markup already is escaped.

    Examples
    --------
    >>> print(element("line", x1=0, x2=10.004, stroke_width=2, class_="grid"))
    <line x1="0" x2="10" stroke-width="2" class="grid"/>
    >>> print(element("text", "a < b", x=2.0))
    <text x="2">a &lt; b</text>
    """
    words = [f"<{tag}"]
    for key, value in attributes.items():
        if value is not None:
            shown = number(value) if isinstance(value, float) else escape(clean(value))
            words.append(f' {key.rstrip("_").replace("_", "-")}="{shown}"')
    content = "".join(one if isinstance(one, Markup) else escape(clean(one)) for one in inside)
    return Markup("".join([*words, f">{content}</{tag}>" if content else "/>"]))


def text(
    x: float, y: float, words: Any, *,
    css: str = "label", anchor: str | None = None, width: float | None = None, full: Any = None,
) -> Markup:  # fmt: skip
    """A line of text; what is wider than `width` is shortened, with the whole text (or `full`) in its title."""
    shown = clean(words) if width is None else fit_text(words, width)
    whole = clean(words if full is None else full)
    title = [element("title", whole)] if whole != shown else []
    return element("text", *title, shown, x=float(x), y=float(y), class_=css, text_anchor=anchor)


def titled(words: Any, *drawn: Markup) -> Markup:
    """Drawing that shows some words when the pointer rests on it, with or without JavaScript."""
    return element("g", element("title", words), *drawn)


def picture(width: float, height: float, label: str, parts: Iterable[Markup]) -> Markup:
    """A whole drawing; `label` is its text for screen readers, its class the width it is made for."""
    css = "narrow" if width <= PHONE else "middle" if width <= TABLET else "wide"
    box = f"0 0 {number(width)} {number(height)}"
    size = {"width": float(width), "height": float(height)}
    return element("svg", *parts, class_=css, viewBox=box, **size, role="img", aria_label=label)


def axis_bottom(
    scale: Scale, y: float, ticks: Sequence[float], texts: Sequence[str], *, label: str = "", top: float | None = None
) -> Markup:
    """Ticks along the bottom; grid lines up to `top`; `label` under their middle."""
    parts = []
    for tick, words in zip(ticks, texts, strict=True):
        x = scale(tick)
        if top is not None:
            parts.append(line(x, top, x, y, "grid"))
        parts.append(text(x, y + 17, words, css="tick", anchor="middle"))
    left, right = sorted((scale.start, scale.end))
    parts.append(line(left, y, right, y, "axis"))
    if label:
        parts.append(text((left + right) / 2, y + 37, label, css="axis-label", anchor="middle"))
    return Markup("").join(parts)


def axis_left(
    scale: Scale, x: float, right: float, ticks: Sequence[float], texts: Sequence[str], *, label: str = ""
) -> Markup:
    """Ticks at the left with grid lines to `right`; `label` stands above the axis, not turned."""
    parts = []
    for tick, words in zip(ticks, texts, strict=True):
        y = scale(tick)
        parts.append(line(x, y, right, y, "grid"))
        parts.append(text(x - 9, y + 4, words, css="tick", anchor="end"))
    if label:
        parts.append(text(0, min(scale.start, scale.end) - 14, label, css="axis-label"))
    return Markup("").join(parts)


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> Markup:
    """A straight line."""
    return element("line", x1=float(x1), x2=float(x2), y1=float(y1), y2=float(y2), class_=css)


def dot(x: float, y: float, radius: float, css: str, **attributes: Any) -> Markup:
    """A circle."""
    return element("circle", cx=float(x), cy=float(y), r=float(radius), class_=css, **attributes)


def path(points: Sequence[tuple[float, float]], css: str, *, closed: bool = False) -> Markup:
    """A line through points, or the area that it encloses."""
    steps = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return element("path", d=f"M{steps}{'Z' if closed else ''}", class_=css)
