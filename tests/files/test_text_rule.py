"""Free text becomes features: terms of all rows, an SVD that equals scikit-learn's, saved and applied as plain data."""

import json
import re

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from tabcast import fit_table, load_run
from tabcast.files import Understanding, describe, understand
from tabcast.runs import load_model, predict_file

GOOD = ["great", "lovely", "fine", "friendly", "warm", "quick", "clean", "tasty", "bright", "helpful"]
BAD = ["awful", "slow", "dirty", "rude", "cold", "broken", "noisy", "stale", "dark", "useless"]
PLAIN = [
    "the",
    "room",
    "was",
    "on",
    "a",
    "floor",
    "with",
    "one",
    "window",
    "and",
    "some",
    "people",
    "came",
    "by",
    "at",
    "night",
]


def make_reviews(n=200, n_labeled=60, seed=0):
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, n)
    texts = []
    for one in truth:
        words = [*random.choice(GOOD if one else BAD, 3), *random.choice(PLAIN, 6)]
        texts.append(" ".join(random.permutation(words)))
    frame = pd.DataFrame({"review": texts, "y": np.where(truth, "good", "bad").astype(object)})
    frame.loc[n_labeled:, "y"] = None
    return frame, truth


def test_against_scikit_learn():
    frame, _ = make_reviews()
    understanding = understand(frame, "y")
    X = understanding.features(frame)
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, max_df=0.9, token_pattern=r"(?u)\b\w+\b")
    expected = TruncatedSVD(X.shape[1], random_state=0).fit_transform(vectorizer.fit_transform(frame["review"]))
    assert understanding.rules[0].terms == vectorizer.get_feature_names_out().tolist()
    np.testing.assert_allclose(X @ X.T, expected @ expected.T, atol=0.02)  # the same plane, whatever the signs
    assert understanding.feature_names == ["review"]


def test_the_user_is_told_and_overrules():
    frame, _ = make_reviews()
    frame["x"] = np.arange(200) % 7
    assert re.search(r"as \d+ features of \d+ words", understand(frame, "y").columns[0].why)
    assert "1 text ('review')" in " ".join(describe(understand(frame, "y")))
    assert understand(frame, "y", ignore=["review"]).features(frame).columns.tolist() == ["x"]
    assert understand(frame, "y", categories=["review"]).feature_names == ["review", "x"]


def test_saved_as_plain_json_and_applied_to_later_rows():
    frame, _ = make_reviews()
    understanding = understand(frame, "y")
    again = Understanding.from_dict(json.loads(json.dumps(understanding.to_dict())))
    later = pd.DataFrame({"review": ["a great lovely room", None, "zzz", frame["review"][3]]})
    X = again.features(later)
    pd.testing.assert_frame_equal(X, understanding.features(later))
    assert X.iloc[1].isna().all()
    assert (X.iloc[2] == 0).all()
    np.testing.assert_allclose(X.iloc[3], understanding.features(frame).iloc[3])


def test_words_of_unlabeled_rows_count():
    frame, _ = make_reviews()
    frame.loc[100:, "review"] = frame.loc[100:, "review"] + " unheard"
    assert "unheard" in understand(frame, "y").rules[0].terms


def test_texts_with_nothing_in_common_are_left_out():
    frame = pd.DataFrame({"note": [f"this is the note with number {n}" for n in range(60)], "x": np.arange(60) % 7})
    frame["y"] = ["a", "b", None] * 20
    column = understand(frame, "y").columns[0]
    assert (column.kind, column.used) == ("text", False)
    assert "too few words in common" in column.why


def test_text_without_spaces_is_read_by_characters():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"t": ["".join(random.choice(GOOD, 15)) for _ in range(60)], "y": ["a", "b", None] * 20})
    assert understand(frame, "y").rules[0].analyzer == "characters"
    assert understand(frame, "y").features(frame).notna().all().all()


def test_names_that_are_taken():
    frame, _ = make_reviews()
    frame["review text 1"] = np.arange(200) % 7
    names = understand(frame, "y").features(frame).columns.tolist()
    assert len(set(names)) == len(names)


def test_a_table_of_reviews(tmp_path):
    frame, truth = make_reviews()
    run = fit_table(frame, "y", estimator="logistic_regression")
    right = (run.predictions["prediction"] == np.where(truth[60:], "good", "bad")).mean()
    assert right > 0.85
    suggested = run.summary["suggested_rows"]
    assert [one["values"]["review"] for one in suggested] == frame["review"][[one["row"] for one in suggested]].tolist()
    run.save(tmp_path / "out")
    later = load_run(tmp_path / "out").predict(frame.drop(columns="y"))
    np.testing.assert_allclose(later["probability_good"][60:], run.predictions["probability_good"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    predict_file(load_model(tmp_path / "out"), tmp_path / "t.csv", tmp_path / "p.csv", batch_rows=70)
    np.testing.assert_allclose(pd.read_csv(tmp_path / "p.csv")["probability_good"], later["probability_good"])
