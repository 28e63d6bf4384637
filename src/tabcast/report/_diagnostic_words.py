"""Sentences of the page about diagnostics: should it work on this table, and what happened to the labels?"""

from __future__ import annotations

from tabcast.report._phrases import (
    Data,
    Words,
    count,
    decimal,
    interpolate,
    is_number,
    listed,
    p_value,
    percent,
    quoted,
    rows,
    spaced,
)

CLUSTER_ASSUMPTION = {
    "yes": "Yes: held-out predictions are more often right where labeled rows are dense",
    "unclear": "Unclear: chance may explain how accuracy changes with density",
    "no": "No: held-out predictions are not more often right where labeled rows are dense",
}
FEWEST_OF_A_KIND = 5  # right or wrong predictions, below which nothing is concluded
SHIFT = {
    "none": "They look alike: a classifier can hardly tell them apart",
    "some": "They differ somewhat: a classifier tells them apart better than by chance",
    "strong": "They differ strongly: a classifier can tell them apart",
}


def say_cluster_assumption(data: Data) -> Words:
    """Accuracy by density."""
    groups = len(data["deciles"])
    into = "form one group" if groups == 1 else f"are sorted by density into {count(groups)} groups, sparse to dense"
    return Words(
        "Are predictions right where rows are dense?",
        f"Labeled rows {into}; each dot is the accuracy of held-out predictions in a group, its bar the uncertainty, "
        "the dashed line the mean.",
        _say_density(data),
    )


def _say_density(data: Data) -> str:
    """Whether accuracy increases with density, or why that cannot be told."""
    n = data["n_rows"]
    right = round(sum(one["n"] * one["accuracy"] for one in data["deciles"] if is_number(one["accuracy"])))
    kind, fewer = ("right", right) if 2 * right < n else ("wrong", n - right)
    if data["holds"] == "unclear" and fewer == 0:
        return f"Unclear: all {rows(n)} are predicted {'wrong' if kind == 'right' else 'right'}."
    if data["holds"] == "unclear" and fewer < FEWEST_OF_A_KIND:
        is_predicted = "is predicted" if fewer == 1 else "are predicted"
        return f"Unclear: only {count(fewer)} of {rows(n)} {is_predicted} {kind}, too few to tell."
    tail = ""
    if data.get("correlation") is not None:
        tail = f" (rank correlation {decimal(data['correlation'], 2)}{p_value(data.get('p_value'))})"
    return f"{CLUSTER_ASSUMPTION[data['holds']]}{tail}, measured on {rows(n)}."


def say_class_overlap(data: Data) -> Words:
    """The overlap of the class densities."""
    matrix, classes = data["matrix"], data["classes"]
    off = [(share, i, j) for i, line in enumerate(matrix) for j, share in enumerate(line) if i != j]
    says = f"The overlap is {percent(data['overlap'])}, where 100% means that density cannot tell the classes apart"
    if known := [one for one in off if is_number(one[0])]:
        share, i, j = max(known)
        says += f"; the largest is that of {quoted(classes[i])} with {quoted(classes[j])}, {percent(share)}"
    return Words(
        "Do the classes overlap?",
        "Each line is a class; its cells show how its labeled rows are distributed over the classes by density alone, "
        "so a full diagonal means well-separated classes.",
        says + ".",
    )


def say_fisher_information(data: Data) -> Words:
    """Information about the class by density region."""
    regions = [one for one in data["regions"] if is_number(one["information"])]
    says = "There are too few rows to tell."
    if regions:
        first, last = regions[0], regions[-1]
        says = f"An unlabeled row carries about as much information as {decimal(last['information'], 2)} labeled ones"
        if len(regions) > 1:
            says += (
                f" where rows are {spaced(last['region'])}, {decimal(first['information'], 2)} where they are "
                f"{spaced(first['region'])}"
            )
            if first["high"] < last["low"]:
                says += ": giving dense regions more weight is justified here"
            elif last["high"] < first["low"]:
                says += ": giving sparse regions less weight is not justified here"
            else:
                says += ": the intervals overlap, so density makes no clear difference"
        says += "."
    return Words(
        "Where do unlabeled rows carry information?",
        "Rows are grouped by density; each dot is the information in a row without its label, where 1 is that in a "
        "labeled row (the Fisher information of the paper's Theorem 1), its bar the uncertainty.",
        says,
    )


def say_covariate_shift(data: Data) -> Words:
    """Whether a classifier can tell labeled from unlabeled rows."""
    interval = f"{decimal(data['low'], 2)} to {decimal(data['high'], 2)}"
    says = f"{SHIFT[data['strength']]} (AUC {decimal(data['auc'], 2)}, {interval})"
    if data["columns"] and data["strength"] != "none":
        says += f", mostly by {listed([quoted(one['name']) for one in data['columns'][:2]])}"
    if data["strength"] == "strong":
        says += "; scores measured on labeled rows may not hold for the unlabeled ones"
    below = "; below are the columns it uses, with typical values in both groups." if data["columns"] else "."
    return Words(
        "Do labeled and unlabeled rows look alike?",
        f"A classifier tries to tell labeled from unlabeled rows: 0.5 means it cannot, 1 that it always can{below}",
        says + ".",
    )


def say_selection_curve(data: Data) -> Words:
    """How many rows pass as the threshold moves."""
    chosen, says = data.get("threshold"), ""
    if data["thresholds"]:
        at = 0.9 if chosen is None else chosen
        share = interpolate([(one["threshold"], one["share"]) for one in data["thresholds"]], at)
        reach = f"about {percent(share)} of the unlabeled rows reach"
        says = f"The rows in use have a confidence of at least {decimal(at, 2)}; {reach} it."
        if chosen is None:
            says = f"No threshold was used to select rows; {reach} a confidence of {decimal(at, 2)}."
    if data.get("never_n"):
        says += (
            f" {rows(data['never_n'])} ({percent(data['never_share'])}) could not pass even if the classifier were "
            "certain of them."
        )
    return Words(
        "How many rows are confident enough?",
        "The line is the proportion of unlabeled rows whose confidence reaches a threshold: the higher the threshold, "
        "the fewer rows.",
        says.strip(),
    )


def say_selection_by_alpha(data: Data) -> Words:
    """How many rows pass with another weight of density."""
    first, last, alpha = data["alphas"][0], data["alphas"][-1], data["alpha"]
    says = (
        f"{percent(first['share'])} of the unlabeled rows pass without density ({count(first['n'])}), "
        f"{percent(last['share'])} with its full weight ({count(last['n'])})"
    )
    if alpha is not None:
        share = interpolate([(one["alpha"], one["share"]) for one in data["alphas"]], alpha)
        says += f"; about {percent(share)} with the alpha in use, {decimal(alpha, 2)}"
    return Words(
        "What if density had more weight?",
        "The line is the proportion of unlabeled rows that would pass the same threshold with another alpha; 0 ignores "
        "density, 1 multiplies confidence by it.",
        says + ".",
    )


def say_class_mix(data: Data) -> Words:
    """Class proportions of the labeled rows and per round."""
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
            says = "The rows in use have the class proportions of the labeled ones (within 2 points)"
        elif abs(change) > 0.1:
            says += ": a large change; if you do not expect it, do not trust the pseudo-labels"
        says += "."
    return Words(
        "Does one class take over?",
        "Each bar is divided by class: first the labeled rows, then the rows in use round by round; a class that grows "
        "from bar to bar is taking over.",
        says,
    )


def say_flipped_labels(data: Data) -> Words:
    """Labels that density or alignment changed."""
    says = f"None: all {rows(data['n_pool'])} got the label that the classifier alone predicts"
    if data["n"]:
        says = f"{rows(data['n'])} of {count(data['n_pool'])} ({percent(data['n'] / data['n_pool'])}) got another label"
    if data["pairs"]:
        top = max(data["pairs"], key=lambda one: one["n"])
        change = f"{quoted(top['to'])} instead of {quoted(top['from'])}"
        says += f", most often {change} ({count(top['n'])})" if len(data["pairs"]) > 1 else f": {change}"
    return Words(
        "Which labels were changed?",
        "Each bar is a pair: the prediction of the classifier alone, and the label after density or alignment changed "
        "it.",
        says + ".",
    )
