"""What an engine's state keeps of its ontology modules: copies, changes of the project's set, versions by batch.

- `ontology/modules/<digest>.nt.gz`: what a module said, however its file has changed since
- `ontology/changes.json`: modules that were added to those of the project file, and names of those that were removed
- `ontology/versions/<number>.json`: a version of the knowledge, and the first batch that is judged by it
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...annotator import EventShape
from ...config import Settings
from ...errors import PipelineError, Place
from ...ontology import KnowledgeBase, stated_modules
from ...ontology.modules import Module, ModuleChange, nquads, parse_nquads
from ...settings import OnContradiction, ReasonerName
from ...storage import DamagedFileError, is_intact, mirrored_files, read_mirrored, write_mirrored

__all__ = ["Changes", "Entry", "KnowledgeStore", "Version", "modules_in_force"]

_LEVEL = 1
_REMEMBERED = 32
"""More changes than threads ask for at the same time: each goes on when the outbox has durably noted what it did."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A module of which there is a copy; the fields are those of `ontology.modules.Module`."""

    source: str
    digest: str
    declares: tuple[str, ...]
    imports: tuple[str, ...]
    imported: bool
    triples: int
    base: str | None = None

    @classmethod
    def of(cls, module: Module) -> Entry:
        """The entry of a module."""
        declares = tuple(sorted(module.declares))
        number = len(module.triples)
        return cls(module.source, module.digest, declares, module.imports, module.imported, number, module.base)

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Entry:
        """From JSON."""
        return cls(**{**content, "declares": tuple(content["declares"]), "imports": tuple(content["imports"])})


@dataclass(frozen=True, slots=True)
class Changes:
    """What was changed of the modules that the project file names.

    Attributes:
        added: modules that it does not name, or whose text is another.
        removed: sources of modules that it names.
        stated: keys of the calls of rules that each of the last changes of the module `rules` did, which are not done
            again: of all that are at work at the same time.
    """

    added: tuple[Entry, ...] = ()
    removed: tuple[str, ...] = ()
    stated: tuple[tuple[str, ...], ...] = ()

    def after(self, change: ModuleChange, stated: Sequence[str] = ()) -> Changes:
        """With one more change, and what rules have called for it."""
        gone = {module.digest for module in change.removed}
        kept = [entry for entry in self.added if entry.digest not in gone]
        new = [] if change.added is None else [Entry.of(change.added)]
        own = [m.source for m in change.removed if m.digest not in {entry.digest for entry in self.added}]
        changed = replace(self, added=(*kept, *new), removed=tuple(dict.fromkeys([*self.removed, *own])))
        return changed.noting(stated)

    def noting(self, stated: Sequence[str]) -> Changes:
        """With what rules have called for by now."""
        return replace(self, stated=(*self.stated, tuple(stated))[-_REMEMBERED:]) if stated else self


@dataclass(frozen=True, slots=True)
class Version:
    """Knowledge that is or was in force.

    Attributes:
        number: counted from 1.
        digest: `KnowledgeBase.version`.
        reasoner: how it was closed.
        batch: the first batch that is judged by it.
        since: when it took over.
        change: what made it differ from the version before, in words.
        triples: of the closure.
        modules: imported ones among them.
        on_contradiction: what became of contradictions, if there were any.
        shapes: how its events become triples, digested; empty: an earlier kaicep did not note it.
    """

    number: int
    digest: str
    reasoner: ReasonerName
    batch: int
    since: datetime
    change: str
    triples: int
    modules: tuple[Entry, ...] = field(repr=False)
    on_contradiction: OnContradiction = "refuse"
    shapes: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"version {self.number} ({self.digest[:12]})"


class KnowledgeStore:
    """The ontology part of an engine's state; one process writes at a time.

    Args:
        folder: made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._modules = folder / "modules"
        self._versions = folder / "versions"
        self._changes = folder / "changes.json"
        self._known: dict[int, Version] = {}

    @classmethod
    def of(cls, settings: Settings) -> KnowledgeStore:
        """That of a project."""
        return cls(settings.path(settings.engine.state) / "ontology")

    def keep(self, modules: Sequence[Module]) -> None:
        """Make copies of modules durable."""
        for module in modules:
            path = self._copy(module.digest)
            if not is_intact(path):
                write_mirrored(path, gzip.compress(nquads(module), _LEVEL, mtime=0))

    def module(self, entry: Entry) -> Module:
        """A module as it was when it was kept.

        Raises:
            PipelineError: its copy is lost or broken.
        """
        path = self._copy(entry.digest)
        try:
            triples, origins = parse_nquads(gzip.decompress(read_mirrored(path) or b"nothing"))
        except (OSError, EOFError, SyntaxError, DamagedFileError, zlib.error) as error:
            raise PipelineError(
                f"the copy of the ontology module {entry.source} cannot be read",
                place=Place(str(path)),
                hint="restore it from a copy, or remove the engine's state to begin anew",
            ) from error
        declares = frozenset(entry.declares)
        head = (declares, entry.imports, entry.imported, entry.base)
        return Module(entry.source, triples, entry.digest, *head, origins)

    @property
    def changes(self) -> Changes:
        """What was changed of the project file's modules."""
        try:
            content = json.loads(read_mirrored(self._changes))
            added = tuple(Entry.read(entry) for entry in content["added"])
            return Changes(added, tuple(content["removed"]), tuple(map(tuple, content.get("stated", ()))))
        except FileNotFoundError:
            return Changes()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _unreadable("the changes of the ontology modules", self._changes) from error

    def change(self, change: ModuleChange, stated: Sequence[str] = ()) -> None:
        """Make one more change durable, for this engine's restarts and for every other command; see `Changes`."""
        self.keep(() if change.added is None else (change.added,))
        self._keep_changes(self.changes.after(change, stated))

    def note(self, stated: Sequence[str]) -> None:
        """Note durably that rules have called for what made no change."""
        self._keep_changes(self.changes.noting(stated))

    def changed(self, modules: Sequence[Module]) -> tuple[Module, ...]:
        """The modules of a project file, changed."""
        changes = self.changes
        own = (module for module in modules if module.source not in changes.removed)
        return (*own, *(self.module(entry) for entry in changes.added))

    def versions(self) -> tuple[Version, ...]:
        """All versions, in the order in which they took over."""
        for path in mirrored_files(self._versions, "[0-9]*.json"):
            if int(path.stem) not in self._known:
                self._known[int(path.stem)] = _read(path)
        return tuple(self._known.values())

    def at(self, batch: int) -> Version | None:
        """The version that judges a batch; `None` before the first."""
        return next((version for version in reversed(self.versions()) if version.batch <= batch), None)

    def begin(
        self, knowledge: KnowledgeBase, batch: int, change: str, shapes: Mapping[str, EventShape] | None = None
    ) -> Version:
        """Note durably that batches are judged by this knowledge from `batch` on.

        Args:
            knowledge: in force from then on.
            batch: the first one.
            change: what made it differ, in words.
            shapes: stream → how its events become triples.
        """
        self.keep(knowledge.modules)
        entries = tuple(Entry.of(module) for module in knowledge.modules)
        number = len(self.versions()) + 1
        version = Version(
            number,
            knowledge.version,
            knowledge.reasoner,
            batch,
            datetime.now(UTC),
            change,
            knowledge.triples,
            entries,
            "leave_out" if knowledge.left_out else "warn" if knowledge.contradictions else "refuse",
            "" if shapes is None else _digest(shapes),
        )
        content = asdict(version) | {"since": version.since.isoformat()}
        write_mirrored(self._versions / f"{number:06d}.json", json.dumps(content, indent=1).encode())
        self._known[number] = version
        return version

    def shaped_alike(self, since: int) -> bool:
        """Whether the events of all batches from `since` on became triples in the same way, as far as is known."""
        before = self.at(since)
        versions = [v for v in self.versions() if v.batch > since] + ([] if before is None else [before])
        return len(versions) <= 1 or (versions[0].shapes != "" and len({v.shapes for v in versions}) == 1)

    def in_words(self, knowledge: KnowledgeBase) -> str:
        """What to call a knowledge base: its version, if it has been in force, and its size."""
        version = next((v for v in reversed(self.versions()) if v.digest == knowledge.version), None)
        name = knowledge.version[:12] if version is None else f"{version}, in force since batch {version.batch}"
        return f"{name}: {knowledge.size}"

    def modules(self, version: Version) -> tuple[Module, ...]:
        """The modules of a version.

        Raises:
            PipelineError: a copy is lost or broken.
        """
        return tuple(self.module(entry) for entry in version.modules)

    def _keep_changes(self, changes: Changes) -> None:
        write_mirrored(self._changes, json.dumps(asdict(changes), indent=1).encode())

    def _copy(self, digest: str) -> Path:
        return self._modules / f"{digest}.nt.gz"


def modules_in_force(settings: Settings) -> tuple[Module, ...]:
    """The ontology modules of a project, with what `kaicep ontology` has changed of those that its file names.

    Raises:
        OntologyError, PipelineError: a module, or the copy of one, cannot be read.
    """
    return KnowledgeStore.of(settings).changed(stated_modules(settings))


def _digest(shapes: Mapping[str, EventShape]) -> str:
    """One text for shapes that write the same triples; all they consist of is in order."""
    return sha256(repr(sorted(shapes.items())).encode()).hexdigest()


def _read(path: Path) -> Version:
    try:
        content = json.loads(read_mirrored(path))
        modules = tuple(Entry.read(entry) for entry in content["modules"])
        return Version(**{**content, "since": datetime.fromisoformat(content["since"]), "modules": modules})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _unreadable("a version of the knowledge", path) from error


def _unreadable(what: str, path: Path) -> PipelineError:
    return PipelineError(
        f"{what} cannot be read",
        place=Place(str(path)),
        hint="restore it from a copy, or remove the engine's state to begin anew",
    )
