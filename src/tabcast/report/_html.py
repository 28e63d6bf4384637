"""Text of the user's table as HTML that can only be text."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Any

# What no page may hold (controls, halves of surrogate pairs) is shown as the replacement character.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(value: Any) -> str:
    r"""A value as one line of text that can be written to a file and shown.

    Examples
    --------
    >>> clean("two\nlines"), clean("broken \udc80"), clean(None), clean(1.0)
    ('two lines', 'broken \ufffd', '', '1')
    """
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return UNPRINTABLE.sub("\ufffd", re.sub(r"\s*[\r\n\t\u2028\u2029]\s*", " ", str(value)))


def escape(value: Any) -> str:
    """A value as text for HTML and SVG, inside elements and inside quoted attributes.

    Examples
    --------
    >>> escape('"><img onerror=alert(1)>')
    '&quot;&gt;&lt;img onerror=alert(1)&gt;'
    """
    return html.escape(clean(value), quote=True)


def shorten(value: Any, limit: int) -> str:
    """Text of at most `limit` characters; three dots stand in the middle of what is longer: ends tell names apart.

    Examples
    --------
    >>> shorten("a_rather_long_column_name", 13)
    'a_rathe…_name'
    """
    text = clean(value)
    if len(text) <= limit:
        return text
    head = (limit + 1) // 2
    tail = limit - 1 - head
    return text[:head] + "…" + (text[-tail:] if tail else "")


def name(value: Any, limit: int = 48, tag: str = "bdi") -> str:
    """A name of the user's, kept from turning its neighbors around; the whole of it in the title if it is shortened.

    Examples
    --------
    >>> name("age")
    '<bdi>age</bdi>'
    >>> name("a<b, twice a<b", 7)
    '<bdi title="a&lt;b, twice a&lt;b">a&lt;b,…&lt;b</bdi>'
    """
    text = clean(value)
    if text == "":
        return f'<{tag} class="nothing">(empty)</{tag}>'
    short = shorten(text, limit)
    title = f' title="{escape(shorten(text, 1000))}"' if short != text else ""
    return f"<{tag}{title}>{escape(short)}</{tag}>"


def invisible(value: Any) -> list[str]:
    r"""Characters of a text that nobody sees, as code points: they make two names look the same.

    Examples
    --------
    >>> invisible("yes\u200b"), invisible("yes")
    (['U+200B'], [])
    """
    hidden = sorted({one for one in str(value) if unicodedata.category(one) in ("Cf", "Cc")} - {"\t", "\n", "\r"})
    return [f"U+{ord(one):04X}" for one in hidden]
