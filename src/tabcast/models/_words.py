"""The choice of a kind of model, in words."""

from __future__ import annotations

from typing import Any

from tabcast.models._portfolio import FEWEST_FOR_BOOSTING

TITLES = {
    "logistic_regression": "logistic regression",
    "extra_trees": "extra trees",
    "hist_gradient_boosting": "HistGradientBoosting",
    "xgboost": "XGBoost",
    "lightgbm": "LightGBM",
    "catboost": "CatBoost",
}


def say_choice(choice: dict[str, Any]) -> str:
    """Say which kind of model was chosen, and why.

    Parameters
    ----------
    choice : dict
        What :meth:`Choice.to_dict` returns.

    Returns
    -------
    str
        One to three sentences.

    Examples
    --------
    >>> import numpy as np
    >>> from tabcast.models import Portfolio, say_choice
    >>> print(say_choice(Portfolio().fit(np.eye(2), [0, 1]).choice_.to_dict()))
    Model: logistic regression, the simplest kind, because no labeled row can be held out to compare kinds.
    """
    name, scores = TITLES[choice["name"]], choice["scores"]
    compared = [one for one in scores if one["n_repeats"]]
    if not compared:
        reason = (
            "because no labeled row can be held out to compare kinds" if len(scores) > 1 else "the only one allowed"
        )
        return f"Model: {name}, {'the simplest kind, ' if len(scores) > 1 else ''}{reason}."
    losses = {TITLES[one["model"]]: one["log_loss"] for one in compared}
    listed = ", ".join(f"{kind} {loss:.3f}" for kind, loss in losses.items())
    best = min(losses, key=lambda kind: losses[kind])
    said = (
        f"Model: {name}, chosen among {len(losses)} kinds by cross-validated log-loss on the labeled rows ({listed})."
    )
    if best != name:
        said += f" It is simpler than {best}, and within one standard error of it."
    if choice["left_out"]:
        said += f" Gradient boosting is compared from {FEWEST_FOR_BOOSTING} labeled rows on."
    return said
