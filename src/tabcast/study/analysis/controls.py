"""Is a gain due to density? The gain beside three controls that do not use it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd

from tabcast.study.analysis._trials import finished_trials, require_columns
from tabcast.study.analysis.summary import OVERALL, paired_differences

GAINS = ("cast-l", "cast-d")
REFERENCES = ("baseline", "supervised")
METRICS = {"score": True, "auc": True, "log_loss": False}  # column: is higher better?
COLUMNS = ("mean", "standard_error", "low", "high", "se_over", "n_units", "n_pairs")


def controls_of(gain: str) -> dict[str, str]:
    """Map each role in a comparison to its method, the gain itself first."""
    return {
        "gain": gain,
        "same budget": "same-budget",
        "permuted gamma": f"{gain}-permuted",
        "operating point": "operating-point",
    }


def control_report(results: pd.DataFrame, by: Sequence[str] = ("strategy",)) -> pd.DataFrame:
    """Compute the gains of CAST and of its controls, over the baseline and over no self-training.

    A gain is due to density only if the controls do not have it as well. *Same budget* gives the baseline as many tries
    as the search for alpha has. *Permuted gamma* runs CAST with densities assigned to the wrong rows. *Operating point*
    only moves the decision threshold of the supervised model; with two classes that leaves AUC unchanged, so a gain in
    F1 that it shares and that AUC lacks comes from a better threshold and not from a better model.

    Parameters
    ----------
    results : DataFrame
        The results table, with the columns score (the dataset's metric), auc and log_loss.
    by : sequence of str, default=("strategy",)
        Columns that separate comparisons. Comparisons of two methods without a strategy (the operating point with
        supervised) have strategy "none".

    Returns
    -------
    DataFrame
        One row per group of `by`, gain, metric, reference, role and dataset, the last row of these being "overall":
        these columns; method; higher_is_better; and of the paired differences (method minus reference) mean,
        standard_error, low, high (95% interval), se_over, n_units, n_pairs, as in :func:`paired_differences`. A
        control that has no pair of finished trials has one row with dataset "overall", no numbers and n_pairs 0.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis import control_report
    >>> methods = ["supervised", "baseline", "cast-l", "same-budget", "cast-l-permuted"]
    >>> results = pd.DataFrame({"dataset": "cmc", "method": methods, "strategy": ["none"] + ["threshold"] * 4,
    ...                         "seed": 0, "score": [0.50, 0.52, 0.60, 0.58, 0.53], "auc": 0.7, "log_loss": 0.6})
    >>> report = control_report(results)
    >>> shown = report.query("metric == 'score' and reference == 'baseline' and dataset == 'overall'")
    >>> shown[["gain", "role", "mean", "n_pairs"]].round(2).reset_index(drop=True)
         gain             role  mean  n_pairs
    0  cast-l             gain  0.08        1
    1  cast-l      same budget  0.06        1
    2  cast-l   permuted gamma  0.01        1
    3  cast-l  operating point   NaN        0
    """
    require_columns(results, ["dataset", "method", *METRICS, *by], "control_report")
    done = finished_trials(results.assign(_one=1.0), "_one", "control_report")
    gains = [gain for gain in GAINS if (done["method"] == gain).any()]
    if not gains:
        raise ValueError(
            f"`results` of control_report must hold finished trials of {' or '.join(map(repr, GAINS))}; it has none."
        )
    trials = {metric: finished_trials(results, metric, "control_report") for metric in METRICS}
    rows = [
        row
        for gain in gains
        for metric in METRICS
        for reference in REFERENCES
        for role, method in controls_of(gain).items()
        for row in _compare(trials[metric], by, gain, metric, reference, role, method)
    ]
    first = ["gain", "metric", "higher_is_better", "reference", "role", "method"]
    return pd.DataFrame(rows, columns=[*first, *by, "dataset", *COLUMNS])


def _compare(
    trials: pd.DataFrame, by: Sequence[str], gain: str, metric: str, reference: str, role: str, method: str
) -> list[dict[Hashable, Any]]:
    """Compare one method with one reference in one metric."""
    names: dict[Hashable, Any] = {
        "gain": gain,
        "metric": metric,
        "higher_is_better": METRICS[metric],
        "reference": reference,
        "role": role,
    }
    nothing: dict[Hashable, Any] = {**names, "method": method, "dataset": OVERALL, "n_pairs": 0}
    trials = trials[trials["method"].isin([method, reference])]
    if trials["method"].nunique() < 2:
        return [nothing]
    rows = paired_differences(trials, method, reference, by, value=metric).to_dict("records")
    return [{**row, **names} for row in rows] or [nothing]
