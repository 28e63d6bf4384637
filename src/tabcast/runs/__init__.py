"""The practitioner's whole job as a library call: a table in, a model, predictions and a verdict out.

`fit_table` makes a `Run`, `Run.save` writes it to a folder, `load_run` reads it again. The model file in it is read
without running anything that is in it.
"""

from tabcast.runs._fit_table import fit_table
from tabcast.runs._folder import RunFolderError
from tabcast.runs._model_file import ModelFileError, SavedModel, load_model
from tabcast.runs._predict import DaskError, Predicted, predict_file
from tabcast.runs._run import Run, RunReport, load_run

__all__ = [
    "DaskError",
    "ModelFileError",
    "Predicted",
    "Run",
    "RunFolderError",
    "RunReport",
    "SavedModel",
    "fit_table",
    "load_model",
    "load_run",
    "predict_file",
]
