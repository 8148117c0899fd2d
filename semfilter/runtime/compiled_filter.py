"""A residual query over one knowledge base, compiled: what all queries with the same plan share."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from time import perf_counter
from typing import ClassVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from ...errors import CeilingError
from ...ontology import KnowledgeBase
from ..plan import KNOWN_SMALL, ResidualQuery
from .evaluate import ScratchStore, Solution, evaluate_events
from .filter_options import FilterOptions
from .keys import Key, key_events
from .materialised_verdicts import MaterialisedVerdicts, materialised_solutions
from .path_process import PathProcess

_TOGETHER = 1_000
"""Of so many keys one SPARQL query is asked; the time that more take grows with their number, and with nothing else."""

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

    What is not known to be small is evaluated in a process of its own, for so long as `path_timeout` says.
    """

    _shared: ClassVar[WeakKeyDictionary[KnowledgeBase, _Shared]] = WeakKeyDictionary()
    _sharing: ClassVar[Lock] = Lock()

    def __init__(self, residual: ResidualQuery, knowledge: KnowledgeBase, options: FilterOptions) -> None:
        self.residual = residual
        self._knowledge = knowledge
        self._options = options
        self.materialised = self._materialise()

    @classmethod
    def of(cls, residual: ResidualQuery, knowledge: KnowledgeBase, options: FilterOptions) -> CompiledFilter:
        """The filter of a residual query over a knowledge base, made when it is first asked for."""
        key = residual, options
        with cls._sharing:
            filters = cls._shared.setdefault(knowledge, WeakValueDictionary())
            found = filters.get(key)
        if found is not None:
            return found
        made = cls(residual, knowledge, options)  # it may take long, and others need not wait for it
        with cls._sharing:
            return filters.setdefault(key, made)

    def evaluate(self, keys: Sequence[Key]) -> list[list[Solution]]:
        """The solutions of keys by SPARQL.

        Raises:
            CeilingError: it takes too long, or too much memory.
        """
        events, buffer = key_events(self.residual, keys), self._options.buffer
        if self.residual.cost * min(len(events), _TOGETHER) <= KNOWN_SMALL:
            return evaluate_events(self.residual, ScratchStore.of(self._knowledge), events, buffer=buffer)
        process, timeout = PathProcess.of(self._knowledge), self._options.timeout
        return process.evaluate(self._knowledge, self.residual, events, timeout, buffer=buffer)

    def _materialise(self) -> MaterialisedVerdicts | None:
        began = perf_counter()
        solutions = self.all_solutions()
        if solutions is None or self.residual.materialisation is None:
            return None
        columns = [column for _, column in self.residual.materialisation.keys]
        return MaterialisedVerdicts(self.residual, columns, solutions, perf_counter() - began)

    def all_solutions(self) -> dict[tuple[str, ...], list[Solution]] | None:
        """The solutions of all individuals that have one; `None`: they are too many, or take too long to find."""
        query, most = self.residual.materialisation, self._options.table_size
        if query is None or not most:
            return None
        if query.cost <= KNOWN_SMALL:
            return materialised_solutions(self.residual, self._knowledge.store, most)
        process, timeout = PathProcess.of(self._knowledge), self._options.timeout
        try:
            return process.materialised(self._knowledge, self.residual, most, timeout)
        except CeilingError:  # a batch has few individuals
            return None
