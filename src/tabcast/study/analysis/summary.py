"""The results table as the analysis reads it: which rows count, their names, means with standard errors, differences.

The folds of a seed share rows and are not independent: they are averaged first, and the standard error is taken over
the seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from tabcast.checks import check_choice

Floats = NDArray[np.float64]

Labels = Mapping[str, Mapping[str, str]]  # column: value: label

WORDS: Labels = {
    "strategy": {"none": "", "threshold": "FPL", "curriculum": "CPL", "all": "Naive"},
    "noise_filter": {"none": "no filter", "mahalanobis": "Mahalanobis"},
    "tuning": {"paper": "paper's tuning", "sane": "sane tuning", "none": "untuned"},
}
STAND_INS: Mapping[str, str] = {"gusto": "6m-mortality"}  # our public set: the private one it stands in for


def display_name(column: str, value: Any, labels: Labels | None = None) -> str:
    """Give the text that tables and figures show for a value of the results table.

    Parameters
    ----------
    column : str
        Name of the column, because "none" means something else in each.
    value : object
        The value. One without a label is shown as it is.
    labels : mapping of str to mapping, default=None
        Labels of the values of each column, as `Catalog.labels` returns them.

    Returns
    -------
    str
        The label.

    Examples
    --------
    >>> from tabcast.study.analysis.summary import display_name
    >>> display_name("strategy", "threshold"), display_name("model", "my_model"), display_name("label_fraction", 0.1)
    ('FPL', 'my_model', '0.1')
    >>> display_name("method", "supervised", {"method": {"supervised": "w/o ST"}})
    'w/o ST'
    """
    if isinstance(value, float):
        return f"{value:g}"
    known = {**WORDS.get(column, {}), **(labels or {}).get(column, {})}
    return known.get(str(value), str(value))


def order_values(column: str, values: Iterable[Any]) -> list[Any]:
    """Sort numbers by size and words as in `WORDS`; keep all others, unique, as the configuration lists them.

    Examples
    --------
    >>> from tabcast.study.analysis.summary import order_values
    >>> order_values("strategy", ["curriculum", "none", "threshold", "none"])
    ['none', 'threshold', 'curriculum']
    >>> order_values("label_fraction", [0.3, 0.05])
    [0.05, 0.3]
    """
    distinct = list(pd.unique(pd.Series(list(values), dtype=object)))
    if all(isinstance(value, int | float) for value in distinct):
        return sorted(distinct)
    known = list(WORDS.get(column, {}))
    return sorted(distinct, key=lambda value: known.index(value) if value in known else len(known))


BUDGET = ("n_tuning_trials", "max_trees", "caps")  # of tuning; two models need not share these
WAY = ("method", "strategy", "noise_filter")
ROWS = ("label_fraction", "corruption", "preprocessing", "max_rows")
SETTING = ("dataset", "model", "tuning", *BUDGET, *WAY, *ROWS)
REPETITION = ("seed", "fold")


def present(results: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """Keep the columns that the table has."""
    return [column for column in columns if column in results.columns]


def finished_trials(results: pd.DataFrame, value: str) -> pd.DataFrame:
    """Select rows that are done and have a finite value; in a table without a status all rows are done."""
    rows = results[results["status"] == "done"] if "status" in results.columns else results
    if rows.empty:
        return rows.assign(**{value: pd.Series(dtype=float)})  # nothing is done: the column may not be there yet
    rows = rows[np.isfinite(pd.to_numeric(rows[value]).to_numpy(dtype=float))].astype({value: float})
    twice = rows[rows.duplicated(present(rows, (*SETTING, *REPETITION)))]
    if len(twice):
        raise ValueError(f"The results must hold each trial once; {describe(twice.iloc[0])} comes again.")
    return rows


def describe(row: pd.Series[Any]) -> str:
    """Name a trial, for instance adult/xgboost/cast-l/threshold/seed3-fold0."""
    parts = [str(row[name]) for name in ("dataset", "model", "method", "strategy") if row.get(name, "none") != "none"]
    marks = [f"{name}{row[name]}" for name in REPETITION if name in row and not pd.isna(row[name])]
    return "/".join([*parts, "-".join(marks)] if marks else parts)


DIGITS = 4  # to which the paper prints scores, and to which two means are a tie
ROUNDING = 1e-12  # what adding up in another order may change
STANDARD_ERROR = "the standard deviation of their means divided by the square root of their number"  # in notes
OVERALL = "overall"  # instead of a dataset's name, in the row of all datasets


class Estimate(NamedTuple):
    """A mean and its standard error.

    Parameters
    ----------
    mean, standard_error : float
        The mean of the units, and its standard error (NaN with one unit).
    n_units : int
        Number of values that the error is taken over.
    se_over : str
        What the values are: "seeds", "folds", "datasets" or "none".
    """

    mean: float
    standard_error: float
    n_units: int
    se_over: str

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Compute the confidence interval of the mean, from Student's t distribution."""
        if self.n_units < 2:
            return np.nan, np.nan
        half = float(stats.t.ppf((1 + level) / 2, self.n_units - 1)) * self.standard_error
        return self.mean - half, self.mean + half


def estimate_mean(units: Floats, se_over: str) -> Estimate:
    """Average independent values; the standard error is ``sd / sqrt(n)`` with ``n - 1`` in the variance."""
    n = len(units)
    if n < 2:
        return Estimate(float(units.mean()), np.nan, n, "none")
    return Estimate(float(units.mean()), float(units.std(ddof=1) / np.sqrt(n)), n, se_over)


def estimate_over_repetitions(trials: pd.DataFrame, value: str, settings: Sequence[str] = ()) -> Estimate:
    """Average over the folds of each seed, then over the seeds; with one seed the error is taken over its folds.

    Trials may also differ in `settings`, which have equal weight inside a seed (or a fold).
    """
    if settings:
        groups = trials.groupby([*present(trials, REPETITION), *settings], dropna=False)
        trials = groups[value].mean().reset_index()
    values = trials[value].to_numpy(dtype=float)
    for column, name in (("seed", "seeds"), ("fold", "folds")):
        if column in trials.columns:
            code, units = pd.factorize(trials[column])
            if len(units) > 1:
                return estimate_mean(np.bincount(code, values) / np.bincount(code), name)
    return estimate_mean(np.array([values.mean()]), "none")


def summarize(
    results: pd.DataFrame, by: Sequence[str] = ("dataset", "model", "method", "strategy"), value: str = "score"
) -> pd.DataFrame:
    """Average a measurement over seeds and folds, by group, with its standard error.

    Parameters
    ----------
    results : DataFrame
        The results table; only rows that are done and have a number count.
    by : sequence of str, default=("dataset", "model", "method", "strategy")
        Columns that define the groups. All others that describe a trial, but seed and fold, must be the same in a
        group: an accidental mean over two kinds of tuning is an error.
    value : str, default="score"
        Column to average.

    Returns
    -------
    DataFrame
        One row per group with finished trials: the columns of `by`; mean; standard_error; se_over, what the error
        was taken over ("seeds"; "folds" where there is one seed, too small because folds share rows; "none");
        n, number of trials; n_seeds.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.summary import summarize
    >>> results = pd.DataFrame({"method": "cast-l", "seed": [0, 0, 1, 1], "fold": [0, 1, 0, 1],
    ...                         "score": [0.70, 0.74, 0.76, 0.76]})
    >>> summarize(results, ["method"]).round(3)
       method  mean  standard_error se_over  n  n_seeds
    0  cast-l  0.74            0.02   seeds  4        2
    """
    trials = finished_trials(results, value)
    _refuse_mixture(trials, by)
    rows = []
    for key, group in _groups(trials, by):
        estimate = estimate_over_repetitions(group, value)
        n_seeds = group["seed"].nunique() if "seed" in group.columns else 1
        rows.append((*key, estimate.mean, estimate.standard_error, estimate.se_over, len(group), n_seeds))
    return pd.DataFrame(rows, columns=[*by, "mean", "standard_error", "se_over", "n", "n_seeds"])


def pair_trials(results: pd.DataFrame, method: str, reference: str, *, value: str = "score") -> pd.DataFrame:
    """Pair the trials of two methods that saw the same rows and model.

    Parameters
    ----------
    results : DataFrame
        The results table.
    method, reference : str
        Names of the two methods. Where only one of them has a strategy (the other being for example supervised), its
        trial is paired with that of every strategy and noise filter of the other.
    value : str, default="score"
        Column to compare.

    Returns
    -------
    DataFrame
        One row per pair: the setting, seed, fold, value_method, value_reference, difference (method minus
        reference).

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.summary import pair_trials
    >>> results = pd.DataFrame({"dataset": "cmc", "method": ["baseline", "cast-l"], "seed": 0, "score": [0.50, 0.53]})
    >>> len(pair_trials(results, "cast-l", "baseline"))
    1
    """
    trials = finished_trials(results, value)
    left, right = (_trials_of(trials, name, value) for name in (method, reference))
    if _has_strategy(left) and not _has_strategy(right):
        right = _forget_strategy(right)
    elif _has_strategy(right) and not _has_strategy(left):
        left = _forget_strategy(left)
    keys = [column for column in left.columns if column in right.columns and column != value]
    left, right = left.rename(columns={value: "value_method"}), right.rename(columns={value: "value_reference"})
    pairs = left.merge(right, on=keys)
    return pairs.assign(difference=pairs["value_method"] - pairs["value_reference"])


def paired_differences(
    results: pd.DataFrame, method: str, reference: str, by: Sequence[str] = (), *, value: str = "score"
) -> pd.DataFrame:
    """Compute how much better a method is than another on the same rows, by dataset and over the datasets.

    Parameters
    ----------
    results : DataFrame
        The results table, with a column "dataset".
    method, reference : str
        Names of the two methods; the difference is method minus reference.
    by : sequence of str, default=()
        Further columns that separate comparisons, for example ("model", "strategy"). What is neither here nor the
        dataset is averaged over; each difference is still one of two trials that share everything but the method.
    value : str, default="score"
        Column to compare.

    Returns
    -------
    DataFrame
        For each group of `by` one row per dataset and one more with dataset "overall": the columns of `by`; dataset;
        method; reference; mean; standard_error; low and high, ends of the 95% interval (Student's t); se_over, what
        the error was taken over; n_units, how many of these; n_pairs, number of pairs of trials.

    Notes
    -----
    Within a dataset, the mean is taken over the folds of each seed, then over seeds, as in :func:`summarize`. Overall,
    each dataset counts once, and the error is taken over the means of the datasets; with one dataset there is none.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.analysis.summary import paired_differences
    >>> results = pd.DataFrame({"dataset": "cmc", "method": ["baseline", "cast-l"] * 2, "seed": [0, 0, 1, 1],
    ...                         "score": [0.50, 0.53, 0.60, 0.61]})
    >>> differences = paired_differences(results, "cast-l", "baseline")
    >>> differences[["dataset", "mean", "standard_error", "se_over", "n_pairs"]].round(3)
       dataset  mean  standard_error se_over  n_pairs
    0      cmc  0.02            0.01   seeds        2
    1  overall  0.02             NaN    none        2
    """
    by = [column for column in by if column != "dataset"]
    pairs = pair_trials(results, method, reference, value=value)
    settings = _varying(pairs, [*by, "dataset"])
    rows = []
    for key, group in _groups(pairs, by):
        estimates = {
            name: (estimate_over_repetitions(part, "difference", settings), len(part))
            for (name,), part in _groups(group, ["dataset"])
        }
        means = np.array([estimate.mean for estimate, _ in estimates.values()])
        estimates[OVERALL] = estimate_mean(means, "datasets"), len(group)
        for name, (estimate, n_pairs) in estimates.items():
            spread = (estimate.mean, estimate.standard_error, *estimate.interval(), estimate.se_over, estimate.n_units)
            rows.append((*key, name, method, reference, *spread, n_pairs))
    names = ["mean", "standard_error", "low", "high", "se_over", "n_units", "n_pairs"]
    return pd.DataFrame(rows, columns=[*by, "dataset", "method", "reference", *names])


def _groups(rows: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Yield groups of rows in order of appearance; without columns, one group of all rows."""
    if by:
        yield from rows.groupby(list(by), sort=False, dropna=False)
    elif len(rows):
        yield (), rows


def _varying(rows: pd.DataFrame, but: Sequence[str]) -> list[str]:
    """List the columns that describe a trial and differ between rows, except some."""
    return [name for name in present(rows, SETTING) if name not in but and rows[name].nunique(dropna=False) > 1]


def _refuse_mixture(trials: pd.DataFrame, by: Sequence[str]) -> None:
    """Raise where anything but seed and fold differs inside a group."""
    for column in _varying(trials, by):
        for key, group in _groups(trials[[*by, column]].drop_duplicates(), by):
            if len(group) > 1:
                kinds = ", ".join(repr(None if pd.isna(kind) else kind) for kind in group[column])
                where = ", ".join(f"{name}={value}" for name, value in zip(by, key, strict=True)) or "the table"
                raise ValueError(
                    f"The results mix {kinds} of {column!r} in {where}. Choose one of them with `where`, or name the "
                    f"column in the rows, columns or `by` of the table to keep them apart."
                )


def _trials_of(trials: pd.DataFrame, method: str, value: str) -> pd.DataFrame:
    """Select setting, seed, fold and value of a method's trials."""
    chosen = trials[trials["method"] == method]
    if chosen.empty:
        check_choice(method, trials["method"].unique(), "method with finished trials")
    return chosen[[*(name for name in present(trials, (*SETTING, *REPETITION)) if name != "method"), value]]


def _has_strategy(trials: pd.DataFrame) -> bool:
    """Whether the method selects pseudo-labels by a strategy."""
    return "strategy" in trials.columns and bool((trials["strategy"] != "none").any())


def _forget_strategy(trials: pd.DataFrame) -> pd.DataFrame:
    """Drop the strategy of a method without one, so that it pairs with any; the noise filter too, if there is one."""
    free = ["strategy"]
    if "noise_filter" in trials.columns and trials["noise_filter"].nunique() == 1:
        free.append("noise_filter")
    return trials.drop(columns=free)
