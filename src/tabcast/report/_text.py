"""Text of a user's table, made fit to be shown: one line, no control characters, not too long."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

# Characters that no page may contain (controls, lone surrogates) are shown as the replacement character.
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


def shorten(value: Any, limit: int) -> str:
    """Text of at most `limit` characters; longer text gets an ellipsis in the middle, as names often differ at the end.

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


def invisible(value: Any) -> list[str]:
    r"""Invisible characters of a text, as code points: they make two names look the same.

    Examples
    --------
    >>> invisible("yes\u200b"), invisible("yes")
    (['U+200B'], [])
    """
    hidden = sorted({one for one in str(value) if unicodedata.category(one) in ("Cf", "Cc")} - {"\t", "\n", "\r"})
    return [f"U+{ord(one):04X}" for one in hidden]
