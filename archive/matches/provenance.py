"""What made the matches of a query: its text, the knowledge that it was answered by, what its items are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Self

from ...errors import ArchiveError, Place
from ...expressions import gives_several
from ...language.nodes import Aggregate, Item, Query, ValueType
from ...storage import StoragePath, is_intact, read_mirrored, write_mirrored

_DIGEST_BYTES = 16


@dataclass(frozen=True)
class Provenance:
    """What rows of a query need to be told apart from those of another text of that name, and to become RDF.

    Attributes:
        query: its name.
        text: normalised.
        knowledge: the version of the knowledge base.
        items: name → type of the values, in the order of SELECT; a LIST has several values of it.
    """

    query: str
    text: str
    knowledge: str
    items: Mapping[str, ValueType]

    @classmethod
    def of(cls, query: Query, knowledge: str) -> Self:
        """Say it of a named query.

        Args:
            query: a checked one; its hidden items are no part of its rows.
            knowledge: the version that it is answered by.
        """
        items = {item.name: _type_of(item) for item in query.items if not item.hidden}
        return cls(query.name or "", query.normal, knowledge, items)

    @cached_property
    def digest(self) -> str:
        """Stands for it: equal where everything is equal; the text says in which order the items are."""
        return _digest(json.dumps(asdict(self), sort_keys=True).encode())

    @property
    def text_digest(self) -> str:
        """Stands for the text alone."""
        return _digest(self.text.encode())

    @property
    def _json(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    def keep(self, folder: StoragePath) -> None:
        """Write it durably, if it is not there; it has to be before rows name it.

        What an earlier version wrote, which sorted the items by name, is written anew.

        Raises:
            ArchiveError: the file system refuses.
        """
        file = _file(folder, self.digest)
        try:
            if not is_intact(file) or read_mirrored(file) != self._json:
                write_mirrored(file, self._json)
        except OSError as error:
            raise ArchiveError(
                f"cannot write what a query's matches come from: {error.strerror}",
                place=Place(str(file)),
                hint="free some space or choose another path under [archive]",
            ) from error

    @classmethod
    def read(cls, folder: StoragePath, digest: str) -> Self:
        """Read what `keep` wrote.

        Raises:
            ArchiveError: it is not there, or something else is.
        """
        file = _file(folder, digest)
        try:
            content = json.loads(read_mirrored(file))
            items = {name: ValueType(kind) for name, kind in content["items"].items()}
            return cls(content["query"], content["text"], content["knowledge"], items)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ArchiveError(
                f"what matches come from cannot be read: {error}",
                place=Place(str(file)),
                hint="restore it from a backup",
            ) from error


def _type_of(item: Item) -> ValueType:
    match item.value:
        case Aggregate(argument=listed) if listed is not None and gives_several(item.value):
            return listed.type
        case _:
            return item.type


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


def _file(folder: StoragePath, digest: str) -> StoragePath:
    return folder / f"{digest}.json"
