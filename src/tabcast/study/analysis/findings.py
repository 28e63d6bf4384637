"""Is a gain due to density? Which alpha wins? Which models keep up? Each from the results table, as a DataFrame."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from tabcast.study.analysis.ranks import EXACT, holm_adjust, signed_rank_p
from tabcast.study.analysis.summary import OVERALL, ROUNDING, estimate_mean, paired_differences
from tabcast.study.analysis.trials import finished_trials, present, require_columns

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
    >>> from tabcast.study.analysis.findings import control_report
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


GRID_DIGITS = 4  # alphas equal to this many digits are the same value of the grid
LOW, HIGH = 0.05, 0.95  # quantiles at the ends of the 90% interval
INTERPOLATION: Literal["inverted_cdf"] = "inverted_cdf"  # a quantile is a value of the grid


@dataclass(frozen=True)
class AlphaWinners:
    """The result of :func:`alpha_winners`.

    Parameters
    ----------
    shares : DataFrame
        One row per value: alpha, n (trials that chose it), share (their proportion).
    low, high : float
        The 5% and 95% quantiles of the chosen alphas, the ends of the interval that holds 90% of them.
    n : int
        Number of trials.

    See Also
    --------
    alpha_winners : Computes it.
    """

    shares: pd.DataFrame
    low: float
    high: float
    n: int


def alpha_winners(
    results: pd.DataFrame,
    *,
    methods: Sequence[str] = ("cast-d", "cast-l"),
    grid: Sequence[float] | None = None,
) -> AlphaWinners:
    """Compute the distribution over trials of the alpha that the search chose.

    Parameters
    ----------
    results : DataFrame
        The results table.
    methods : sequence of str, default=("cast-d", "cast-l")
        Methods whose trials count.
    grid : sequence of float, default=None
        Values that could be chosen, so that values that never were are listed with share 0. By default only chosen
        values are listed.

    Returns
    -------
    AlphaWinners
        The proportions and the interval.

    Notes
    -----
    Each finished trial counts once. The interval describes the winners; it is not a confidence interval of a mean.
    Where no round beats the supervised model all alphas tie, and the winner only shows how ties are broken. Leave out
    these trials by passing ``results[results["best_round"] > 0]``.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.findings import alpha_winners
    >>> results = pd.DataFrame({"method": "cast-l", "seed": range(5), "alpha": [0.2, 0.2, 0.3, 0.4, 0.2]})
    >>> winners = alpha_winners(results)
    >>> winners.shares
       alpha  n  share
    0    0.2  3    0.6
    1    0.3  1    0.2
    2    0.4  1    0.2
    >>> round(winners.low, 2), round(winners.high, 2)
    (0.2, 0.4)
    """
    require_columns(results, ["method", "alpha"], "alpha_winners")
    trials = finished_trials(results, "alpha", "alpha_winners")
    alphas = trials.loc[trials["method"].isin(list(methods)), "alpha"]
    if alphas.empty:
        raise ValueError(
            f"`results` of alpha_winners must hold finished trials of {', '.join(map(repr, methods))} with an alpha; "
            f"it has none among {len(results)} rows."
        )
    counts = alphas.round(GRID_DIGITS).value_counts().sort_index()
    if grid is not None:
        counts = _count_on_grid(counts, grid)
    shares = pd.DataFrame(
        {"alpha": counts.index.to_numpy(), "n": counts.to_numpy(), "share": counts.to_numpy() / len(alphas)}
    )
    low, high = np.quantile(alphas.to_numpy(), [LOW, HIGH], method=INTERPOLATION)
    return AlphaWinners(shares, float(low), float(high), len(alphas))


def _count_on_grid(counts: pd.Series[int], grid: Sequence[float]) -> pd.Series[int]:
    """Count the trials of every value of the grid, 0 included."""
    values = np.unique(np.round(np.asarray(grid, dtype=float), GRID_DIGITS))
    strange = counts.index.difference(pd.Index(values))
    if len(strange):
        raise ValueError(f"`grid` of alpha_winners must hold every alpha that was chosen; {strange[0]:g} is not in it.")
    return counts.reindex(values, fill_value=0)


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
    >>> from tabcast.study.analysis.findings import compare_models
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
