"""The ontologies that a project may list by name, `brick:1.5` or `sosa`: `ontologies/names.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from ...errors import OntologyError, did_you_mean
from .shipped_ontologies import SHIPPED, shipped_ontologies

__all__ = ["NamedOntology", "find_named", "named_ontologies", "shipped_with"]

_NAME = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_-]*)(?::(?P<version>\d[\w.]*))?")


@dataclass(frozen=True, slots=True)
class NamedOntology:
    """An ontology that kaicep ships.

    Attributes:
        name: in lower case.
        version: of what is shipped.
        title: what it is about.
        licence: its short name.
        namespace: what the IRIs of its terms begin with.
        files: its documents.
    """

    name: str
    version: str
    title: str
    licence: str
    namespace: str
    files: tuple[Path, ...]

    @property
    def declares(self) -> frozenset[str]:
        """The IRIs that its documents are known by."""
        return frozenset(
            iri + end for iri, path in shipped_ontologies().items() if path in self.files for end in ("", "#", "/")
        )

    def fits(self, version: str | None) -> bool:
        """Whether the shipped one is of that version, or of an exacter one."""
        asked = () if version is None else tuple(version.split("."))
        return tuple(self.version.split("."))[: len(asked)] == asked


@cache
def named_ontologies() -> Mapping[str, NamedOntology]:
    """By name, those that kaicep ships."""
    return MappingProxyType({name: _ontology(name, said) for name, said in _names()["shipped"].items()})


def find_named(entry: str, root: Path) -> tuple[Path, ...] | None:
    """The documents of the ontology that an entry of `knowledge.modules` names.

    Args:
        entry: as written.
        root: folder of the project.

    Returns:
        `None` for an entry that is a file or a pattern.

    Raises:
        OntologyError: no ontology of that name, or of that version, is shipped.
    """
    found = _NAME.fullmatch(entry)
    if found is None or (root / entry).is_file():
        return None
    ontology = named_ontologies().get(found["name"].lower())
    if ontology is not None and ontology.fits(found["version"]):
        return ontology.files
    raise _unknown(entry, found["name"].lower(), ontology, root)


def shipped_with(iri: str) -> NamedOntology | None:
    """The shipped ontology whose terms begin as an IRI does."""
    return next((o for o in named_ontologies().values() if iri.startswith(o.namespace)), None)


def _unknown(entry: str, name: str, ontology: NamedOntology | None, root: Path) -> OntologyError:
    elsewhere = _names()["elsewhere"].get(name)
    if (root / entry).is_dir():
        return OntologyError(f"'{entry}' is a folder", hint=f'name its files: "{entry}/*.ttl"')
    if elsewhere is not None:
        what = f"'{entry}' is not shipped with kaicep"
        what += f", which has {name}:{ontology.version}" if ontology is not None else ""
        hint = f"get it from {elsewhere}, and list its file"
        return OntologyError(what, hint=hint if ontology is None else f'write "{name}", or {hint}')
    shipped = [f"{o.name}:{o.version}" for o in named_ontologies().values()]
    near = did_you_mean(name, [*named_ontologies(), *_names()["elsewhere"]])
    hint = f'kaicep ships {", ".join(shipped)}; of your own, list the file, such as "{entry.partition(":")[0]}.ttl"'
    return OntologyError(f"there is no ontology '{entry}'", hint=near or hint)


def _ontology(name: str, said: Mapping[str, object]) -> NamedOntology:
    files = said["files"]
    paths = tuple(SHIPPED / str(file) for file in files) if isinstance(files, Sequence) else ()
    version, title, licence, namespace = (str(said[key]) for key in ("version", "title", "licence", "namespace"))
    return NamedOntology(name, version, title, licence, namespace, paths)


@cache
def _names() -> Mapping[str, Mapping[str, Mapping[str, object]]]:
    return MappingProxyType(tomllib.loads((SHIPPED / "names.toml").read_text(encoding="utf-8")))
