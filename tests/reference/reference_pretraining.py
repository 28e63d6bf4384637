"""Pretraining in every fit: what one pretraining per run must be equal to."""

from sklearn.base import BaseEstimator, ClassifierMixin


class PretrainsInEveryFit(ClassifierMixin, BaseEstimator):
    """Pretrains a network on given rows whenever it is fitted."""

    def __init__(self, net, rows):
        self.net, self.rows = net, rows

    def fit(self, X, y, sample_weight=None):
        self.net_ = self.net.pretrain(self.rows).fit(X, y, sample_weight)
        self.classes_ = self.net_.classes_
        return self

    def predict_proba(self, X):
        return self.net_.predict_proba(X)

    def predict(self, X):
        return self.net_.predict(X)
