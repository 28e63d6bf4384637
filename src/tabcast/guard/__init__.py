"""Whether the unlabeled rows helped: both models on the same held-out rows, the better one kept, and a verdict."""

from tabcast.guard._guarded_classifier import GuardedClassifier
from tabcast.guard._verdict import Verdict

__all__ = ["GuardedClassifier", "Verdict"]
