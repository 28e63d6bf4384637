"""What every figure shares: where its data come from, its style, names fit to be drawn, and the SVG of it."""

from __future__ import annotations

import base64
import io
import re
import warnings
from collections.abc import Callable, Mapping
from functools import partial, wraps
from html import escape
from typing import TYPE_CHECKING, Any, ParamSpec

from tabcast.diagnostics import Diagnostics, curves, quality, reliability, thresholds
from tabcast.diagnostics._diagnose import supervised_labels
from tabcast.guard import GuardedClassifier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, SOFT, PALE, ACCENT, SECOND = "#1d2024", "#4a5058", "#868d97", "#1f5fbf", "#d9731f"
COLORS = ("#0d7d80", "#d9731f", "#6f46b8", "#3598d1", "#a3215e", "#989341")
STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": PALE,
    "axes.grid": True,
    "axes.labelcolor": SOFT,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": SOFT,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.color": "#ebebe6",
    "legend.fontsize": "small",
    "legend.frameon": False,
    "legend.labelcolor": SOFT,
    "text.parse_math": False,  # a column may be called $x$
    "text.usetex": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
}
# The same data give the same file, whatever fonts are installed.
SVG: Any = {"svg.fonttype": "none", "svg.hashsalt": "tabcast"}
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
# Characters that no page may contain (controls, lone surrogates) are shown as the replacement character.
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
LONGEST_NAME = 28

P = ParamSpec("P")


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """A plot function that draws in the style of tabcast and changes no settings of matplotlib."""

    @wraps(draw)
    def draw_styled(*args: P.args, **kwargs: P.kwargs) -> Figure:
        import matplotlib as mpl

        with mpl.rc_context(STYLE):
            return draw(*args, **kwargs)

    return draw_styled


def new_figure(width: float, height: float) -> Figure:
    """A figure that belongs to nobody else, in inches; a notebook shows it as SVG."""
    from matplotlib.figure import Figure

    figure = Figure((width, height), layout="constrained")
    setattr(figure, "_repr_html_", partial(to_image, figure, ""))  # noqa: B010 (mypy takes it for a method)
    return figure


def to_svg(figure: Figure, title: str) -> str:
    """The figure as SVG, the same for the same figure, on a transparent ground."""
    import matplotlib as mpl

    written = io.StringIO()
    with mpl.rc_context(SVG), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph")  # the browser has fonts for other scripts
        warnings.filterwarnings("ignore", message=".*layout not applied")  # very long names
        figure.savefig(written, format="svg", transparent=True, metadata={**NO_METADATA, "Title": title})
    text = written.getvalue()
    return text[text.index("<svg") :]


def to_image(figure: Figure, title: str) -> str:
    """An image element with the figure in it: text of the user's inside it can neither run nor load anything."""
    data = base64.b64encode(to_svg(figure, title).encode()).decode()
    width = round(float(figure.get_figwidth()) * 96)
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(title)}" width="{width}">'


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


def shorten(value: Any, limit: int = LONGEST_NAME) -> str:
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


def find_diagnostic(source: Any, name: str, owner: str) -> Mapping[str, Any]:
    """One diagnostic of a run, of diagnostics, or of a guarded classifier where its held-out rows suffice."""
    if isinstance(source, Diagnostics):
        found = source.to_dict()[name]
    elif isinstance(source, GuardedClassifier):
        found = _measure(source, name, owner)
    else:
        found = (find_summary(source, owner).get("diagnostics") or {}).get(name)
    if found is None:
        raise ValueError(
            f"There is nothing for {owner} to draw: {name!r} was not measured for {type(source).__name__}."
        )
    return dict(found)


def find_summary(source: Any, owner: str) -> Mapping[str, Any]:
    """The summary of a run, or the summary itself."""
    summary = source if isinstance(source, Mapping) else getattr(source, "summary", None)
    if not isinstance(summary, Mapping):
        raise TypeError(f"{owner} draws a Run, a fitted GuardedClassifier or Diagnostics; got {type(source).__name__}.")
    return summary


def _measure(guarded: GuardedClassifier, name: str, owner: str) -> Mapping[str, Any] | None:
    """A diagnostic that needs held-out predictions only."""
    held_out = getattr(guarded, "out_of_fold_", None)
    if held_out is None:
        raise ValueError(f"The classifier that {owner} draws must be fitted.")
    codes, kept, classes = held_out.codes, held_out.kept, guarded.classes_
    if name == "quality":
        return quality(codes, held_out.kept_labels, supervised_labels(guarded), classes).to_dict()
    if name == "reliability":
        return reliability(codes, held_out.supervised, held_out.self_trained, kept).to_dict()
    if name in ("curves", "thresholds"):
        found = (
            curves(codes, kept, classes) if name == "curves" else thresholds(codes, kept, classes, guarded.decision_)
        )
        return None if found is None else found.to_dict()
    raise ValueError(
        f"{owner} needs the table as well: pass the Run, or the Diagnostics that "
        "tabcast.diagnostics.diagnose(model, X, y) gives."
    )
