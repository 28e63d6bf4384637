"""A simulated expert, who labels from the truth through the door of the page, needs fewer labels."""

import json

import numpy as np
import pytest

from tabcast.labeling._file import read_labels
from tests.conftest import read_dataset
from tests.labeling.test_server import ask


def learn(server, truth, n_labels, every=10):
    """Label rows with the truth; the accuracy on all rows without a label after every so many labels."""
    session, accuracy = server.session, {}
    state = json.loads(ask(server, "state")[2])["state"]
    for name in sorted(set(truth)):
        state = json.loads(ask(server, "answer", {"step": state["step"], "event": "class", "label": name})[2])["state"]
    while state["n_labels"] < n_labels:
        said = {"step": state["step"], "event": "label", "label": truth[state["card"]["row"]]}
        status, _, content = ask(server, "answer", said)
        assert status == 200, content
        state = json.loads(content)["state"]
        if state["n_labels"] % every == 0 and session.is_enough:
            classes = session.fit().model.classes_
            left = np.setdiff1d(np.arange(len(truth)), list(session.labels))
            found = classes[session.proba[left].argmax(axis=1)]
            accuracy[state["n_labels"]] = float((found.astype(str) == truth[left]).mean())
    return accuracy


def make_table(name, n_rows=500):
    """A real table without labels, and the truth; not more rows than the study takes time for."""
    X, y = read_dataset(name)
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[:n_rows])
    return X.iloc[rows].reset_index(drop=True).assign(label=None), y.iloc[rows].astype(str).to_numpy()


def test_an_expert_gets_a_model_and_three_rows_of_ten_stay_random(open_session, serve):
    table, truth = make_table("vehicle", 300)
    server = serve(open_session(table, "label", "logistic_regression"))
    accuracy = learn(server, truth, 40)
    assert max(accuracy.values()) > 0.45  # the most frequent of four classes is right in 26%
    found = read_labels(server.session.path, table, "label")
    assert found["label"].tolist() == truth[found["row"]].tolist()
    later = [one.how for one in server.session.entries if one.how][-20:]
    assert 3 <= later.count("random") <= 9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["vehicle", "kr-vs-kp"])
def test_an_expert_needs_fewer_labels_than_with_random_rows(name, open_session, serve, tmp_path):
    table, truth = make_table(name)
    curves = {}
    for seed in range(3):
        for how, precision in (("chosen", None), ("random", 0.9)):
            server = serve(open_session(table, "label", "logistic_regression", precision, seed))
            curves[how, seed] = learn(server, truth, 100)
            server.session.path.unlink()
    places = np.arange(30, 101, 10)
    chosen, random = (
        np.mean([[curves[how, seed][one] for one in places] for seed in range(3)], axis=0)
        for how in ("chosen", "random")
    )
    assert chosen.mean() > random.mean()
    needed = np.interp(random[-1], np.maximum.accumulate(chosen), places)
    print(f"{name}: {100 * (1 - needed / 100):.0f}% fewer labels at 100, {100 * (chosen - random).mean():+.1f} points")
    assert needed < 85
