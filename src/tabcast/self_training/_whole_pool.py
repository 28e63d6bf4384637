"""From a choice made on some of the unlabeled rows to the model that is trained on all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tabcast.self_training._candidates import SplitRun, labels_to_show, run_again
from tabcast.self_training._data import Split, TrainingData, hold_out
from tabcast.self_training._engine import Outcome
from tabcast.self_training._fitter import Fitter
from tabcast.self_training._method import Method
from tabcast.self_training._pool_sample import PoolSample


def train_on_whole_pool(
    outcome: Outcome[Any], sample: PoolSample, method: Method, data: TrainingData, fitter: Fitter
) -> Outcome[Any]:
    """Run the chosen alpha and its rounds on all unlabeled rows.

    Parameters
    ----------
    outcome : Outcome
        What was chosen on the sample.
    sample : PoolSample
        The sample.
    method : Method
        The seeded method that was run on it.
    data : TrainingData
        All rows.
    fitter : Fitter
        Fits on all rows.

    Returns
    -------
    Outcome
        The same choice with the model of all rows.
    """
    chosen, split = outcome.chosen, sample.split_outside(outcome.split)
    y_held_out = np.concatenate([run.split.y_held_out for run in chosen.runs])
    if len(split.held_out_rows):
        split = hold_out(fitter.data, split.train, split.held_out_rows)
    else:
        split = Split(split.train, fitter.data.validation)
    final = method.prepare(data, split, y_held_out)
    best = run_again(chosen, SplitRun(split, final.propose(chosen.alpha, fitter)), fitter)
    shown = labels_to_show(chosen, best, final, fitter)
    return replace(
        outcome,
        data=data,
        fitter=fitter,
        prepared=[*outcome.prepared, final],
        final=final,
        split=split,
        best=best,
        supervised=fitter.fit_supervised(split),
        shown=shown,
    )
