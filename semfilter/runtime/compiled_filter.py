"""A residual query over one knowledge base, compiled: what all queries with the same plan share."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import ClassVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from ...ontology import KnowledgeBase
from ..plan import ResidualQuery
from .evaluate import ScratchStore, Solution, evaluate_events
from .filter_options import FilterOptions
from .keys import Key, key_events
from .materialised_verdicts import MaterialisedVerdicts, materialised_solutions

_Shared = WeakValueDictionary[tuple[ResidualQuery, FilterOptions], "CompiledFilter"]


class CompiledFilter:
    """Gives the verdicts of keys; it never changes, and `CompiledFilter.of` gives one to all who ask for the same.

    What a query has asked so far, and what that cost, is the query's own (`SubqueryFilter`): its cache and statistics.

    Args:
        residual: the residual query.
        knowledge: the knowledge base.
        options: how keys are evaluated.

    Attributes:
        materialised: the verdicts of all individuals; `None`: keys are evaluated as they come.
    """

    _shared: ClassVar[WeakKeyDictionary[KnowledgeBase, _Shared]] = WeakKeyDictionary()
    _sharing: ClassVar[Lock] = Lock()

    def __init__(self, residual: ResidualQuery, knowledge: KnowledgeBase, options: FilterOptions) -> None:
        self.residual = residual
        self._knowledge = knowledge
        self._options = options
        self.materialised = MaterialisedVerdicts.build(residual, knowledge.store, options.table_size)

    @classmethod
    def of(cls, residual: ResidualQuery, knowledge: KnowledgeBase, options: FilterOptions) -> CompiledFilter:
        """The filter of a residual query over a knowledge base, made when it is first asked for."""
        with cls._sharing:
            filters = cls._shared.setdefault(knowledge, WeakValueDictionary())
            found = filters.get((residual, options))
            if found is None:
                found = filters[residual, options] = cls(residual, knowledge, options)
            return found

    def evaluate(self, keys: Sequence[Key]) -> list[list[Solution]]:
        """The solutions of keys by SPARQL."""
        scratch, events = ScratchStore.of(self._knowledge), key_events(self.residual, keys)
        return evaluate_events(self.residual, scratch, events, buffer=self._options.buffer)

    def all_solutions(self) -> dict[tuple[str, ...], list[Solution]] | None:
        """The solutions of all individuals that have one; `None`: they are not materialised."""
        if self.materialised is None:
            return None
        return materialised_solutions(self.residual, self._knowledge.store, self._options.table_size)
