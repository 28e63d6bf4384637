"""Datasets for studies: a catalog of the paper's, reading and downloading them, and preprocessing.

A dataset of your own is a :class:`DatasetInfo` with a function `load`.
"""

from tabcast.study.datasets._dataset import Dataset, DatasetInfo, Split, list_datasets
from tabcast.study.datasets._load import download_dataset, load_dataset

__all__ = ["Dataset", "DatasetInfo", "Split", "download_dataset", "list_datasets", "load_dataset"]
