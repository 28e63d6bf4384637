"""Does SwitchTab's pretraining help, and which part of it does harm?

    python research/nets/switchtab.py --seeds 10

compares test AUC on 500 rows, a tenth of the training rows labeled: SwitchTab as it is, without pretraining, and with
parts of its task left out (the sigmoids of the projections; the switched reconstruction, which leaves a denoising
autoencoder), and with a frozen encoder. About 40 seconds of one core per seed.
"""

from __future__ import annotations

import argparse
from typing import Any

import pandas as pd
import torch
from sklearn.metrics import roc_auc_score

from tabcast.models.neural import SwitchTabClassifier
from tabcast.models.neural._transformers import CORRUPTION, corrupt
from tabcast.study.datasets import load_dataset
from tabcast.study.protocol import make_folds
from tabcast.study.records import Setting

DATASETS = ("diabetes", "cmc", "ozone-level-8hr")
REFERENCE = "not pretrained"


class NotPretrained(SwitchTabClassifier):
    """Starts from random weights."""

    def _start(self, encoder: Any, pretrained: Any) -> None:
        """Take nothing over."""


class Frozen(SwitchTabClassifier):
    """Trains the head alone."""

    def _start(self, encoder: Any, pretrained: Any) -> None:
        super()._start(encoder, pretrained)
        encoder.requires_grad_(False)


class FrozenNotPretrained(SwitchTabClassifier):
    """Trains the head alone, on a random encoder."""

    def _start(self, encoder: Any, pretrained: Any) -> None:
        encoder.requires_grad_(False)


class WithoutSigmoid(SwitchTabClassifier):
    """Projects linearly."""

    def _build_pretext(self, encoder: Any, shape: Any, generator: Any) -> Any:
        task: Any = super()._build_pretext(encoder, shape, generator)
        task.mutual, task.salient = task.mutual[0], task.salient[0]
        return task


class WithoutSwitch(SwitchTabClassifier):
    """Reconstructs each row from both of its own parts, with the same weight as the two reconstructions together."""

    def _build_pretext(self, encoder: Any, shape: Any, generator: Any) -> Any:
        task: Any = super()._build_pretext(encoder, shape, generator)

        def loss(cells: Any, pool: Any) -> Any:
            encoded = task.encoder(corrupt(cells, CORRUPTION, pool, task.generator))
            return 2 * task.reconstruction(torch.cat([task.mutual(encoded), task.salient(encoded)], dim=1), cells)

        task.forward = loss
        return task


VARIANTS: dict[str, type[SwitchTabClassifier]] = {
    REFERENCE: NotPretrained,
    "pretrained": SwitchTabClassifier,
    "without sigmoid": WithoutSigmoid,
    "without switch": WithoutSwitch,
    "frozen": Frozen,
    "frozen, not pretrained": FrozenNotPretrained,
}


def measure(seed: int, dataset: str) -> dict[str, float]:
    """Test AUC of each variant on one fold."""
    setting = Setting(dataset, preprocessing="native", max_rows=500, seed=seed)
    fold = next(iter(make_folds(load_dataset(dataset), setting)))
    found = {}
    for name, kind in VARIANTS.items():
        net = kind(encoder_depth=2, class_weight="balanced", random_state=seed)
        proba = net.pretrain(fold.X_pool).fit(fold.X_labeled, fold.y_labeled).predict_proba(fold.X_test)
        scores = proba[:, 1] if proba.shape[1] == 2 else proba
        found[name] = float(roc_auc_score(fold.y_test, scores, multi_class="ovr"))
    return found


def main() -> None:
    """Print mean AUC, and the difference from no pretraining with its standard error over seeds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args().seeds
    rows = [measure(seed, name) | {"seed": seed, "dataset": name} for seed in range(seeds) for name in DATASETS]
    of_seeds = pd.DataFrame(rows).groupby("seed")[list(VARIANTS)].mean()
    gains = of_seeds.sub(of_seeds[REFERENCE], axis=0)
    table = pd.DataFrame({"AUC": of_seeds.mean(), "difference": gains.mean(), "se": gains.sem()})
    print(table.round(3).to_string(), f"\n{seeds} seeds, {', '.join(DATASETS)}")


if __name__ == "__main__":
    main()
