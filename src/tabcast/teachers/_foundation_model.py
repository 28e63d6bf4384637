"""A tabular foundation model as the teacher."""

from __future__ import annotations

from functools import partial
from os import PathLike
from typing import Any, ClassVar

from sklearn.base import clone

from tabcast.checks import check_integer
from tabcast.table import Floats
from tabcast.teachers._base import Lesson, Teacher
from tabcast.teachers._committee import Committee, Recipe
from tabcast.teachers._foundation_classifier import OWNER, ContextColumns, FoundationClassifier


class FoundationModel(Teacher):
    """Use a pretrained tabular foundation model, TabPFN or TabICL.

    Choose it where few rows are labeled and such a model is known to do well but is too slow or too large to deploy:
    the student learns its predictions of the unlabeled rows. It predicts in context: the labeled rows are part of its
    input, nothing is trained. Whether its labels are better than those of a committee has not been measured here; see
    docs/foundation_models.md.

    It is also a member of a committee, ``Committee(["own", "trees", "linear", FoundationModel("tabpfn")])``, or by name
    with default parameters, ``Committee(["own", "tabpfn"])``.

    **Weights are never downloaded.** They are read from `model_path`, or from the cache of the library if they are
    there. Weights have licenses of their own, some of which exclude commercial use.

    Parameters
    ----------
    library : {"tabpfn", "tabicl"}
        The library, an extra of tabcast: ``pip install 'tabcast[tabpfn]'`` or ``'tabcast[tabicl]'``.
    model_path : path, default=None
        File with the weights. None: the default weights of the library, in its own cache.
    n_estimators : int, default=None
        Number of predictions with permuted columns and classes that are averaged. None: the library's default.
    n_folds : int, default=5
        Number of folds of the labeled rows, which are predicted out of fold.
    device : str, default="cpu"
        Where the model runs: "cpu", "cuda", "mps" or "xpu".
    block_rows : int, default=500
        Number of rows that are predicted at a time; fewer need less memory and more time.

    Attributes
    ----------
    classifier_ : classifier
        The model with the labeled rows as context. A copy or a pickle has no weights and reads the file again.
    n_classes_ : int
        Number of classes.
    held_out_ : ndarray of int
        Positions of the labeled rows that were held out in a fold: all but those alone in their class.
    out_of_fold_ : ndarray of shape (n_held_out, n_classes) or None
        Probabilities of these rows, predicted with the other folds as context; None without any.

    See Also
    --------
    Committee : Averages several kinds of classifiers, foundation models among them.
    SelfTeacher : The user's estimator alone.

    Notes
    -----
    Categories are passed as category columns and missing values as missing. A level that is in no row of the training
    table is missing. Row weights have no effect: neither library takes them. Soft labels are not sharpened
    (`temperature` is 1).

    Examples
    --------
    >>> from tabcast import SoftSelfTrainingClassifier
    >>> from tabcast.teachers import FoundationModel
    >>> teacher = FoundationModel("tabpfn", model_path="weights/tabpfn-v2-classifier.ckpt")
    >>> SoftSelfTrainingClassifier(teacher=teacher).teacher.library
    'tabpfn'
    """

    predicts_out_of_fold: ClassVar[bool] = True
    n_classes_: int

    def __init__(
        self,
        library: str,
        *,
        model_path: str | PathLike[str] | None = None,
        n_estimators: int | None = None,
        n_folds: int = 5,
        device: str = "cpu",
        block_rows: int = 500,
    ) -> None:
        self.library = library
        self.model_path = model_path
        self.n_estimators = n_estimators
        self.n_folds = n_folds
        self.device = device
        self.block_rows = block_rows

    def check(self) -> None:
        """Check the parameters, that the library is installed, and that the weights are there."""
        check_integer(self.n_folds, "n_folds", OWNER, 2)
        self._classifier().check()

    def as_member(self) -> Recipe:
        """Return how it is built as a member of a committee."""
        return Recipe(ContextColumns, self._classifier)

    def fit(self, lesson: Lesson) -> FoundationModel:
        """Keep the labeled rows as context, and predict them out of fold and the unlabeled rows in blocks."""
        self.check()
        alone = Committee([clone(self)], n_folds=self.n_folds).fit(lesson)
        self._alone, [self.classifier_] = alone, alone.members_
        self.n_classes_, self.held_out_, self.out_of_fold_ = alone.n_classes_, alone.held_out_, alone.out_of_fold_
        return self

    def teach(self, own_proba: Floats) -> Floats:
        """Return the model's probabilities; those of the user's estimator are not used."""
        return self._alone.teach(own_proba)

    def predict_proba(self, X: Any) -> Floats:
        """Predict other rows in blocks."""
        return self._alone.predict_proba(X)

    def _classifier(self) -> FoundationClassifier:
        """The model as a classifier, not fitted."""
        names = ("model_path", "n_estimators", "device", "block_rows")
        return FoundationClassifier(self.library, **{name: getattr(self, name) for name in names})


TABPFN, TABICL = partial(FoundationModel, "tabpfn"), partial(FoundationModel, "tabicl")
