"""The knowledge base: what the loaded modules say, closed, and the questions that the other stages ask of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType

from pyoxigraph import DefaultGraph, Literal, NamedNode, RdfFormat, Store, parse, serialize

from ..language.nodes import Unit, ValueType
from ..settings import ReasonerName
from .consistency import contradiction_error
from .equivalence import more_general
from .individual_keys import KeyIndex, index_keys, subjects_below
from .known_names import KnownNames
from .left_out import LeftOut, without_statements
from .modules import Module
from .modules.syntaxes import TURTLE
from .private_copy import PrivateCopy
from .property_ranges import type_of_values
from .reasoners import USUAL_LIMITS, Closing, Closure, ClosureLimits, close, copy_quads
from .stated_graphs import modules_that_mention, store_statements
from .terms import PREFIXES, Term, select
from .unit_catalogue import is_declared, measured_in, shipped_units, units_in
from .unit_names import UnitNames, unit_labels

_NAMES_BELOW = """SELECT ?prefix ?x {
  { ?x ?p ?o FILTER (ISIRI(?x) && STRSTARTS(STR(?x), ?prefix)) }
  UNION { ?s ?p ?x FILTER (ISIRI(?x) && STRSTARTS(STR(?x), ?prefix)) }
} LIMIT 1"""


class KnowledgeBase:
    """The union of ontology modules under the configured reasoner; never changes.

    Attributes:
        store: Oxigraph store, in memory or in files; the closure is its default graph. Not to be written to.
        modules: what was loaded, imports included.
        reasoner: how it was closed.
        inferred: what a DL reasoner inferred beyond OWL 2 RL.
        contradictions: what it says against itself; none unless they are suffered.
        warnings: what may be missing from it.
        left_out: statements of the modules that do not count, since they contradict others.
        prefixes: for messages.

    Implements `language.nodes.vocabulary.KnownTerms`.
    """

    def __init__(
        self,
        modules: Iterable[Module],
        reasoner: ReasonerName = "rl",
        prefixes: Mapping[str, str] = PREFIXES,
        closing: Closing = close,
        *,
        limits: ClosureLimits = USUAL_LIMITS,
        contradictory: bool = False,
        warnings: tuple[str, ...] = (),
        left_out: tuple[LeftOut, ...] = (),
    ) -> None:
        """Close the modules.

        Args:
            modules: imported ones among them.
            reasoner: how they are closed.
            prefixes: for messages.
            closing: closes them, in this process or elsewhere.
            limits: how much may follow.
            contradictory: whether they may contradict themselves.
            warnings: what is to be said of them.
            left_out: statements of theirs that `closing` leaves out.

        Raises:
            OntologyError: they contradict themselves, or too much would follow.
        """
        self.modules = tuple(modules)
        self.reasoner = reasoner
        self.prefixes = MappingProxyType(dict(prefixes))
        closure = closing(self.modules, reasoner, prefixes, limits)
        if closure.contradictions and not contradictory:
            raise contradiction_error(closure.contradictions, self.modules, prefixes)
        self._kept = closure.kept
        self.contradictions = closure.contradictions
        self.warnings = warnings
        self.left_out = left_out
        self.store = closure.store
        self.inferred = closure.inferred
        self._keys = lru_cache(maxsize=None)(self._read_keys)
        self._below = lru_cache(maxsize=None)(self._read_below)
        self._range_of = lru_cache(maxsize=None)(self._read_range)
        self._more_general = lru_cache(maxsize=None)(self._read_more_general)
        self._speaks_below = lru_cache(maxsize=None)(self._read_speaks_below)

    @classmethod
    def empty(cls) -> KnowledgeBase:
        """The knowledge base that knows nothing."""
        return cls((), "none")

    @classmethod
    def of_turtle(cls, text: str, reasoner: ReasonerName = "rl", source: str = "turtle") -> KnowledgeBase:
        """The knowledge of a text in Turtle; its `owl:imports` are not followed.

        Raises:
            OntologyError: no Turtle, or contradictory.
        """
        return cls((Module.parse(source, text.encode(), TURTLE),), reasoner)

    @classmethod
    def of_closure(cls, triples: bytes, prefixes: Mapping[str, str] = PREFIXES) -> KnowledgeBase:
        """The knowledge that another has closed; its modules are not known any more.

        Args:
            triples: the closure in N-Triples; blank nodes keep their names.
            prefixes: for messages.
        """
        store = Store()
        store.bulk_extend(parse(triples, format=RdfFormat.N_TRIPLES, lenient=True))
        return cls((), "none", prefixes, lambda *_: Closure(store))

    @classmethod
    def of_store(cls, store: Store) -> KnowledgeBase:
        """The knowledge of a store that another has closed; see `of_closure`."""
        return cls((), "none", PREFIXES, lambda *_: Closure(store))

    @cached_property
    def version(self) -> str:
        """Digest of the texts of all modules, what is left out, and the reasoner, in hex: equal when these are."""
        parts = [self.reasoner, *sorted(module.digest for module in self.modules)]
        parts += sorted(str(statement.triple) for statement in self.left_out)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def written(self) -> bytes:
        """The closure in N-Triples, of which `of_closure` makes knowledge in another process."""
        triples = (quad.triple for quad in self.store.quads_for_pattern(None, None, None, DefaultGraph()))
        return serialize(triples, format=RdfFormat.N_TRIPLES) or b""

    @property
    def size(self) -> str:
        """How large it is, in words."""
        number = len(self.modules)
        return f"{number} module{'s' * (number != 1)}, {self.triples:,} triples with what follows"

    @property
    def triples(self) -> int:
        """How many triples the closure has."""
        return len(self.store) if self._kept is None else self._kept.triples

    def mentioning(self, term: Term) -> tuple[int, ...]:
        """The places of the modules that say something of a term."""
        return tuple(modules_that_mention(self.stated, term))

    @cached_property
    def stated(self) -> Store:
        """What the modules state, as `store_statements` stores it. Not to be written to."""
        if self._kept is not None:
            return self._kept.stated()
        return store_statements(without_statements(self.modules, self.left_out), Store())

    def copy(self, *, in_memory: bool = False) -> PrivateCopy:
        """A copy of the closure that may be written to; one in memory takes longer to make, and answers faster."""
        copied = None if self._kept is None or in_memory else self._kept.copy()
        return copied or PrivateCopy(copy_quads(self.store))

    def files(self, folder: Path) -> Path:
        """The folder of an Oxigraph store of the closure, for other processes to read: the kept one, else made here.

        Args:
            folder: where it may be made; blank nodes keep their names.
        """
        if self._kept is not None:
            return self._kept.files
        written = Store(str(folder / "closure"))
        written.bulk_extend(self.store)
        return folder / "closure"

    def is_class(self, iri: str) -> bool:
        """Whether `iri` is declared or used as a class."""
        return iri in self._classes

    def is_property(self, iri: str) -> bool:
        """Whether `iri` is declared or used as a property."""
        return iri in self._properties

    def is_known(self, iri: str) -> bool:
        """Whether `iri` occurs at all."""
        node = NamedNode(iri)
        patterns = ((node, None, None), (None, node, None), (None, None, node))
        return any(next(self.store.quads_for_pattern(*pattern), None) for pattern in patterns)

    def terms(self) -> tuple[str, ...]:
        """IRIs of all classes and properties, sorted."""
        return self._terms

    def range_of(self, prop: str) -> ValueType:
        """The type of the property's values: by its range, else by the values that it has; else `TERM`."""
        return self._range_of(prop)

    def unit(self, iri: str) -> Unit | None:
        """The unit of measure of that IRI: as the knowledge declares it, else as QUDT does; `None`: neither does.

        What QUDT has under another name (`unit:CFM`) is that unit, with the IRI that it has there.
        """
        return self._units.get(iri) or self._unit_names.meaning(iri)

    def unit_called(self, name: str) -> Unit | None:
        """The unit of that symbol, UCUM code, label or name (`cfm`, `m3/h`, `°C`); `None`: none, or several."""
        return self._unit_names.find(name)

    def nearest_unit(self, name: str, dimension: tuple[Fraction, ...] | None) -> str | None:
        """IRI of the unit whose name is most like one that nobody has declared; never one of another dimension.

        Args:
            name: its IRI, or what it is called.
            dimension: of what is wanted; `None`: nobody knows.
        """
        return self._unit_names.nearest(name, dimension)

    def is_unit(self, iri: str) -> bool:
        """Whether somebody has declared this unit, so that it can be converted or not."""
        return self.unit(iri) is not None or iri in shipped_units().declared or is_declared(self.store, iri)

    def units(self) -> tuple[str, ...]:
        """IRIs of the units that can be converted, sorted."""
        return tuple(sorted(self._units))

    def equivalents(self, iri: str) -> frozenset[str]:
        """What means the same as `iri` (class, property or individual), without `iri` itself."""
        return self._equivalence.get(iri, frozenset()) - {iri}

    def superproperties(self, iri: str) -> frozenset[str]:
        """The properties that hold whenever `iri` does, without itself; equivalent ones belong to them."""
        return self._more_general(iri, "rdfs:subPropertyOf")

    def superclasses(self, iri: str) -> frozenset[str]:
        """The classes of every individual of class `iri`, without itself; equivalent ones belong to them."""
        return self._more_general(iri, "rdfs:subClassOf")

    def keys(self, prop: str, of_class: str | None = None) -> KeyIndex:
        """The individuals (of a class) by the values of `prop`, those of references included."""
        return self._keys(prop, of_class)

    def individuals_below(self, prefix: str, of_class: str | None = None, *, typed: bool = False) -> frozenset[str]:
        """IRIs of individuals (of a class; of any, if `typed`) that begin with `prefix`."""
        return self._below(prefix, of_class, typed)

    def speaks_below(self, prefix: str) -> bool:
        """Whether a subject or object of the knowledge base is an IRI that begins with `prefix`."""
        return self._speaks_below(prefix)

    @cached_property
    def _units(self) -> Mapping[str, Unit]:
        return {**shipped_units().units, **units_in(self.store)}

    @cached_property
    def _unit_names(self) -> UnitNames:
        shipped, own = shipped_units().labels, unit_labels(self.store)
        none: frozenset[str] = frozenset()
        return UnitNames(self._units, {iri: shipped.get(iri, none) | own.get(iri, none) for iri in self._units})

    @cached_property
    def measured_in(self) -> Mapping[str, frozenset[str]]:
        """IRI of an individual → IRIs of the units in which it is said to measure."""
        return MappingProxyType(measured_in(self.store, self.unit_called))

    @cached_property
    def _names(self) -> KnownNames:
        return KnownNames.of(self.store) if self._kept is None else self._kept.names

    @property
    def _classes(self) -> frozenset[str]:
        return self._names.classes

    @property
    def _properties(self) -> frozenset[str]:
        return self._names.properties

    @cached_property
    def _terms(self) -> tuple[str, ...]:
        return tuple(sorted(self._classes | self._properties))

    @property
    def _equivalence(self) -> Mapping[str, frozenset[str]]:
        return self._names.equivalents

    def _read_more_general(self, iri: str, relation: str) -> frozenset[str]:
        return more_general(self.store, iri, relation)

    def _read_speaks_below(self, prefix: str) -> bool:
        if self._kept is not None:
            return self._kept.speaks_below(prefix)
        return any(True for _ in select(self.store, _NAMES_BELOW, prefix=Literal(prefix)))

    def _read_range(self, prop: str) -> ValueType:
        return type_of_values(self.store, (prop, *sorted(self.superproperties(prop) | self.equivalents(prop))))

    def _read_keys(self, prop: str, of_class: str | None) -> KeyIndex:
        return index_keys(self.store, prop, of_class, self._equivalence, self._is_term)

    def _is_term(self, iri: str) -> bool:
        return iri in self._classes or iri in self._properties

    def _read_below(self, prefix: str, of_class: str | None, typed: bool) -> frozenset[str]:  # noqa: FBT001 (cached)
        if self._kept is not None and of_class is None:
            found = self._kept.subjects_below(prefix, typed=typed)
        else:
            found = subjects_below(self.store, prefix, of_class, typed=typed)
        return frozenset(iri for iri in found if not self._is_term(iri))
