"""The user's estimator alone says what it says."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from tabcast.teachers import Committee, SelfTeacher

from .lessons import draw, make_lesson


def test_it_teaches_what_the_estimator_says():
    X, y, pool, _ = draw()
    lesson, fits = make_lesson(LogisticRegression(), X, y, pool)
    teacher = SelfTeacher()
    assert teacher.fit(lesson) is teacher
    said = np.random.default_rng(0).dirichlet([1, 1], len(pool))
    np.testing.assert_array_equal(teacher.teach(said), said)
    np.testing.assert_array_equal(teacher.predict_proba(pool), lesson.own.predict_proba(pool))
    assert teacher.own_ is lesson.own
    assert fits == []


def test_it_asks_for_no_fits_and_is_not_sharpened():
    assert SelfTeacher().n_own_fits == 0
    assert SelfTeacher().temperature == 1.0


def test_it_is_a_committee_of_one():
    X, y, pool, _ = draw(n_classes=3)
    lesson, _ = make_lesson(LogisticRegression(), X, y, pool)
    alone, committee = SelfTeacher().fit(lesson), Committee(["own"]).fit(lesson)
    np.testing.assert_array_equal(committee.weights_, [1.0])
    np.testing.assert_allclose(committee.predict_proba(pool), alone.predict_proba(pool), atol=1e-15)
