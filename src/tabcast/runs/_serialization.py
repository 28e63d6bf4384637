"""What skops does not save by itself, as plain data: types of tabcast and scikit-learn, models of boosting libraries.

What is left for skops are scikit-learn's estimators, arrays, lists, dictionaries, text and numbers. An object is
written as ``{"tabcast.part": kind, "state": {...}}``: files name kinds, not modules, so code may move without breaking
them, and nothing but the kinds listed here can be made from a file. docs/model_files.md says why each is needed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from tabcast.checks import is_number
from tabcast.runs._tree_arrays import read_predictor, read_tree, write_predictor, write_tree

MARK = "tabcast.part"
TRAINING_ONLY = "_optimizer"  # of scikit-learn's networks; skops does not save it, and predictions do not need it
State = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A type that is written as plain data.

    Parameters
    ----------
    address : str
        "module.Class", compared with the type of what is written and imported only to read one.
    write : callable
        From an object to its state.
    read : callable
        From a class and a state to an object. Must not trust the state: it may have been made by hand.
    """

    address: str
    write: Callable[[Any], State]
    read: Callable[[type[Any], State], Any]

    def load_type(self) -> type[Any]:
        """The class itself."""
        module, _, name = self.address.rpartition(".")
        return getattr(import_module(module), name)


def pack(value: Any) -> Any:
    """The same object with everything of a known kind as plain data; what holds no such thing is not copied."""
    kind = _find_kind(value)
    if kind is not None:
        return {MARK: kind, "state": pack(KINDS[kind].write(value))}
    if type(value) is dict:
        return {key: pack(entry) for key, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(pack(entry) for entry in value)
    if type(value) is np.ndarray and value.dtype == object:
        return _map_array(pack, value)
    if isinstance(value, BaseEstimator):
        packed = {name: pack(entry) for name, entry in vars(value).items() if name != TRAINING_ONLY}
        value = copy(value)
        vars(value).pop(TRAINING_ONLY, None)
        vars(value).update(packed)
    return value


def _find_kind(value: Any) -> str | None:
    """The kind of a value, if it is a known one."""
    if isinstance(value, pd.Index):
        return "Index"
    if isinstance(value, partial):
        return "check_array" if value.func is check_array and not value.args else None
    return KIND_OF.get(f"{type(value).__module__}.{type(value).__qualname__}")


def unpack(value: Any) -> Any:
    """The object that :func:`pack` was given, from what it made."""
    return _unpack(value, {})


def _unpack(value: Any, done: dict[int, tuple[Any, Any]]) -> Any:
    """Each object once, however often a file refers to it; `done` holds on to it, so that its id stays its own."""
    if id(value) in done:
        return done[id(value)][1]
    if type(value) is dict and MARK in value:
        kind = KINDS[value[MARK]]
        result = kind.read(kind.load_type(), _unpack(value["state"], done))
    elif type(value) is dict:
        result = {key: _unpack(entry, done) for key, entry in value.items()}
    elif type(value) in (list, tuple):
        result = type(value)(_unpack(entry, done) for entry in value)
    elif type(value) is np.ndarray and value.dtype == object:
        result = _map_array(lambda entry: _unpack(entry, done), value)
    else:
        result = value
        if isinstance(value, BaseEstimator):
            for name, entry in vars(value).items():
                vars(value)[name] = _unpack(entry, done)
    done[id(value)] = (value, result)
    return result


def _map_array(change: Callable[[Any], Any], values: NDArray[Any]) -> NDArray[Any]:
    """An array of objects with every object changed."""
    result = np.empty_like(values)
    for position, value in np.ndenumerate(values):
        result[position] = change(value)
    return result


# ---- Types with a fixed list of attributes


def _attributes(address: str, *names: str) -> Kind:
    """A kind whose objects are their attributes; what is not fitted, as within a fitted pipeline, lacks some."""

    def write(value: Any) -> State:
        return {name: vars(value)[name] for name in names if name in vars(value)}

    def read(made: type[Any], state: State) -> Any:
        value = object.__new__(made)
        vars(value).update({name: state[name] for name in names if name in state})
        return value

    return Kind(address, write, read)


def _columns() -> Kind:
    """Columns of a table; each has one place, else an encoded table would hold whatever was in memory."""
    kind = _attributes(
        "tabcast.table._columns.Columns",
        "names",
        "named",
        "continuous",
        "categorical",
        "continuous_index",
        "categorical_index",
    )

    def read(made: type[Any], state: State) -> Any:
        value = kind.read(made, state)
        pairs = ((value.continuous, value.continuous_index), (value.categorical, value.categorical_index))
        places = np.concatenate([np.asarray(index, dtype=np.intp) for _, index in pairs])
        if any(len(columns) != len(index) for columns, index in pairs) or (
            sorted(places.tolist()) != list(range(len(value.names)))
        ):
            raise ValueError("columns and their places do not agree")
        return value

    return Kind(kind.address, kind.write, read)


# ---- What predicts after soft self-training


def _write_parameters(model: Any) -> State:
    return dict(vars(model))


def _read_softened(made: type[Any], state: State) -> Any:
    estimator, power = state["estimator"], state["power"]
    if not is_number(power, "(0, inf)"):
        raise ValueError("a power is no positive number")
    return made(estimator, power)


def _read_averaged(made: type[Any], state: State) -> Any:
    members, weights, classes = state["members"], state["weights"], state["classes"]
    if type(members) is not list or type(weights) is not list or len(members) != len(weights) or not members:
        raise ValueError("a committee has not one weight per member")
    if not all(is_number(weight, "[0, 1]") for weight in weights):
        raise ValueError("a weight of a committee is not in [0, 1]")
    return made(members, weights, classes)


# ---- pandas


def _write_index(index: pd.Index[Any]) -> State:
    """Numbers, booleans and dates as an array, anything else as a list."""
    if isinstance(index.dtype, np.dtype) and index.dtype.kind in "biufM":
        return {"dtype": index.dtype.str, "values": index.to_numpy()}
    return {"dtype": "object" if index.dtype == object else "str", "values": index.tolist()}


def _read_index(made: type[Any], state: State) -> pd.Index[Any]:
    return made(state["values"], dtype=state["dtype"])


# ---- scikit-learn's gradient boosting checks numeric columns with a partial function


def _write_check(check: partial[Any]) -> State:
    return dict(check.keywords)


def _read_check(made: type[Any], state: State) -> partial[Any]:
    return made(check_array, **state)


# ---- Boosting libraries: parameters, and the model in the library's own format, which holds data only


def _write_xgboost(classifier: Any) -> State:
    fitted = classifier.__sklearn_is_fitted__()
    model = bytes(classifier.get_booster().save_raw(raw_format="ubj")) if fitted else None
    return {"parameters": classifier.get_params(), "model": model}


def _read_xgboost(made: type[Any], state: State) -> Any:
    classifier = made(**state["parameters"])
    if state["model"] is not None:
        classifier.load_model(bytearray(_checked(state["model"], bytes)))  # text would be taken for a path
    return classifier


# What LightGBM keeps outside of its model and needs to predict; docs/model_files.md says what for.
_LIGHTGBM_ATTRIBUTES = (
    "_best_iteration",
    "_objective",
    "_fitted_with_feature_names",
    "_n_features",
    "_n_features_in",
    "_classes",
    "_n_classes",
    "_le",
)


def _write_lightgbm(classifier: Any) -> State:
    state: State = {"parameters": classifier.get_params(), "model": None}
    if classifier.__sklearn_is_fitted__():
        state["model"] = classifier.booster_.model_to_string(num_iteration=-1)
        state["attributes"] = {name: getattr(classifier, name, None) for name in _LIGHTGBM_ATTRIBUTES}
    return state


def _read_lightgbm(made: type[Any], state: State) -> Any:
    classifier = made(**state["parameters"])
    if state["model"] is not None:
        booster = import_module("lightgbm").Booster(model_str=_checked(state["model"], str))
        attributes = {name: state["attributes"][name] for name in _LIGHTGBM_ATTRIBUTES}
        vars(classifier).update(attributes, _Booster=booster, fitted_=True)
    return classifier


def _write_catboost(classifier: Any) -> State:
    state: State = {"parameters": classifier.get_params(), "model": None}
    if classifier.is_fitted():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.cbm"
            classifier.save_model(str(path), format="cbm")
            state["model"] = path.read_bytes()
    return state


def _read_catboost(made: type[Any], state: State) -> Any:
    classifier = made(**state["parameters"])
    if state["model"] is not None:
        classifier.load_model(blob=_checked(state["model"], bytes))
    return classifier


# ---- Networks: parameters, and what is fitted, which is arrays; what pretraining left is not needed to predict

_NET_ATTRIBUTES = (
    "n_features_in_",
    "feature_names_in_",
    "classes_",
    "n_epochs_",
    "encoder_",
    "architecture_",
    "weights_",
)


def _write_net(classifier: Any) -> State:
    parameters = {name: value for name, value in classifier.get_params(deep=False).items() if name != "pretrained"}
    fitted = {name: vars(classifier)[name] for name in _NET_ATTRIBUTES if name in vars(classifier)}
    return {"parameters": parameters, "attributes": fitted}


def _read_net(made: type[Any], state: State) -> Any:
    classifier = made(**state["parameters"])
    vars(classifier).update({name: value for name, value in state["attributes"].items() if name in _NET_ATTRIBUTES})
    if "weights_" in vars(classifier):
        classifier._load()  # refuses weights that do not fit
    return classifier


def _checked(value: Any, kind: type[Any]) -> Any:
    if type(value) is not kind:
        raise TypeError(f"a model must be {kind.__name__}; got {type(value).__name__}")
    if not value:
        raise ValueError("a model is empty")  # XGBoost would end the process
    return value


KINDS = {
    "AdaptedClassifier": _attributes(
        "tabcast.models._adapted.AdaptedClassifier", "estimator", "adaptation_", "classes_", "_empty", "estimator_"
    ),
    "SoftenedClassifier": Kind("tabcast.self_training._deployed.SoftenedClassifier", _write_parameters, _read_softened),
    "AveragedClassifier": Kind("tabcast.self_training._deployed.AveragedClassifier", _write_parameters, _read_averaged),
    "Adaptation": _attributes(
        "tabcast.models._adapted.Adaptation", "columns", "whole_labels", "fills_empty", "parameters", "fit_params"
    ),
    "NativeColumns": _attributes(
        "tabcast.models._native_columns.NativeColumns",
        "max_levels",
        "as_text",
        "bad_signs",
        "names_",
        "columns_",
        "categorical_names_",
        "_kept",
    ),
    "CutColumns": _attributes("tabcast.partitions._cuts.CutColumns", "max_values", "columns_", "edges_", "kept_"),
    "TableCodes": _attributes("tabcast.table._encoders.TableCodes", "categorical_features", "columns_", "below_"),
    "NormalScores": _attributes(
        "tabcast.table._encoders.NormalScores",
        "categorical_features",
        "columns_",
        "has_missing_",
        "levels_",
        "quantiles_",
    ),
    "Columns": _columns(),
    "ContinuousColumn": _attributes(
        "tabcast.table._columns.ContinuousColumn", "name", "low", "high", "center", "scale", "has_missing"
    ),
    "CategoricalColumn": _attributes("tabcast.table._columns.CategoricalColumn", "name", "levels", "has_missing"),
    "Index": Kind("pandas.Index", _write_index, _read_index),
    "check_array": Kind("functools.partial", _write_check, _read_check),
    "Tree": Kind("sklearn.tree._tree.Tree", write_tree, read_tree),
    "TreePredictor": Kind(
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor", write_predictor, read_predictor
    ),
    "XGBClassifier": Kind("xgboost.sklearn.XGBClassifier", _write_xgboost, _read_xgboost),
    "LGBMClassifier": Kind("lightgbm.sklearn.LGBMClassifier", _write_lightgbm, _read_lightgbm),
    "CatBoostClassifier": Kind("catboost.core.CatBoostClassifier", _write_catboost, _read_catboost),
    "TableEncoder": _attributes("tabcast.models.neural._cells.TableEncoder", "columns_", "quantiles_"),
    **{
        name: Kind(f"tabcast.models.neural.{module}.{name}", _write_net, _read_net)
        for name, module in {
            "MLPClassifier": "_mlp",
            "FTTransformerClassifier": "_ft_transformer",
            "VIMEClassifier": "_vime",
            "SubTabClassifier": "_subtab",
            "SCARFClassifier": "_scarf",
            "SwitchTabClassifier": "_switchtab",
        }.items()
    },
}
KIND_OF = {kind.address: name for name, kind in KINDS.items()}
