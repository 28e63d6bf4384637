"""What is tried with a table: classifiers, networks, runs, files, folders, model files, Dask, and labeling."""

from __future__ import annotations

import json
import re
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import chdir
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from typer.testing import CliRunner

from tabcast import (
    CASTClassifier,
    GuardedClassifier,
    SelfTrainingClassifier,
    SoftSelfTrainingClassifier,
    fit_table,
    load_run,
)
from tabcast.cli.main import app
from tabcast.models import make_model
from tabcast.models._adapted import seeded, weight_parameter
from tabcast.runs import load_model
from tabcast.runs._model_file import NOTE, SavedModel, _digest, save_model
from tabcast.self_training._self_trainer import SelfTrainer
from tabcast.table._encoders import NormalScores, TableCodes
from tabcast.teachers import Committee
from tests.fuzz.generator import (
    Notation,
    Random,
    Table,
    change_types,
    convert,
    damage,
    draw_file_table,
    draw_notation,
    draw_table,
    pick,
    put_into,
    spoil,
    write_bytes,
)
from tests.fuzz.invariants import (
    Refusal,
    Wrong,
    attempt,
    check_by_id,
    check_classes,
    check_file_classes,
    check_folder,
    check_probabilities,
    check_same,
    is_clear,
    require,
)
from tests.fuzz.labeling import drive_labeling, quick_options

Notes = list[str]
ROUNDING = 1e-9

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
ESTIMATORS = {
    "tree": make_pipeline(TableCodes(), TREE),
    "naive Bayes": make_pipeline(NormalScores(), GaussianNB()),
    "logistic": make_pipeline(NormalScores(), LogisticRegression(max_iter=200)),
    "boosting": HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=2, random_state=0),
}
BARE_ESTIMATORS = {"bare tree": TREE, "bare naive Bayes": GaussianNB()}
METHODS: dict[str, Callable[[Any], Any]] = {
    "self-training": lambda e: SelfTrainingClassifier(e, max_rounds=2, validation=None, random_state=0),
    "self-training, validated": lambda e: SelfTrainingClassifier(
        e, strategy="threshold", max_rounds=1, validation=0.3, random_state=0
    ),
    "CAST-L": lambda e: CASTClassifier(e, alpha=0.5, max_rounds=1, validation=None, random_state=0),
    "CAST-D": lambda e: CASTClassifier(e, density="kernel", alpha=0.5, max_rounds=1, validation=None, random_state=0),
    "CAST, searched": lambda e: CASTClassifier(e, alpha=[0.0, 0.5], max_rounds=1, validation=0.3, random_state=0),
    "soft": lambda e: SoftSelfTrainingClassifier(e, teacher=Committee(["own", "linear"], n_folds=2), random_state=0),
    "guarded": lambda e: GuardedClassifier(
        SelfTrainingClassifier(e, max_rounds=1, validation=None, random_state=0),
        n_splits=2,
        n_repeats=1,
        random_state=0,
    ),
}


QUICK = SelfTrainingClassifier(make_model("logistic_regression"), validation=None, max_rounds=1, strategy="all")


def drive_classifier(random: Random, notes: Notes) -> Refusal | None:
    """A public classifier is fitted and predicts, in one way and in another that must give the same."""
    table = draw_table(random)
    method, estimator = pick(random, METHODS), pick(random, ESTIMATORS, BARE_ESTIMATORS, 0.1)
    model = METHODS[method](clone({**ESTIMATORS, **BARE_ESTIMATORS}[estimator]))
    refits = [_same_by_pool_order, _same_apart]
    return _drive(model, table, f"{method} with {estimator}", refits, random, notes)


def drive_network(random: Random, notes: Notes) -> Refusal | None:
    """The same with one of the six networks, small; they depend on the order of the rows that they are trained on."""
    from tests.models.neural.nets import NETS

    table, method, net = draw_table(random), pick(random, ["self-training", "CAST-L"]), pick(random, NETS)
    return _drive(METHODS[method](clone(NETS[net])), table, f"{method} with {net}", [], random, notes)


def _drive(model: Any, table: Table, name: str, refits: list[Any], random: Random, notes: Notes) -> Refusal | None:
    """A model is fitted and predicts, in one way and in another that must give the same."""
    notes.append(f"{name} on {table}")
    try:
        X, y = table.X, table.y
    except Exception as error:  # pandas, polars or pyarrow cannot hold these values at all
        notes.append(f"no such table: {error!r:.100}")
        return None
    fitted = attempt(_fit, model, table, X, y)
    if isinstance(fitted, Refusal):
        return fitted
    labeled = np.array([one is not None for one in table.labels])
    marker_is_class = table.label_kind in ("with -1", "-1 and 1")
    if not marker_is_class and table.marker != "?":
        check_classes(fitted.classes_, y, ~labeled)
    proba = attempt(fitted.predict_proba, X)
    if isinstance(proba, Refusal):
        return proba
    check_probabilities(proba, len(table), len(fitted.classes_))
    predicted = fitted.predict(X)
    require(set(predicted.tolist()) <= set(fitted.classes_.tolist()), "predict gives something that is no class")
    _check_batches(fitted, table, proba)
    on_its_rows = [_same_by_types, _same_by_container, _same_by_column_order, _spoiled]
    variant = pick(random, on_its_rows, refits, 0.4)
    if name.endswith(" tree") and random.random() < 0.03:
        variant = _same_by_n_jobs
    notes.append(variant.__name__.strip("_"))
    variant(fitted, table, proba, random, notes)
    return None


def _fit(model: Any, table: Table, X: Any, y: Any) -> Any:
    """A fitted copy."""
    return clone(model).fit(X, y) if table.weights is None else clone(model).fit(X, y, sample_weight=table.weights)


def _check_batches(fitted: Any, table: Table, proba: Any) -> None:
    """Some rows alone get the probabilities that they get among all rows."""
    some = np.arange(0, len(table), 3)
    alone = attempt(fitted.predict_proba, table.take(some).X)
    if not isinstance(alone, Refusal):
        check_same(alone, proba[some], "predictions depend on the other rows")


def _same_by_types(fitted: Any, table: Table, proba: Any, random: Random, notes: Notes) -> None:
    """The same values in other types: the same result, or a sentence."""
    frame, done = change_types(table.frame, table.kinds, random)
    notes.append(", ".join(done))
    again = attempt(fitted.predict_proba, put_into(frame, table.container))
    if not isinstance(again, Refusal):
        check_same(again, proba, "predictions change with types of columns")


def _same_by_container(fitted: Any, table: Table, proba: Any, random: Random, notes: Notes) -> None:
    """The same table in another library: the same result."""
    containers = (
        ("pandas", "polars", "arrow") if table.container in ("pandas", "polars", "arrow") else ("array", "list")
    )
    other = pick(random, [one for one in containers if one != table.container])
    notes.append(other)
    X = convert(table.frame, other)
    again = proba if X is None else attempt(fitted.predict_proba, X)
    if not isinstance(again, Refusal):
        check_same(again, proba, f"predictions of {table.container} and {other} differ")


def _same_by_column_order(fitted: Any, table: Table, proba: Any, random: Random, notes: Notes) -> None:
    """Columns in another order: the same result, or a sentence."""
    order = random.permutation(table.frame.shape[1])
    if table.container in ("array", "list"):
        return
    again = attempt(fitted.predict_proba, put_into(table.frame.iloc[:, order], table.container))
    if not isinstance(again, Refusal):
        check_same(again, proba, "predictions change with the order of columns")


def _spoiled(fitted: Any, table: Table, proba: Any, random: Random, notes: Notes) -> None:
    """A table unlike that of training: probabilities for each of its rows, or a sentence."""
    frame, how = spoil(table.frame, random)
    notes.append(how)
    X = convert(frame, table.container)
    if X is None:
        return
    again = attempt(fitted.predict_proba, X)
    if not isinstance(again, Refusal):
        check_probabilities(again, len(frame), len(fitted.classes_))


def _same_by_pool_order(fitted: Any, table: Table, proba: Any, random: Random, notes: Notes) -> None:
    """The unlabeled rows in another order: the same model."""
    labeled = np.array([one is not None for one in table.labels])
    order = np.arange(len(table))
    order[~labeled] = random.permutation(order[~labeled])
    other = table.take(order)
    again = _fit(fitted, other, other.X, other.y)
    _check_same_model(again, fitted, table, proba, order, "predictions change with the order of the pool")


def _same_apart(fitted: Any, table: Table, proba: Any, random: Random, notes: Notes) -> None:
    """The unlabeled rows passed as `X_unlabeled`: the same model."""
    labeled = np.array([one is not None for one in table.labels])
    if table.weights is not None or labeled.all() or table.marker == "?":
        return
    order = np.argsort(~labeled, kind="stable")
    known, pool = table.take(order[: labeled.sum()]), table.take(order[labeled.sum() :])
    y = known.y
    again = attempt(clone(fitted).fit, known.X, y, X_unlabeled=pool.X)
    if isinstance(again, Refusal):
        notes.append(again.sentence)
        # Among a few labeled rows, a column of several types may have one.
        seen = " but values of several types in X_unlabeled, and " in again.sentence
        require(seen, "refused with X_unlabeled what is accepted as one table")
        return
    _check_same_model(again, fitted, table, proba, order, "predictions change with X_unlabeled")


def _same_by_n_jobs(fitted: Any, table: Table, proba: Any, random: Random, notes: Notes) -> None:
    """Two processes: the same model."""
    again = _fit(clone(fitted).set_params(n_jobs=2), table, table.X, table.y)
    check_same(again.predict_proba(table.X), proba, "predictions change with n_jobs")


def _check_same_model(again: Any, fitted: Any, table: Table, proba: Any, order: Any, what: str) -> None:
    """The same predictions; unless rounding moved a row across the edge of the selection, and no other row.

    With soft labels, unless these are the same and the estimator itself depends on the order of its training rows.
    """
    try:
        check_same(again.predict_proba(table.X), proba, what)
    except Wrong:
        fitted, again = (getattr(one, "self_trained_", one) for one in (fitted, again))
        first, second = (one.pseudo_labels_ for one in (fitted, again))
        if hasattr(fitted, "soft_labels_"):
            places = np.argsort(order[second["row"]])
            check_same(again.soft_labels_[places], fitted.soft_labels_, f"soft labels: {what}")
            if not _depends_on_order(fitted, table):
                raise
            return
        second = second.assign(row=order[second["row"]]).set_index("row").loc[first["row"]]
        moved = first["selected"].to_numpy() != second["selected"].to_numpy()
        edge = first["confidence"][first["selected"]].min()
        if not moved.any() or (np.abs(first["confidence"][moved] - edge) > ROUNDING).any():
            raise


def _depends_on_order(fitted: Any, table: Table) -> bool:
    """Whether the estimator predicts otherwise when it is given the same rows, soft labels and weights reordered."""
    labeled = np.array([one is not None for one in table.labels])
    pool, codes = np.nonzero(fitted.soft_labels_)
    known = np.flatnonzero(labeled)
    rows = np.concatenate([known, np.flatnonzero(~labeled)[pool]])
    y = np.concatenate([np.searchsorted(fitted.classes_, fitted.transduction_[known]), codes])
    weight = np.concatenate([np.ones(len(known)), fitted.soft_labels_[pool, codes]])
    weight *= 1 if table.weights is None else np.asarray(table.weights)[rows]
    found = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(rows))
        model = seeded(fitted.estimator, 0)
        model.fit(table.take(rows[order]).X, y[order], **{weight_parameter(model): weight[order]})
        found.append(model.predict_proba(table.X))
    return bool(np.ptp(found, axis=0).max() > ROUNDING)


def drive_run(random: Random, notes: Notes, kind: type[SelfTrainer] = SelfTrainingClassifier) -> Refusal | None:
    """`fit_table`, `Run.predict`, `Run.save` and `load_run`."""
    table = draw_table(random)
    odd_labels = {"tuples", "dates", "mixed", "fractions", "infinite"}
    while table.label_kind in odd_labels and random.random() < 0.8:
        table = draw_table(random)
    frame = table.frame.reset_index(drop=True)
    frame["target"] = pd.Series(table.labels, dtype=object)
    frame.insert(0, "id", [f"r{number}" for number in random.permutation(len(frame))], allow_duplicates=True)
    estimator: Any = kind(make_model("logistic_regression"))
    if kind is not SoftSelfTrainingClassifier:
        estimator.set_params(validation=None, max_rounds=1, strategy="all")
    notes.append(f"fit_table(estimator={kind.__name__}) on {table}")
    run = attempt(fit_table, frame, "target", estimator=estimator, id_columns=["id"])
    if isinstance(run, Refusal):
        return run
    known = [one for one in table.labels if one is not None]
    check_file_classes(run.model.classes_, [one for one in known if str(one).strip()])
    predicted = run.predict(frame)
    require(len(predicted) == len(frame), "Run.predict gives another number of rows")
    require(predicted["id"].tolist() == frame["id"].tolist(), "Run.predict changes the order of rows")
    shuffled = frame.iloc[random.permutation(len(frame))]
    shuffled = shuffled.iloc[:, random.permutation(frame.shape[1])]
    check_by_id(predicted, run.predict(shuffled), "predictions change with the order of rows and columns")
    in_polars = convert(frame, "polars")
    again = predicted if in_polars is None else attempt(run.predict, in_polars)
    if not isinstance(again, Refusal):
        check_by_id(predicted, again, "predictions change with polars")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        saved = attempt(run.save, folder)
        check_folder(folder)
        if isinstance(saved, Refusal):
            return saved
        loaded = load_run(folder)
        check_by_id(predicted, loaded.predict(frame), "predictions change with saving and loading")
        both = loaded.predictions, run.predictions  # a column of the table may be called so, too: ours is the last
        saved, made = ([name for name in one if name.startswith("prediction")][-1] for one in both)
        same = both[0][saved].tolist() == both[1][made].tolist()
        require(same and saved == made, "saved predictions are not those of the run")
    return None


def drive_self_trained_run(random: Random, notes: Notes) -> Refusal | None:
    """The same with self-training, its comparison and its diagnostics: seconds instead of a moment."""
    return drive_run(random, notes, pick(random, [SoftSelfTrainingClassifier], [CASTClassifier]))


def drive_command_line(random: Random, notes: Notes) -> Refusal | None:
    """`tabcast fit` on a file, and `tabcast predict` in batches and on the same table in another notation."""
    frame, classes = draw_file_table(random)
    notation, other = draw_notation(random), draw_notation(random)
    data, damaged = write_bytes(frame, notation), ""
    if random.random() < 0.4:
        data, damaged = damage(data, random)
    notes.append(f"{len(frame)} rows, {dict(frame.dtypes.astype(str))}, {notation}, damage {damaged or 'none'}")
    with tempfile.TemporaryDirectory() as place, chdir(place):
        path, folder = Path(f"table{notation.ending}"), Path("run")
        path.write_bytes(data)
        command = ["fit", str(path), "--target", "target", "--estimator", "logistic_regression"]
        refusal = _invoke([*command, "--id", "id", "--out", str(folder)])
        check_folder(folder.absolute())
        if refusal is not None:
            require(not folder.exists(), "the command failed and wrote a folder")
            return refusal
        if damaged:
            return None
        run = load_run(folder)
        check_file_classes(run.model.classes_, classes)
        result = _predict(path, "one.csv", 100_000)
        require(result["id"].tolist() == frame["id"].tolist(), "predictions are not in the order of the rows")
        n_rows = int(random.integers(1, 20))
        check_by_id(result, _predict(path, "two.csv", n_rows), f"predictions change with --batch-rows {n_rows}")
        notes.append(f"again as {other}")
        again = Path(f"again{other.ending}")
        again.write_bytes(write_bytes(frame, other))
        other_result = _predict(again, "three.csv", n_rows, allowed="may mean thousands or a decimal comma")
        if other_result is not None:
            check_by_id(result, other_result, "predictions change with the notation of the file")
    return None


def drive_folder(random: Random, notes: Notes) -> Refusal | None:
    """`fit_table` on a folder of files in several notations, as on one file of the same rows."""
    frame, classes = draw_file_table(random)
    parts = np.array_split(np.arange(len(frame)), int(random.integers(1, 4)))
    notations = [draw_notation(random) for _ in parts]
    notations = [replace(one, ending=".csv") if one.ending == ".txt" else one for one in notations]
    notes.append(f"{len(frame)} rows, {dict(frame.dtypes.astype(str))}, {notations}")
    with tempfile.TemporaryDirectory() as place, chdir(place):
        Path("big").mkdir()
        for number, (rows, notation) in enumerate(zip(parts, notations, strict=True)):
            part = frame.iloc[rows].reset_index(drop=True)
            Path(f"big/{number}{notation.ending}").write_bytes(write_bytes(part, notation))
        Path("one.parquet").write_bytes(write_bytes(frame, Notation(ending=".parquet")))
        options: dict[str, Any] = {"estimator": QUICK, "id_columns": ["id"], "max_pool": None}
        run = attempt(fit_table, "big", "target", **options)
        if isinstance(run, Refusal):
            return run
        check_file_classes(run.model.classes_, classes)
        whole = attempt(fit_table, "one.parquet", "target", **options)
        require(not isinstance(whole, Refusal), "refused as one file, accepted as a folder")
        check_by_id(whole.predictions, run.predictions, "predictions of a folder and of one file differ")
        run.save("run")
        written = [pd.read_parquet(f"run/predictions/{number}.parquet") for number in range(len(parts))]
        together = pd.concat(written, ignore_index=True)
        require(together["id"].tolist() == frame["id"].tolist(), "predictions of files are not in the order of rows")
        check_by_id(whole.predict("one.parquet"), together, "predictions of files and of one file differ")
    return None


def drive_model_file(random: Random, notes: Notes) -> Refusal | None:
    """A model file with other bytes, or with another value in it and a matching digest: it loads, or is refused."""
    random_rows = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random_rows.normal(size=40), "b": random_rows.choice(["x", "y"], 40)})
    frame["target"] = np.where(np.arange(40) < 20, np.where(frame["a"] > 0, "yes", "no"), None)
    run = fit_table(frame, "target", estimator=QUICK)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "model.skops")
        save_model(path, SavedModel(run.model, run.understanding, run.decision))
        if random.random() < 0.5:
            data, how = damage(path.read_bytes(), random)
            path.write_bytes(data)
        else:
            how = _forge(path, random)
        notes.append(how)
        model = attempt(load_model, path)
    return model if isinstance(model, Refusal) else None


def _forge(path: Path, random: Random) -> str:
    """Exchange a value of the file's JSON and write the digest anew; what was exchanged."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    name = pick(random, ["schema.json", NOTE])
    texts = re.findall(rb'(?<=: )(?:"[^"]*"|-?[\d.]+|true|false|null)', content[name])
    old, new = random.choice(texts), random.choice([*texts, b"null", b"-1", b'"x"', b"[]"])
    places = [match.start() for match in re.finditer(re.escape(old), content[name])]
    at = int(random.choice(places))
    content[name] = content[name][:at] + new + content[name][at + len(old) :]
    with zipfile.ZipFile(path, "w") as archive:
        for one in content.keys() - {NOTE}:
            archive.writestr(one, content[one])
        try:
            note = json.loads(content[NOTE])
            note["digest"] = _digest(archive, {key: value for key, value in note.items() if key != "digest"})
            content[NOTE] = json.dumps(note).encode()
        except ValueError:  # not JSON any more
            pass
        archive.writestr(NOTE, content[NOTE])
    return f"{old!r} of {name} became {new!r}"


def drive_dask(random: Random, notes: Notes) -> Refusal | None:
    """Unlabeled rows in a Dask DataFrame: with one worker, the model of a fit in memory."""
    from dask.dataframe import from_pandas
    from distributed import Client, LocalCluster
    from xgboost import XGBClassifier

    table = draw_table(random)
    labeled = np.array([one is not None for one in table.labels])
    known, pool = table.frame[labeled], table.frame[~labeled].reset_index(drop=True)
    y = [one for one in table.labels if one is not None]
    trees = XGBClassifier(n_estimators=3, max_depth=3, n_jobs=1)
    model = CASTClassifier(trees, alpha=0.5, max_rounds=1, validation=None, random_state=0)
    notes.append(f"with {table}")
    expected = attempt(clone(model).fit, known, y, X_unlabeled=pool)
    try:
        parts = from_pandas(pool, npartitions=int(random.integers(1, 4)))
    except Exception:  # Dask cannot hold these values
        return None
    if {"bytes", "times", "long python integers"} & {*table.kinds}:  # it makes text of them, of which `fit` warns
        return None
    with (
        LocalCluster(1, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None) as cluster,
        Client(cluster),
    ):
        fitted = attempt(clone(model).fit, known, y, X_unlabeled=parts)
    if isinstance(expected, Refusal) or isinstance(fitted, Refusal):
        return fitted if isinstance(fitted, Refusal) else None
    check_same(fitted.predict_proba(pool), expected.predict_proba(pool), "predictions change with Dask")
    return None


def _predict(table: Path, out: str, batch_rows: int, allowed: str | None = None) -> pd.DataFrame | None:
    """What `tabcast predict` wrote; None where it was refused for the reason that is allowed."""
    refusal = _invoke(["predict", "run", str(table), "--out", out, "--batch-rows", str(batch_rows)])
    if refusal is not None and allowed is not None and allowed in refusal.sentence:
        return None
    require(refusal is None, f"predict refused the table of training: {getattr(refusal, 'sentence', '')}")
    return pd.read_csv(out, dtype={"id": str, "prediction": str}, keep_default_na=False)


def _invoke(arguments: list[str]) -> Refusal | None:
    """Run a command in this process; a sentence with exit code 2 is a refusal, a foreign message is raised."""
    result = CliRunner().invoke(app, arguments)
    if result.exit_code == 0:
        return None
    error = result.exception
    while error is not None and (isinstance(error, SystemExit) or type(error).__name__ == "Exit"):
        error = error.__context__
    if result.exit_code != 2 or error is None or not (isinstance(error, OSError) or is_clear(error)):
        raise error or RuntimeError(result.output)
    sentence = result.stderr.strip()
    require("\n" not in sentence, f"more than one line: {sentence!r}")
    return Refusal(sentence)


DRIVERS: dict[str, Callable[[Random, Notes], Refusal | None]] = {
    "classifier": drive_classifier,
    "run": drive_run,
    "command_line": drive_command_line,
    "folder": drive_folder,
    "model_file": drive_model_file,
    "self_trained_run": drive_self_trained_run,
    **({"network": drive_network} if find_spec("torch") else {}),
    **({"dask": drive_dask} if find_spec("distributed") and find_spec("xgboost") else {}),
    "labeling": lambda random, notes: drive_labeling(quick_options(random, QUICK), random, notes),
}
