"""The knowledge of a project: its modules and what they import, closed as its file says, now or before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..config import Settings
from ..errors import OntologyError
from ..settings import OnContradiction, ReasonerName
from ..storage import Telling, untold
from .closures import ClosureCache, cache_folder
from .knowledge import KnowledgeBase
from .left_out import LeftOut, left_out_texts, read_left_out, without_statements
from .modules import BrickBridge, ImportCatalog, Module, bridge_versions, find_modules, parse_ntriples, resolve_imports
from .reasoners import USUAL_LIMITS, Closing, ClosureLimits, close
from .repairs import find_repair

__all__ = ["ClosingRules", "close_modules", "knowledge_of", "load_knowledge", "stated_modules"]

_MOST_LOOKS = 4
_BRIDGE = "versions of Brick"


@dataclass(frozen=True, slots=True)
class ClosingRules:
    """How modules become knowledge.

    Attributes:
        reasoner: what derives what follows.
        on_contradiction: what becomes of modules that contradict themselves.
        prefixes: for messages.
        limits: how much may follow.
    """

    reasoner: ReasonerName
    on_contradiction: OnContradiction
    prefixes: Mapping[str, str]
    limits: ClosureLimits = USUAL_LIMITS


def load_knowledge(settings: Settings, closing: Closing = close) -> KnowledgeBase:
    """The knowledge base of a project: its modules, what they import, closed by its reasoner; see `knowledge_of`.

    Raises:
        OntologyError: a module that is missing, unreadable or contradictory, or an import that nothing declares.
    """
    return knowledge_of(settings, stated_modules(settings), closing)


def stated_modules(settings: Settings) -> tuple[Module, ...]:
    """The modules that a project file names.

    Raises:
        OntologyError: a module that is missing or unreadable.
    """
    cache = _cache(settings)
    heads = None if cache is None else cache.heads
    paths = find_modules(settings.knowledge.modules, settings.root)
    return tuple(Module.load(path, settings.root, heads) for path in paths)


def knowledge_of(
    settings: Settings, stated: Sequence[Module], closing: Closing = close, told: Telling = untold
) -> KnowledgeBase:
    """The knowledge base of these modules and what they import, with a project's catalog, reasoner and prefixes.

    Args:
        settings: of the project.
        stated: what it states; what is imported among them is looked up again.
        closing: closes them, in this process or elsewhere, unless the closure is kept from an earlier time.
        told: hears how far that is, beside what `closing` tells.

    Raises:
        OntologyError: the modules are contradictory, or import what nothing declares.
    """
    told("reasoning", 0.0)
    knowledge, cache = settings.knowledge, _cache(settings)
    folders = [settings.path(folder) for folder in knowledge.catalog]
    for folder, written in zip(folders, knowledge.catalog, strict=True):
        if not folder.is_dir():
            raise OntologyError(
                f"no folder '{written}' in {settings.root}", hint="knowledge.catalog takes folders with ontology files"
            )
    catalog = ImportCatalog(folders, settings.root, None if cache is None else cache.heads)
    resolved = resolve_imports(stated, catalog, strict=knowledge.strict_imports)
    limits = ClosureLimits.of(knowledge)
    rules = ClosingRules(knowledge.reasoner, knowledge.on_contradiction, settings.prefixes, limits)
    bridge = _bridge(resolved.modules, cache)
    added = bridge.module()
    modules = resolved.modules if added is None else (*resolved.modules, added)
    return close_modules(modules, rules, closing, cache, (*resolved.missing, *bridge.told), told=told)


def _bridge(modules: Sequence[Module], cache: ClosureCache | None) -> BrickBridge:
    """The bridge between versions of Brick, as it was found before."""
    said = None if cache is None else cache.recall(modules, _BRIDGE)
    if said is not None:
        kept = json.loads(said)
        return BrickBridge(parse_ntriples(kept["triples"].encode()), tuple(kept["told"]))
    found = bridge_versions(modules)
    if cache is not None:
        text = "".join(f"{triple} .\n" for triple in found.triples)
        cache.remember(modules, _BRIDGE, json.dumps({"triples": text, "told": found.told}))
    return found


def close_modules(
    modules: Sequence[Module],
    rules: ClosingRules,
    closing: Closing = close,
    cache: ClosureCache | None = None,
    warnings: Sequence[str] = (),
    *,
    told: Telling = untold,
) -> KnowledgeBase:
    """The knowledge base of modules, which import nothing else.

    Args:
        modules: imported ones among them.
        rules: how they become knowledge.
        closing: closes them.
        cache: where closures are kept; `None`: nowhere.
        warnings: what is to be said of them.
        told: hears how much of the cache's files is written.

    Raises:
        OntologyError: they contradict themselves, and that is refused, or cannot be mended.
    """
    closing = closing if cache is None else cache.keeping(closing, told)

    def knowledge(left_out: tuple[LeftOut, ...], *, contradictory: bool) -> KnowledgeBase:
        reduced = without_statements(modules, left_out)
        return KnowledgeBase(
            modules,
            rules.reasoner,
            rules.prefixes,
            lambda _, *how: closing(reduced, *how),
            limits=rules.limits,
            contradictory=contradictory,
            warnings=tuple(warnings),
            left_out=left_out,
        )

    if rules.on_contradiction != "leave_out":
        return knowledge((), contradictory=rules.on_contradiction == "warn")
    said = None if cache is None else cache.recall(modules, rules.reasoner)
    if said is not None:
        return knowledge(read_left_out(json.loads(said)), contradictory=False)
    found = _mended(knowledge)
    if cache is not None:
        cache.remember(modules, rules.reasoner, json.dumps(left_out_texts(found.left_out)))
    return found


class _Makes(Protocol):
    def __call__(self, left_out: tuple[LeftOut, ...], *, contradictory: bool) -> KnowledgeBase: ...


def _mended(knowledge: _Makes) -> KnowledgeBase:
    """Usually at the first look; what a reasoner derives beyond the rules may take another one."""
    left_out: tuple[LeftOut, ...] = ()
    for _ in range(_MOST_LOOKS):
        found = knowledge(left_out, contradictory=True)
        if not found.contradictions:
            return found
        left_out = (*left_out, *find_repair(found))
    return knowledge(left_out, contradictory=False)


def _cache(settings: Settings) -> ClosureCache | None:
    folder = cache_folder(settings)
    return None if folder is None else ClosureCache(folder, settings.knowledge.cache_size)
