"""Datasets for studies: a catalog of the paper's, reading and downloading them, and preprocessing.

A dataset of your own is a :class:`DatasetInfo` with a function `load`.
"""

from tabcast.study.datasets._catalog import find_info, list_datasets
from tabcast.study.datasets._dataset import Dataset, DatasetInfo, Split
from tabcast.study.datasets._load import download_dataset, find_folder, load_dataset
from tabcast.study.datasets._preprocessing import PREPROCESSINGS, NativePreprocessing, PaperPreprocessing, Preprocessing

__all__ = [
    "PREPROCESSINGS",
    "Dataset",
    "DatasetInfo",
    "NativePreprocessing",
    "PaperPreprocessing",
    "Preprocessing",
    "Split",
    "download_dataset",
    "find_folder",
    "find_info",
    "list_datasets",
    "load_dataset",
]
