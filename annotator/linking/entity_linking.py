"""Dynamic semantics: attribute values → IRIs of the individuals that they stand for, once per distinct value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property, lru_cache

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from pyoxigraph import NamedNode

from ...language.nodes import ValueType
from ...ontology import KeyIndex, KnowledgeBase, shown
from ..datatypes import canonical_text
from .iri_template import IriTemplate
from .linkage import Linkage

# Beyond so many values, sorting them costs more than to find anew what follows from them.
_SORTED = 10_000
_REMEMBERED = 100_000
_SHOWN = 3


def encode(values: pl.Series | pa.Array) -> pa.DictionaryArray:
    """A column as a dictionary, so that what follows from a value is found once per distinct value.

    A dictionary of moderate size is sorted: batches with the same values have the same one, and what was found for it
    holds again.
    """
    array = values.to_arrow() if isinstance(values, pl.Series) else values
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    if len(encoded.dictionary) > _SORTED:
        return encoded
    order = pc.sort_indices(encoded.dictionary)
    rank = np.empty(len(order), np.int32)
    rank[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(rank).take(encoded.indices), encoded.dictionary.take(order))


class EntityLinker:
    """Finds the individuals that the values of one attribute stand for.

    A value stands for the individual that its template makes, or for the only one that has it as its key; where the
    case is ignored, for the only one that it fits but for its case, if it fits none as it is.

    Args:
        name: of the attribute.
        kind: the type of its values.
        linkage: by what they are linked.
        knowledge: says whose key a value is.
    """

    def __init__(self, name: str, kind: ValueType, linkage: Linkage, knowledge: KnowledgeBase) -> None:
        self._name = name
        self._kind = kind
        self.linkage = linkage
        self._knowledge = knowledge
        self._keys = self._index if self.linkage.needs_knowledge else KeyIndex({}, {})
        self._individual = lru_cache(maxsize=_REMEMBERED)(self._find)

    def link(self, raw: pa.DictionaryArray) -> pa.DictionaryArray:
        """The individuals' IRIs as a dictionary column; null where the value is null or stands for nobody.

        Args:
            raw: the typed values.
        """
        text = canonical_text(_series(raw.dictionary), self._kind)
        template = self.linkage.template
        if template is not None and template.encoded and self.linkage.reversible:
            iris = template.iris(text)  # distinct values have distinct IRIs
            return pa.DictionaryArray.from_arrays(raw.indices, iris.to_arrow().cast(pa.string()))
        # Two values may stand for one individual: the column's own dictionary holds each IRI once.
        named = [None if value is None else self._individual(value) for value in text]
        linked = pa.array(named, pa.string()).dictionary_encode()
        return pa.DictionaryArray.from_arrays(linked.indices.take(raw.indices), linked.dictionary)

    def individual(self, value: str) -> str | None:
        """The IRI that a value stands for; `None`: for nobody."""
        return self._individual(value)

    def fitting(self, value: str) -> tuple[str, ...]:
        """IRIs of the individuals that a value fits, where they are several: then it stands for none of them."""
        found = self._keys.ambiguous.get(value, ())
        if found or not self.linkage.ignore_case or value in self._keys.individuals:
            return found
        return self._keys.folded.ambiguous.get(value.casefold(), ())

    @cached_property
    def ignoring_case(self) -> EntityLinker:
        """The same, but that the case of a value that fits no individual is ignored."""
        return self.by(replace(self.linkage, ignore_case=True))

    @cached_property
    def of_any_class(self) -> EntityLinker:
        """The same for individuals of any class."""
        return self.by(replace(self.linkage, of_class=None))

    def by(self, linkage: Linkage) -> EntityLinker:
        """The same attribute, linked in another way."""
        if linkage == self.linkage:
            return self
        return EntityLinker(self._name, self._kind, linkage, self._knowledge)

    def value(self, individual: str) -> str | None:
        """A value that stands for this individual; `None`: there is none."""
        found = self._values.get(individual)
        return self.linkage.template.value(individual) if found is None and self.linkage.template else found

    def known(self) -> Mapping[str, str]:
        """Value → IRI of the individual that it stands for, of those that the knowledge speaks of."""
        return self._index.individuals

    def nearest(self, value: str) -> tuple[str, str] | None:
        """The known value that is most like an unknown one, and the IRI that it stands for."""
        known = self.known()
        folded = {other.casefold(): other for other in known}
        near = get_close_matches(value.casefold(), list(folded), n=1, cutoff=0.6)
        return (folded[near[0]], known[folded[near[0]]]) if near else None

    def complaint(self) -> tuple[str, str] | None:
        """What of the linkage and the knowledge does not fit together, and what to do; `None`: nothing."""
        if self._keys.ambiguous:
            return _of_ambiguous(self._name, self._keys.ambiguous, self._knowledge)
        template = self.linkage.template
        if template is None or not template.encoded:
            return None
        return _of_separator(template, self._knowledge) or _of_unmade(template, self._knowledge)

    def _find(self, value: str) -> str | None:
        found = self._keys.individuals.get(value)
        if found is None and self.linkage.ignore_case and value not in self._keys.ambiguous:
            found = self._keys.folded.individuals.get(value.casefold())
        if found is None and self.linkage.template is not None and not self.fitting(value):
            return self.linkage.template.iri(value)
        return found

    @cached_property
    def _index(self) -> KeyIndex:
        linkage, knowledge = self.linkage, self._knowledge
        if linkage.key is not None:
            return knowledge.keys(linkage.key, linkage.of_class)
        template = linkage.template
        if template is None:
            return KeyIndex({}, {})
        below = sorted(template.makes(knowledge.individuals_below(template.before, linkage.of_class)))
        return KeyIndex({value: iri for iri in below if (value := template.value(iri)) is not None}, {})

    @cached_property
    def _values(self) -> Mapping[str, str]:
        return {iri: value for value, iri in self._keys.individuals.items()}


def _series(array: pa.Array) -> pl.Series:
    series = pl.from_arrow(array)
    if not isinstance(series, pl.Series):  # pl.from_arrow gives a frame for tables only
        raise TypeError(type(series))
    return series


def _of_ambiguous(name: str, found: Mapping[str, tuple[str, ...]], knowledge: KnowledgeBase) -> tuple[str, str]:
    value, iris = next(iter(found.items()))
    shown_iris = [shown(NamedNode(iri), knowledge.prefixes) for iri in iris[:_SHOWN]]
    if len(iris) > _SHOWN:
        shown_iris.append(f"{len(iris) - _SHOWN:,} more")
    listed = " and ".join([", ".join(shown_iris[:-1]), shown_iris[-1]])
    others = f", and likewise {len(found) - 1:,} more" if len(found) > 1 else ""
    message = f'the {name} "{value}" fits {listed}, and so stands for none of them{others}'
    return message, 'add of_class = "…", say owl:sameAs of those that are one, or use another key'


def _of_separator(template: IriTemplate, knowledge: KnowledgeBase) -> tuple[str, str] | None:
    """The `#` or `/` that a template's prefix lacks: all individuals that begin as it does go on with that."""
    before = template.before
    below = knowledge.individuals_below(before, typed=True) if before and before[-1] not in "#/:" else frozenset()
    following = {iri[len(before) : len(before) + 1] for iri in below}
    if len(following) != 1 or not following <= {"#", "/"}:
        return None
    (separator,) = following
    message = f"'{template}' makes none of the {len(below):,} individuals that begin with '{before}{separator}'"
    return message, f"its prefix lacks a '{separator}': end it with one, as in \"{before}{separator}\""


def _of_unmade(template: IriTemplate, knowledge: KnowledgeBase) -> tuple[str, str] | None:
    """What a template cannot make, if that is most of the individuals that begin as it does."""
    below = {iri for iri in knowledge.individuals_below(template.before, typed=True) if iri.endswith(template.after)}
    made = template.makes(below)
    if 2 * len(made) >= len(below):
        return None
    missed = len(below) - len(made)
    example = min(below.difference(made))
    message = (
        f"{missed:,} of {len(below):,} individuals, such as <{example}>, have characters that {{}} percent-encodes"
    )
    return message, "write {+} instead of {} to take values as they are"
