"""Sentences of the page: for each picture what it shows and how to read it. Plain text; the templates escape it."""

from __future__ import annotations

from typing import Any

from tabcast.guard import say_verdict
from tabcast.guard._scoring import is_share
from tabcast.models import say_choice
from tabcast.report._diagnostic_words import (
    say_class_mix,
    say_class_overlap,
    say_cluster_assumption,
    say_covariate_shift,
    say_fisher_information,
    say_flipped_labels,
    say_selection_by_alpha,
    say_selection_curve,
)
from tabcast.report._phrases import (
    Data,
    Words,
    count,
    decimal,
    in_points,
    is_number,
    percent,
    quoted,
    rows,
    seconds,
    signed,
    spaced,
)
from tabcast.report._quality_words import (
    choose_thresholds,
    result_numbers,
    say_classes,
    say_curves,
    say_importance,
    say_per_class,
    say_predictions,
    say_quality,
    say_recalls,
    say_reliability,
    say_result,
    say_thresholds,
    span,
)
from tabcast.report._score_words import say_score
from tabcast.report._text import invisible

__all__ = [
    "choose_thresholds",
    "result_numbers",
    "say_class_mix",
    "say_class_overlap",
    "say_classes",
    "say_cluster_assumption",
    "say_covariate_shift",
    "say_curves",
    "say_fisher_information",
    "say_flipped_labels",
    "say_importance",
    "say_per_class",
    "say_predictions",
    "say_quality",
    "say_recalls",
    "say_reliability",
    "say_result",
    "say_selection_by_alpha",
    "say_selection_curve",
    "say_thresholds",
]

# Words for codes of a run. A code that is not here raises a KeyError: it never reaches a reader.
METHODS = {
    "soft": "Soft self-training with a committee",
    "cast-l": "CAST with empirical likelihood (CAST-L)",
    "cast-d": "CAST with kernel density (CAST-D)",
    "naive": "Self-training with the classifier's own confidence",
    "supervised": "Supervised: the labeled rows alone",
}
REASONS = {
    "schedule_finished": "its schedule was finished",
    "max_rounds": "the maximum number of rounds was reached",
    "no_improvement": "further rounds did not improve the score",
    "no_change": "another round would have trained on the same rows and labels",
    "all_labeled": "every unlabeled row was in use and no label changed any more",
    "nothing_selected": "no unlabeled row was confident enough",
    "no_unlabeled_rows": "there were no unlabeled rows",
}
SECTIONS = {
    "verdict": "Did the unlabeled rows help?",
    "filled": "The filled table",
    "quality": "How good is the model?",
    "predictions": "Predictions",
    "threshold": "Where to put the threshold",
    "importance": "Which columns matter?",
    "curves": "Curves and calibration",
    "table": "The table",
    "why": "Should it work on this table?",
    "labels": "What happened to the labels",
    "training": "How it was trained",
    "pseudo-labels": "Pseudo-labels used in training",
    "next": "Rows worth labeling next",
}
PLURALS = {"number": "numbers", "category": "categories", "date": "dates", "text": "texts"}


# The verdict


def say_headline(summary: Data) -> list[str]:
    """The verdict of a run, in the words of the guard."""
    if summary.get("verdict"):
        return say_verdict(summary["verdict"])
    alone = "Nothing was compared: the model was trained on the labeled rows alone."
    return ["A supervised model.", alone, *say_score(summary.get("score"))]


def say_gain(verdict: Data) -> Words:
    """The gain with its interval, or both gains where a committee was compared as well."""
    points, total = in_points(verdict), verdict["total"]

    def span(gain: Data) -> str:
        low, high = (signed(gain[end], points=points) for end in ("low", "high"))
        return f"{low} to {high}"

    def side(gain: Data) -> str:
        return "includes zero" if gain["low"] <= 0 <= gain["high"] else "lies on one side of zero"

    level = percent(verdict["level"])
    if verdict.get("committee") is None:
        return Words(
            "The gain and its uncertainty",
            f"The dot is the gain in cross-validation, the bar its {level} interval, and each tick below is one split "
            "of the labeled rows; right of zero the unlabeled rows helped.",
            f"The interval runs from {span(verdict)} and {side(verdict)}.",
        )
    return Words(
        "Where the gain comes from",
        f"Each line is a model, its dot the gain over your model in cross-validation. The bars are {level} intervals: "
        "the upper one is to be compared with the solid line, your model; the lower one with the dashed line, the best "
        "model without unlabeled rows.",
        f"Over your model the interval runs from {span(total)} and {side(total)}; over the best model without "
        f"unlabeled rows from {span(verdict)} and {side(verdict)}.",
    )


def say_pool_curve(curve: Data) -> Words:
    """The score by number of unlabeled rows, and how many of them train the model."""
    return Words(
        "How many unlabeled rows are enough?",
        "Each dot is the score of the self-trained model with so many unlabeled rows, always on the same held-out "
        "rows; its bar is the standard error of the difference from the dot before it. The dashed line is the "
        "supervised model.",
        say_doublings(curve),
    )


def say_doublings(curve: Data) -> str:
    """What the last doubling gained, and what follows from it."""
    points, n = curve["points"], curve["n_unlabeled"]
    last, trained = points[-1], rows(curve["n_rows"])
    others = f"{trained} train the self-trained model, and all {count(n)} are predicted."
    if len(points) == 1:
        return f"There was no time to try more than {count(last['n_rows'])} unlabeled rows: {others}"
    points_of_score = is_share(curve["metric"], *(one["score"] for one in points if is_number(one["score"])))
    step = f"From {count(points[-2]['n_rows'])} to {count(last['n_rows'])} unlabeled rows"
    if not (is_number(last["gain"]) and is_number(last["std_error"])):
        return f"{step} the change of the score is not known, because folds lack a class: {others}"
    change = f"the score changed by {signed(last['gain'], points=points_of_score)}"
    error = signed(last["std_error"], points=points_of_score).removeprefix("+")
    if curve["reason"] == "no gain":
        return f"{step} {change}, within its standard error of {error}, so more rows were not tried: {others}"
    if curve["reason"] == "worse":
        return f"{step} {change}, a loss of more than its standard error of {error}: {others}"
    if curve["reason"] == "stopped":
        return f"{step} {change} (standard error {error}), and there was no time to try more: {others}"
    every = f"all {rows(n)} train the self-trained model."
    return f"{step} {change} (standard error {error}); it was still rising, so {every}"


def say_judged(summary: Data) -> str:
    """How many unlabeled rows the diagnostics look at, where not all; empty otherwise."""
    pool = (summary.get("training") or {}).get("pool") or {}
    if not pool or pool["n_diagnosed"] == pool["n_unlabeled"]:
        return ""
    looked, n = pool["n_diagnosed"], pool["n_unlabeled"]
    return f"At most {count(looked)} of the {count(n)} unlabeled rows are looked at here, drawn at random."


# The table


def say_columns(table: Data) -> str:
    """How many columns are used, and of what kinds."""
    kinds = [one["kind"] for one in table["columns"] if one["used"]]
    left = len(table["columns"]) - len(kinds)
    counts = sorted(((kinds.count(kind), kind) for kind in dict.fromkeys(kinds)), key=lambda one: -one[0])
    said = ", ".join(f"{count(n)} {kind if n == 1 else PLURALS.get(kind, kind)}" for n, kind in counts)
    used = f"{count(len(kinds))} column{' is' if len(kinds) == 1 else 's are'} used" + (f" ({said})" if said else "")
    return f"{used}; {count(left) if left else 'none'} {'are' if left > 1 else 'is'} left out."


# Training


def say_history(training: Data) -> Words:
    """Rounds of training."""
    best, n = training["best_round"], training["n_rounds"]
    won = "round 0, the supervised model, is the best" if best == 0 else f"round {best} is the self-trained model"
    has_scores = any(is_number(one.get("score")) for one in training["history"])
    scored = ", dots the score on held-out rows with its standard error; the filled dot is the round that was chosen."
    return Words(
        "Round by round",
        "Bars are the unlabeled rows in use per round" + (scored if has_scores else "; round 0 is supervised."),
        f"Training ended after {count(n)} round{'' if n == 1 else 's'} because "
        f"{REASONS[training['termination_reason']]}; {won}.",
    )


def say_alpha(training: Data) -> Words:
    """Scores of the alphas tried."""
    return Words(
        "The weight of density",
        "Each dot is an alpha that was tried, with its score on held-out rows and the standard error; 0 ignores "
        "density, 1 multiplies confidence by it; the filled dot was chosen.",
        f"Alpha {decimal(training.get('alpha'), 2)} was chosen: the smallest within one standard error of the best.",
    )


def say_seconds(training: Data) -> Words:
    """Where the time went."""
    spent = training["seconds"]
    total = sum(spent.values())
    top = max(spent, key=lambda key: spent[key])
    fits = f", with {count(training['n_fits'])} models fitted" if training.get("n_fits") is not None else ""
    return Words(
        "Where the time went",
        "Each bar is the time that one step took.",
        f"The run took {seconds(total)}{fits}; {percent(spent[top] / total if total else 0.0)} was spent on "
        f"{quoted(spaced(top))}.",
    )


def say_model(method: Data) -> str:
    """The kind of model, and why it was chosen if the user named none."""
    choice = method.get("model_choice")
    return spaced(method["model"]) if choice is None else say_choice(choice).removeprefix("Model: ")


def list_settings(summary: Data) -> list[tuple[str, Any]]:
    """Settings of the run and its files, each with its name."""
    method = summary["method"]
    return [
        ("method", "Soft self-training" if "teacher" in method["settings"] else METHODS[method["name"]]),
        ("model", say_model(method)),
        *((spaced(key), value) for key, value in method["settings"].items()),
        ("guard", "on: the better cross-validated model is kept" if method["guard"] else "off"),
        *_list_pool(summary),
        *((f"file: {spaced(key)}", value) for key, value in summary["files"].items()),
    ]


def _list_pool(summary: Data) -> list[tuple[str, str]]:
    """How many unlabeled rows were used for what, where not all of them were."""
    pool = (summary.get("training") or {}).get("pool") or {}
    uses = {"n_judged": "compared with", "n_trained": "in training", "n_diagnosed": "in diagnostics"}
    return [
        (f"unlabeled rows {use}", f"{count(pool[key])} of {count(pool['n_unlabeled'])}, drawn at random")
        for key, use in uses.items()
        if pool and pool[key] < pool["n_unlabeled"]
    ]


# Pseudo-labels


def say_map(n: int, n_drawn: int, *, density: bool) -> Words:
    """The map of pseudo-labels."""
    across = (
        "the density of labeled rows of its class around it" if density else "the classifier's own confidence in it"
    )
    drawn = f"All {rows(n)} are drawn" if n_drawn == n else f"{count(n_drawn)} of {rows(n)} are drawn, chosen at random"
    return Words(
        "The map",
        f"Each dot is an unlabeled row: up, the confidence in its label; right, {across}; filled dots were used in "
        "training, rings were not.",
        f"{drawn}. Point at a dot, or tap it, to see its row.",
    )


def say_pseudo_labels(n: int, n_used: int, n_kept: int, n_differ: int | None, n_unlabeled: int) -> str:
    """Above the table."""
    sentence = f"{count(n_used)} of {rows(n)} {'was' if n_used == 1 else 'were'} used to train the self-trained model."
    if n < n_unlabeled:
        sentence += (
            f" These {count(n)} were drawn at random from {count(n_unlabeled)} unlabeled ones; the others have no "
            "pseudo-label, but a prediction."
        )
    if n_kept < n:
        sentence += f" The table holds {count(n_kept)} of them, chosen at random; all are in pseudo_labels.csv."
    if n_differ is not None:
        differ = f"{rows(n_differ)} {'is' if n_differ == 1 else 'are'} predicted otherwise"
        sentence += (
            f" Pseudo-labels are not the predictions: {differ if n_differ else 'here they agree'}; predictions.csv has "
            "those of the model."
        )
    return sentence


def say_rows_to_label(data: Data) -> str:
    """Above the list."""
    if not data["rows"]:
        return "No row stands out."
    return (
        "The model is least certain of these rows, and each is typical of many others. Label them first, add the "
        "labels to the table and run again. Probabilities are those of the predictions."
    )


# Caveats


def list_caveats(summary: Data) -> list[str]:
    """What could make the answer wrong."""
    return [*warn_of_class_prior(summary), *warn_of_invisible_names(summary["table"]), *summary.get("warnings", [])]


def warn_of_class_prior(summary: Data) -> list[str]:
    """What alignment assumes, and how certain the proportions are, where class proportions were aligned."""
    unused = (summary.get("verdict") or {}).get("chosen") == "supervised"
    if unused or (summary.get("training") or {}).get("class_prior") is None:
        return []
    prior, known = (summary.get("diagnostics") or {}).get("class_prior"), ""
    if prior and prior["classes"]:
        widest = max(prior["classes"], key=lambda one: one["high"] - one["low"])
        known = (
            f" {rows(prior['n_rows'])} tell them with some uncertainty: the proportion of {quoted(widest['class'])} is "
            f"{span(widest['low'], widest['high'])}."
        )
    return [
        "Soft self-training aligned the labels of the unlabeled rows with the class proportions of the labeled ones. "
        "That assumes that the labeled rows are a random sample of all rows. If they are not (for instance because an "
        "equal number of rows per class was labeled on purpose), it does harm: fit again without it (class_prior=None "
        f"in Python, --class-prior none on the command line), or, in Python, with the proportions that you know.{known}"
    ]


def warn_of_invisible_names(table: Data) -> list[str]:
    """Names with invisible characters: two of them may look the same."""
    found = [
        f"The {what} {quoted(one['name'])} has invisible characters: {', '.join(codes)}."
        for what, names in (("class", table["classes"]), ("column", table["columns"]))
        for one in names
        if (codes := invisible(one["name"]))
    ]
    return [*found[:5], f"Further names with invisible characters: {len(found) - 5}."] if len(found) > 5 else found
