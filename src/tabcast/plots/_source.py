"""What a plot is drawn from: a run, a guarded classifier, or diagnostics, all as the plain data of a summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tabcast.diagnostics import Diagnostics, curves, quality, reliability
from tabcast.guard import GuardedClassifier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, PALE, ACCENT, OTHER = "#222222", "#999999", "#1f5fbf", "#d9731f"
COLORS = ("#0d7d80", "#d9731f", "#6f46b8", "#3598d1", "#a3215e", "#989341")


def find_diagnostic(source: Any, name: str, owner: str) -> Mapping[str, Any]:
    """One diagnostic of a run, of diagnostics, or of a guarded classifier where its held-out rows suffice."""
    if isinstance(source, Diagnostics):
        found = source.to_dict()[name]
    elif isinstance(source, GuardedClassifier):
        found = _measure(source, name, owner)
    else:
        found = (_find_summary(source, owner).get("diagnostics") or {}).get(name)
    if found is None:
        raise ValueError(
            f"There is nothing for {owner} to draw: {name!r} was not measured for {type(source).__name__}."
        )
    return dict(found)


def find_verdict(source: Any, owner: str) -> Mapping[str, Any]:
    """The verdict of a run or of a guarded classifier."""
    fitted = getattr(source, "verdict_", None)
    found = fitted.to_dict() if fitted is not None else _find_summary(source, owner)["verdict"]
    if found is None:
        raise ValueError(f"There is nothing for {owner} to draw: the run compared nothing.")
    return dict(found)


def make_figure(owner: str, size: tuple[float, float]) -> Figure:
    """A new figure, or an error that says how to install matplotlib."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(f"{owner} needs matplotlib. Install it with: pip install 'tabcast[plots]'.") from error
    return plt.figure(figsize=size, layout="constrained")


def tidy(ax: Any) -> None:
    """Remove the frame above and to the right, and draw a pale grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#eeeeee")
    ax.set_axisbelow(True)


def _find_summary(source: Any, owner: str) -> Mapping[str, Any]:
    summary = getattr(source, "summary", None)
    if not isinstance(summary, Mapping):
        raise TypeError(f"{owner} draws a Run, a fitted GuardedClassifier or Diagnostics; got {type(source).__name__}.")
    return summary


def _measure(guarded: GuardedClassifier, name: str, owner: str) -> Mapping[str, Any] | None:
    held_out = getattr(guarded, "out_of_fold_", None)
    if held_out is None:
        raise ValueError(f"The classifier that {owner} draws must be fitted.")
    if name == "quality":
        if guarded.chosen_ == "supervised":
            before = held_out.kept_labels
        else:
            before = guarded.self_trained_.supervised_decision_.decide(held_out.supervised)
        return quality(held_out.codes, held_out.kept_labels, before, guarded.classes_).to_dict()
    if name == "curves":
        found = curves(held_out.codes, held_out.kept, guarded.classes_)
        return None if found is None else found.to_dict()
    if name == "reliability":
        return reliability(held_out.codes, held_out.supervised, held_out.self_trained, held_out.kept).to_dict()
    raise ValueError(
        f"{owner} needs the table as well: pass the Run, or the Diagnostics that "
        "tabcast.diagnostics.diagnose(model, X, y) gives."
    )
