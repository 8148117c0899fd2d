"""Why ids name no individual: several fit, the one that fits is of another class, or the case differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pyoxigraph import NamedNode

from ...annotator import EntityLinker
from ...ontology import KnowledgeBase
from .individual_names import NearestNames

__all__ = ["UnknownId", "UnknownIds", "distinguishing_class", "specific_classes"]

_SHOWN = 10
_NAMED = 2
_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_VOCABULARIES = ("http://www.w3.org/2002/07/owl#", "http://www.w3.org/2000/01/rdf-schema#", _TYPE.value[:-4])


@dataclass(frozen=True, slots=True)
class UnknownId:
    """An id that names no individual.

    Attributes:
        name: as the events have it.
        events: how many have it.
        nearest: names of individuals that are like it, the nearest first; of none, where the reason is known.
        reason: which individuals it fits in some way, and why it names none of them; empty: it fits none.
    """

    name: str
    events: int
    nearest: tuple[str, ...]
    reason: str = ""


class UnknownIds:
    """The ids of one attribute that name no individual.

    Args:
        counts: id → how many events have it.
        linker: by which they name none.
        knowledge: of the individuals.
    """

    def __init__(self, counts: Mapping[str, int], linker: EntityLinker, knowledge: KnowledgeBase) -> None:
        self._counts = counts
        self._linker = linker
        self._knowledge = knowledge
        caseless = linker.ignoring_case
        self.several = {name: iris for name in counts if (iris := linker.fitting(name) or caseless.fitting(name))}
        self._folded = any(not linker.fitting(name) for name in self.several)
        self._caseless = {name for name in counts if not linker.linkage.ignore_case and self._known(caseless, name)}
        left = [name for name in counts if name not in self.several and name not in self._caseless]
        self._outside_folded = False
        self._outside = {name: iri for name in left if (iri := self._beyond(name))}

    def examples(self, known: Iterable[str]) -> Iterator[UnknownId]:
        """The first few, those of the most events first; `known` are the names of individuals that there are."""
        if not self._counts:
            return
        nearest = NearestNames(known)
        for name in sorted(self._counts, key=lambda name: (-self._counts[name], name))[:_SHOWN]:
            reason = self._reason(name)
            told = reason or (name in self._caseless and self._mostly_case)
            yield UnknownId(name, self._counts[name], () if told else nearest.of(name), reason)

    def advice(self, known: Collection[str]) -> str:
        """What to add to the annotation; empty: none of these is the reason.

        Args:
            known: IRIs of the individuals that the other ids name.
        """
        return "; ".join(self._advice(known))

    def _advice(self, known: Collection[str]) -> Iterator[str]:
        of = f"of {len(self._counts):,} are"
        asked = self._linker.linkage.of_class
        if self.several:
            best = distinguishing_class(self.several.values(), known, self._knowledge)
            write = f'{"add" if asked is None else "write"} of_class = "{"…" if best is None else f"<{best}>"}"'
            fold = ", ignore_case = true" if self._folded and not self._mostly_case else ""
            yield f"{len(self.several):,} {of} names of several individuals, and so of none: {write}{fold}"
        if self._outside:
            said = f"{len(self._outside):,} {of} names of individuals that are no <{asked}>"
            fold = ", and add ignore_case = true" if self._outside_folded else ""
            yield f"{said}: drop of_class, or name a class to which they belong{fold}"
        if self._mostly_case:
            yield f"the case of {len(self._caseless):,} of {len(self._counts):,} differs: add ignore_case = true"

    @property
    def _mostly_case(self) -> bool:
        return 2 * len(self._caseless) > len(self._counts)

    def _beyond(self, name: str) -> str | None:
        """An individual that an id would name, were it of the class that is asked for, perhaps in another case."""
        if self._linker.linkage.of_class is None:
            return None
        linker = self._linker.of_any_class
        found = self._named(linker, name)
        if found is None and not linker.linkage.ignore_case:
            found = self._named(linker.ignoring_case, name)
            self._outside_folded |= found is not None
        return found

    def _named(self, linker: EntityLinker, name: str) -> str | None:
        return next(iter(linker.fitting(name)), None) or self._known(linker, name)

    def _known(self, linker: EntityLinker, name: str) -> str | None:
        iri = linker.individual(name)
        return iri if iri is not None and self._knowledge.is_known(iri) else None

    def _reason(self, name: str) -> str:
        if iris := self.several.get(name):
            more = f" and {len(iris) - _NAMED:,} more" if len(iris) > _NAMED else ""
            fits = (" and " if not more else ", ").join(f"<{iri}> ({self._classes(iri)})" for iri in iris[:_NAMED])
            return f"fits {fits}{more}"
        if iri := self._outside.get(name):
            return f"is <{iri}>, which is no <{self._linker.linkage.of_class}> but {self._classes(iri)}"
        return ""

    def _classes(self, iri: str) -> str:
        found = sorted(specific_classes([iri], self._knowledge))
        return " and ".join(f"<{name}>" for name in found) or "of no class"


def distinguishing_class(
    several: Iterable[Iterable[str]], known: Iterable[str], knowledge: KnowledgeBase
) -> str | None:
    """The class to which just one of those belongs that an id may name, for the most ids; `None`: there is none.

    Of classes that are as good a kind of sensor is taken, since readings are seldom of goals and alarms, then the most
    general one.

    Args:
        several: for each id the individuals that it fits.
        known: individuals that are named by other ids, of which as few as possible are to be lost.
        knowledge: of all of them.
    """
    score: Counter[str] = Counter()
    for iris in several:
        having = Counter(name for iri in iris for name in _types(iri, knowledge))
        score.update(name for name, number in having.items() if number == 1)
    for iri in known:
        score.update(name for name in _types(iri, knowledge) if name in score)
    above = knowledge.superclasses
    return min(
        score,
        key=lambda name: (-score[name], not name.endswith("Sensor"), len(above(name)), name),
        default=None,
    )


def specific_classes(individuals: Iterable[str], knowledge: KnowledgeBase) -> Counter[str]:
    """The most specific classes of individuals; of equivalent ones the first."""
    found: Counter[str] = Counter()
    for iri in individuals:
        types = _types(iri, knowledge)
        found.update(name for name in types if not any(_goes_before(other, name, knowledge) for other in types))
    return found


def _types(iri: str, knowledge: KnowledgeBase) -> set[str]:
    quads = knowledge.store.quads_for_pattern(NamedNode(iri), _TYPE, None)
    types = {q.object.value for q in quads if isinstance(q.object, NamedNode)}
    return {name for name in types if not name.startswith(_VOCABULARIES)}


def _goes_before(other: str, name: str, knowledge: KnowledgeBase) -> bool:
    """Whether another class of an individual says more, or the same and comes first."""
    if other == name or name not in knowledge.superclasses(other):
        return False
    return other not in knowledge.superclasses(name) or other < name
