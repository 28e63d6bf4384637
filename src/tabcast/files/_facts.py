"""What was noticed about a table, as data: a code, and the values that belong to it. `_words` makes sentences of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tabcast.files._words import ALTERED, word_reasons


@dataclass(frozen=True)
class Fact:
    """Something noticed about a column or a table.

    Parameters
    ----------
    code : str
        What was noticed, for example "constant"; `tabcast.files._words` has a wording for each code.
    values : dict
        The numbers and texts that belong to it, plain JSON.

    See Also
    --------
    understand : Interprets a table.
    """

    code: str
    values: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Give the fact as plain JSON.

        Returns
        -------
        dict
            The code and the values.
        """
        return {"code": self.code, **self.values}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Fact:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        plain : dict
            The code and the values.

        Returns
        -------
        Fact
            The same fact.
        """
        return cls(plain["code"], {key: value for key, value in plain.items() if key != "code"})


def note(code: str, **values: Any) -> Fact:
    """A fact, written briefly."""
    return Fact(code, values)


@dataclass(frozen=True)
class ColumnNote:
    """How a column was interpreted.

    Parameters
    ----------
    name : str
        The column.
    kind : {"number", "category", "date", "text", "identifier", "constant", "empty", "mixed"}
        What the column is.
    used : bool
        Whether it is a feature.
    facts : tuple of Fact
        Why, the reason first and details after it.

    See Also
    --------
    understand : Interprets a table.
    """

    name: str
    kind: str
    used: bool
    facts: tuple[Fact, ...]

    @property
    def why(self) -> str:
        """The facts in a few words.

        Returns
        -------
        str
            A phrase without a period.
        """
        return word_reasons(self.facts)

    @property
    def is_altered(self) -> bool:
        """Whether the column is used, but some of its values not as they are in the table.

        Returns
        -------
        bool
            True if the user should be told.
        """
        return self.used and any(fact.code in ALTERED for fact in self.facts)

    def to_dict(self) -> dict[str, Any]:
        """Give the note as plain JSON.

        Returns
        -------
        dict
            Name, kind, use, the reason in words, and the facts.
        """
        facts = [fact.to_dict() for fact in self.facts]
        return {"name": self.name, "kind": self.kind, "used": self.used, "why": self.why, "facts": facts}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> ColumnNote:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        plain : dict
            The note as plain JSON.

        Returns
        -------
        ColumnNote
            The same note.
        """
        return cls(plain["name"], plain["kind"], plain["used"], tuple(map(Fact.from_dict, plain["facts"])))
