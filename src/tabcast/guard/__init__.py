"""Whether the unlabeled rows helped: both models on the same held-out rows, the better one kept, and a verdict."""

from tabcast.guard._comparison import OutOfFold
from tabcast.guard._guarded_classifier import GuardedClassifier
from tabcast.guard._pool_curve import PoolCurve, PoolPoint
from tabcast.guard._verdict import Gain, Verdict
from tabcast.guard._words import say_verdict

__all__ = ["Gain", "GuardedClassifier", "OutOfFold", "PoolCurve", "PoolPoint", "Verdict", "say_verdict"]
