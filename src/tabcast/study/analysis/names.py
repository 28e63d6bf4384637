"""What names in the results table are called in front of readers, and the order in which they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

NAMES: Mapping[str, Mapping[str, str]] = {
    "method": {
        "supervised": "w/o ST",
        "operating-point": "Operating point",
        "baseline": "Baseline",
        "same-budget": "Best of 8 seeds",
        "ts": "TS",
        "hb": "HB",
        "sp": "SP",
        "gp": "GP",
        "cast-d-plain": "CAST-D w/o alpha & fs",
        "cast-d-no-alpha": "CAST-D w/o alpha",
        "cast-d-no-selection": "CAST-D w/o fs",
        "cast-d-permuted": "CAST-D, shuffled density",
        "cast-d-log": "CAST-D, log scaling",
        "cast-d": "CAST-D",
        "cast-l-plain": "CAST-L w/o alpha & fs",
        "cast-l-no-alpha": "CAST-L w/o alpha",
        "cast-l-no-selection": "CAST-L w/o fs",
        "cast-l-permuted": "CAST-L, shuffled density",
        "cast-l-smoothed": "CAST-L, smoothed",
        "cast-l": "CAST-L",
        "cast-default": "CASTClassifier()",
        "sklearn-self-training": "scikit-learn's",
        "soft-self": "Soft, self-taught",
        "soft-unaligned": "Soft, not aligned",
        "soft": "Soft, committee",
    },
    "model": {
        "xgboost": "XGB",
        "sane_xgboost": "XGB, small trees",
        "ft_transformer": "FT",
        "mlp": "MLP",
        "hist_gradient_boosting": "HGB",
        "random_forest": "RF",
        "logistic_regression": "LR",
        "vime": "VIME",
        "subtab": "SubTab",
        "scarf": "SCARF",
        "switchtab": "SwitchTab",
    },
    "strategy": {"none": "", "fpl": "FPL", "cpl": "CPL", "naive": "Naive"},
    "noise_filter": {"none": "no filter", "mahalanobis": "Mahalanobis"},
    "tuning": {"paper": "paper's tuning", "sane": "sane tuning", "none": "untuned"},
    "dataset": {
        "6m-mortality": "6M mortality",
        "gusto": "gusto (stand-in)",
        "diabetes": "diabetes",
        "ozone-level-8hr": "ozone",
        "cmc": "cmc",
        "kr-vs-kp": "kr-vs-kp",
        "credit-g": "credit-g",
        "bank-marketing": "bank",
        "splice": "splice",
        "vehicle": "vehicle",
        "pc4": "pc4",
        "pc3": "pc3",
        "jm1": "jm1",
        "bioresponse": "bioresponse",
        "kc2": "kc2",
        "adult": "adult",
        "blood-transfusion-service-center": "blood",
        "qsar-biodeg": "qsar-biodeg",
        "wall-robot-navigation": "robot",
        "churn": "churn",
        "car": "car",
        "steel-plates-fault": "steel",
    },
}

STAND_INS: Mapping[str, str] = {"gusto": "6m-mortality"}  # our public set: the private one it stands in for


def display_name(column: str, value: Any) -> str:
    """What a value of a column of the results table is called in tables and figures.

    Parameters
    ----------
    column : name of the column, because "none" means something else in each.
    value : the value; one that has no other name is shown as it is.

    Examples
    --------
    >>> from tabcast.study.analysis.names import display_name
    >>> display_name("method", "supervised"), display_name("dataset", "gusto"), display_name("model", "my_model")
    ('w/o ST', 'gusto (stand-in)', 'my_model')
    >>> display_name("label_fraction", 0.1)
    '0.1'
    """
    if isinstance(value, float):
        return f"{value:g}"
    return NAMES.get(column, {}).get(str(value), str(value))


def order_values(column: str, values: Iterable[Any]) -> list[Any]:
    """The distinct values of a column in the order of display.

    Numbers in order of size; names in the order of `NAMES` (the paper's), unknown ones after them as they came.

    Examples
    --------
    >>> from tabcast.study.analysis.names import order_values
    >>> order_values("method", ["cast-l", "mine", "baseline", "mine"])
    ['baseline', 'cast-l', 'mine']
    >>> order_values("label_fraction", [0.3, 0.05])
    [0.05, 0.3]
    """
    distinct = list(pd.unique(pd.Series(list(values), dtype=object)))
    if all(isinstance(value, int | float) for value in distinct):
        return sorted(distinct)
    known = list(NAMES.get(column, {}))
    return sorted(distinct, key=lambda value: known.index(value) if value in known else len(known))
