"""Sentences of the page: for each picture how to read it and what this one says. Plain text, not yet escaped."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tabcast.guard import say_verdict
from tabcast.report._phrases import (
    count,
    decimal,
    in_points,
    interpolate,
    is_number,
    listed,
    p_value,
    percent,
    quoted,
    rows,
    seconds,
    signed,
    spaced,
)
from tabcast.report._text import invisible

Data = Mapping[str, Any]

REASONS = {
    "schedule_finished": "every round of its schedule was run",
    "max_rounds": "the last of its rounds was run",
    "no_improvement": "further rounds did not improve the score",
    "no_change": "a further round would have trained on the same rows and labels",
    "nothing_selected": "no unlabeled row was sure enough",
    "no_unlabeled_rows": "there were no unlabeled rows",
    "time_limit": "the time was up",
}


SECTIONS = {
    "table": "The table",
    "why": "Should it work on this table?",
    "labels": "What happened to the labels",
    "training": "How it was trained",
    "pseudo-labels": "Pseudo-labels",
    "next": "Rows worth labeling next",
}
KINDS = {"number": "numbers", "category": "categories", "date": "dates", "text": "texts"}


@dataclass(frozen=True)
class Words:
    """What stands beside a picture.

    Attributes
    ----------
    title : the question that the picture answers.
    read : one sentence on how to read it.
    says : one or two sentences on what this one says.
    """

    title: str
    read: str
    says: str


# The verdict


def say_verdict_of(summary: Data) -> list[str]:
    """The verdict of a run, in the words of the guard."""
    if summary.get("verdict"):
        return say_verdict(summary["verdict"])
    return ["A supervised model.", "Nothing was compared: the model was trained on the labeled rows alone."]


def main_numbers(table: Data, verdict: Data) -> list[tuple[str, str]]:
    """What to know at first sight, with its value."""
    score = f"{decimal(verdict['supervised'])} → {decimal(verdict['self_trained'])}"
    return [
        (f"{spaced(verdict['metric'])}, supervised → self-trained", score),
        ("the model that was kept", verdict["chosen"]),
        ("labeled rows", count(table["n_labeled"])),
        ("unlabeled rows", count(table["n_unlabeled"])),
    ]


def say_gain(verdict: Data) -> Words:
    """The gain's interval."""
    points = in_points(verdict)
    level = f"{100 * verdict['level']:.0f}%"
    side = "includes zero" if verdict["low"] <= 0 <= verdict["high"] else "lies on one side of zero"
    return Words(
        "The gain and how sure it is",
        f"The dot is the gain in cross-validation, the bar its {level} interval, each tick below one split of the "
        "labeled rows; right of zero the unlabeled rows helped.",
        f"The interval runs from {signed(verdict['low'], points=points)} to {signed(verdict['high'], points=points)} "
        f"and {side}.",
    )


# What was understood


def say_classes(table: Data) -> Words:
    """Labeled rows of each class."""
    classes = sorted(table["classes"], key=lambda one: one["n_labeled"])
    total = sum(one["n_labeled"] for one in classes) or 1
    least, most = classes[0], classes[-1]
    says = (
        f"{quoted(most['name'])} has the most labeled rows ({count(most['n_labeled'])}, "
        f"{percent(most['n_labeled'] / total)}), {quoted(least['name'])} the fewest ({count(least['n_labeled'])})."
    )
    if least["n_labeled"] == most["n_labeled"]:
        says = f"Every class has {rows(most['n_labeled']).replace(' ', ' labeled ')}."
    if least["n_labeled"] < 10:
        says += " With so few rows of a class every number about it is rough."
    return Words("Classes", "Each bar is the number of labeled rows of a class.", says)


def say_columns(table: Data) -> str:
    """How many columns are used, and of what kinds."""
    used = [one for one in table["columns"] if one["used"]]
    left = len(table["columns"]) - len(used)
    kinds: dict[str, int] = {}
    for one in used:
        kinds[one["kind"]] = kinds.get(one["kind"], 0) + 1
    said = [
        f"{count(n)} {KINDS.get(kind, kind) if n != 1 else kind}"
        for kind, n in sorted(kinds.items(), key=lambda item: -item[1])
    ]
    sentence = f"{count(len(used))} columns are used" + (f" ({', '.join(said)})" if said else "")
    return (
        f"{sentence}; {count(left)} {'is' if left == 1 else 'are'} left out."
        if left
        else f"{sentence}; none is left out."
    )


# Diagnostics


def say_cluster_assumption(data: Data) -> Words:
    """Accuracy by density."""
    verdicts = {
        "yes": "Yes: held-out predictions are more often right where labeled rows are dense",
        "unclear": "Unclear: accuracy does not rise clearly with density",
        "no": "No: held-out predictions are not more often right where labeled rows are dense",
    }
    tail = ""
    if data.get("correlation") is not None:
        tail = f" (rank correlation {decimal(data['correlation'], 2)}{p_value(data.get('p_value'))})"
    return Words(
        "Are predictions right where rows are dense?",
        "Labeled rows are sorted by density into ten groups, sparse to dense; each dot is the accuracy of held-out "
        "predictions in a group, its bar the uncertainty, the dashed line the mean.",
        f"{verdicts[data['holds']]}{tail}, measured on {rows(data['n_rows'])}.",
    )


def say_class_overlap(data: Data) -> Words:
    """The overlap of the classes' densities."""
    matrix, classes = data["matrix"], data["classes"]
    off = [(matrix[i][j], i, j) for i in range(len(classes)) for j in range(len(classes)) if i != j]
    off = [one for one in off if one[0] is not None and not math.isnan(one[0])]
    says = f"They overlap to {percent(data['overlap'])}, where 100% means that density cannot tell them apart"
    if off:
        share, i, j = max(off)
        says += (
            f"; most mixed up is {quoted(classes[i])}, whose rows look like {quoted(classes[j])} to {percent(share)}"
        )
    return Words(
        "Do the classes overlap?",
        "Each line is a class; the cells say how its labeled rows are spread over the classes by density alone, so a "
        "full diagonal means classes that lie apart.",
        says + ".",
    )


def say_fisher_information(data: Data) -> Words:
    """Information about the class by density region."""
    regions = [one for one in data["regions"] if is_number(one["information"])]
    says = "There are too few rows to say."
    if regions:
        first, last = regions[0], regions[-1]
        says = f"An unlabeled row tells about as much as {decimal(last['information'], 2)} labeled ones"
        if len(regions) > 1:
            says += f" where rows are {spaced(last['region'])}, "
            says += f"{decimal(first['information'], 2)} where they are {spaced(first['region'])}"
            says += (
                ": trusting dense regions more is right here."
                if first["high"] < last["low"]
                else ": trusting sparse regions less is not right here."
                if last["high"] < first["low"]
                else ": the intervals overlap, so density makes no clear difference."
            )
        else:
            says += "."
    return Words(
        "Where do unlabeled rows carry information?",
        "Rows are grouped by density; each dot is what a row without its label tells, where 1 is as much as a labeled "
        "row (the Fisher information of the paper's Theorem 1), its bar the uncertainty.",
        says,
    )


def say_covariate_shift(data: Data) -> Words:
    """Whether a classifier can tell labeled from unlabeled rows."""
    strengths = {
        "none": "They look alike: a classifier can hardly tell them apart",
        "some": "They differ somewhat: a classifier can tell them apart better than by chance",
        "strong": "They differ strongly: a classifier can tell them apart",
    }
    interval = f"{decimal(data['low'], 2)} to {decimal(data['high'], 2)}"
    says = f"{strengths[data['strength']]} (AUC {decimal(data['auc'], 2)}, {interval})"
    if data["columns"] and data["strength"] != "none":
        says += f", mostly by {listed([quoted(one['name']) for one in data['columns'][:2]])}"
    if data["strength"] == "strong":
        says += "; scores measured on labeled rows may not hold for the unlabeled ones"
    below = "; below are the columns it goes by, and how they look on either side." if data["columns"] else "."
    return Words(
        "Do labeled and unlabeled rows look alike?",
        f"A classifier tries to tell labeled from unlabeled rows: 0.5 means it cannot, 1 that it always can{below}",
        says + ".",
    )


def say_selection_curve(data: Data) -> Words:
    """How many rows pass as the threshold moves."""
    chosen, shares = data.get("threshold"), data["thresholds"]
    at = 0.9 if chosen is None else chosen
    says = ""
    if shares:
        share = interpolate([(one["threshold"], one["share"]) for one in shares], at)
        passing = f"about {percent(share)} of the unlabeled rows reach"
        says = (
            f"No threshold decided which rows were used; {passing} a confidence of {decimal(at, 2)}."
            if chosen is None
            else f"A confidence of {decimal(chosen, 2)} was enough; {passing} it."
        )
    if data.get("never_n"):
        says += (
            f" {rows(data['never_n'])} ({percent(data['never_share'])}) could not pass even if the classifier were "
            "sure of them."
        )
    return Words(
        "How many rows are sure enough?",
        "The line is the share of unlabeled rows whose confidence reaches a threshold; the further right, the surer "
        "and the fewer.",
        says.strip(),
    )


def say_selection_by_alpha(data: Data) -> Words:
    """How many rows pass as density counts more."""
    first, last, alpha = data["alphas"][0], data["alphas"][-1], data["alpha"]
    says = (
        f"Without density {percent(first['share'])} of the unlabeled rows pass ({count(first['n'])}), with density "
        f"counting in full {percent(last['share'])} ({count(last['n'])})"
    )
    if alpha is not None:
        share = interpolate([(one["alpha"], one["share"]) for one in data["alphas"]], alpha)
        says += f"; with the alpha in use, {decimal(alpha, 2)}, about {percent(share)}"
    return Words(
        "And if density counted more?",
        "The line is the share of unlabeled rows that would pass with another alpha, the threshold being the same; 0 "
        "ignores density, 1 multiplies confidence by it.",
        says + ".",
    )


def say_class_mix(data: Data) -> Words:
    """Shares of the classes, labeled and by round."""
    last = next((one for one in reversed(data["rounds"]) if one["n"]), None)
    says = "No unlabeled row was used in any round."
    if last is not None:
        moved = [(new - old, j) for j, (new, old) in enumerate(zip(last["shares"], data["labeled"], strict=True))]
        change, j = max(moved, key=lambda one: abs(one[0]))
        says = (
            f"In the last round {quoted(data['classes'][j])} makes up {percent(last['shares'][j])} of the rows in use, "
            f"{percent(data['labeled'][j])} of the labeled ones"
        )
        if abs(change) < 0.02:
            says = "The rows in use have the class shares of the labeled ones (within 2 points)"
        elif abs(change) > 0.1:
            says += ": a large change; if you do not expect it, mistrust the pseudo-labels"
        says += "."
    return Words(
        "Does one class take over?",
        "Each bar is divided by class: first the labeled rows, then the rows in use round by round; a class that grows "
        "from bar to bar is taking over.",
        says,
    )


def say_flipped_labels(data: Data) -> Words:
    """Labels that density or alignment changed."""
    share = data["n"] / data["n_pool"] if data["n_pool"] else 0.0
    says = f"{rows(data['n'])} of {count(data['n_pool'])} ({percent(share)}) got another label"
    if data["pairs"]:
        top = max(data["pairs"], key=lambda one: one["n"])
        often = f", most often {quoted(top['to'])} in place of {quoted(top['from'])} ({count(top['n'])})"
        says += often if len(data["pairs"]) > 1 else f": {quoted(top['to'])} in place of {quoted(top['from'])}"
    return Words(
        "Which labels were changed?",
        "Each bar is a pair: what the classifier alone would have said, and the label given after density or alignment "
        "had their say.",
        (says if data["n"] else f"None: all {rows(data['n_pool'])} got the label that the classifier alone would give")
        + ".",
    )


def say_reliability(data: Data) -> Words:
    """Confidence against accuracy before and after."""
    before, after = data["supervised"], data["self_trained"]
    change = after["ece"] - before["ece"]
    better = "about as reliable" if abs(change) < 0.01 else ("more reliable" if change < 0 else "less reliable")
    loss = ""
    if before.get("log_loss") is not None and after.get("log_loss") is not None:
        loss = f"; log-loss {decimal(before['log_loss'], 2)} before, {decimal(after['log_loss'], 2)} after"
    return Words(
        "Can its confidence be believed?",
        "Held-out predictions are grouped by confidence; on the diagonal, of predictions made with 80% confidence 80% "
        "are right, below it the model is too sure of itself.",
        f"Self-training left the model {better}: confidence is off by {percent(before['ece'])} on average before, by "
        f"{percent(after['ece'])} after{loss}.",
    )


# Training


def say_history(training: Data) -> Words:
    """Rounds of training."""
    reason = REASONS.get(training["termination_reason"], spaced(training["termination_reason"]))
    best = training["best_round"]
    won = "round 0, the supervised model, is the best" if best == 0 else f"round {best} is the self-trained model"
    dots = ", dots the score on held-out rows with its standard error; the filled dot is the round that was taken."
    return Words(
        "Round by round",
        "Bars are unlabeled rows in use in a round"
        + (dots if has_scores(training) else "; round 0 is the supervised one."),
        f"Training ended after {count(training['n_rounds'])} round{'' if training['n_rounds'] == 1 else 's'} because "
        f"{reason}; {won}.",
    )


def has_scores(training: Data) -> bool:
    """Whether rounds were scored: without validation they are not."""
    return any(is_number(one.get("score")) for one in training["history"])


def say_alpha(training: Data) -> Words:
    """Scores of the alphas tried."""
    chosen = decimal(training.get("alpha"), 2)
    says = f"Alpha {chosen} was chosen: the smallest that is within a standard error of the best, split by split."
    return Words(
        "How much density counts",
        "Each dot is an alpha that was tried, with its score on held-out rows and the standard error; 0 ignores "
        "density, 1 multiplies confidence by it; the filled dot was chosen.",
        says,
    )


def say_seconds(training: Data) -> Words:
    """Where the time went."""
    spent = training["seconds"]
    total = sum(spent.values())
    top = max(spent, key=lambda key: spent[key])
    share = spent[top] / total if total else 0.0
    fits = f", {count(training['n_fits'])} models were fitted" if training.get("n_fits") is not None else ""
    return Words(
        "Where the time went",
        "Each bar is a part of the work.",
        f"It took {seconds(total)} in all{fits}; {percent(share)} went into {quoted(spaced(top))}.",
    )


def list_settings(summary: Data) -> list[tuple[str, Any]]:
    """Settings of the run and its files, with their values."""
    method = summary.get("method") or {}
    guard = "on: the better cross-validated model is kept" if method.get("guard") else "off"
    return [
        ("method", method.get("title") or method.get("name")),
        ("model", spaced(method.get("model"))),
        *((spaced(key), value) for key, value in (method.get("settings") or {}).items()),
        ("guard", guard),
        *((f"file: {spaced(key)}", value) for key, value in (summary.get("files") or {}).items()),
    ]


# Pseudo-labels


def say_map(n: int, n_drawn: int, *, density: bool) -> Words:
    """The map of pseudo-labels."""
    right = (
        "the density of labeled rows of its class around it"
        if density
        else "the classifier's own confidence in that label"
    )
    drawn = (
        f"All {rows(n)} are drawn." if n_drawn == n else f"{count(n_drawn)} of {rows(n)} are drawn, chosen at random."
    )
    return Words(
        "The map",
        f"Each dot is an unlabeled row: up, the confidence in its label; right, {right}; full dots were used in "
        "training, rings were not.",
        f"{drawn} Point at a dot, or tap it, to see its row.",
    )


def say_pseudo_labels(n: int, n_used: int, n_kept: int) -> str:
    """Above the table."""
    sentence = f"{count(n_used)} of {rows(n)} were used to train the self-trained model."
    if n_kept < n:
        sentence += f" The table holds {count(n_kept)} of them, chosen at random; all are in pseudo_labels.csv."
    return sentence


def say_rows_to_label(data: Data) -> str:
    """Above the list."""
    return (
        "The model is unsure about these rows, and each of them speaks for many others. Label them first, put the "
        "labels into the table and run again."
        if data["rows"]
        else "No row stands out."
    )


# Caveats


def list_caveats(summary: Data) -> list[str]:
    """What could make the answer wrong."""
    prior = class_prior_warning(summary)
    return [*([prior] if prior else []), *invisible_warnings(summary), *summary.get("warnings", [])]


def class_prior_warning(summary: Data) -> str | None:
    """What alignment assumes, where class shares were aligned."""
    prior = summary["training"].get("class_prior") if summary.get("training") else None
    if prior is None:
        return None
    return (
        "Soft self-training made the labels of the unlabeled rows follow the class shares of the labeled ones. That "
        "assumes that the labeled rows are a random sample of all rows. If they are not (for instance because as many "
        "of each class were labeled on purpose), it does harm: fit again with --class-prior none (in Python: "
        "class_prior=None, or the shares that you know)."
    )


def invisible_warnings(summary: Data) -> list[str]:
    """Names with characters that nobody sees."""
    table = summary["table"]
    found = []
    for what, names in (("class", table["classes"]), ("column", table["columns"])):
        for one in names:
            if codes := invisible(one["name"]):
                found.append(
                    f"The {what} {quoted(one['name'])} has characters that cannot be seen: {', '.join(codes)}."
                )
    if len(found) > 5:
        found = [*found[:5], f"So do {len(found) - 5} further names."]
    return found
