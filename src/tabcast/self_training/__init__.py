"""The loop: a classifier labels unlabeled rows and is fitted again.

An engine (`_engine.run_method`) drives rounds, fits every training set once and chooses; a method (hard or soft)
prepares itself on a split and proposes pseudo-labels; the public classifiers build a method and remember an outcome.
"""

from tabcast.self_training._cast_classifier import CASTClassifier
from tabcast.self_training._self_training_classifier import SelfTrainingClassifier
from tabcast.self_training._soft_self_training_classifier import SoftSelfTrainingClassifier

__all__ = ["CASTClassifier", "SelfTrainingClassifier", "SoftSelfTrainingClassifier"]
