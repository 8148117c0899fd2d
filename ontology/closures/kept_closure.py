"""A closure in files: a folder that is there as a whole, and is believed only if every byte of it is as it was written.

- `manifest.json`: whose closure it is, and the digest of every other file; its own stands in its first line
- `closure/`, `stated/`: Oxigraph stores of the closure, and of what the modules state
- `said.json`: names, contradictions, and what a DL reasoner inferred
- `named.txt`, `subjects.txt`, `members.txt`: IRIs of subjects and objects, of subjects, and of those that have a class,
  in order, for whoever looks for those below a prefix

Opening a store takes milliseconds, whatever its size; reading a closure of 150,000 triples into memory takes a third
of a second (docs/decisions/120).
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode, RdfFormat, Store, Triple, parse, serialize

from ...storage import Telling, read_checked, untold, write_checked
from ..consistency import read_violations, violation_texts
from ..known_names import KnownNames
from ..modules import Module
from ..private_copy import PrivateCopy
from ..reasoners import Closure
from ..stated_graphs import store_statements
from ..terms import TYPE, Term

__all__ = ["read_closure", "write_closure"]

_CLOSURE, _STATED, _SAID, _MANIFEST = "closure", "stated", "said.json", "manifest.json"
_OF_CLOSURE, _OF_STORES = 0.35, 0.7
"""Shares of the time, measured with Brick and buildings: when the closure is written, and when both stores are."""
_NAMED, _SUBJECTS, _MEMBERS = "named.txt", "subjects.txt", "members.txt"


@dataclass(frozen=True, slots=True)
class KeptClosure:
    """The files of a closure, verified.

    Attributes:
        folder: where they are.
        store: the closure, opened.
        copies: where copies of them may be made, on the same file system.
        triples: how many the closure has.
        names: its names.
    """

    folder: Path
    store: Store
    copies: Path
    triples: int
    names: KnownNames

    def speaks_below(self, prefix: str) -> bool:
        """Whether an IRI begins so; see `KeptFiles`."""
        return any(True for _ in self._below(prefix, _NAMED))

    def subjects_below(self, prefix: str, *, typed: bool) -> frozenset[str]:
        """The subjects that begin so; see `KeptFiles`."""
        return frozenset(self._below(prefix, _MEMBERS if typed else _SUBJECTS))

    def _below(self, prefix: str, listed: str) -> Iterator[str]:
        text = (self.folder / listed).read_text(encoding="utf-8")
        iris = text.split("\n") if text else []
        return takewhile(lambda iri: iri.startswith(prefix), iris[bisect_left(iris, prefix) :])

    @property
    def files(self) -> Path:
        """The folder of the closure; see `KeptFiles`."""
        return self.folder / _CLOSURE

    def stated(self) -> Store:
        """What the modules state; see `KeptFiles`."""
        return Store.read_only(str(self.folder / _STATED))

    def copy(self) -> PrivateCopy | None:
        """A copy of the closure by hard links; see `KeptFiles`."""
        target = self.copies / f"{os.getpid()}-{secrets.token_hex(8)}"
        try:
            self.copies.mkdir(parents=True, exist_ok=True)
            self.store.backup(str(target))
            return PrivateCopy(Store(str(target)), target)
        except OSError:
            shutil.rmtree(target, ignore_errors=True)
            return None


def write_closure(folder: Path, key: str, closure: Closure, modules: Sequence[Module], told: Telling = untold) -> None:
    """Write a closure into an empty folder.

    Args:
        folder: a temporary one.
        key: whose closure it is.
        closure: in memory.
        modules: what it is the closure of.
        told: hears how much is written.

    Raises:
        OSError: it cannot be written.
    """
    told("keeping", 0.0)
    kept = Store(str(folder / _CLOSURE))
    kept.bulk_extend(closure.store)  # and not its dump: reading RDF gives blank nodes new names
    told("keeping", _OF_CLOSURE)
    stated = store_statements(modules, Store(str(folder / _STATED)))
    del kept, stated  # closes them
    told("keeping", _OF_STORES)
    for name, terms in _listed(closure.store).items():
        iris = sorted(term.value for term in terms if isinstance(term, NamedNode))
        (folder / name).write_text("\n".join(iris), encoding="utf-8")
    (folder / _SAID).write_text(json.dumps(_said(closure)), encoding="utf-8")
    files = {str(path.relative_to(folder)): _digest(path) for path in _files(folder)}
    write_checked(folder / _MANIFEST, json.dumps({"key": key, "files": files}))


def read_closure(folder: Path, key: str, copies: Path) -> Closure | None:
    """The closure in a folder; `None`: there is none, it is of another key, or not as it was written.

    Args:
        folder: where it was written.
        key: whose closure it has to be.
        copies: where copies of its files may be made.
    """
    try:
        if not _is_whole(folder, key):
            return None
        said = json.loads((folder / _SAID).read_text(encoding="utf-8"))
        store = Store.read_only(str(folder / _CLOSURE))
        kept = KeptClosure(folder, store, copies, said["triples"], _names(said["names"]))
        inferred = frozenset(_triples(said["inferred"]))
        closure = Closure(store, inferred, read_violations(said["contradictions"]), kept)
        os.utime(folder / _MANIFEST)
    except (OSError, ValueError, KeyError, TypeError, SyntaxError):
        return None
    return closure


def _is_whole(folder: Path, key: str) -> bool:
    text = read_checked(folder / _MANIFEST)
    if text is None:
        return False
    manifest = json.loads(text)
    found = {str(path.relative_to(folder)): path for path in _files(folder)}
    found.pop(_MANIFEST, None)
    return (
        manifest["key"] == key
        and found.keys() == manifest["files"].keys()
        and all(_digest(path) == manifest["files"][name] for name, path in found.items())
    )


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _said(closure: Closure) -> dict[str, Any]:
    names = KnownNames.of(closure.store)
    return {
        "triples": len(closure.store),
        "names": {
            "classes": sorted(names.classes),
            "properties": sorted(names.properties),
            "equivalents": sorted({tuple(sorted(same)) for same in names.equivalents.values()}),
        },
        "contradictions": violation_texts(closure.contradictions),
        "inferred": (serialize(closure.inferred, format=RdfFormat.N_TRIPLES) or b"").decode(),
    }


def _listed(store: Store) -> dict[str, set[Term]]:
    """File → the terms whose IRIs it lists."""
    subjects: set[Term] = {quad.subject for quad in store}
    members: set[Term] = {quad.subject for quad in store.quads_for_pattern(None, TYPE, None)}
    return {_NAMED: subjects | {quad.object for quad in store}, _SUBJECTS: subjects, _MEMBERS: members}


def _names(said: Mapping[str, Any]) -> KnownNames:
    sets = [frozenset(same) for same in said["equivalents"]]
    equivalents = {iri: same for same in sets for iri in same}
    return KnownNames(frozenset(said["classes"]), frozenset(said["properties"]), equivalents)


def _triples(text: str) -> list[Triple]:
    return [quad.triple for quad in parse(text, format=RdfFormat.N_TRIPLES)]
