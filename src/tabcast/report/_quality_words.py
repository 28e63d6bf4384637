"""Sentences about the result: what was predicted, how good it is, which columns matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tabcast.report._phrases import (
    Data,
    Words,
    count,
    decimal,
    is_number,
    listed,
    percent,
    quoted,
    rows,
    signed,
)

SIMILAR = 0.005  # proportions closer than this look the same
CLOSE = 0.01  # calibration errors closer than this are about the same
FEW_ROWS = 10  # of a class, below which its numbers are imprecise


def say_result(summary: Data) -> tuple[str, list[str]]:
    """The headline of the page, and the sentences below it."""
    table, found = summary["table"], (summary.get("diagnostics") or {}).get("quality")
    n = table["n_unlabeled"]
    if not found or not is_number(found["accuracy"]):
        head = f"{rows(n)} predicted." if n else "A model for new rows."
        return head, ["How good the predictions are was not measured."]
    share = percent(found["accuracy"])
    about = f"about {share}" if found["accuracy"] < 1 else f"{percent(found['accuracy_low'])} or more"
    head = f"{rows(n)} predicted; {about} should be right." if n else f"A model for new rows, {about} right."
    sentences = [
        f"Cross-validated on {rows(found['n_rows'])} with a label, {share} of the predictions are right (95% interval: "
        f"{span(found['accuracy_low'], found['accuracy_high'])})."
    ]
    shift = ((summary.get("diagnostics") or {}).get("covariate_shift") or {}).get("strength")
    if n and shift == "strong":
        sentences.append("Labeled and unlabeled rows differ strongly, so this may not hold for the unlabeled ones.")
    elif n:
        sentences.append("It holds for the unlabeled rows if the labeled ones are a random sample of all rows.")
    return head, sentences


def result_numbers(summary: Data) -> list[tuple[str, str]]:
    """The numbers below the headline, each with its name."""
    table, found = summary["table"], (summary.get("diagnostics") or {}).get("quality")
    verdict, shown = summary.get("verdict"), []
    if found and is_number(found["balanced_accuracy"]):
        ends = span(found["balanced_accuracy_low"], found["balanced_accuracy_high"])
        shown.append((f"balanced accuracy, {ends}", percent(found["balanced_accuracy"])))
    if verdict:
        shown.append(("the model that was kept", verdict["chosen"]))
    return [
        *shown,
        ("labeled rows", count(table["n_labeled"])),
        ("unlabeled rows", count(table["n_unlabeled"])),
    ]


def say_recalls(data: Data, chosen: str | None) -> str:
    """What changed per class, in a sentence above the table of recalls."""
    if chosen == "supervised":
        return "The model that was kept is your model alone, trained on the labeled rows."
    known = [one for one in data["per_class"] if is_number(one["recall"]) and is_number(one["supervised_recall"])]
    changes = [one["recall"] - one["supervised_recall"] for one in known]
    better, worse = (sum(sign * change > SIMILAR for change in changes) for sign in (1, -1))
    if not known:
        return "No class has a held-out row."
    if not better and not worse:
        return "Each class is found as often as by your model alone."
    numbers = ((better, "more often"), (worse, "less often"), (len(known) - better - worse, "as often"))
    (first, how), *others = [(n, word) for n, word in numbers if n]
    is_found = "class is found" if first == 1 else "classes are found"
    said = [f"{count(first)} {is_found} {how}", *(f"{count(n)} {word}" for n, word in others)]
    return f"Compared with your model alone, {listed(said)}."


def say_quality(data: Data) -> Words:
    """The confusion matrix."""
    classes, matrix, n = data["classes"], data["confusion"], data["n_rows"]
    wrong = [(value, i, j) for i, line in enumerate(matrix) for j, value in enumerate(line) if i != j and value]
    right = n - sum(one[0] for one in wrong)
    says = f"{count(right)} of {rows(n)} are predicted right"
    if not wrong:
        says = f"All {rows(n)} are predicted right; with so few, up to {percent(1 - data['accuracy_low'])} may be wrong"
    else:
        most, i, j = max(wrong, key=lambda one: (one[0], -one[1], -one[2]))
        says += f"; the most frequent error is {quoted(classes[i])} predicted as {quoted(classes[j])} ({rows(most)})"
    return Words(
        "Which classes are confused?",
        "Each line is the true class of held-out rows, each column the class that was predicted for them, by models "
        "that were not trained on these rows.",
        says + ".",
    )


def say_per_class(data: Data) -> Words:
    """Precision and recall per class."""
    known = [one for one in data["per_class"] if is_number(one["recall"])]
    unknown = [quoted(one["class"]) for one in data["per_class"] if not is_number(one["recall"])]
    says = ""
    if known:
        least = min(known, key=lambda one: one["recall"])
        says = (
            f"{quoted(least['class'])} is found least often: {percent(least['recall'])} of its {rows(least['n'])} "
            f"(95% interval: {span(least['recall_low'], least['recall_high'])})"
        )
        says += "." if data["supervised"] else f", {percent(least['supervised_recall'])} by your model alone."
        if all(one["recall"] == least["recall"] for one in known):
            says = f"Every class has a recall of {percent(least['recall'])}."
        if min(one["n"] for one in known) < FEW_ROWS:
            says += " With so few rows of a class, its numbers are imprecise."
    if unknown:
        was, them = ("was", "it") if len(unknown) == 1 else ("were", "them")
        says += f" {listed(unknown[:5])} {was} never held out: nothing is known about {them}."
    return Words(
        "How often is it right, per class?",
        "Recall is the proportion of the rows of a class that are found; precision, that of the rows predicted as the "
        "class that belong to it. Bars are 95% intervals"
        + ("." if data["supervised"] else "; the ring is the recall of your model alone."),
        says.strip(),
    )


def say_predictions(counts: Mapping[str, int]) -> str:
    """Above the preview."""
    total = sum(counts.values())
    if not total:
        return "There are no unlabeled rows to predict."
    ordered = sorted(counts.items(), key=lambda one: -one[1])
    parts = [f"{quoted(name)} for {rows(n)} ({percent(n / total)})" for name, n in ordered[:4] if n]
    more = len([n for _, n in ordered[4:] if n])
    others = [f"{count(more)} other class{'' if more == 1 else 'es'} for the rest"] if more else []
    return f"The model predicts {listed([*parts, *others])}."


def say_thresholds(data: Data) -> Words:
    """What the threshold in use means."""
    at = counts_at(data["counts"], data["in_use"])
    positive, negative = quoted(data["positive"]), quoted(data["negative"])
    n, false = at["true_positives"] + at["false_negatives"], at["false_positives"]
    says = (
        f"The threshold in use is {decimal(data['in_use'], 2)}: {count(at['true_positives'])} of {rows(n)} of "
        f"{positive} are found, and {rows(false)} of {negative} {'is' if false == 1 else 'are'} taken for {positive}"
    )
    says += f" (recall {percent(at['recall'])}, precision {percent(at['precision'])})."
    return Words(
        "Recall and precision by threshold",
        f"{positive} is predicted where its probability reaches the threshold. A lower threshold finds more of its "
        "rows and raises more false alarms. Counts are those of held-out rows; another threshold is set by the "
        "decision (tabcast.decisions.Threshold).",
        says,
    )


def counts_at(counts: Sequence[Data], threshold: float) -> Data:
    """The counts of the smallest listed threshold that is not below the given one."""
    return next((one for one in counts if one["threshold"] >= threshold - 1e-6), counts[-1])


def choose_thresholds(data: Data) -> list[dict[str, Any]]:
    """A few thresholds for a table, with the one in use among them."""
    found: dict[float, dict[str, Any]] = {}
    for threshold in sorted({0.1, 0.25, 0.5, 0.75, 0.9, data["in_use"]}):
        one = counts_at(data["counts"], threshold)
        used = threshold == data["in_use"] or found.get(one["threshold"], {}).get("used", False)
        found[one["threshold"]] = {**one, "used": used}
    return list(found.values())


def say_importance(data: Data) -> Words:
    """Which columns matter, and which may leak."""
    shown = data["columns"]
    certain = [one for one in shown if one["low"] > 0]
    says = "No column stands out: every interval includes zero."
    if shown and not certain and any(one["high"] < 0 for one in shown):
        says = "No column stands out: none is certain to help."
    if certain:
        top, others = certain[0], len(certain) - 1
        most = "matters most" if top is shown[0] else "matters most for certain"
        says = (
            f"{quoted(top['name'])} {most}: shuffled, it costs {lost(top['importance'])} of the probability of "
            f"the true class (95% interval: {lost(top['low'])} to {lost(top['high'])})"
        )
        says += f"; {count(others)} more matter{'s' if others == 1 else ''} for certain." if others else "."
    leaks = [quoted(one["name"]) for one in shown if one.get("leak")]
    if leaks:
        says += f" {listed(leaks[:3])} may leak the label; see the caveats."
    if data["n_columns"] > len(shown):
        says += f" {count(len(shown))} of {count(data['n_columns'])} columns were looked at."
    return Words(
        "What if a column were shuffled?",
        f"The values of a column are shuffled among {rows(data['n_rows'])} held out of training; the dot is what that "
        "costs, the bar its 95% interval. Measured with your model trained on labeled rows alone, once per fold. "
        "Redundant columns share their importance.",
        says,
    )


def say_curves(data: Data) -> Words:
    """The area under the ROC curve."""
    areas = sorted(data["areas"], key=lambda one: one["auc"])
    least, most = areas[0], areas[-1]

    def area(one: Data) -> str:
        return f"{decimal(one['auc'], 2)} (95% interval: {decimal(one['low'], 2)} to {decimal(one['high'], 2)})"

    says = f"The area under the ROC curve of {quoted(most['class'])} is {area(most)}"
    if len(areas) > 1:
        says = f"{quoted(least['class'])} is the hardest to tell from the others, with an area of {area(least)}"
        if most["auc"] > least["auc"]:
            says += f"; {quoted(most['class'])} the easiest, {decimal(most['auc'], 2)}"
    if data["n_classes"] > 2 and len(areas) < data["n_classes"]:
        says += f". {count(len(areas))} of {count(data['n_classes'])} classes are drawn"
    return Words(
        "How well do the probabilities rank rows?",
        "On the left, the proportion of rows of the class that are found against false alarms among the others: the "
        "dashed line is chance, and an area of 1 is perfect. On the right, how many of the rows that are picked belong "
        "to the class, as more of its rows are found.",
        says + ".",
    )


def say_reliability(data: Data) -> Words:
    """Confidence against accuracy, of the model and of the one it is compared with."""
    model, other, name = data["model"], data["other"], data["other_name"]
    change = model["ece"] - other["ece"]
    better = "better calibrated than" if change < 0 else "worse calibrated than"
    if abs(change) < CLOSE:
        better = "about as well calibrated as"
    says = (
        f"The model is {better} {name}: its confidence is off by {percent(model['ece'])} on average, that of {name} by "
        f"{percent(other['ece'])}{say_loss(model.get('log_loss'), other.get('log_loss'), change)}."
    )
    return Words(
        "Can its probabilities be trusted?",
        "Held-out predictions are grouped by confidence; on the diagonal, 80% of the predictions made with 80% "
        "confidence are right; below it the model is overconfident.",
        says,
    )


def say_loss(model: Any, other: Any, change: float) -> str:
    """Whether the log-loss agrees with the change of the calibration error."""
    if not is_number(model) or not is_number(other):
        return ""
    ours, theirs = decimal(model, 2), decimal(other, 2)
    if ours == theirs:
        return f"; the log-loss of both is {ours}"
    direction = "lower" if model < other else "higher"
    agrees = abs(change) < CLOSE or (change < 0) == (model < other)
    start = "; its log-loss is" if agrees else "; but its log-loss, to which confident errors matter most, is"
    return f"{start} {direction} ({ours} against {theirs})"


def say_classes(table: Data, prior: Data | None) -> Words:
    """Labeled rows per class, and how certain their proportions are."""
    classes = sorted(table["classes"], key=lambda one: one["n_labeled"])
    total = sum(one["n_labeled"] for one in classes) or 1
    least, most = classes[0], classes[-1]
    says = (
        f"{quoted(most['name'])} has the most labeled rows ({count(most['n_labeled'])}, "
        f"{percent(most['n_labeled'] / total)}), {quoted(least['name'])} the fewest ({count(least['n_labeled'])})."
    )
    if least["n_labeled"] == most["n_labeled"]:
        says = f"Every class has {rows(most['n_labeled']).replace(' ', ' labeled ')}."
    if least["n_labeled"] < FEW_ROWS:
        says += " With so few rows of a class, every number about it is imprecise."
    if prior is None:
        return Words("Classes", "Each bar is the number of labeled rows of a class.", says)
    rarest = min(prior["classes"], key=lambda one: one["proportion"])
    says += f" {quoted(rarest['class'])} makes up {span(rarest['low'], rarest['high'])} of all rows."
    return Words(
        "Classes",
        "Each dot is the proportion of a class among the labeled rows, with its number of rows at the right; the bar "
        "is the 95% interval of its proportion among all rows, if the labeled ones are a random sample of them.",
        says,
    )


def span(low: float, high: float) -> str:
    """An interval of proportions."""
    return f"{percent(low)} to {percent(high)}"


def lost(value: float) -> str:
    """A loss of probability."""
    return signed(value, points=True).lstrip("+")
