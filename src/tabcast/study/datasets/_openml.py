"""A dataset from OpenML, through scikit-learn."""

from __future__ import annotations

import pandas as pd

from tabcast.study.datasets._dataset import DatasetInfo


def fetch_table(info: DatasetInfo) -> pd.DataFrame:
    """Download the table of a dataset, target included, levels as category columns."""
    from sklearn.datasets import fetch_openml

    try:
        answer = fetch_openml(
            data_id=info.openml_id,
            target_column=info.target,
            as_frame=True,
            parser="liac-arff",  # the default parser of scikit-learn 1.9.1 fails on many of these with pandas 3
            cache=False,  # the caller keeps the table, in its own format
        )
    except KeyError as error:
        raise ValueError(f"OpenML {info.openml_id} is not what {info.name!r} should be: {error.args[0]}.") from error
    return answer.frame
