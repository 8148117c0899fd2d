"""What documents that were read before declare and import, kept by the digest of their text.

So a module whose closure is kept need not be read again: only its bytes, to see that it is the same.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from ...storage import read_checked, write_checked
from ..program_version import program_version

__all__ = ["DocumentHead", "DocumentHeads"]


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """What of a document is needed to find out which modules there are.

    Attributes:
        declares: ontology and version IRIs that it is known by.
        imports: ontology IRIs that it asks for, in order.
        triples: how many it says.
        base: IRI that its relative IRIs were resolved against; `None`: it has none.
    """

    declares: tuple[str, ...]
    imports: tuple[str, ...]
    triples: int
    base: str | None


class DocumentHeads:
    """A folder with a small file for each document.

    What is in it is believed only if it is whole; what cannot be written is not kept, and nothing else happens.

    Args:
        folder: made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, digest: str, suffix: str, base: str) -> DocumentHead | None:
        """The head of a document.

        Args:
            digest: of its text.
            suffix: of its file, which says its syntax.
            base: IRI that its relative IRIs would be resolved against.
        """
        path = self._path(digest, suffix)
        text = read_checked(path)
        if text is None:
            return None
        try:
            os.utime(path)
        except OSError:
            return None
        said = json.loads(text)
        head = DocumentHead(tuple(said["declares"]), tuple(said["imports"]), said["triples"], said["base"])
        return head if head.base in (None, base) else None

    def keep(self, digest: str, suffix: str, head: DocumentHead) -> None:
        """Keep the head of a document."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_checked(self._path(digest, suffix), json.dumps(asdict(head)))
        except OSError:
            return

    def _path(self, digest: str, suffix: str) -> Path:
        name = hashlib.sha256(f"{program_version()} {digest} {suffix}".encode()).hexdigest()
        return self.folder / f"{name}.json"
