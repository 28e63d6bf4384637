"""The paper's protocol: splits of a table, hidden labels, corrupted cells, preprocessing, metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from tabcast.study.datasets import Dataset, Split
from tabcast.study.datasets._dataset import in_natural_order
from tabcast.study.records import Setting
from tabcast.table import Floats
from tabcast.table._columns import find_categorical, learn_columns
from tabcast.table._tables import read_table, warn_empty_columns

Codes = NDArray[np.intp]

TEST_SHARE = 0.2
N_FOLDS = 3


@dataclass(frozen=True, eq=False)
class Fold:
    """The rows of one trial. Classes are 0, 1, ...; a table whose columns are all numeric is an array.

    Parameters
    ----------
    X_labeled, y_labeled : object
        Training rows with their label.
    X_pool, y_pool : object
        Training rows whose label is hidden from the method; it serves to evaluate pseudo-labels.
    X_validation, y_validation : object
        Labeled rows that choose the best round, stopping and alpha.
    X_test, y_test : object
        Test rows.
    n_classes : int
        Number of classes.
    categorical : ndarray of bool
        Mask of the categorical columns.
    metric : str
        Name of the dataset's metric.
    """

    X_labeled: Any
    y_labeled: Codes
    X_pool: Any
    y_pool: Codes
    X_validation: Any
    y_validation: Codes
    X_test: Any
    y_test: Codes
    n_classes: int
    categorical: NDArray[np.bool_]
    metric: str


def make_folds(dataset: Dataset, setting: Setting) -> Iterator[Fold]:
    """Yield the folds of a setting.

    A stratified fifth of the rows is for testing, the rest is split into three folds. Two of them are training rows, of
    which a stratified proportion keeps its label (at least one row per class); the third is the validation fold. A
    dataset with its own split is split by that, three times.
    """
    if dataset.info.split is not None:
        yield from _own_folds(dataset, dataset.info.split, setting)
        return
    rows = choose_rows(dataset.y, setting.max_rows, setting.seed)
    X, y = dataset.X.iloc[rows].reset_index(drop=True), dataset.y[rows]
    rest, test = train_test_split(np.arange(len(y)), test_size=TEST_SHARE, stratify=y, random_state=setting.seed)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=setting.seed).split(rest, y[rest])
    for number, (train, validation) in enumerate(folds):
        random = np.random.default_rng([setting.seed, number])
        train = rest[train]
        # Labels first: with and without corruption the same rows keep theirs.
        labeled = choose_labeled(y[train], setting.label_fraction, random)
        split = Split(train[labeled], train[~labeled], test, rest[validation])
        yield _make_fold(replace(dataset, X=X, y=y), split, train, labeled, setting, random)


def _own_folds(
    dataset: Dataset, own_split: Callable[[Codes, np.random.Generator], Split], setting: Setting
) -> Iterator[Fold]:
    """Yield the folds of a dataset with its own split."""
    name = dataset.info.name
    for refused in ("label_fraction", "max_rows"):
        if getattr(setting, refused) != getattr(Setting, refused):
            raise ValueError(f"Dataset {name!r} splits itself: `{refused}` has no effect on it; leave it out.")
    for number in range(N_FOLDS):
        random = np.random.default_rng([setting.seed, number])
        split = own_split(dataset.y, random)
        rows = np.concatenate([split.labeled, split.pool, split.validation, split.test])
        if len(np.unique(rows)) < len(rows):
            raise ValueError(f"`split` of dataset {name!r} must give each row one role; some have several.")
        train = np.concatenate([split.labeled, split.pool])
        yield _make_fold(dataset, split, train, np.arange(len(train)) < len(split.labeled), setting, random)


def _make_fold(
    dataset: Dataset,
    split: Split,
    train: Codes,
    labeled: NDArray[np.bool_],
    setting: Setting,
    random: np.random.Generator,
) -> Fold:
    """Preprocess and corrupt the rows of a split; `train` holds its labeled and unlabeled rows in one order."""
    X, y = dataset.X, dataset.y
    preprocessing = PREPROCESSINGS[setting.preprocessing]()
    preprocessing.fit(X.iloc[train])
    X_train = corrupt(preprocessing.transform(X.iloc[train]), setting.corruption, random)
    return Fold(
        as_array(X_train[labeled]),
        y[split.labeled],
        as_array(X_train[~labeled]),
        y[split.pool],
        as_array(preprocessing.transform(X.iloc[split.validation])),
        y[split.validation],
        as_array(preprocessing.transform(X.iloc[split.test])),
        y[split.test],
        len(dataset.classes),
        np.asarray(preprocessing.categorical_, dtype=bool),
        dataset.info.metric,
    )


def choose_rows(y: Codes, max_rows: int | None, seed: int) -> Codes:
    """Choose all rows, or a stratified sample of `max_rows`."""
    everything = np.arange(len(y))
    if max_rows is None or max_rows > len(y) - len(np.unique(y)):  # too few would be left to stratify
        return everything
    return np.sort(train_test_split(everything, train_size=max_rows, stratify=y, random_state=seed)[0])


def choose_labeled(y: Codes, proportion: float, random: np.random.Generator) -> NDArray[np.bool_]:
    """Choose the rows that keep their label: a proportion of each class, rounded, at least one row."""
    labeled = np.zeros(len(y), dtype=bool)
    for one in np.unique(y):
        members = np.flatnonzero(y == one)
        labeled[random.permutation(members)[: max(1, round(proportion * len(members)))]] = True
    return labeled


def corrupt(X: pd.DataFrame, proportion: float, random: np.random.Generator) -> pd.DataFrame:
    """Replace a proportion of each row's cells by the value of a random row in the same column."""
    X = X.reset_index(drop=True)
    n_rows, n_columns = X.shape
    n_cells = round(proportion * n_columns)
    if n_cells == 0:
        return X
    hit = random.random((n_rows, n_columns)).argsort(axis=1) < n_cells
    donors = random.integers(n_rows, size=(n_rows, n_columns))
    columns = {}
    for position, name in enumerate(X.columns):
        source = np.where(hit[:, position], donors[:, position], np.arange(n_rows))
        columns[name] = X[name].take(source).reset_index(drop=True)
    return pd.DataFrame(columns)


def as_array(X: pd.DataFrame) -> Any:
    """Convert a table whose columns are all numeric to an array, which classifiers read faster."""
    if all(isinstance(kind, np.dtype) and kind.kind == "f" for kind in X.dtypes):
        return X.to_numpy(dtype=np.float64)
    return X.reset_index(drop=True)


def f1(y: Codes, predicted: Codes, n_classes: int) -> float:
    """Compute F1 of class 1 for two classes, else the mean over classes."""
    average = "binary" if n_classes == 2 else "macro"
    return float(f1_score(y, predicted, average=average, zero_division=0))


METRICS: dict[str, Callable[[Codes, Codes, int], float]] = {
    "accuracy": lambda y, predicted, n_classes: float(accuracy_score(y, predicted)),
    "balanced_accuracy": lambda y, predicted, n_classes: float(balanced_accuracy_score(y, predicted)),
    "f1": f1,
}


class MetricScorer:
    """A dataset's metric as a scorer: of a model, a table and the classes."""

    def __init__(self, metric: str, n_classes: int) -> None:
        self.metric, self.n_classes = metric, n_classes

    def __call__(self, model: Any, X: Any, y: Codes) -> float:
        """Score the model's predictions."""
        return METRICS[self.metric](y, np.asarray(model.predict(X), dtype=np.intp), self.n_classes)


def measure(y: Codes, proba: Floats, metric: str) -> dict[str, float]:
    """Compute all metrics of predicted probabilities; `score` is the dataset's own."""
    predicted = proba.argmax(axis=1)
    values = {name: function(y, predicted, proba.shape[1]) for name, function in METRICS.items()}
    proba = proba / proba.sum(axis=1, keepdims=True)
    scores = proba[:, 1] if proba.shape[1] == 2 else proba
    return {
        "score": values[metric],
        **values,
        "macro_f1": float(f1_score(y, predicted, average="macro", zero_division=0)),
        "auc": float(roc_auc_score(y, scores, multi_class="ovr", labels=np.arange(proba.shape[1]))),
        "log_loss": float(log_loss(y, proba, labels=np.arange(proba.shape[1]))),
    }


class NativePreprocessing:
    """Do nothing: categories and missing values go to the model as they are.

    Choose it for models that handle both, such as gradient boosting.

    Attributes
    ----------
    categorical_ : ndarray of shape (n_columns,)
        Which columns hold levels.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.protocol import NativePreprocessing
    >>> table = pd.DataFrame({"age": [30.0, None], "city": pd.Categorical(["Ulm", "Bonn"])})
    >>> preprocessing = NativePreprocessing().fit(table)
    >>> preprocessing.transform(table).equals(table), preprocessing.categorical_
    (True, array([False,  True]))
    """

    def fit(self, X: pd.DataFrame) -> Self:
        """Learn which columns hold levels."""
        read_table(X)
        self.categorical_ = find_categorical(X)
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the same table."""
        return X


class PaperPreprocessing:
    """Encode levels as numbers and impute missing values, as in the paper.

    Labels are encoded as codes, then scikit-learn's IterativeImputer fills missing values.

    Choose it to compare with the paper, or for models that take complete numbers only.

    Attributes
    ----------
    categorical_ : ndarray of shape (n_columns,)
        Which columns hold codes of levels.
    levels_ : dict of object to list of object
        For each categorical column, by name, its levels in the order of their codes.
    fill_ : ndarray of shape (n_columns,)
        What a missing value becomes in a column that had none in training: the mean, or the code of the most frequent
        level.
    imputed_ : ndarray of shape (n_columns,)
        Which columns had missing values in training and are imputed from the others.
    imputer_ : object
        The fitted IterativeImputer; None if nothing was missing in training.

    Notes
    -----
    Codes follow the sorted levels of the training rows ("2" before "10" where all levels are numbers). A level that was
    absent in training counts as missing. Imputed values of a categorical column are rounded to the nearest code that
    exists. A column without any value in training becomes 0 where it is missing. As in scikit-learn, columns
    are not scaled and the imputer stops when changes are small beside the largest number in the table; beside a column
    of large numbers that is after one round.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.protocol import PaperPreprocessing
    >>> train = pd.DataFrame({"age": [20.0, 30.0, 40.0], "city": pd.Categorical(["Ulm", "Bonn", "Ulm"])})
    >>> preprocessing = PaperPreprocessing().fit(train)
    >>> preprocessing.transform(pd.DataFrame({"age": [None, 50.0], "city": ["Bonn", "Kiel"]}))
        age  city
    0  30.0   0.0
    1  50.0   1.0
    """

    def fit(self, X: pd.DataFrame) -> Self:
        """Learn levels, means and the imputer from training rows."""
        read_table(X)
        warn_empty_columns(X)
        self._columns = learn_columns(X)
        self.feature_names_in_ = np.array(X.columns, dtype=object)
        self.categorical_ = np.isin(np.arange(X.shape[1]), self._columns.categorical_index)
        self.levels_ = {column.name: in_natural_order(column.levels.tolist()) for column in self._columns.categorical}
        numbers = self._encode(X)
        missing = np.isnan(numbers)
        self.imputed_ = missing.any(axis=0) & ~missing.all(axis=0)
        self.fill_ = np.array([_usual_value(*column) for column in zip(numbers.T, self.categorical_, strict=True)])
        self.imputer_: Any = self._fit_imputer(self._fill_complete(numbers)) if self.imputed_.any() else None
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the table as float64 without missing values."""
        numbers = self._fill_complete(self._encode(X))
        if self.imputer_ is not None and np.isnan(numbers).any():
            numbers = self._impute(numbers)
        return pd.DataFrame(numbers, index=X.index, columns=list(self.feature_names_in_))

    def _encode(self, X: pd.DataFrame) -> Floats:
        """Encode levels as codes; missing and unseen levels become NaN."""
        encoded = self._columns.encode(X)
        numbers = np.empty((len(X), len(self.categorical_)))
        numbers[:, self._columns.continuous_index] = encoded.continuous
        categorical = zip(self._columns.categorical_index, self._columns.categorical, encoded.codes.T, strict=True)
        for position, column, codes in categorical:
            # Position of each learned level in our order; the codes of missing and unseen (negative) take the last one.
            order = pd.Index(self.levels_[column.name]).get_indexer(column.levels).astype(float)
            numbers[:, position] = np.append(order, np.nan)[np.maximum(codes, -1)]
        return numbers

    def _fill_complete(self, numbers: Floats) -> Floats:
        """Fill missing values of columns that are not imputed."""
        return np.where(np.isnan(numbers) & ~self.imputed_, self.fill_, numbers)

    def _fit_imputer(self, numbers: Floats) -> Any:
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        # Columns that are complete here are complete in transform too: no model of them is needed.
        return IterativeImputer(random_state=0, skip_complete=True).fit(numbers)

    def _impute(self, numbers: Floats) -> Floats:
        """Impute, and round codes to valid ones."""
        imputed = self.imputer_.transform(numbers)
        for position in np.flatnonzero(self.categorical_ & self.imputed_):
            last_code = len(self.levels_[self.feature_names_in_[position]]) - 1
            imputed[:, position] = np.clip(np.rint(imputed[:, position]), 0, last_code)
        return imputed


def _usual_value(column: Floats, is_categorical: bool) -> float:
    """The mean, or the most frequent code (the smallest of several); 0 where there is no value."""
    present = column[~np.isnan(column)]
    if len(present) == 0:
        return 0.0
    return float(np.bincount(present.astype(int)).argmax()) if is_categorical else float(present.mean())


# Learned from training rows and applied to all; `transform` keeps rows and columns in order.
PREPROCESSINGS: dict[str, type[PaperPreprocessing | NativePreprocessing]] = {
    "paper": PaperPreprocessing,
    "native": NativePreprocessing,
}
