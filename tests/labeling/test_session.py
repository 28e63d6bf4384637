"""A session: which row comes next, that no answer is lost or doubled, and what is said about going on."""

import pandas as pd
import pytest

from tabcast import load_run
from tabcast.files import TableFileError
from tabcast.labeling._file import Event, read_labels
from tabcast.labeling._session import BATCH, advise, read_partly_labeled
from tests.labeling.conftest import make_customers, wait_for


def answer(session, *events):
    for event in events:
        session.answer(len(session.entries), *([event] if isinstance(event, str) else event))


def add_classes(session):
    answer(session, (Event.NEW_CLASS, "no"), (Event.NEW_CLASS, "yes"))


def label(session, truth, n):
    for _ in range(n):
        answer(session, (Event.LABEL, truth[session.card[0]]))


def read(session):
    found = read_labels(session.path, session.frame, session.target)
    return {one.row: (one.label, one.how) for one in found.itertuples()}


def fit(session):
    """Let the background fit that is due begin and end."""
    n = len(session.points)
    session.state()
    wait_for(lambda: len(session.points) > n or session.problem, "a fit")


def test_without_any_label_rows_are_random_until_every_class_has_two(open_session):
    table, truth = make_customers()
    session = open_session(table)
    assert "Add the classes first" in session.state()["advice"]
    add_classes(session)
    assert "(missing: no, yes)" in session.state()["advice"]
    seen = set()
    while not session.is_enough:
        seen.add(session.card)
        label(session, truth, 1)
    assert {how for _, how in seen} == {"random"}
    assert not session.points
    fit(session)
    label(session, truth, BATCH + len(session.queue) + 1)
    hows = [how for _, how in read(session).values()]
    assert hows.count("chosen") == 7
    assert session.state()["card"]["cells"][0][0] == "spent"  # the most important column is first now


def test_for_a_precision_all_rows_are_random(open_session):
    table, truth = make_customers(n_labeled=40)
    session = open_session(table, precision=0.6)
    fit(session)
    label(session, truth, 15)
    assert {how for _, how in read(session).values()} == {"random"}
    share = session.state()["filled"][1]
    assert 0 < share <= 1
    assert session.state()["advice"].startswith("You can stop if this is enough: the precision of 60%")


def test_a_new_target_needs_no_column_but_a_typing_error_is_none(open_session):
    table, truth = make_customers()
    session = open_session(table.drop(columns="churned"))
    add_classes(session)
    label(session, truth, 12)
    fit(session)
    assert not session.problem
    for name, sentence in [("spend", "did you mean 'spent'"), ("", "name the column of labels"), ("age", "no classes")]:
        with pytest.raises(TableFileError, match=sentence):
            open_session(target=name)
    with pytest.raises(TableFileError, match="there is nothing to label"):
        open_session(table.assign(churned=truth))


def test_skip_cannot_tell_and_undo(open_session):
    table, truth = make_customers(6)
    session = open_session(table)
    add_classes(session)
    first = session.card
    answer(session, Event.SKIP)
    second = session.card
    answer(session, Event.CANNOT_TELL)
    third = session.card
    answer(session, Event.UNDO)
    assert session.card == second
    label(session, truth, 1)
    assert session.card == third  # what was shown before the undo
    label(session, truth, 4)
    assert session.card == first  # a skipped row comes again when no other is left
    answer(session, Event.SKIP)
    assert session.card == first
    label(session, truth, 1)
    assert session.card is None
    answer(session, Event.UNDO)
    assert session.card == first
    answer(session, Event.CANNOT_TELL)
    assert first[0] not in read(session)
    assert len(read(session)) == 5
    answer(*[session, *[Event.UNDO] * len(session.standing)])
    assert session.classes == []  # the classes, too
    with pytest.raises(ValueError, match="nothing to answer"):
        answer(session, Event.UNDO)


def test_starting_again_goes_on(open_session):
    table, truth = make_customers(n_labeled=3)
    session = open_session(table)
    answer(session, (Event.NEW_CLASS, "maybe"))
    label(session, truth, 4)
    answer(session, (Event.LABEL, "maybe"), Event.SKIP)
    again = open_session()
    assert again.state() | {"card": 0} == session.state() | {"card": 0}
    assert (
        again.classes == ["no", "yes", "maybe"] or again.classes == ["yes", "no", "maybe"] or "maybe" in again.classes
    )
    assert again.card[0] not in again.answers
    answer(again, Event.UNDO, Event.UNDO)
    assert again.counts["maybe"] == 0


def test_two_windows_and_two_processes_neither_lose_nor_double_an_answer(open_session):
    table, truth = make_customers(n_labeled=10)
    session, other = open_session(table), open_session()
    step, row = len(session.entries), session.card[0]
    label(session, truth, 1)
    with pytest.raises(ValueError, match="answered in another window, so this answer was not taken"):
        session.answer(step, Event.LABEL, "no")
    with pytest.raises(ValueError, match="answered in another window"):
        other.answer(step, Event.LABEL, "no")
    assert list(read(session)) == [row]
    assert other.card[0] != row
    label(other, truth, 1)
    session.state()  # the page asks every few seconds
    label(session, truth, 1)
    assert len(read(session)) == 3


@pytest.mark.parametrize(
    ("event", "label", "sentence"),
    [
        (Event.NEW_CLASS, "", "needs a name of 1 to 80"),
        (Event.NEW_CLASS, "x" * 81, "needs a name of 1 to 80"),
        (Event.NEW_CLASS, "two\nlines", "printable"),
        (Event.NEW_CLASS, "n/a", "means a missing value"),
        (Event.NEW_CLASS, "YES", "There is a class 'YES' already"),
        (Event.LABEL, "never", "nothing to answer here with 'label' 'never'"),
        (Event.LABEL, "", "nothing to answer"),
        (Event.SKIP, "yes", "nothing to answer"),
        ("hide", "", "nothing to answer"),
        (Event.UNDO, "", "nothing to answer"),
    ],
)
def test_what_is_no_answer_is_refused_and_writes_nothing(open_session, event, label, sentence):
    session = open_session(make_customers(n_labeled=10)[0])
    with pytest.raises(ValueError, match=sentence):
        session.answer(0, event, label)
    assert not session.path.exists()


def test_a_file_that_cannot_be_written_loses_nothing(open_session, tmp_path):
    session = open_session(make_customers(n_labeled=10)[0])
    session.path.mkdir()
    with pytest.raises((ValueError, OSError), match=r"customers-labels\.csv"):
        session.answer(0, Event.LABEL, "no")
    session.path.rmdir()
    session.answer(0, Event.LABEL, "no")
    assert len(read(session)) == 1


def test_filling_writes_what_fit_writes_and_never_the_table(open_session, tmp_path):
    table, truth = make_customers(n_labeled=20)
    session = open_session(table)
    before = (tmp_path / "customers.csv").read_bytes()
    label(session, truth, 5)
    assert "report.html" in session.fill()
    run = load_run(tmp_path / "out")
    assert run.summary["table"]["n_labeled"] == 25
    assert len(run.predictions) == 95
    assert not set(run.predictions["row"]) & set(read(session))
    label(session, truth, 1)
    session.fill()  # its own results it may replace
    assert load_run(tmp_path / "out").summary["table"]["n_labeled"] == 26
    assert (tmp_path / "customers.csv").read_bytes() == before
    with pytest.raises(ValueError, match="of an earlier run"):
        open_session().fill()


def test_what_cannot_be_trained_is_said_and_labeling_goes_on(open_session):
    table, truth = make_customers(n_labeled=20)
    session = open_session(table[["city", "churned"]].assign(city="Bonn"))
    fit(session)
    assert session.state()["advice"].startswith("The model could not be trained: No column is left")
    label(session, truth, 3)
    assert len(read(session)) == 3
    with pytest.raises(ValueError, match="No column is left"):
        session.fill()


def test_classes_are_in_the_order_of_numbers(open_session):
    table, _ = make_customers(24)
    session = open_session(table.assign(churned=[10, 9, 1, 2, *[None] * 20]).convert_dtypes())
    assert session.classes == ["1", "2", "9", "10"]


def test_probabilities_sum_to_one_and_need_a_model(open_session):
    session = open_session(make_customers(n_labeled=40)[0])
    assert session.probabilities() == []
    session.fit()
    (first, high), (second, low) = session.probabilities()
    assert {first, second} == {"no", "yes"}
    assert high >= low
    assert high + low == pytest.approx(1)


def point(n, accuracy, width=0.06, rows=40):
    ends = {"accuracy_low": accuracy - width, "accuracy_high": accuracy + width}
    return {"n": n, "n_rows": rows, "accuracy": accuracy} | ends


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        (
            [point(20, 0.7, rows=20)],
            "Go on: it takes 30 random rows with a label (now 20) and 20 labels after",
        ),
        ([point(40, 0.7), point(50, 0.71)], "Go on: it takes 30 random rows"),
        ([point(40, 0.7), point(50, 0.8), point(60, 0.82)], "Go on: the last 20 labels changed the accuracy from 70%"),
        (
            [point(30, 0.5), point(40, 0.8), point(50, 0.81), point(60, 0.82)],
            "You can stop if this is good enough: the last 20 labels",
        ),
        ([point(40, 0.8), point(50, 0.7), point(60, 0.8)], "Go on: the last 20 labels"),
    ],
)
def test_when_to_stop(points, sentence):
    assert advise(points, None).startswith(sentence)


def test_a_folder_is_refused(tmp_path):
    (tmp_path / "parts").mkdir()
    with pytest.raises(TableFileError, match="labeling needs a table in one file"):
        read_partly_labeled(str(tmp_path / "parts"), "y")


def test_a_changed_table_is_refused(open_session):
    table, truth = make_customers(n_labeled=10)
    label(open_session(table), truth, 3)
    with pytest.raises(TableFileError, match="does not fit this table"):
        open_session(table.assign(age=table["age"] + 1))
    open_session(pd.concat([table, table], ignore_index=True))  # rows below change nothing
