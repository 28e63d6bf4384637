"""A fitted model in one file: written whole or not at all, read without running anything that is in it."""

from tabcast.runs._model_file import MODEL_NAME, ModelFileError, SavedModel, load_model, save_model
from tabcast.runs._predict import Predicted, name_columns, predict_file

__all__ = [
    "MODEL_NAME",
    "ModelFileError",
    "Predicted",
    "SavedModel",
    "load_model",
    "name_columns",
    "predict_file",
    "save_model",
]
