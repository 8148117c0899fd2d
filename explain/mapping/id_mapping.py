"""Which of the ids in the events the knowledge knows, what they are, and what the others may be meant for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...annotator import Annotator, EntityLinker, Linkage
from ...ontology import KnowledgeBase
from ...pipeline.profile import StreamProfile
from .individual_names import IndividualNames
from .unknown_ids import UnknownId, UnknownIds, distinguishing_class, specific_classes

__all__ = ["IdMapping", "map_ids"]

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class IdMapping:
    """The ids of one attribute.

    Attributes:
        attribute: its name.
        by: how an id names its individual: the template, or the key property, as an IRI.
        known: how many distinct ids the knowledge speaks of.
        unknown: how many it does not.
        events: how many events have an id that is unknown.
        examples: the first few of the unknown ones, those of the most events first.
        classes: the most specific classes of the known ones, with how many belong to each, most first.
        advice: what would make the unknown ones known; empty: nobody can say.
        complete: whether all ids were counted.
    """

    attribute: str
    by: str
    known: int
    unknown: int
    events: int
    examples: tuple[UnknownId, ...]
    classes: tuple[tuple[str, int], ...]
    advice: str
    complete: bool = True

    @property
    def distinct(self) -> int:
        """All distinct ids."""
        return self.known + self.unknown


def map_ids(
    annotator: Annotator, profile: StreamProfile, knowledge: KnowledgeBase, names: IndividualNames
) -> Iterator[IdMapping]:
    """Look up the ids of each attribute of a stream that stands for individuals.

    Args:
        annotator: of the stream.
        profile: what its events hold.
        knowledge: the knowledge base.
        names: of its individuals.
    """
    for name, linker in annotator.linkers.items():
        found = profile.individuals.get(name)
        if found is None or not (found or profile.unnamed[name]):
            continue
        known = [iri for iri in found if knowledge.is_known(iri)]
        unknown = dict(profile.unnamed[name])
        for iri in found.keys() - set(known):
            unknown[linker.value(iri) or iri] = found[iri]
        template, there = linker.linkage.template, list(linker.known()) if unknown else []
        search, missed = _Search(names, linker, there), UnknownIds(unknown, linker, knowledge)
        yield IdMapping(
            name,
            str(template or linker.linkage.key),
            len(known),
            len(unknown),
            sum(unknown.values()),
            tuple(missed.examples(there)),
            tuple(specific_classes(known, knowledge).most_common()),
            (missed.advice(known) or search.advice(list(unknown))) if unknown else "",
            name not in profile.uncounted,
        )


@dataclass(frozen=True, slots=True)
class _Search:
    """Looks for a way in which unknown ids would name individuals."""

    names: IndividualNames
    linker: EntityLinker
    there: list[str]

    @property
    def before(self) -> str:
        """What the template has before the id."""
        template = self.linker.linkage.template
        return template.before if template else ""

    @property
    def key(self) -> str | None:
        """The property whose value an id is."""
        return self.linker.linkage.key

    def advice(self, unknown: list[str]) -> str:
        """What to write instead; empty: nothing is known."""
        if self.key is None and (separator := self._missing_separator()):
            return (
                f"the individuals begin with '{self.before}{separator}': the prefix, or the template, lacks its "
                f"'{separator}'"
            )
        asked = unknown[:_SHOWN]
        ways = (way for ignore_case in (False, True) if (way := self._way(asked, ignore_case=ignore_case)))
        return next(ways, "" if self.there else self._nothing_there())

    def _way(self, asked: list[str], *, ignore_case: bool) -> str:
        """By what else these ids would name individuals; empty: by nothing."""
        folded, but = (", ignore_case = true", " but for their case") if ignore_case else ("", "")
        home = self.names.namespace_of(asked, ignore_case=ignore_case)
        if home is not None and home[0] != self.before:
            return f'{_of(home[1], asked)} names in {home[0]}{but}: write individual = "<{home[0]}{{}}>"{folded}'
        values = self.names.property_of(asked, ignore_case=ignore_case)
        if values is None or values[0] == self.key:
            return ""
        linker = self.linker.by(Linkage(key=values[0], ignore_case=ignore_case))
        several = [iris for name in asked if (iris := linker.fitting(name))]
        best = distinguishing_class(several, (), self.names.knowledge) if several else None
        of_class = "" if best is None else f', of_class = "<{best}>"'
        return f'{_of(values[1], asked)} values of <{values[0]}>{but}: write key = "<{values[0]}>"{of_class}{folded}'

    def _missing_separator(self) -> str | None:
        """The `#` or `/` with which all individuals go on that begin as the template does."""
        there = self.names.below(self.before) if self.before else []
        return next((s for s in "#/" if there and all(name.startswith(s) for name in there)), None)

    def _nothing_there(self) -> str:
        if self.key is not None:
            return f"no individual has <{self.key}>"
        spaces = ", ".join(f"{space} ({count:,})" for space, count in self.names.namespaces.most_common(3))
        others = f"those that there are begin with {spaces}" if spaces else "the knowledge has no individual at all"
        return f"no individual's IRI begins with '{self.before}'; {others}"


def _of(count: int, asked: list[str]) -> str:
    return f"{count} of {'the first ' if len(asked) == _SHOWN else ''}{len(asked)} are"
