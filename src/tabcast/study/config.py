"""A study as a file: which trials make a table or figure of the paper, in a smoke, a quick and a full profile."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from tabcast.checks import check_choice, check_integer, check_number
from tabcast.study.catalog import Catalog, load_catalog
from tabcast.study.protocol import N_FOLDS, PREPROCESSINGS
from tabcast.study.records import Learner, SelectionTask, Setting, Trial, TuningTask
from tabcast.study.work import FILTERS, STRATEGIES

PROPORTIONS = {"label_fractions": "(0, 1)", "corruptions": "[0, 1)"}
CAPPED_FIELDS = ("seeds", "n_tuning_trials", "max_rows")  # of a grid; other caps are on parameters of a model


@dataclass(frozen=True)
class Grid:
    """Trials as a product of datasets, models, methods, and so on.

    Parameters
    ----------
    datasets, models, methods : tuple of str, default=()
        Names of members.
    strategies : tuple of str, default=("threshold", "curriculum")
        Names of strategies; methods without a strategy are run once.
    noise_filters : tuple of str, default=("none",)
        Names of noise filters.
    tunings : tuple of str, default=("paper",)
        Names of search spaces; a model without such a space is run with its defaults.
    label_fractions : tuple of float, default=(0.1,)
        Proportions of training rows that keep their label.
    corruptions : tuple of float, default=(0.0,)
        Proportions of the cells of a training row that are replaced.
    preprocessing : str, default="paper"
        Name of the preprocessing, "paper" or "native".
    seeds : int or tuple of int, default=10
        Number of seeds, counted from 0, or the seeds themselves.
    folds : tuple of int
        Which of the three folds.
    n_tuning_trials : int, default=100
        Number of parameter settings tried per model, dataset and seed.
    max_trees : int, default=0
        Upper bound of the number of trees in tuning; 0 leaves it to the search space.
    max_rows : int, default=0
        Maximum number of rows of a table; 0 takes all.
    caps : mapping of str to mapping of str to float, default={}
        By model, what it gets at most, whatever is said above: `seeds`, `n_tuning_trials` and `max_rows`, and the
        largest values of its parameters, in its search spaces and beside them.
    """

    datasets: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ("threshold", "curriculum")
    noise_filters: tuple[str, ...] = ("none",)
    tunings: tuple[str, ...] = ("paper",)
    label_fractions: tuple[float, ...] = (0.1,)
    corruptions: tuple[float, ...] = (0.0,)
    preprocessing: str = "paper"
    seeds: int | tuple[int, ...] = 10
    folds: tuple[int, ...] = tuple(range(N_FOLDS))
    n_tuning_trials: int = 100
    max_trees: int = 0
    max_rows: int = 0
    caps: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def trials(self, catalog: Catalog) -> Iterator[Trial]:
        """Yield all trials in order."""
        learners = list(dict.fromkeys(self._learner(*pair, catalog) for pair in product(self.models, self.tunings)))
        ways = [way for method in self.methods for way in self._ways(method, catalog)]
        seeds = tuple(range(self.seeds)) if isinstance(self.seeds, int) else self.seeds
        rows = product(self.datasets, self.label_fractions, self.corruptions, seeds)
        for dataset, fraction, corruption, seed in rows:
            for learner in learners:
                caps: Mapping[str, Any] = self.caps.get(learner.model, {})
                if seed not in seeds[: caps.get("seeds")]:
                    continue
                preprocessing = catalog.models[learner.model].preprocessing or self.preprocessing
                max_rows = min((one for one in (self.max_rows, caps.get("max_rows")) if one), default=None)
                setting = Setting(dataset, fraction, corruption, preprocessing, max_rows, seed)
                for fold, way in product(self.folds, ways):
                    yield Trial(setting, learner, fold, *way)

    def _learner(self, model: str, tuning: str, catalog: Catalog) -> Learner:
        """Return the model with this search space, or with its defaults where it has no such space."""
        given: Mapping[str, Any] = self.caps.get(model, {})
        caps = {name: value for name, value in given.items() if name not in CAPPED_FIELDS}
        if tuning == "none" or tuning not in catalog.models[model].spaces:
            return Learner(model, caps=tuple(sorted(catalog.models[model].capped_sizes(caps).items())))
        n_trials = min(self.n_tuning_trials, given.get("n_tuning_trials", self.n_tuning_trials))
        return Learner(model, tuning, n_trials, self.max_trees or None, tuple(sorted(caps.items())))

    def _ways(self, method: str, catalog: Catalog) -> list[tuple[str, str, str]]:
        """Combine the method with each strategy and noise filter, or with none."""
        if not catalog.methods[method].uses_strategy:
            return [(method, "none", "none")]
        return list(product((method,), self.strategies, self.noise_filters))


@dataclass(frozen=True)
class Study:
    """A configuration, read and checked.

    Parameters
    ----------
    path : Path
        The file.
    title, item : str
        Title, and the table or figure of the paper that it rebuilds.
    grids : tuple of Grid
        The trials before a profile is applied.
    profiles : mapping of str to mapping of str to object
        What each profile changes in every grid.
    tables, figures : tuple of mapping of str to object, default=()
        Tables and figures that are made from the results.
    records : Path
        Folder of the records.
    plugins : tuple of Path, default=()
        Folders with Python files that add datasets, models or methods.
    catalog : Catalog
        What the names stand for.
    """

    path: Path
    title: str
    item: str
    grids: tuple[Grid, ...]
    profiles: Mapping[str, Mapping[str, Any]]
    records: Path
    catalog: Catalog
    tables: tuple[Mapping[str, Any], ...] = ()
    figures: tuple[Mapping[str, Any], ...] = ()
    plugins: tuple[Path, ...] = ()
    published: Path | None = None
    notes: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """Name of the configuration file, without its ending."""
        return self.path.stem

    def trials(self, profile: str) -> list[Trial]:
        """List the trials of a profile, each once."""
        check_choice(profile, self.profiles, f"profile of {self.path.name}")
        changes = self.profiles[profile]
        grids = [replace(grid, **changes) for grid in self.grids]
        return list(dict.fromkeys(trial for grid in grids for trial in grid.trials(self.catalog)))

    def preparations(self, profile: str) -> list[TuningTask | SelectionTask]:
        """List what the trials of a profile share: searches of parameters, and Boruta's choices of columns."""
        found: dict[TuningTask | SelectionTask, None] = {}
        for trial in self.trials(profile):
            if self.catalog.why_skip(trial.learner.model, trial.method):
                continue
            if trial.learner.n_tuning_trials:
                found[TuningTask(trial.setting, trial.learner)] = None
            if getattr(self.catalog.methods[trial.method], "selection", None) == "boruta":
                found[SelectionTask(trial.setting, trial.fold)] = None
        return list(found)


_FIELDS = tuple(one.name for one in fields(Grid))
_KEYS = ("title", "item", "notes", "records", "plugins", "published", "grid", "profiles", "tables", "figures")


def read_study(path: Path | str, *, records: Path | str | None = None, plugins: Sequence[Path | str] = ()) -> Study:
    """Read a configuration file; folders in it are relative to the file.

    Parameters
    ----------
    path : Path or str
        TOML file.
    records : Path or str, optional
        Folder of the records, in place of the one that the file names.
    plugins : sequence of Path or str, default=()
        Further plug-in folders.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no configuration {path}.")
    try:
        text = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not valid TOML: {error}.") from error
    for key in text:
        check_choice(key, _KEYS, f"key in {path.name}")
    for key in ("title", "item", "grid", "profiles"):
        if key not in text:
            raise ValueError(f"{path.name} must have {key!r}.")
    # Absolute: a worker may run in another folder.
    folders = tuple((path.parent / folder).resolve() for folder in text.get("plugins", []))
    folders += tuple(Path(folder).resolve() for folder in plugins)
    catalog = load_catalog(folders)
    place = path.parent / text.get("records", "records") if records is None else Path(records)
    return Study(
        path,
        text["title"],
        text["item"],
        tuple(Grid(**_read_grid(grid, catalog, path)) for grid in text["grid"]),
        {name: _read_grid(changes, catalog, path) for name, changes in text["profiles"].items()},
        place.resolve(),
        catalog,
        tuple(text.get("tables", [])),
        tuple(text.get("figures", [])),
        folders,
        path.parent / text["published"] if "published" in text else None,
        text.get("notes", ""),
    )


def _read_grid(given: Mapping[str, Any], catalog: Catalog, path: Path) -> dict[str, Any]:
    """Read and check the fields of a grid; lists and, where several values are allowed, single values become tuples."""
    values: dict[str, Any] = {}
    for key, value in given.items():
        check_choice(key, _FIELDS, f"key of a grid or profile in {path.name}")
        if isinstance(value, list):
            value = tuple(value)
        elif isinstance(getattr(Grid, key, None), tuple):
            value = (value,)
        if value == ():
            raise ValueError(f"`{key}` in {path.name} must have at least one entry; it is empty.")
        if key == "caps":
            _check_caps(value, catalog, path)
        else:
            for one in value if isinstance(value, tuple) else (value,):
                _check_value(key, one, 0 if isinstance(value, tuple) or key != "seeds" else 1, catalog, path)
        # As a float: 1 and 1.0 would be two records.
        values[key] = tuple(map(float, value)) if key in PROPORTIONS else value
    return values


def _check_value(key: str, value: Any, low: int, catalog: Catalog, path: Path) -> None:
    """Refuse an unknown name, or a number that is not allowed."""
    known: dict[str, Iterable[Any]] = {
        "datasets": catalog.datasets,
        "models": catalog.models,
        "methods": catalog.methods,
        "strategies": STRATEGIES,
        "noise_filters": FILTERS,
        "tunings": sorted({"none"}.union(*(model.spaces for model in catalog.models.values()))),
        "preprocessing": PREPROCESSINGS,
        "folds": range(N_FOLDS),
    }
    if key in known:
        kind = "strategy" if key == "strategies" else key.removesuffix("s")
        check_choice(value, known[key], f"{kind} in {path.name}")
    elif key in PROPORTIONS:
        check_number(value, key, path.name, PROPORTIONS[key])
    else:
        check_integer(value, key, path.name, low)


def _check_caps(caps: Any, catalog: Catalog, path: Path) -> None:
    """Refuse caps of unknown models, of unknown parameters, and values that are no numbers or too small."""
    if not isinstance(caps, Mapping) or not all(isinstance(one, Mapping) for one in caps.values()):
        raise ValueError(f"`caps` in {path.name} must be a table per model, as in [profiles.quick.caps.mlp].")
    for model, values in caps.items():
        check_choice(model, catalog.models, f"model in `caps` of {path.name}")
        for name, value in values.items():
            if name in CAPPED_FIELDS:
                check_integer(value, f"caps.{model}.{name}", path.name, 1)
            else:
                check_number(value, f"caps.{model}.{name}", path.name)
        try:
            catalog.models[model].check_caps({name: values[name] for name in values if name not in CAPPED_FIELDS})
        except ValueError as error:
            raise ValueError(f"`caps` in {path.name}: {error}") from error
