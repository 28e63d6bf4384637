"""Models against a reference model on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from tabcast.study.analysis._trials import finished_trials, present, require_columns
from tabcast.study.analysis.ranks import EXACT
from tabcast.study.analysis.significance import holm_adjust, signed_rank_p
from tabcast.study.analysis.summary import OVERALL, ROUNDING, estimate_mean, paired_differences

OF_A_MODEL = ("caps", "max_trees", "n_tuning_trials")  # two models need not share these


def compare_models(
    results: pd.DataFrame, reference: str, values: Sequence[str] = ("score",), *, lower_is_better: Sequence[str] = ()
) -> pd.DataFrame:
    """Count the datasets on which a model is as good as a reference, within a standard error of it, or below that.

    Parameters
    ----------
    results : DataFrame
        The results table, with columns "dataset" and "model".
    reference : str
        The model that all others are compared with.
    values : sequence of str, default=("score",)
        Columns to compare.
    lower_is_better : sequence of str, default=()
        Those of them that are losses.

    Returns
    -------
    DataFrame
        One row per value and model: value; model; reference; as_good, the number of datasets on which it is as good
        or better; within, those on which it is worse by no more than the standard error of the paired difference over
        seeds; below, all others; of, the number of datasets; mean_difference and se, over datasets; "p Wilcoxon" and
        "p Holm".

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.models import compare_models
    >>> results = pd.DataFrame({"dataset": list("aaaabbbb"), "model": ["net", "line"] * 4, "seed": [0, 0, 1, 1] * 2,
    ...                         "score": [0.7, 0.6, 0.8, 0.6, 0.5, 0.6, 0.6, 0.6]})
    >>> compare_models(results, "line")[["model", "as_good", "within", "below", "of"]]
      model  as_good  within  below  of
    0   net        1       1      0   2
    """
    require_columns(results, ["dataset", "model"], "compare_models")
    trials = results.drop(columns=present(results, ("method", *OF_A_MODEL))).rename(columns={"model": "method"})
    lines: list[dict[str, Any]] = []
    for value in values:
        there = pd.unique(finished_trials(trials, value, "compare_models")["method"]).tolist()
        for model in there if reference in there else ():
            if model == reference:
                continue
            found = paired_differences(trials, model, reference, value=value)
            found = found[found["dataset"] != OVERALL]
            means, errors = found["mean"].to_numpy(), found["standard_error"].fillna(0.0).to_numpy()
            gains = (-1 if value in lower_is_better else 1) * means.round(EXACT)
            as_good, not_below = gains >= 0, gains + errors >= -ROUNDING
            overall = estimate_mean(means, "datasets")
            lines.append(
                {
                    "value": value,
                    "model": model,
                    "reference": reference,
                    "as_good": int(as_good.sum()),
                    "within": int((not_below & ~as_good).sum()),
                    "below": int((~not_below).sum()),
                    "of": len(gains),
                    "mean_difference": overall.mean,
                    "se": overall.standard_error,
                    "p Wilcoxon": signed_rank_p(gains),
                }
            )
    frame = pd.DataFrame(lines)
    return frame.assign(**{"p Holm": holm_adjust(frame["p Wilcoxon"].to_numpy())}) if lines else frame
