"""Changes of a set of modules: one comes, one goes, or one takes another's place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import OntologyError, did_you_mean
from .imports import imports, same_ontology
from .module import Module

__all__ = ["ModuleChange", "with_module", "without_module"]


@dataclass(frozen=True, slots=True)
class ModuleChange:
    """A changed set of modules.

    Attributes:
        modules: the new set.
        added: the module that came.
        removed: the modules that went.
    """

    modules: tuple[Module, ...]
    added: Module | None
    removed: tuple[Module, ...]

    def __str__(self) -> str:
        gone = ", ".join(module.source for module in self.removed)
        if self.added is None:
            return f"removes {gone}"
        if not gone:
            return f"adds {self.added.source}"
        return f"replaces {gone}" if gone == self.added.source else f"replaces {gone} by {self.added.source}"


def with_module(modules: Sequence[Module], module: Module, *, replacing: str | None = None) -> ModuleChange:
    """Add a module; it takes the place of the one that `replacing` names, and of that of the same file or ontology IRI.

    Args:
        modules: imported ones among them; these are looked up again.
        module: what comes.
        replacing: file, file name or ontology IRI of a module.

    Raises:
        OntologyError: the very module is there, or `replacing` names none.
    """
    stated = tuple(m for m in modules if not m.imported)
    if any(m.digest == module.digest for m in stated):
        raise OntologyError(f"the module {module.source} is loaded already", hint="change its text, or remove it first")
    named = None if replacing is None else find_module(modules, replacing)
    gone = tuple(m for m in stated if m is named or m.source == module.source or same_ontology(m, module))
    return ModuleChange((*(m for m in stated if m not in gone), module), module, gone)


def without_module(modules: Sequence[Module], name: str) -> ModuleChange:
    """Remove the module that `name` names.

    Raises:
        OntologyError: there is none, or it is imported.
    """
    gone = find_module(modules, name)
    return ModuleChange(tuple(m for m in modules if not m.imported and m is not gone), None, (gone,))


def find_module(modules: Sequence[Module], name: str) -> Module:
    """The module of that file, file name or ontology IRI.

    Raises:
        OntologyError: there is none, there are several, or another module imports it.
    """
    found = [m for m in modules if name in (m.source, *m.declares)] or [
        m for m in modules if Path(m.source).name == name
    ]
    if not found:
        known = [text for m in modules for text in (m.source, *sorted(m.declares))]
        hint = did_you_mean(name, known) or f"the modules are {', '.join(m.source for m in modules) or 'none'}"
        raise OntologyError(f"no module is called '{name}'", hint=hint)
    if len(found) > 1:
        raise OntologyError(
            f"several modules are called '{name}'", hint=f"say which: {', '.join(m.source for m in found)}"
        )
    if found[0].imported:
        importers = ", ".join(m.source for m in modules if imports(m, found[0]))
        raise OntologyError(f"{found[0].source} is imported by {importers}", hint="remove what imports it")
    return found[0]
