"""Interpreting a user's table: which rows are labeled, and what the columns are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from tabcast.files._decide import Decision, decide, decide_category, learn_text
from tabcast.files._errors import TableFileError, show_value
from tabcast.files._facts import ColumnNote, note
from tabcast.files._marks import remove_marks
from tabcast.files._named_columns import check_named
from tabcast.files._notation import agree
from tabcast.files._rules import NumberRule
from tabcast.files._target import find_target
from tabcast.files._text_rule import TextRule
from tabcast.files._understanding import Understanding
from tabcast.files._values import find_texts, first_decisive_format, is_text
from tabcast.files._wording import Argument
from tabcast.files._words import PLURAL

FORMAT_ROWS = 2_000
COLUMNS_AT_A_TIME = 8
NUMBERED = re.compile(r"(.+)\.\d+")  # what a column is called whose name was taken, here and in pandas


def understand(
    frame: pd.DataFrame,
    target: str,
    *,
    missing_label: Any = None,
    ignore: Iterable[str] = (),
    use: Iterable[str] = (),
    categories: Iterable[str] = (),
    id_columns: Iterable[str] = (),
) -> Understanding:
    """Interpret a table: its labels, and the kind of each column, from the values alone (never from the labels).

    Parameters
    ----------
    frame : DataFrame
        The table, as :func:`read_table_file` reads it.
    target : str
        The column to predict. Rows without a value there are unlabeled.
    missing_label : object, default=None
        A value of the target that also means "unlabeled", for instance -1 or "unknown".
    ignore : iterable of str, default=()
        Columns to leave out.
    use : iterable of str, default=()
        Columns to use although they look like identifiers, free text or constants.
    categories : iterable of str, default=()
        Columns whose values are categories although they look like something else, for instance numbers.
    id_columns : iterable of str, default=()
        Columns that identify rows: no features, but kept in predictions.

    Returns
    -------
    Understanding
        The interpretation, which turns this table and every later one into features and labels.

    Raises
    ------
    TableFileError
        If there is nothing to learn from.

    See Also
    --------
    describe : The interpretation in words.
    read_table_file : Read a table.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabcast.files import understand
    >>> table = pd.DataFrame({"plan": ["gold", "basic"] * 3, "churned": ["no", "yes", "no", "yes", None, None]})
    >>> understand(table, "churned").columns[0].why
    "2 levels: 'basic', 'gold'"
    """
    named = {"ignore": list(ignore), "use": list(use), "categories": list(categories), "id_columns": list(id_columns)}
    check_named(frame, target, named)
    target_rule, class_counts, notes = find_target(target, frame[target], missing_label)
    names = [name for name in frame.columns if name != target]
    is_category = set(named["categories"])
    decisions = {name: (decide_category if name in is_category else decide)(name, frame[name]) for name in names}
    settle_decisions(frame, decisions)
    decisions |= {name: _leave_out_repeated(frame, name, decisions[name], target) for name in names}
    columns, rules = [], []
    for name in names:
        decision = decisions[name]
        if isinstance(decision.rule, TextRule) and name not in named["ignore"] + named["id_columns"]:
            decision = learn_text(decision.rule, frame[name], decision, frame.columns)
        decision = _overrule(name, decision, named)
        columns.append(ColumnNote(name, decision.kind, decision.used, decision.facts))
        if decision.used and decision.rule is not None:
            rules.append(decision.rule)
    if not rules:
        if not columns:
            raise TableFileError(f"No column is left to predict {target!r} from: the table has only this one.")
        reasons = "; ".join(f"{show_value(column.name)}: {column.why}" for column in columns[:3])
        raise TableFileError(
            f"No column is left to predict {target!r} from ({reasons}); name one with ", Argument("use"), "."
        )
    n_labeled = sum(class_counts.values())
    alike = [one.name for one in columns if one.used and any(fact.code == "like_names" for fact in one.facts)]
    alike = [name for name in alike if name not in named["use"]]
    if alike:
        notes.append(note("names_or_keys", columns=alike))
    n_repeated = _count_repeated(frame)
    if n_repeated:
        notes.append(note("repeated_rows", n=n_repeated))
    return Understanding(
        columns=columns,
        rules=rules,
        target_rule=target_rule,
        n_rows=len(frame),
        n_labeled=n_labeled,
        n_unlabeled=len(frame) - n_labeled,
        class_counts=class_counts,
        notes=notes,
    )


def _overrule(name: str, decision: Decision, named: dict[str, list[str]]) -> Decision:
    """What the user requested for a column goes before what it looks like."""
    if name in named["ignore"]:
        return Decision(decision.kind, False, (note("ignored"),), None)
    if name in named["id_columns"]:
        return Decision("identifier", False, (note("declared_identifier"),), None)
    wanted = next((argument for argument in ("categories", "use") if name in named[argument]), None)
    if wanted is None or decision.used:
        return decision
    column = ColumnNote(name, decision.kind, False, decision.facts)
    if decision.rule is None:
        raise TableFileError(f"Column {name!r}, named by ", Argument(wanted), f", cannot be used: {column.why}.")
    requested = note("used_on_request", as_what=PLURAL[decision.rule.kind])
    return replace(decision, kind=decision.rule.kind, used=True, facts=(requested, *decision.facts))


def settle_decisions(frame: pd.DataFrame, decisions: dict[str, Decision]) -> None:
    """Decide again, by the notation of the other columns, the columns whose numbers may be read in two ways."""
    formats = {name: one.rule.format for name, one in decisions.items() if isinstance(one.rule, NumberRule)}
    if "decimal_comma" not in formats.values() and not any(decisions[name].is_open for name in formats):
        return
    hint = _notation(frame, list(formats))
    for name, number_format in formats.items():
        if number_format is not None and (decisions[name].is_open or hint == "decimal_comma"):
            decisions[name] = decide(name, frame[name], hint)


def _notation(frame: pd.DataFrame, names: list[str]) -> str | None:
    """How numbers are written in the text columns of a table, if they agree; None if nothing tells."""
    texts = (frame[name].iloc[:FORMAT_ROWS] for name in names if is_text(frame[name]))
    return agree({first_decisive_format(remove_marks(find_texts(values))) for values in texts})


def _leave_out_repeated(frame: pd.DataFrame, name: str, decision: Decision, target: str) -> Decision:
    """Leave a column out that has the name of another, but for a number, and its values, or the name of the target."""
    found = NUMBERED.fullmatch(name)
    if not decision.used or found is None or found[1] not in frame.columns:
        return decision
    if not frame[name].astype(object).equals(frame[found[1]].astype(object)):
        facts = (note("named_like_the_target", target=target),)
        return decision if found[1] != target else replace(decision, used=False, facts=facts)
    return replace(decision, used=False, facts=(note("repeats", column=found[1]),))


def _count_repeated(frame: pd.DataFrame) -> int:
    """Rows that equal an earlier row in every column, found among ever fewer rows, a few columns at a time."""
    rows = np.arange(len(frame))
    try:
        for start in range(0, frame.shape[1], COLUMNS_AT_A_TIME):
            rows = rows[frame.iloc[rows, start : start + COLUMNS_AT_A_TIME].duplicated(keep=False).to_numpy()]
            if not len(rows):
                return 0
        return int(frame.iloc[rows].duplicated().sum())
    except TypeError:  # cells that hold lists cannot be compared
        return 0
