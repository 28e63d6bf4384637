"""Self-training on a Dask DataFrame: partitions are scored where they are, and XGBoost trains on all workers.

An ordinary fit on a sample (the rehearsal) chooses alpha and the round, fits densities or the teacher, and finds the
decision rule. Then the chosen rounds run on all rows. The client keeps some bytes per row (the confidence in its
label); features and probabilities stay with the workers.
"""

from __future__ import annotations

import logging
import os
import pickle
import warnings
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from glob import glob
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tabcast.confidence import ClusterAware, Raw
from tabcast.confidence._confidence import SCALINGS, regularize
from tabcast.exceptions import NoUnlabeledRowsWarning
from tabcast.models._adapted import Adaptation, AdaptedClassifier, find_levels, keep_levels
from tabcast.noise_filters import KeepAllRows
from tabcast.self_training._algorithm import entries_of
from tabcast.self_training._data import PseudoLabels, Split, TrainingData, read_training_data
from tabcast.self_training._deployed import SoftenedClassifier, sharpen
from tabcast.self_training._fitter import training_rows
from tabcast.table import Floats, Index, Mask
from tabcast.table._labels import UNLABELED
from tabcast.table._tables import read_table

REHEARSAL_ROWS = 50_000  # unlabeled rows of the rehearsal where the classifier's max_pool is None
MOST_ATTEMPTS = 3  # at a round in which a worker is lost
# What XGBoost and Dask say then.
LOST_WORKER = ("llreduce", "worker address", "Resilience", "onnect", "imeout", "imed out", "cancelled", "lost")
SILENCE = 60  # seconds after which the other workers give up waiting for a lost one
SCORES = ("label", "raw_label", "confidence", "raw_confidence", "density")

log = logging.getLogger("tabcast.dask")


def fit_on_dask(
    classifier: Any, X: Any, y: Any, pool: Any, validation_data: Any, sample_weight: Any, fit_params: dict[str, Any]
) -> None:
    """Fit a self-training classifier with XGBoost inside on labeled rows in memory and a Dask DataFrame of others."""
    _check_support(classifier)
    if sample_weight is not None or fit_params:
        raise ValueError("With a Dask DataFrame as X_unlabeled, fit takes neither sample_weight nor fit parameters.")
    if not all(isinstance(name, str) for name in getattr(X, "columns", [None])):
        raise TypeError("With a Dask DataFrame as X_unlabeled, X must be a DataFrame whose column names are text.")
    with _ensure_client() as client:
        pool = pool if hasattr(pool, "map_partitions") else open_pool(pool, X)
        lengths = np.array(client.gather(client.compute([_delay(len)(part) for part in pool.to_delayed()])))
        sample = _draw_sample(client, pool, lengths, classifier)
        max_pool, classifier.max_pool = classifier.max_pool, None
        try:
            classifier.fit(X, y, X_unlabeled=sample, validation_data=validation_data)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NoUnlabeledRowsWarning)
                data = read_training_data(classifier, X, y, None, None, None, {})
        finally:
            classifier.max_pool = max_pool
        rounds = Rounds(client, classifier, data, pool, lengths)
        if hasattr(classifier, "teacher_"):
            rounds.run_soft()
        else:
            rounds.run_hard()


def open_pool(source: str | os.PathLike[str], X: Any) -> Any:
    """The columns of X from a folder or pattern of Parquet or CSV files; empty cells are missing, words are not."""
    import dask.dataframe as dd

    place = os.fspath(source)
    paths = sorted(glob(f"{place}/*" if os.path.isdir(place) else place))
    endings = {os.path.splitext(path)[1].lower() for path in paths}
    if endings not in ({".parquet"}, {".csv"}):
        found = f"files that end in {', '.join(sorted(endings))}" if paths else "no file"
        raise ValueError(f"X_unlabeled must be Parquet files or CSV files, not both; {place!r} has {found}.")
    if not isinstance(X, pd.DataFrame):
        raise TypeError("X must be a pandas DataFrame where X_unlabeled is read from files: columns go by their names.")
    if endings == {".parquet"}:
        return dd.read_parquet(paths, columns=list(X.columns))
    dates = [name for name in X if pd.api.types.is_datetime64_any_dtype(X[name].dtype)]
    types = {name: "float64" if X[name].dtype.kind in "iu" else X[name].dtype for name in X if name not in dates}
    options = {"usecols": list(X.columns), "dtype": types, "parse_dates": dates, "blocksize": None}
    return dd.read_csv(paths, keep_default_na=False, na_values=[""], **options)[list(X.columns)]


def predict_on_dask(classifier: Any, pool: Any, *, proba: bool) -> Any:
    """Predictions of a Dask DataFrame as another one: a column "prediction", or one column per class."""
    names = [str(name) for name in classifier.classes_] if proba else ["prediction"]
    bare = copy(classifier)
    bare.__dict__.pop("_tables", None)  # what happened in training does not travel

    def predict(part: pd.DataFrame) -> pd.DataFrame:
        empty = np.empty((0, len(names)), dtype=float if proba else classifier.classes_.dtype)
        found = (bare.predict_proba(part) if proba else bare.predict(part)) if len(part) else empty
        return pd.DataFrame(np.reshape(found, (len(part), len(names))), columns=names, index=part.index)

    meta = pd.DataFrame({name: pd.Series(dtype=float if proba else classifier.classes_.dtype) for name in names})
    return pool.map_partitions(predict, meta=meta)


class Rounds:
    """The rounds of a rehearsed classifier on all rows."""

    def __init__(self, client: Any, classifier: Any, data: TrainingData, pool: Any, lengths: Index) -> None:
        self.client, self.classifier, self.data = client, classifier, data
        names = list(classifier.feature_names_in_)
        if list(pool.columns) != names:
            raise ValueError(f"X_unlabeled must have the columns of X, {names}; got {list(pool.columns)}.")
        own = data.X_pool  # unlabeled rows of X come first
        self.parts = [_delay(_read_part)(part, classifier._column_types, names) for part in (own, *pool.to_delayed())]
        self.offsets = np.cumsum([0, len(own), *lengths])
        self.template = classifier.supervised_
        self.is_adapted = isinstance(self.template, AdaptedClassifier)
        self.adaptation = self.template.adaptation_ if self.is_adapted else Adaptation()

    def run_hard(self) -> None:
        """Algorithm 1 with the alpha and the rounds of the rehearsal."""
        classifier, parts = self.classifier, self.classifier.parts_
        part, strategy = parts.confidence, deepcopy(parts.strategy)
        densities: list[Any] = [None] * len(self.parts)
        lazy, scale = densities, None
        if isinstance(part, ClusterAware):
            lazy = [_delay(_log_density)(one, parts.feature_selection, part.density_) for one in self.parts]
            densities = self._persist(lazy)
            ranges = self.client.gather(self.client.compute([_delay(_find_range)(one) for one in densities]))
            scale = Scale(np.min([low for low, _ in ranges], 0), np.max([high for _, high in ranges], 0), part)
        model, since = classifier.supervised_, np.full(self.offsets[-1], -1, dtype=np.int16)
        chosen = np.zeros(len(since), dtype=bool)
        for round_number in range(1, max(classifier.best_round_, 1) + 1):
            shared = _delay(model)  # scattered, it could not be computed again after a worker is lost
            pairs = zip(self.parts, densities, strict=True)
            scores = self._persist([_delay(_score)(one, density, shared, scale) for one, density in pairs])
            shown = [_delay(_score)(*pair, model, scale) for pair in zip(self.parts, lazy, strict=True)]
            if classifier.best_round_ == 0:  # the labels of the round that would have come next, with no row in use
                break
            confidence = self.client.gather(self.client.compute([one["confidence"] for one in scores]))
            chosen = strategy.select(np.concatenate(confidence)[:, None], round_number)
            since = np.where(chosen, np.where(since < 0, round_number, since), -1).astype(np.int16)
            rows = zip(self.parts, scores, self._cut(chosen), strict=True)
            model = self._train([_delay(_make_hard)(*one) for one in rows])
        self._remember(model, shown, chosen, since)

    def run_soft(self) -> None:
        """The student of the rehearsal's teacher, trained on soft labels of all rows."""
        classifier = self.classifier
        if classifier.teacher_ is None or classifier.best_round_ == 0:
            raise ValueError("X_unlabeled has no rows to learn from, or the supervised model won on the sample.")
        teacher = copy(classifier.teacher_)
        teacher.__dict__.pop("_pool", None)
        is_random = classifier.sampling_ is None or classifier.sampling_.looks_random
        temperature = teacher.temperature if isinstance(classifier.temperature, str) else float(classifier.temperature)
        lesson = teacher, temperature if is_random else 1.0, classifier.parts_.weighting
        shared = _delay(lesson)
        soft = self._persist([_delay(_teach)(one, shared) for one in self.parts])
        model = self._train([_delay(_make_soft)(part, one) for part, one in zip(self.parts, soft, strict=True)])
        shown = [_delay(_describe_soft)(_delay(_teach)(one, lesson)) for one in self.parts]
        everything = np.ones(self.offsets[-1], dtype=bool)
        self._remember(model, shown, everything, everything.astype(np.int16))

    def _remember(self, model: Any, scores: list[Any], chosen: Mask, since: NDArray[Any]) -> None:
        """Set the attributes that differ from those of the rehearsal; scores are computed when they are needed."""
        import dask.dataframe as dd

        classifier, classes = self.classifier, self.data.labels.classes
        rehearsed, classifier.estimator_, classifier.deployed_ = classifier.deployed_, model, model
        if isinstance(rehearsed, SoftenedClassifier):
            classifier.deployed_ = SoftenedClassifier(model, rehearsed.power, rehearsed.n_rows)
        rows = np.arange(self.offsets[-1])
        pool = [*self.data.pool, *range(len(self.data.X), len(self.data.X) + len(rows) - len(self.data.pool))]
        columns = zip(self._cut(np.asarray(pool)), scores, self._cut(chosen), self._cut(since), strict=True)
        tables = [_delay(_tabulate)(classes, *one) for one in columns]
        meta = _tabulate(classes, rows[:0], pd.DataFrame(np.zeros((0, 5)), columns=SCORES), chosen[:0], since[:0])
        classifier._tables = replace(classifier._tables, rows=dd.from_delayed(tables, meta=meta))
        codes, used = self.data.labels.codes.copy(), np.zeros(len(self.data.X), dtype=np.intp)
        first = self.client.gather(self.client.compute(scores[0]))
        in_use = chosen[: self.offsets[1]]
        codes[self.data.pool] = np.where(in_use, first["label"].to_numpy(dtype=np.intp), UNLABELED)
        used[self.data.pool] = since[: self.offsets[1]]
        classifier.transduction_, classifier.labeled_iter_ = self.data.labels.values(codes), used

    def _cut(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """One array per partition."""
        return [values[start:stop] for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True)]

    def _persist(self, delayed: list[Any]) -> list[Any]:
        """Results that stay with the workers."""
        return list(self.client.persist(delayed))

    def _train(self, pool: list[Any]) -> Any:
        """A fitted copy of the estimator; a round in which a worker is lost runs again, three times at most."""
        import xgboost

        for attempt in range(1, MOST_ATTEMPTS + 1):
            try:
                return self._train_once(pool)
            except (xgboost.core.XGBoostError, AssertionError, ValueError, OSError, CancelledError) as error:
                if attempt == MOST_ATTEMPTS or not any(sign in str(error) for sign in LOST_WORKER):
                    raise
                log.warning("A worker was lost in training; the round runs again (%d of %d).", attempt, MOST_ATTEMPTS)
        raise AssertionError

    def _train_once(self, pool: list[Any]) -> Any:
        """Train on the labeled rows and the rows of the pool, placed on workers by the workers' names."""
        import dask.dataframe as dd
        from xgboost import dask as xgboost_dask
        from xgboost.collective import Config

        data, inner = self.data, self.template.estimator_ if self.is_adapted else self.template
        nothing = PseudoLabels.none(len(data.pool))
        rows, codes, _ = training_rows(data, Split(self.classifier._split.train), nothing)
        labeled = self.adaptation.encode(data.X.iloc[rows]).assign(**{"\0label": codes, "\0weight": 1.0})
        encoded = [_delay(_encode)(one, self.adaptation, labeled.iloc[:0]) for one in pool]
        levels = {}
        if self.is_adapted:  # the levels of the rows that train, as in memory
            some = self.client.gather(self.client.compute([_delay(_one_row_per_level)(one) for one in encoded]))
            levels = find_levels([labeled, *some], self.adaptation)
            labeled, encoded = keep_levels(labeled, levels), [_delay(keep_levels)(one, levels) for one in encoded]
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        addresses = [address for address, _ in sorted(workers.items(), key=lambda item: str(item[1]["name"]))]
        placed = [
            # Another worker may take over from a lost one, which would be waited for forever.
            self.client.compute(part, workers=[addresses[number % len(addresses)]], allow_other_workers=True)
            for number, part in enumerate([_delay(_copy)(part) for part in (labeled, *encoded)])
        ]
        frame = dd.from_delayed(placed, meta=labeled.iloc[:0], verify_meta=False)
        params, n_classes = inner.get_xgb_params(), data.n_classes
        multi = {"objective": "multi:softprob", "num_class": n_classes}
        params |= multi if n_classes > 2 else {"objective": "binary:logistic"}
        options = {"missing": inner.missing, "enable_categorical": bool(inner.enable_categorical)}
        options |= {} if inner.max_bin is None else {"max_bin": inner.max_bin}
        features = [name for name in labeled.columns if name not in ("\0label", "\0weight")]
        matrix = xgboost_dask.DaskQuantileDMatrix(
            self.client, frame[features], frame["\0label"], weight=frame["\0weight"], **options
        )
        config = Config(timeout=SILENCE, tracker_timeout=SILENCE)
        trained = xgboost_dask.train(self.client, params, matrix, inner.get_num_boosting_rounds(), coll_cfg=config)
        fitted = deepcopy(inner)  # load_model changes the booster in place
        fitted.load_model(bytearray(trained["booster"].save_raw("ubj")))
        if not self.is_adapted:
            return fitted
        model = copy(self.template)
        model.estimator_, model._levels = fitted, levels
        return model


@dataclass(frozen=True, eq=False)
class Scale:
    """From log densities of a partition to cluster-aware confidence, with the ranges of all partitions."""

    low: Floats
    high: Floats
    part: ClusterAware

    def gamma(self, log_density: Floats) -> Floats:
        """The scaled densities: as of all rows, because the smallest and largest are among them."""
        ends = np.vstack([log_density, self.low, self.high])
        return SCALINGS[self.part.scaling](ends)[:-2]


def _read_part(part: pd.DataFrame, types: Any, names: list[str]) -> pd.DataFrame:
    """A partition with the columns of `fit` and their types."""
    if list(part.columns) != names:
        raise ValueError(f"A partition of X_unlabeled has the columns {list(part.columns)}; expected {names}.")
    if len(part) == 0:
        return part
    return types.align(read_table(part.reset_index(drop=True), name="X_unlabeled"), name="X_unlabeled", warn=False)


def _log_density(part: pd.DataFrame, columns: Any, density: Any) -> Floats:
    return density.score_samples(columns.transform(part)) if len(part) else np.empty((0, len(density.classes_)))


def _find_range(values: Floats) -> tuple[Floats, Floats]:
    """Smallest and largest of each column; of no row, what all others are beyond."""
    return values.min(axis=0, initial=np.inf), values.max(axis=0, initial=-np.inf)


def _score(part: pd.DataFrame, log_density: Floats | None, model: Any, scale: Scale | None) -> pd.DataFrame:
    """Pseudo-labels of a partition, with the reasons."""
    if len(part) == 0:
        return pd.DataFrame(np.zeros((0, len(SCORES))), columns=SCORES)
    proba = np.asarray(model.predict_proba(part), dtype=float)
    gamma = None if scale is None or log_density is None else scale.gamma(log_density)
    confidence = proba if gamma is None or scale is None else regularize(proba, gamma, scale.part.alpha)
    labels = confidence.argmax(axis=1)
    density = np.full(len(part), np.nan) if gamma is None else entries_of(gamma, labels)
    found = (labels, proba.argmax(axis=1), entries_of(confidence, labels), entries_of(proba, labels), density)
    return pd.DataFrame(dict(zip(SCORES, found, strict=True)))


def _teach(part: pd.DataFrame, shared: tuple[Any, float, Any]) -> tuple[Floats, Floats]:
    """Probabilities of the teacher, and the proportions of the classes in each row that train."""
    teacher, temperature, weighting = shared
    proba = teacher.predict_proba(part) if len(part) else np.zeros((0, teacher.n_classes_))
    divided = np.asarray(weighting.divide(sharpen(proba, temperature))) if len(part) else proba
    return proba, divided / divided.sum(axis=1, keepdims=True)


def _describe_soft(taught: tuple[Floats, Floats]) -> pd.DataFrame:
    proba, soft = taught
    labels, raw = soft.argmax(axis=1), proba.argmax(axis=1)
    found = (labels, raw, entries_of(soft, labels), entries_of(proba, labels), np.full(len(labels), np.nan))
    return pd.DataFrame(dict(zip(SCORES, found, strict=True)))


def _make_hard(part: pd.DataFrame, scores: pd.DataFrame, chosen: Mask) -> tuple[pd.DataFrame, Index, Floats]:
    """The chosen rows with their labels."""
    rows = np.flatnonzero(chosen)
    return part.iloc[rows], scores["label"].to_numpy(dtype=np.intp)[rows], np.ones(len(rows))


def _make_soft(part: pd.DataFrame, taught: tuple[Floats, Floats]) -> tuple[pd.DataFrame, Index, Floats]:
    """A copy of each row per class that it has a proportion of, with that proportion as weight."""
    rows, codes = np.nonzero(taught[1])
    return part.iloc[rows], codes, taught[1][rows, codes]


def _encode(made: tuple[pd.DataFrame, Index, Floats], adaptation: Adaptation, nothing: pd.DataFrame) -> pd.DataFrame:
    """Rows as the estimator takes them, with their labels and weights; `nothing` where there are none."""
    part, codes, weight = made
    return nothing if len(part) == 0 else adaptation.encode(part).assign(**{"\0label": codes, "\0weight": weight})


def _copy(part: pd.DataFrame) -> pd.DataFrame:
    """The same in memory of its own: numbers and levels from a message may not be aligned, which XGBoost refuses."""
    return pickle.loads(pickle.dumps(part))


def _one_row_per_level(part: pd.DataFrame) -> pd.DataFrame:
    """Rows that have every level that some row has."""
    columns = [name for name in part.columns if isinstance(part[name].dtype, pd.CategoricalDtype)]
    first = [np.unique(part[name].cat.codes, return_index=True)[1] for name in columns]
    return part.iloc[np.unique(np.concatenate([*first, []])).astype(int)]


def _tabulate(classes: NDArray[Any], rows: Index, scores: pd.DataFrame, chosen: Mask, since: Any) -> pd.DataFrame:
    """The columns of `pseudo_labels_` for a partition."""
    labels, raw = (classes[scores[name].to_numpy(dtype=np.intp)] for name in SCORES[:2])
    kept = {name: scores[name].to_numpy(dtype=float) for name in SCORES[2:]}
    table = pd.DataFrame({"row": np.asarray(rows, dtype=np.int64), "label": labels, "raw_label": raw, **kept})
    return table.assign(selected=chosen, round=np.where(chosen, since, -1).astype(np.int64))


def _draw_sample(client: Any, pool: Any, lengths: Index, classifier: Any) -> pd.DataFrame:
    """A uniform random sample of the rows, in their order; all of them where they are few."""
    n, most = int(lengths.sum()), classifier.max_pool or REHEARSAL_ROWS
    rows = np.arange(n)
    if n > most:
        seed = check_random_state(classifier.random_state).randint(np.iinfo(np.int32).max)
        rows = np.sort(np.random.default_rng(seed).permutation(n)[:most])
    starts = np.cumsum([0, *lengths])
    parts = [
        _delay(lambda part, at: part.iloc[at])(part, rows[(rows >= start) & (rows < stop)] - start)
        for part, start, stop in zip(pool.to_delayed(), starts[:-1], starts[1:], strict=True)
    ]
    return pd.concat(client.gather(client.compute(parts)), ignore_index=True)


def _check_support(classifier: Any) -> None:
    """Refuse what needs all rows in one place, before any work."""
    owner, method = type(classifier).__name__, classifier._build_method()
    parts, estimator = method.parts, classifier._base_estimator()
    problem = None
    if type(estimator).__name__ != "XGBClassifier":
        problem = f"`estimator` must be an XGBClassifier, which trains on Dask; got {classifier.estimator!r}"
    elif not isinstance(parts.confidence, Raw | ClusterAware) or callable(getattr(parts.confidence, "scaling", "")):
        problem = f"`confidence` must be Raw or ClusterAware; got {parts.confidence!r}"
    elif getattr(parts.confidence, "scaling", "") == "robust":
        problem = "`scaling` of ClusterAware must be 'log' or 'density'"
    elif not isinstance(parts.noise_filter, KeepAllRows):
        problem = f"`noise_filter` must be None; got {parts.noise_filter!r}"
    elif not getattr(method, "relabel", True) or classifier.pseudo_weight != 1:
        problem = "`relabel` must be True and `pseudo_weight` 1"
    elif type(parts.strategy).__name__ not in ("Curriculum", "FixedThreshold", "TakeAll", "TopK"):
        problem = f"`strategy` must be 'curriculum', 'threshold', 'all' or 'top_k'; got {parts.strategy!r}"
    if problem is not None:
        raise ValueError(f"With a Dask DataFrame, {problem} ({owner}). Or pass a sample of the rows as pandas.")


@contextmanager
def _ensure_client() -> Iterator[Any]:
    """The current Dask client, or one of this process alone."""
    from distributed import Client, LocalCluster, get_client

    try:
        current = get_client()
    except ValueError:
        current = None
    if current is not None:
        yield current
        return
    cluster = LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        yield client


def _delay(function: Any) -> Any:
    from dask.delayed import delayed

    return delayed(function)
