"""What a notebook shows of a classifier."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import config_context
from sklearn.naive_bayes import GaussianNB

from tabcast import SelfTrainingClassifier
from tabcast.guard import GuardedClassifier

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] > 0, HOSTILE, "no").astype(object)
    y[30:] = None
    model = SelfTrainingClassifier(GaussianNB(), validation=None, max_rounds=1)
    return GuardedClassifier(model, n_splits=2, n_repeats=1, random_state=0).fit(X, y)


def test_a_fitted_classifier_shows_a_card_above_its_diagram(fitted):
    for model in (fitted, fitted.self_trained_):
        shown = model._repr_html_()
        card, diagram = shown.split("<details>", 1)
        assert model._repr_mimebundle_()["text/html"].startswith(card)
        assert type(model).__name__ in card
        assert "30 labeled, 50 unlabeled" in card
        assert "sk-container" in diagram
        assert HOSTILE not in card
        assert "&lt;script&gt;" in card
    assert str(fitted.verdict_).splitlines()[0] in fitted._repr_html_()
    assert f"{fitted.verdict_.total.gain:+.3f}" in fitted._repr_html_()
    assert fitted.chosen_ in fitted._repr_html_()
    assert "of which round" in fitted.self_trained_._repr_html_()


def test_an_unfitted_classifier_shows_its_diagram_and_text_stays_text(fitted):
    shown = GuardedClassifier()._repr_html_()
    assert "tabcast-card" not in shown
    assert "sk-container" in shown
    assert repr(fitted).startswith("GuardedClassifier(")
    with config_context(display="text"):
        assert "text/html" not in fitted._repr_mimebundle_()
        assert not hasattr(fitted, "_repr_html_")
