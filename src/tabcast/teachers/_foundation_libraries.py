"""The libraries of tabular foundation models: where their weights are, how they are loaded, what they can take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

from tabcast.files import Argument, ArgumentError


@dataclass(frozen=True)
class Limits:
    """The largest table that a model takes; None where there is no limit."""

    rows: int | None = None
    columns: int | None = None
    classes: int | None = None
    rows_advice: str = ""


class Library(ABC):
    """What tabcast has to know about a library of tabular foundation models."""

    name: ClassVar[str]  # of the package, the extra and the member
    title: ClassVar[str]
    source: ClassVar[str]  # where its weights are published

    @abstractmethod
    def default_weights(self) -> tuple[Path, Path | None]:
        """Where the weights are expected that the library uses by default, and the file if it is there."""

    @abstractmethod
    def load(self, path: Path, n_estimators: int | None, device: str, seed: int | None) -> Any:
        """An unfitted classifier with these weights."""

    @abstractmethod
    def limits(self, model: Any, device: str) -> Limits:
        """What a loaded classifier can take."""


class TabPFN(Library):
    """TabPFN: its weights are in a cache folder of its own."""

    name, title, source = "tabpfn", "TabPFN", "https://huggingface.co/Prior-Labs"

    def default_weights(self) -> tuple[Path, Path | None]:
        """As the library resolves it from its settings."""
        from tabpfn.model_loading import resolve_model_path
        from tabpfn.settings import settings

        path = resolve_model_path(None, "classifier", settings.tabpfn.model_version.value)[0][0]
        return path, path if path.is_file() else None

    def load(self, path: Path, n_estimators: int | None, device: str, seed: int | None) -> Any:
        """Reading the configuration loads the weights."""
        from tabpfn import TabPFNClassifier

        chosen: dict[str, Any] = {} if n_estimators is None else {"n_estimators": n_estimators}
        model = TabPFNClassifier(model_path=path, device=device, random_state=seed, **chosen)
        model.get_inference_config()
        return model

    def limits(self, model: Any, device: str) -> Limits:
        """Those of the weights; fewer rows on a CPU."""
        from tabpfn.settings import settings

        config = model.get_inference_config()
        classes = min(config.MAX_NUMBER_OF_CLASSES, model.configs_[0].max_num_classes)
        rows, columns = config.MAX_NUMBER_OF_SAMPLES, config.MAX_NUMBER_OF_FEATURES
        if device != "cpu" or settings.tabpfn.allow_cpu_large_dataset or rows <= config.MAX_CPU_SAMPLES:
            return Limits(rows, columns, classes)
        advice = " on a CPU; use device='cuda', or set TABPFN_ALLOW_CPU_LARGE_DATASET=1 if time does not matter"
        return Limits(config.MAX_CPU_SAMPLES, columns, classes, advice)


class TabICL(Library):
    """TabICL: its weights are in the cache of Hugging Face."""

    name, title, source = "tabicl", "TabICL", "https://huggingface.co/jingang/TabICL"

    def default_weights(self) -> tuple[Path, Path | None]:
        """The latest snapshot of the cache, which is read without a network."""
        from huggingface_hub import constants, try_to_load_from_cache
        from tabicl import TabICLClassifier

        repository, name = "jingang/TabICL", TabICLClassifier().checkpoint_version
        found = try_to_load_from_cache(repository, name)
        folder = Path(constants.HF_HUB_CACHE) / f"models--{repository.replace('/', '--')}"
        return folder / name, Path(found) if isinstance(found, str) else None

    def load(self, path: Path, n_estimators: int | None, device: str, seed: int | None) -> Any:
        """The library loads weights in `fit`; here it is checked that they are weights."""
        import torch
        from tabicl import TabICLClassifier

        missing = {"config", "state_dict"} - set(torch.load(path, map_location="cpu", weights_only=True))
        if missing:
            raise KeyError(f"it has no {' and no '.join(sorted(missing))}")
        chosen = {} if n_estimators is None else {"n_estimators": n_estimators}
        return TabICLClassifier(model_path=path, allow_auto_download=False, device=device, random_state=seed, **chosen)

    def limits(self, model: Any, device: str) -> Limits:
        """None: it divides many classes into groups, and large tables into batches."""
        return Limits()


LIBRARIES: dict[str, Library] = {library.name: library for library in (TabPFN(), TabICL())}


def find_weights(library: Library, model_path: str | PathLike[str] | None) -> Path:
    """The file with the weights; an error that says how to get it, or the library, if it is not there."""
    if find_spec(library.name) is None:
        raise ImportError(
            f"{library.title} is needed for the teacher {library.name!r}. "
            f"Install it with: pip install 'tabcast[{library.name}]'."
        )
    if model_path is not None:
        path = Path(model_path).expanduser()
        if not path.is_file():
            what = "a folder" if path.is_dir() else "no file"
            raise ArgumentError(
                Argument("model_path"),
                f" must be a file with weights of {library.title}; there is {what} at {str(model_path)!r}. Weights are "
                f"published at {library.source}; tabcast does not download them.",
            )
        return path.resolve()
    expected, found = library.default_weights()
    if found is None:
        raise ArgumentError(
            f"{library.title} needs the weights file {expected.name}, which is not in {expected.parent}. Download it "
            f"from {library.source} into that cache, or name a file with weights with ",
            Argument("model_path"),
            "; tabcast does not download weights.",
        )
    return found.resolve()


def load_model(library: Library, path: Path, n_estimators: int | None, device: str, seed: int | None) -> Any:
    """A classifier with these weights; an error that names the file if they cannot be loaded."""
    try:
        return library.load(path, n_estimators, device, seed)
    except ImportError:
        raise
    except Exception as error:
        reason = str(error).strip().split("\n")[0]
        raise ValueError(
            f"The weights in {path} cannot be loaded by {library.name} {version(library.name)} "
            f"({type(error).__name__}: {reason}). Download the file again, or one for this version."
        ) from error


def check_limits(library: Library, limits: Limits, n_rows: int, n_columns: int, n_classes: int) -> None:
    """Refuse a table that is larger than the model takes."""
    advice = "Use another teacher, for example 'committee'"
    pairs = [
        ("classes", n_classes, limits.classes, f". {advice}, or merge rare classes"),
        ("columns", n_columns, limits.columns, f". {advice}, or leave columns out"),
        ("labeled rows", n_rows, limits.rows, limits.rows_advice or f". {advice}, or fewer labeled rows"),
    ]
    for what, number, limit, cure in pairs:
        if limit is not None and number > limit:
            raise ValueError(
                f"{library.title} with these weights takes at most {limit:,} {what}; the table has {number:,}{cure}."
            )
