"""Finished rounds in a folder, from which an interrupted fit goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tabcast.files._atomic import write_whole


@dataclass(frozen=True)
class Checkpoint:
    """A folder of models, one file per finished round, each written whole.

    A file begins with a line of JSON, which has the digest of everything that the model was trained on; the booster
    follows. A model is used again only where the digest is the same, so that a file of other rows or parameters does no
    harm.

    Attributes
    ----------
    folder : Path
        Where the files are; made when the first one is written.
    """

    folder: Path

    def load(self, round_number: int, digest: str) -> bytes | None:
        """Load the model of a round.

        Parameters
        ----------
        round_number : int
            The round.
        digest : str
            Of what it is trained on.

        Returns
        -------
        bytes or None
            The booster; None where there is none for this digest.
        """
        try:
            header, _, model = self._path(round_number).read_bytes().partition(b"\n")
            known = json.loads(header)
        except (OSError, ValueError):
            return None
        return model if isinstance(known, dict) and known.get("digest") == digest and model else None

    def save(self, round_number: int, digest: str, model: bytes, threshold: float | None) -> None:
        """Save the model of a round.

        Parameters
        ----------
        round_number : int
            The round.
        digest : str
            Of what it was trained on.
        model : bytes
            The booster.
        threshold : float or None
            The confidence of the last row that was selected, for information.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        header = json.dumps({"round": round_number, "threshold": threshold, "digest": digest})
        with write_whole(self._path(round_number)) as unfinished:
            unfinished.write_bytes(header.encode() + b"\n" + model)

    def _path(self, round_number: int) -> Path:
        return self.folder / f"round-{round_number:03}.model"


def digest_of(*parts: Any) -> str:
    """Digest what a model is trained on.

    Parameters
    ----------
    *parts : bytes, ndarray or object
        Bytes and arrays as they are, anything else by its `repr`.

    Returns
    -------
    str
        Hexadecimal digits.
    """
    digest = blake2b(digest_size=20)
    for part in parts:
        raw = part if isinstance(part, bytes) else part.tobytes() if hasattr(part, "tobytes") else repr(part).encode()
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()
