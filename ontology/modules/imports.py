"""`owl:imports`, resolved from local files only.

An import is satisfied by a loaded module that declares its IRI (ontology or version IRI), else by a file of a
catalog folder that does, which is then a module too, with imports of its own. Cycles are fine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from ...errors import OntologyError, Place, did_you_mean
from ...storage import uncompressed_name
from .brick_versions import is_brick
from .document_heads import DocumentHeads
from .module import Module
from .shipped_ontologies import shipped_ontologies
from .syntaxes import SUFFIXES

_ANY_BRICK = "https://brickschema.org/schema/Brick"


@dataclass(frozen=True, slots=True)
class ResolvedImports:
    """What there is, and what is done without.

    Attributes:
        modules: the modules and what they import, each once.
        missing: what they import and nobody has, as messages with the way to bring it.
    """

    modules: tuple[Module, ...]
    missing: tuple[str, ...]


class ImportCatalog:
    """The ontology documents in folders, by the IRIs that they declare; read when first asked.

    What no folder has is looked up among those that kaicep ships.

    Args:
        folders: searched in this order, with their subfolders; of two files with one IRI the first counts.
        root: folder that names in messages are relative to.
        heads: what is known of documents that were read before.
    """

    def __init__(self, folders: Sequence[Path], root: Path, heads: DocumentHeads | None = None) -> None:
        self.folders = tuple(folders)
        self._root = root
        self._heads = heads
        self._by_iri: dict[str, Module] | None = None
        self.unreadable: list[OntologyError] = []

    def find(self, iri: str) -> Module | None:
        """The document that declares `iri`."""
        found = self._content().get(_normal(iri))
        path = None if found is not None else shipped_ontologies().get(_normal(iri))
        return found if path is None else Module.load(path, self._root, self._heads)

    def known(self) -> list[str]:
        """Every IRI that a document of the folders declares."""
        return sorted(self._content())

    def _content(self) -> Mapping[str, Module]:
        if self._by_iri is None:
            self._by_iri = {}
            for module in self._documents():
                for iri in module.declares:
                    self._by_iri.setdefault(_normal(iri), module)
        return self._by_iri

    def _documents(self) -> list[Module]:
        documents = []
        for path in chain.from_iterable(map(_documents_in, self.folders)):
            try:
                documents.append(Module.load(path, self._root, self._heads))
            except OntologyError as error:  # matters only if an import stays unresolved, which then says so
                self.unreadable.append(error)
        return documents


def resolve_imports(modules: Sequence[Module], catalog: ImportCatalog, *, strict: bool = False) -> ResolvedImports:
    """The modules and everything that they import, directly or not, each once; the given ones first.

    Args:
        modules: what is stated.
        catalog: where imports are looked up.
        strict: refuse an import that nobody has.

    Raises:
        OntologyError: an import that neither a module nor the catalog declares, if that is refused.
    """
    missing: dict[str, str] = {}
    loaded = {module.digest: module for module in modules}
    declared = {_normal(iri) for module in loaded.values() for iri in module.declares}
    waiting = list(loaded.values())
    while waiting:
        module = waiting.pop(0)
        for wanted in module.imports:
            if _normal(wanted) in declared:
                continue
            found = catalog.find(wanted)
            if found is None and is_brick(wanted):
                # Another version than any that is there: since 1.2, a newer one is to answer for it.
                answering = max((iri for iri in declared if is_brick(iri)), default=_ANY_BRICK)
                found = None if answering in declared else catalog.find(answering)
                said = f"{module.source}: imports <{wanted}>, for which <{answering}> answers"
                missing.setdefault(_normal(wanted), said)
                if found is None:
                    continue
            if found is None:
                if strict:
                    raise _unresolved(module, wanted, declared, catalog)
                missing.setdefault(_normal(wanted), str(_unresolved(module, wanted, declared, catalog, strict=False)))
                continue
            declared |= {_normal(iri) for iri in found.declares}
            if found.digest not in loaded:
                loaded[found.digest] = replace(found, imported=True)
                waiting.append(found)
    return ResolvedImports(tuple(loaded.values()), tuple(missing.values()))


def _unresolved(
    module: Module, wanted: str, declared: set[str], catalog: ImportCatalog, *, strict: bool = True
) -> OntologyError:
    hints = []
    if close := did_you_mean(
        _normal(wanted), sorted({*declared, *catalog.known()} - {_normal(i) for i in module.declares})
    ):
        hints.append(close.removesuffix("?"))
    if catalog.unreadable:
        hints.append(f"(a file of the catalog cannot be read: {_one_line(catalog.unreadable[0])})")
    hints.append(
        "put a copy into a folder of knowledge.catalog; to do without it, put a file there that says only "
        f"<{wanted}> a <http://www.w3.org/2002/07/owl#Ontology> ."
        if strict
        else "it is done without; to bring it, put a copy into a folder of knowledge.catalog"
    )
    message = f"imports <{wanted}>, which no loaded module and no file of the catalog declares"
    return OntologyError(message, place=Place(module.source), hint="; ".join(hints))


def _one_line(error: OntologyError) -> str:
    return f"{error.place}: {error.message}" if error.place else error.message


def same_ontology(one: Module, other: Module) -> bool:
    """Whether both declare one IRI."""
    return bool({_normal(iri) for iri in one.declares} & {_normal(iri) for iri in other.declares})


def imports(module: Module, other: Module) -> bool:
    """Whether a module asks for another."""
    return bool({_normal(iri) for iri in module.imports} & {_normal(iri) for iri in other.declares})


def _normal(iri: str) -> str:
    """IRIs of one ontology are written with and without their last `#` or `/`."""
    return iri.rstrip("#/")


def _documents_in(folder: Path) -> list[Path]:
    """In the order of their names; hidden files and folders are left out."""
    found = (path for path in sorted(folder.rglob("*")) if _is_document(path))
    return [path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts)]


def _is_document(path: Path) -> bool:
    return Path(uncompressed_name(path.name)).suffix.lower() in SUFFIXES and path.is_file()
