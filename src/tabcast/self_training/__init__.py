"""The loop: a classifier labels unlabeled rows and is fitted again.

An engine (`run_method`) drives rounds, fits every training set once and chooses; a method (hard, CAST or soft) prepares
itself on a split and proposes pseudo-labels; the public classifiers build a method and remember an outcome.
"""

from tabcast.self_training._base import SemiSupervisedClassifier
from tabcast.self_training._candidates import TERMINATION_REASONS
from tabcast.self_training._cast import CastMethod, PreparedCast
from tabcast.self_training._cast_classifier import CASTClassifier
from tabcast.self_training._data import Split, TrainingData
from tabcast.self_training._deployed import AveragedClassifier, SoftenedClassifier, sharpen
from tabcast.self_training._engine import Outcome, run_method
from tabcast.self_training._fitter import Fitted, Fitter, evaluate, predict_classes
from tabcast.self_training._hard import HardMethod, PreparedHard
from tabcast.self_training._method import Method, Parts, PreparedMethod
from tabcast.self_training._output_power import calibrate_power
from tabcast.self_training._pool_sample import PoolSample, draw_pool, take_pool
from tabcast.self_training._pseudo_labels import PseudoLabels
from tabcast.self_training._reading import read_training_data
from tabcast.self_training._scoring import StoredPredictions, find_scorer
from tabcast.self_training._self_trainer import SelfTrainer
from tabcast.self_training._self_training_classifier import SelfTrainingClassifier
from tabcast.self_training._soft import PreparedSoft, SoftMethod
from tabcast.self_training._soft_self_training_classifier import DEPLOYMENTS, SoftSelfTrainingClassifier

__all__ = [
    "DEPLOYMENTS",
    "TERMINATION_REASONS",
    "AveragedClassifier",
    "CASTClassifier",
    "CastMethod",
    "Fitted",
    "Fitter",
    "HardMethod",
    "Method",
    "Outcome",
    "Parts",
    "PoolSample",
    "PreparedCast",
    "PreparedHard",
    "PreparedMethod",
    "PreparedSoft",
    "PseudoLabels",
    "SelfTrainer",
    "SelfTrainingClassifier",
    "SemiSupervisedClassifier",
    "SoftMethod",
    "SoftSelfTrainingClassifier",
    "SoftenedClassifier",
    "Split",
    "StoredPredictions",
    "TrainingData",
    "calibrate_power",
    "draw_pool",
    "evaluate",
    "find_scorer",
    "predict_classes",
    "read_training_data",
    "run_method",
    "sharpen",
    "take_pool",
]
