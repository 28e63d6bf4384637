"""From a dataset's columns to the input of a model: learned from the training rows, applied to all.

`PaperPreprocessing` does what the paper did, so that every model gets complete numbers; `NativePreprocessing` does
nothing, for models that handle categories and missing values themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tabcast.study.datasets._dataset import in_natural_order
from tabcast.table._columns import Columns, find_categorical, learn_columns
from tabcast.table._tables import read_table, warn_empty_columns


class Preprocessing(ABC):
    """Base class of a preprocessing: `fit` sees only training rows, `transform` keeps rows and columns in order.

    Attributes
    ----------
    categorical_ : ndarray of shape (n_columns,)
        Which columns hold levels (or their codes) after `transform`.

    See Also
    --------
    PaperPreprocessing : As in the paper.
    """

    categorical_: NDArray[np.bool_]

    @abstractmethod
    def fit(self, X: pd.DataFrame) -> Self:
        """Learn from training rows.

        Parameters
        ----------
        X : DataFrame
            Training rows.

        Returns
        -------
        Preprocessing
            The fitted preprocessing.
        """

    @abstractmethod
    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Transform rows into the input of a model.

        Parameters
        ----------
        X : DataFrame
            Rows with the columns of the training rows.

        Returns
        -------
        DataFrame
            The transformed rows.
        """


class NativePreprocessing(Preprocessing):
    """Do nothing: categories and missing values go to the model as they are.

    Choose it for models that handle both, such as gradient boosting.

    Attributes
    ----------
    categorical_ : ndarray of shape (n_columns,)
        Which columns hold levels.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.study.datasets._preprocessing import NativePreprocessing
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


class PaperPreprocessing(Preprocessing):
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
    >>> from tabcast.study.datasets._preprocessing import PaperPreprocessing
    >>> train = pd.DataFrame({"age": [20.0, 30.0, 40.0], "city": pd.Categorical(["Ulm", "Bonn", "Ulm"])})
    >>> preprocessing = PaperPreprocessing().fit(train)
    >>> preprocessing.transform(pd.DataFrame({"age": [None, 50.0], "city": ["Bonn", "Kiel"]}))
        age  city
    0  30.0   0.0
    1  50.0   1.0
    """

    feature_names_in_: NDArray[np.object_]
    levels_: dict[Any, list[Any]]
    fill_: NDArray[np.float64]
    imputed_: NDArray[np.bool_]
    imputer_: Any

    def fit(self, X: pd.DataFrame) -> Self:
        """Learn levels, means and the imputer from training rows."""
        read_table(X)
        warn_empty_columns(X)
        self._columns: Columns = learn_columns(X)
        self.feature_names_in_ = np.array(X.columns, dtype=object)
        self.categorical_ = np.isin(np.arange(X.shape[1]), self._columns.categorical_index)
        self.levels_ = {column.name: in_natural_order(column.levels.tolist()) for column in self._columns.categorical}
        numbers = self._encode(X)
        missing = np.isnan(numbers)
        empty = missing.all(axis=0)
        self.imputed_ = np.any(missing, axis=0) & ~empty
        self.fill_ = np.array([_usual_value(*column) for column in zip(numbers.T, self.categorical_, strict=True)])
        self.imputer_ = self._fit_imputer(self._fill_complete(numbers)) if self.imputed_.any() else None
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the table as float64 without missing values."""
        numbers = self._fill_complete(self._encode(X))
        if self.imputer_ is not None and np.isnan(numbers).any():
            numbers = self._impute(numbers)
        return pd.DataFrame(numbers, index=X.index, columns=list(self.feature_names_in_))

    def _encode(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Encode levels as codes; missing and unseen levels become NaN."""
        encoded = self._columns.encode(X)
        numbers = np.empty((len(X), len(self.categorical_)))
        numbers[:, self._columns.continuous_index] = encoded.continuous
        for j, (position, column) in enumerate(
            zip(self._columns.categorical_index, self._columns.categorical, strict=True)
        ):
            # Position of each learned level in our order; the codes of missing and unseen (negative) take the last one.
            order = pd.Index(self.levels_[column.name]).get_indexer(column.levels).astype(float)
            numbers[:, position] = np.append(order, np.nan)[np.maximum(encoded.codes[:, j], -1)]
        return numbers

    def _fill_complete(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Fill missing values of columns that are not imputed."""
        return np.where(np.isnan(numbers) & ~self.imputed_, self.fill_, numbers)

    def _fit_imputer(self, numbers: NDArray[np.float64]) -> Any:
        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        # Columns that are complete here are complete in transform too: no model of them is needed.
        imputer = IterativeImputer(random_state=0, skip_complete=True)
        return imputer.fit(numbers)

    def _impute(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Impute, and round codes to valid ones."""
        imputed = self.imputer_.transform(numbers)
        for position in np.flatnonzero(self.categorical_ & self.imputed_):
            last_code = len(self.levels_[self.feature_names_in_[position]]) - 1
            imputed[:, position] = np.clip(np.rint(imputed[:, position]), 0, last_code)
        return imputed


PREPROCESSINGS: dict[str, type[Preprocessing]] = {"paper": PaperPreprocessing, "native": NativePreprocessing}


def _usual_value(column: NDArray[np.float64], is_categorical: bool) -> float:
    """The mean, or the most frequent code (the smallest of several); 0 where there is no value."""
    present = column[~np.isnan(column)]
    if len(present) == 0:
        return 0.0
    return float(np.bincount(present.astype(int)).argmax()) if is_categorical else float(present.mean())
