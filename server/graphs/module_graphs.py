"""Ontology modules as graphs: read as they say, written as `kaicep ontology` does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

import pyoxigraph as ox

from ...api.clients import change_module, list_modules, remove_module
from ...config import Settings
from ...errors import ConfigError, KaicepError, OntologyError, PipelineError
from ...ontology.modules import Module, ntriples
from ...ontology.modules.syntaxes import syntax_of
from ...pipeline.control import Requests
from ...pipeline.knowledge import KnowledgeStore, modules_in_force
from ...storage import Telling, masked
from ..problem import ProblemError
from ..sparql import GRAPH_FORMATS, Document, ProcessPool, WatchedCall, written
from .graph_store import OwnAddress
from .rdf_upload import RdfPart, parsed

__all__ = ["ModuleGraphs"]

Given = ParamSpec("Given")
Found = TypeVar("Found")

_REASONED = {
    "parsing": 0.05,
    "reasoning": 0.6,
    "contradictions": 0.12,
    "keeping": 0.18,
    "comparing": 0.04,
    "writing": 0.01,
}
"""Measured with Brick and models of buildings of 3 and 11 MB, 30,000 and 120,000 triples."""
_UNREASONED = {"parsing": 0.28, "reasoning": 0.15, "keeping": 0.52, "comparing": 0.02, "writing": 0.03}
"""With one of 92 MB, 480,000 triples."""
_DEFAULT = "default"
_NAMES = "module.nt"
_WEB = ("http://", "https://")


class ModuleGraphs:
    """A `GraphStore` over the ontology modules of a project; the default graph is a module of its own.

    All is done in a process of its own: reasoners take their time, and a document that takes too long is given up.

    Args:
        settings: of the project.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pool = ProcessPool(2)

    def graphs(self) -> list[dict[str, Any]]:
        """The modules in force, as `kaicep ontology list` says them."""
        return self._ask(listed_modules, self._settings)

    def read(self, graph: str | None, media: str) -> Document | None:
        """See `GraphStore`."""
        return self._ask(read_module, self._settings, graph, media)

    @property
    def stages(self) -> Mapping[str, float]:
        """See `GraphStore`."""
        return _UNREASONED if self._settings.knowledge.reasoner == "none" else _REASONED

    def write(
        self, watch: WatchedCall, graph: str | None, parts: Sequence[RdfPart], base: str, *, replace: bool
    ) -> bool:
        """See `GraphStore`."""
        return self._change(watch, write_module, self._settings, graph, parts, base, replace=replace)

    def delete(self, watch: WatchedCall, graph: str | None) -> bool:
        """See `GraphStore`."""
        return self._change(watch, delete_module, self._settings, graph)

    def close(self) -> None:
        """Answer no more."""
        self._pool.close()

    def _ask(
        self, do: Callable[Concatenate[ox.Store, Given], Found], *args: Given.args, **named: Given.kwargs
    ) -> Found:
        return self._pool.call(None, self._settings.server.query_timeout.total_seconds(), do, *args, **named)

    def _change(
        self,
        watch: WatchedCall,
        do: Callable[Concatenate[ox.Store, Telling, Given], Found],
        *args: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        watch.withdraw = Requests(KnowledgeStore.of(self._settings).folder).withdraw
        return self._pool.change_watched(watch, _seconds(self._settings), do, *args, **named)


def listed_modules(_: ox.Store, settings: Settings) -> list[dict[str, Any]]:
    """The modules in force, as rows."""
    rows, _said = list_modules(settings)
    return [{**row, "since": None if row["since"] is None else row["since"].isoformat()} for row in rows]


def read_module(_: ox.Store, settings: Settings, graph: str | None, media: str) -> Document | None:
    """A module in a form; `None`: there is none of that name. The default graph is there when it says nothing, too."""
    module = _found(settings, graph)
    if module is None and graph is not None:
        return None
    triples = [] if module is None else module.triples
    return written(partial(ox.serialize, triples, format=GRAPH_FORMATS[media]), media, settings.server.result_size)


def write_module(
    _: ox.Store,
    told: Telling,
    settings: Settings,
    graph: str | None,
    parts: Sequence[RdfPart],
    base: str,
    *,
    replace: bool,
) -> bool:
    """Add a module, or let one say something else or more; tell whether it is new."""
    told("parsing", 0.0)
    old = _found(settings, graph)
    before = b"" if old is None or replace else ntriples(old)
    source = old.source if old is not None else str(graph or _DEFAULT)
    if _is_same_address(source, graph):
        base = source  # the same document says the same, whichever address it is sent to
    # Its name is part of its text: two graphs may say the same.
    said = parsed(parts, base, lambda share: told("parsing", share / 2))
    text = f"# {source}\n".encode() + before + b"".join(map(ntriples, said))
    module = Module.parse(source, text, syntax_of(_NAMES, ""), reading=lambda share: told("parsing", (1 + share) / 2))
    if old is not None and old.digest == module.digest:
        return False
    _check_names(settings, module, old)
    try:
        with masked(settings.engine.umask):
            change_module(settings, module, None if old is None else old.source, _seconds(settings), told)
    except (ConfigError, PipelineError) as error:
        raise ProblemError(503, error) from error
    except KaicepError as error:
        raise ProblemError(409, error) from error
    return old is None


def delete_module(_: ox.Store, told: Telling, settings: Settings, graph: str | None) -> bool:
    """Remove a module; tell whether there was one."""
    old = _found(settings, graph)
    if old is None:
        return False
    try:
        with masked(settings.engine.umask):
            remove_module(settings, old.source, _seconds(settings), told)
    except (ConfigError, PipelineError) as error:
        raise ProblemError(503, error) from error
    except KaicepError as error:
        raise ProblemError(409, error) from error
    return True


def _seconds(settings: Settings) -> float:
    """How long a change may take, and an engine reason over it."""
    return settings.server.upload_timeout.total_seconds()


def _found(settings: Settings, graph: str | None) -> Module | None:
    """The module of a graph: of that name, else that declares an ontology of that name.

    Else, if that is an address of this server, the one that was written to another of its addresses.
    """
    modules = modules_in_force(settings)
    named = [module for module in modules if module.source == (graph or _DEFAULT)]
    declaring = [module for module in modules if graph in module.declares]
    elsewhere = [module for module in modules if _is_same_address(module.source, graph)]
    return next(iter([*named, *declaring, *elsewhere]), None)


def _is_same_address(name: str, graph: str | None) -> bool:
    """Whether a graph is an address of this server, and a name another one of the same place there."""
    return isinstance(graph, OwnAddress) and name.startswith(_WEB) and _local(name) == _local(graph)


def _local(address: str) -> str:
    return address.partition("://")[2].partition("/")[2]


def _check_names(settings: Settings, module: Module, old: Module | None) -> None:
    """Refuse a module that would take the place of another one than it is written to."""
    for other in modules_in_force(settings):
        both = sorted(other.declares & module.declares)
        if both and (old is None or other.source != old.source):
            said = f"{other.source} is the ontology {both[0]} already"
            raise ProblemError(409, OntologyError(said, hint=f"write to that graph, or delete it first: {both[0]}"))
