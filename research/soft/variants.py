"""Variants of soft self-training that were tried; docs/research.md has the findings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tabcast import SoftSelfTrainingClassifier
from tabcast.confidence import ClusterAware
from tabcast.density import EmpiricalLikelihood
from tabcast.self_training._soft import PreparedSoft, SoftMethod
from tabcast.study.methods import Method
from tabcast.study.methods.others import fit_without_validation
from tabcast.table._columns import find_categorical
from tabcast.table._tables import take_rows
from tabcast.teachers import Committee, SelfTeacher

PART = 0.5  # of the neighbors' mean in a smoothed soft label
DROPPED = 0.2  # of the unlabeled rows: those that the members disagree about most


def certainty(soft, prepared):
    """One minus the entropy, as a share of the largest there could be."""
    entropy = -(soft * np.log(np.clip(soft, 1e-12, None))).sum(axis=1)
    return 1 - entropy / np.log(soft.shape[1])


def half(soft, prepared):
    """An unlabeled row counts half a labeled one."""
    return np.full(len(soft), 0.5)


def typicality(soft, prepared):
    """CAST's gamma: how dense the labeled rows of the likely class are around the row, from 0 to 1."""
    data, train = prepared.data, prepared.split.train
    confidence = ClusterAware(EmpiricalLikelihood(), alpha=1.0, scaling="log")
    confidence.prepare(
        take_rows(data.X, train),
        data.labels.codes[train],
        data.X_pool,
        n_classes=data.n_classes,
        categorical_features=find_categorical(data.X, data.categorical_features),
    )
    return (soft * confidence.gamma).sum(axis=1)


def agreement(soft, prepared):
    """1 for rows that the members of the committee agree about, 0 for the others."""
    members = [proba for proba in prepared.teacher._pool if proba is not None]
    spread = np.std(members, axis=0).max(axis=1)
    return (spread <= np.quantile(spread, 1 - DROPPED)).astype(float)


class WeighedSoft(PreparedSoft):
    """Soft labels whose rows weigh more or less."""

    def propose(self, alpha, fitter):
        """As the base, with the weights of the method."""
        proposals = super().propose(alpha, fitter)
        pseudo = next(proposals)
        while True:
            fitted = yield pseudo
            pseudo = proposals.send(fitted)
            weight = WEIGHTS[self.method.weight](pseudo.soft, self)
            pseudo = replace(pseudo, weight=weight, chosen=weight > 0)


@dataclass(frozen=True)
class WeighedMethod(SoftMethod):
    """Soft self-training with one of `WEIGHTS`."""

    weight: str = "half"

    def prepare(self, data, split, y_held_out):
        """As the base, weighed."""
        return WeighedSoft(self, data, split)


class WeighedClassifier(SoftSelfTrainingClassifier):
    """Unlabeled rows weigh more or less; `weight` is set before fitting."""

    weight: str

    def _build_method(self):
        return WeighedMethod(**vars(super()._build_method()), weight=self.weight)


class LeafSmoothing:
    """Soft labels become more like those of rows in the same leaves of a forest; labeled rows have their class."""

    def fit(self, lesson):
        """As the base, with a forest of its own."""
        super().fit(lesson)
        forest = Committee(["trees"], n_folds=2).fit(lesson).members_[0]
        tables = [forest[0].transform(table) for table in (lesson.X, lesson.X_pool)]
        self._leaves = forest[1].apply(np.vstack(tables))
        self._known = np.eye(lesson.n_classes)[lesson.y]
        return self

    def teach(self, own_proba):
        """As the base, mixed with the mean of rows in the same leaves."""
        said = super().teach(own_proba)
        everyone = np.vstack([self._known, said])
        smoothed = np.zeros_like(said)
        for leaves in self._leaves.T:
            sums = np.zeros((leaves.max() + 1, said.shape[1]))
            np.add.at(sums, leaves, everyone)
            sums /= np.maximum(np.bincount(leaves, minlength=len(sums)), 1)[:, None]
            smoothed += sums[leaves[len(self._known) :]]
        return (1 - PART) * said + PART * smoothed / self._leaves.shape[1]


class SmoothedCommittee(LeafSmoothing, Committee):
    """The committee, smoothed."""


class SmoothedSelf(LeafSmoothing, SelfTeacher):
    """The user's estimator, smoothed."""


WEIGHTS = {"density": typicality, "certainty": certainty, "half": half, "agreement": agreement}
TEACHERS = {"committee": Committee, "smoothed": SmoothedCommittee, "self": SelfTeacher, "smoothed-self": SmoothedSelf}


@dataclass(frozen=True)
class SoftVariant(Method):
    """Soft self-training with another weight of the unlabeled rows, or another teacher."""

    uses_strategy: ClassVar[bool] = False
    weight: str = "none"
    teacher: str = "committee"

    def run(self, work, request):
        """Fit it."""
        kind = SoftSelfTrainingClassifier
        if self.weight != "none":
            kind = type("Weighed", (WeighedClassifier,), {"weight": self.weight})
        classifier = kind(
            request.estimator(),
            teacher=TEACHERS[self.teacher](),
            categorical_features=work.fold.categorical,
            random_state=request.seed,
        )
        return fit_without_validation(work, classifier)


soft_density = SoftVariant("soft-density", "Soft, weighted by density", weight="density")
soft_certain = SoftVariant("soft-certain", "Soft, weighted by certainty", weight="certainty")
soft_half = SoftVariant("soft-half", "Soft, half weight", weight="half")
soft_agreed = SoftVariant("soft-agreed", "Soft, without the disputed fifth", weight="agreement")
soft_leaf = SoftVariant("soft-leaf", "Soft, smoothed in leaves", teacher="smoothed")
soft_leaf_self = SoftVariant("soft-leaf-self", "Soft, self-teacher, smoothed in leaves", teacher="smoothed-self")
