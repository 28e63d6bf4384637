"""The practitioner's whole job as a library call: a table in, a model, predictions and a verdict out.

`fit_table` makes a `Run`, `Run.save` writes it to a folder, `load_run` reads it again. The model file in it is read
without running anything that is in it.
"""

from tabcast.runs._fit_partitions import fit_partitions
from tabcast.runs._fit_table import fit_table
from tabcast.runs._folder import RunFolderError, check_folder, spare_folders
from tabcast.runs._model_file import MODEL_NAME, ModelFileError, SavedModel, load_model, save_model
from tabcast.runs._options import TEACHER_TITLES, TITLES
from tabcast.runs._predict_file import Predicted, predict_file
from tabcast.runs._predict_partitions import predict_partitions
from tabcast.runs._predictions import name_columns
from tabcast.runs._report import RunReport, redraw_report
from tabcast.runs._run import Run, load_run

__all__ = [
    "MODEL_NAME",
    "TEACHER_TITLES",
    "TITLES",
    "ModelFileError",
    "Predicted",
    "Run",
    "RunFolderError",
    "RunReport",
    "SavedModel",
    "check_folder",
    "fit_partitions",
    "fit_table",
    "load_model",
    "load_run",
    "name_columns",
    "predict_file",
    "predict_partitions",
    "redraw_report",
    "save_model",
    "spare_folders",
]
