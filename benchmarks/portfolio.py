"""What the choice among kinds of models costs and brings, by the number of labeled rows.

On real tables some rows keep their label. Every kind of `tabcast.models.Portfolio` is cross-validated on them and
fitted on all of them; AUC, accuracy and log-loss are those of up to 2,000 other rows. For each number of labels the
script prints the mean scores of every kind, of what the one-standard-error rule chooses among all kinds and among the
two simplest, with one repeat, two repeats and racing, the CPU time of a fit of each kind, and how often each was
chosen. The last line is JSON.

    python benchmarks/portfolio.py [--seeds 2] [--labels 30 60 120 240]
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import argparse
import json
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.conftest import hide_labels, read_dataset

from tabcast.models import AdaptedClassifier, Portfolio, make_model
from tabcast.models._portfolio import IN_FOLDS, compare_losses, encode_kind, find_simplest, out_of_fold_losses
from tabcast.validation import CrossValidation

KINDS = tuple(Portfolio()._read_members(1_000)[0])  # those that are installed
TABLES = (
    "blood-transfusion-service-center",
    "churn",
    "clinical_support2_death180",
    "cmc",
    "credit-g",
    "diabetes",
    "kc2",
    "kr-vs-kp",
    "ozone-level-8hr",
    "qsar-biodeg",
    "steel-plates-fault",
    "vehicle",
    "wall-robot-navigation",
)
N_TEST = 2_000
SCORES = ("AUC", "accuracy", "log-loss")


def read(name, n_labels, seed):
    """A table, the class codes, the labeled rows and up to 2,000 others."""
    X, labels = read_dataset(name)
    truth = np.unique(labels.astype(str), return_inverse=True)[1]
    labeled = np.flatnonzero(hide_labels(truth, n_labels, seed) != -1)
    others = np.random.default_rng(seed).permutation(np.setdiff1d(np.arange(len(X)), labeled))[:N_TEST]
    return X, truth, labeled, others


def evaluate(name, n_labels, seed):
    """Scores on other rows, out-of-fold losses per repeat and seconds per fit, of every kind."""
    X, truth, labeled, others = read(name, n_labels, seed)
    y = truth[labeled]
    folds = [CrossValidation(5, n_repeats=1).split(y, np.random.RandomState(seed + 100 * repeat)) for repeat in (0, 1)]
    result = {}
    for kind in KINDS:
        model = make_model(kind, seed=seed)
        proba = AdaptedClassifier(model).fit(X.iloc[labeled], y).predict_proba(X.iloc[others])
        known, classes = truth[others], np.unique(y)
        auc = roc_auc_score(known, proba if len(classes) > 2 else proba[:, 1], multi_class="ovr", labels=classes)
        mixed = 0.95 * proba + 0.05 / len(classes)
        scores = auc, accuracy_score(known, classes[proba.argmax(axis=1)]), log_loss(known, mixed, labels=classes)
        start = time.process_time()
        encoded = encode_kind(model.set_params(**IN_FOLDS.get(kind, {})), X.iloc[labeled], len(classes))
        losses = [out_of_fold_losses(encoded, y, None, one) for one in folds]
        n_fits = sum(map(len, folds))
        result[kind] = {"scores": scores, "losses": losses, "seconds": (time.process_time() - start) / n_fits}
    return result


def race(kinds, measured):
    """The choice when kinds that are clearly worse after the first repeat get no second one."""
    means, errors = compare_losses(np.array([measured[kind]["losses"][0] for kind in kinds]))
    left = [kinds[at] for at in np.flatnonzero(means - means.min() <= 2 * errors)]
    return left[0] if len(left) == 1 else choose(left, measured, 2)


def choose(kinds, measured, n_repeats):
    """The choice of the one-standard-error rule."""
    losses = [np.mean(measured[kind]["losses"][:n_repeats], axis=0) for kind in kinds]
    return kinds[find_simplest(*compare_losses(np.array(losses)))]


POLICIES = {
    "all kinds, two repeats": lambda measured: choose(KINDS, measured, 2),
    "all kinds, one repeat": lambda measured: choose(KINDS, measured, 1),
    "all kinds, racing": lambda measured: race(KINDS, measured),
    "without boosting, two repeats": lambda measured: choose(KINDS[:2], measured, 2),
    "without boosting, one repeat": lambda measured: choose(KINDS[:2], measured, 1),
    "without other libraries, two repeats": lambda measured: choose(KINDS[:3], measured, 2),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--labels", type=int, nargs="+", default=[30, 60, 120, 240])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    result = {}
    for n_labels in arguments.labels:
        scores, chosen, seconds = defaultdict(list), defaultdict(lambda: defaultdict(int)), defaultdict(list)
        for name in TABLES:
            for seed in range(arguments.seeds):
                measured = evaluate(name, n_labels, seed)
                for kind in KINDS:
                    scores[kind].append(measured[kind]["scores"])
                    seconds[kind].append(measured[kind]["seconds"])
                for policy, decide in POLICIES.items():
                    kind = decide(measured)
                    scores[policy].append(measured[kind]["scores"])
                    chosen[policy][kind] += 1
        print(f"{n_labels} labels")
        for name, values in scores.items():
            means = ", ".join(
                f"{score} {mean:.4f}" for score, mean in zip(SCORES, np.mean(values, axis=0), strict=True)
            )
            more = f"{1000 * np.mean(seconds[name]):.0f} ms per fit" if name in seconds else dict(chosen[name])
            print(f"    {name}: {means}; {more}", flush=True)
        result[n_labels] = {
            "scores": {name: np.mean(values, axis=0).tolist() for name, values in scores.items()},
            "chosen": {name: dict(counts) for name, counts in chosen.items()},
            "seconds": {name: float(np.mean(values)) for name, values in seconds.items()},
        }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
