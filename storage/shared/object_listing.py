"""Which objects lie below a prefix, as one process knows: whoever alone writes them need not ask each time."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from .bucket_client import asked, object_library
from .bucket_folder import BucketFolder

__all__ = ["ObjectListing", "ObjectStat"]


@dataclass(frozen=True, slots=True)
class ObjectStat:
    """What is known of an object without reading it, with the names that `os.stat_result` has for it.

    Attributes:
        st_size: its bytes.
        st_mtime_ns: when it was written, in nanoseconds since 1970.
        tag: tells it from another one of its name.
    """

    st_size: int
    st_mtime_ns: int
    tag: str


Children = dict[str, ObjectStat | None]
"""By name, the objects and (`None`) the longer prefixes of a prefix."""


class ObjectListing:
    """The objects of a prefix, by names relative to it.

    Args:
        folder: the prefix.
    """

    def __init__(self, folder: BucketFolder) -> None:
        self.folder = folder
        self._owned: dict[str, dict[str, Children]] = {}
        self._doubted: set[str] = set()
        self._written = 0
        self._changes = count(1)
        self._marks: dict[str, int] = {}
        self._lock = threading.Lock()

    def own(self, name: str) -> None:
        """Know from now on what lies below a name: this process alone writes there."""
        while True:
            before = self._written
            found: dict[str, Children] = {name: {}}
            for one in self._listed(name):
                _put(found, name, one["path"].removeprefix(self.folder.key("")), _stat(one))
            with self._lock:
                if self._written != before:
                    continue  # another thread has written meanwhile, perhaps what the list lacks
                self._owned[name] = found
                self._doubted.discard(name)
                for folder in {*self._marks, *found}:
                    self._touch(folder)
                return

    def disown(self, name: str) -> None:
        """Ask again each time."""
        with self._lock:
            self._owned.pop(name, None)

    def doubt(self, name: str) -> None:
        """Ask anew what this process thought it knew of a name: something is not there that should be."""
        owner = self._owner(name)
        if owner is not None:
            self._doubted.add(owner)

    def children(self, name: str) -> Mapping[str, ObjectStat | None]:
        """What lies directly below a name."""
        owner = self._certain(name)
        if owner is not None:
            with self._lock:
                return dict(self._owned[owner].get(name, {}))
        library, prefix = object_library(), self.folder.inside(name).key("") if name else self.folder.key("")
        found = asked(str(self.folder), lambda: library.list_with_delimiter(self.folder.store, prefix or None))
        objects = {one["path"].removeprefix(prefix): _stat(one) for one in found["objects"]}
        return {**{each.removeprefix(prefix).rstrip("/"): None for each in found["common_prefixes"]}, **objects}

    def hidden(self, name: str) -> list[str]:
        """What directly below a name begins with a dot, asked anew: a bucket lists it before all others."""
        library, prefix = object_library(), self.folder.inside(name).key("") if name else self.folder.key("")

        def question() -> list[str]:
            found: list[str] = []
            for some in library.list(self.folder.store, prefix or None, chunk_size=1_000):
                for one in some:
                    child = one["path"].removeprefix(prefix)
                    if not child.startswith("."):
                        return found
                    found.append(child)
            return found

        return [child for child in asked(str(self.folder), question) if "/" not in child]

    def names(self, name: str) -> list[str]:
        """All objects below a name, however deep."""
        owner = self._certain(name)
        if owner is not None:
            with self._lock:
                folders = {k: of for k, of in self._owned[owner].items() if _is_below(k, name)}
                found = ((folder, child) for folder, of in folders.items() for child, stat in of.items() if stat)
                return [f"{folder}/{child}".lstrip("/") for folder, child in found]
        return [one["path"].removeprefix(self.folder.key("")) for one in self._listed(name)]

    def size(self, name: str) -> int:
        """Bytes of all objects below a name."""
        owner = self._certain(name)
        if owner is None:
            return sum(one["size"] for one in self._listed(name))
        with self._lock:
            folders = [of for k, of in self._owned[owner].items() if _is_below(k, name)]
            return sum(stat.st_size for of in folders for stat in of.values() if stat is not None)

    def stat(self, name: str) -> ObjectStat:
        """What is known of an object.

        Raises:
            FileNotFoundError: there is none.
        """
        owner = self._certain(name)
        if owner is not None:
            parent, _, child = name.rpartition("/")
            with self._lock:
                found = self._owned[owner].get(parent, {}).get(child)
            if found is None:
                raise FileNotFoundError(name)
            return found
        library = object_library()
        key = self.folder.key(name)
        return _stat(asked(f"{self.folder}/{name}", lambda: library.head(self.folder.store, key)))

    def mark(self, name: str) -> int | None:
        """Another one whenever something below a name has changed; `None`: nobody here knows."""
        owner = self._owner(name)
        if owner is None or owner in self._doubted:
            return None
        with self._lock:
            return self._marks.get(name, 0)

    def wrote(self, name: str, size: int) -> None:
        """Learn that this process has written an object."""
        owner = self._owner(name)
        if owner is not None:
            with self._lock:
                self._written += 1
                now = datetime.now(UTC).timestamp()
                _put(self._owned[owner], owner, name, ObjectStat(size, int(now * 10**9), f"own-{next(self._changes)}"))
                self._touch(name.rpartition("/")[0])

    def removed(self, name: str) -> None:
        """Learn that this process has removed an object."""
        owner = self._owner(name)
        if owner is not None:
            parent, _, child = name.rpartition("/")
            with self._lock:
                self._written += 1
                self._owned[owner].get(parent, {}).pop(child, None)
                self._touch(parent)

    def __getstate__(self) -> BucketFolder:
        """Without what is known: another process asks."""
        return self.folder

    def __setstate__(self, folder: BucketFolder) -> None:
        self.__init__(folder)  # type: ignore[misc] # as it is made

    def _owner(self, name: str) -> str | None:
        return next((own for own in self._owned if _is_below(name, own)), None)

    def _certain(self, name: str) -> str | None:
        """What this process knows a name below, without doubt."""
        owner = self._owner(name)
        if owner in self._doubted and owner is not None:
            self.own(owner)
        return owner

    def _listed(self, name: str) -> list[Mapping[str, Any]]:
        library, prefix = object_library(), self.folder.inside(name).key("") if name else self.folder.key("")
        return asked(
            str(self.folder),
            lambda: [one for some in library.list(self.folder.store, prefix or None, chunk_size=1_000) for one in some],
        )

    def _touch(self, name: str) -> None:
        self._marks[name] = next(self._changes)


def _is_below(name: str, other: str) -> bool:
    return not other or name == other or name.startswith(f"{other}/")


def _put(folders: dict[str, Children], owner: str, name: str, stat: ObjectStat) -> None:
    """Let an object be among the children of its parent, and that of its own."""
    child: ObjectStat | None = stat
    while name != owner:
        name, _, last = name.rpartition("/")
        folders.setdefault(name, {})[last] = child
        child = None


def _stat(found: Mapping[str, Any]) -> ObjectStat:
    changed = int(found["last_modified"].timestamp() * 10**9)
    return ObjectStat(found["size"], changed, found["e_tag"] or str(changed))
