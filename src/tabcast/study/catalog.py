"""What the names in a configuration stand for: datasets, models and methods of tabcast and of plug-in folders."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from tabcast.study.datasets import DatasetInfo, list_datasets
from tabcast.study.methods import Method, others, paper
from tabcast.study.models import MODELS, Model
from tabcast.study.records import SelectionTask, Store, Task, Trial, configuration
from tabcast.study.work import SELECTIONS, describe_loop, describe_part


@dataclass(frozen=True)
class Catalog:
    """Datasets, models and methods by name."""

    datasets: Mapping[str, DatasetInfo]
    models: Mapping[str, Model]
    methods: Mapping[str, Method]
    _in_full: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """What tables and figures call the members, by column of the results table."""
        families: list[Mapping[str, Any]] = [self.datasets, self.models, self.methods]
        labels = [{name: member.label for name, member in family.items()} for family in families]
        return dict(zip(("dataset", "model", "method"), labels, strict=True))

    def why_skip(self, model: str, method: str) -> str | None:
        """Return why a trial cannot run here, or None if it can."""
        return self.models[model].unavailable or self.methods[method].why_skip(self.models[model])

    def is_missing(self, task: Task, store: Store) -> bool:
        """Whether a task can run and is not recorded as done."""
        if isinstance(task, Trial) and self.why_skip(task.learner.model, task.method):
            return False
        return not store.is_done(task, self.configuration(task))

    def configuration(self, task: Task) -> dict[str, Any]:
        """Collect everything that decides a task's numbers."""
        info = self.datasets[task.setting.dataset]
        data = [info.metric, info.target, list(info.dropped), info.n_rows, info.n_columns, info.openml_id]
        if isinstance(task, SelectionTask):
            return configuration(
                task, {"data": data, "columns": describe_part(SELECTIONS["boruta"](task.setting.seed))}
            )
        model, tuning = self.models[task.learner.model], task.learner.tuning
        described = {
            "model": self._once(model.name, lambda: {} if model.unavailable else describe_part(model.build({}, 0))),
            "data": data,
            "space": self._once(
                (model.name, tuning), lambda: model.space(tuning).describe() if tuning != "none" else None
            ),
        }
        if isinstance(task, Trial):
            method = self.methods[task.method]
            described["method"] = method.settings()
            if method.uses_strategy:
                described["loop"] = describe_loop(task.strategy, task.noise_filter)
        return configuration(task, described)

    def _once(self, key: Hashable, describe: Callable[[], Any]) -> Any:
        """What describes a member in full, computed once."""
        if key not in self._in_full:
            self._in_full[key] = describe()
        return self._in_full[key]


def load_catalog(plugins: Iterable[Path] = ()) -> Catalog:
    """Load the members of tabcast and of the Python files in plug-in folders; their names must differ.

    Parameters
    ----------
    plugins : iterable of Path, default=()
        Plug-in folders; the code in their Python files is run.
    """
    sources = [paper, others, *(_import_file(path) for folder in plugins for path in _python_files(folder))]
    found = [*list_datasets(), *MODELS.values(), *(value for module in sources for value in vars(module).values())]
    families = ((DatasetInfo, "dataset"), (Model, "model"), (Method, "method"))
    return Catalog(*(_by_name([one for one in found if isinstance(one, kind)], word) for kind, word in families))


def _by_name(members: Sequence[Any], kind: str) -> dict[str, Any]:
    """Index members by name; two of the same name are an error."""
    named: dict[str, Any] = {}
    for member in members:
        if named.get(member.name, member) is not member:
            raise ValueError(f"There are two {kind}s called {member.name!r}; give the plug-in another name.")
        named[member.name] = member
    return named


def _python_files(folder: Path) -> list[Path]:
    """List the Python files of a plug-in folder, in order."""
    if not folder.is_dir():
        raise FileNotFoundError(f"The plug-in folder {folder} does not exist.")
    return sorted(path for path in folder.glob("*.py") if not path.name.startswith("_"))


def _import_file(path: Path) -> ModuleType:
    """Import a Python file as a module, once unless the file has changed."""
    place = blake2b(str(path.resolve()).encode() + path.read_bytes(), digest_size=4).hexdigest()
    name = f"tabcast_plugin_{path.stem}_{place}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
