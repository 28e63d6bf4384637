"""The loop: a classifier labels unlabeled rows and is fitted again. The walk's last stage."""

from tabcast.self_training._cast_classifier import CASTClassifier
from tabcast.self_training._self_training_classifier import SelfTrainingClassifier
from tabcast.self_training._soft_self_training_classifier import SoftSelfTrainingClassifier

__all__ = ["CASTClassifier", "SelfTrainingClassifier", "SoftSelfTrainingClassifier"]
