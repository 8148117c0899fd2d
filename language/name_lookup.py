"""Looking up names: prefixes, streams, attributes; and what to suggest when there is no such name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import QueryTypeError, did_you_mean
from . import syntax_tree as syntax
from .nodes import (
    COMPANION,
    AggregateSignature,
    AttributeType,
    ChangeSignature,
    Column,
    Signature,
    StreamType,
    Unit,
    ValueType,
    Vocabulary,
    named_attribute,
)
from .source_text import SourceText, Span, listed

_LOCAL = re.compile(r"[^/#:]+$")


@dataclass(frozen=True, slots=True)
class Names:
    """What names mean at one place of a document.

    Attributes:
        source: the document, for messages.
        prefixes: the project's and the document's so far.
        vocabulary: streams and knowledge.
    """

    source: SourceText
    prefixes: Mapping[str, str]
    vocabulary: Vocabulary

    def expand(self, reference: syntax.Reference) -> str:
        """The IRI of `<iri>` or `prefix:local`.

        Raises:
            QueryTypeError: an unknown prefix.
        """
        if isinstance(reference, syntax.Iri):
            return reference.text
        return self.namespace(reference.prefix, reference.span) + reference.local

    def namespace(self, prefix: str, span: Span) -> str:
        """The namespace of a prefix.

        Raises:
            QueryTypeError: nobody declared it.
        """
        if prefix not in self.prefixes:
            marked = Span(span.start, span.start + len(prefix) + 1)
            hint = did_you_mean(prefix, sorted(self.prefixes)) or f"declare it: PREFIX {prefix}: <…>"
            raise self.source.type_error(marked, f"unknown prefix '{prefix}:'", hint)
        return self.prefixes[prefix]

    def compact(self, iri: str) -> str:
        """`prefix:local` for an IRI where a prefix fits, else `<iri>`."""
        fitting = [p for p, namespace in self.prefixes.items() if namespace and iri.startswith(namespace)]
        if not fitting:
            return f"<{iri}>"
        prefix = max(fitting, key=lambda p: (len(self.prefixes[p]), p))
        return f"{prefix}:{iri[len(self.prefixes[prefix]) :]}"

    def unit(self, iri: str) -> Unit:
        """The unit of that name, without a dimension if the knowledge does not say how to convert it."""
        known = None if self.vocabulary.terms is None else self.vocabulary.terms.unit(iri)
        return known or Unit(iri)

    def signature(self, function: str) -> Signature | AggregateSignature:
        """What a function or aggregate of a checked expression takes and gives."""
        found = self.vocabulary.functions[function]
        if isinstance(found, ChangeSignature):
            raise TypeError(f"{function} is written with others in checked expressions")
        return found

    def stream(self, name: syntax.Name) -> StreamType:
        """The stream that FROM names.

        Raises:
            QueryTypeError: there is none of this name.
        """
        streams = self.vocabulary.streams
        if name.text not in streams:
            hint = did_you_mean(name.text, sorted(streams)) or _all_streams(sorted(streams))
            raise self.source.type_error(name.span, f"unknown stream '{name.text}'", hint)
        return streams[name.text]

    def attribute(self, stream: StreamType, name: syntax.Name | syntax.Reference) -> AttributeType:
        """The attribute of `stream` that a plain name, a property or an alias of either means.

        Raises:
            QueryTypeError: the stream has none of this name, or an unknown prefix.
        """
        wanted = name.text if isinstance(name, syntax.Name) else self.expand(name)
        found = named_attribute(stream, wanted)
        if found is None:
            raise self._unknown_attribute(stream, name)
        return found

    def column(self, variable: str, stream: StreamType, name: syntax.Name | syntax.Reference, span: Span) -> Column:
        """The column of `?variable.name`; a property of individuals means their IRIs, a plain name the raw value.

        Raises:
            QueryTypeError: as `attribute`.
        """
        if isinstance(name, syntax.Name) and name.text in ("_time", "_id"):
            kind = ValueType.DATETIME if name.text == "_time" else ValueType.IRI
            return Column(variable, name.text, kind, span)
        attribute = self.attribute(stream, name)
        if attribute.individual and attribute.property and not isinstance(name, syntax.Name):
            return Column(variable, attribute.property, ValueType.IRI, span)
        return attribute_column(variable, stream, attribute, span)

    def _unknown_attribute(self, stream: StreamType, name: syntax.Name | syntax.Reference) -> QueryTypeError:
        written = self.source.quote(name.span)
        message = f"unknown attribute '{written}' of stream '{stream.name}'"
        return self.source.type_error(name.span, message, self._attribute_hint(stream, written))

    def _attribute_hint(self, stream: StreamType, written: str) -> str:
        known: dict[str, AttributeType] = {}
        for attribute in stream.attributes:
            if attribute.name.endswith(COMPANION):
                continue
            for alias in sorted(attribute.aliases | {attribute.property or attribute.name}):
                known[self.compact(alias) if ":" in alias else alias] = attribute
            known[attribute.name] = attribute
        hint = did_you_mean(written, list(known))
        if hint is None:
            names = [a.name for a in stream.attributes if not a.name.endswith(COMPANION)]
            return f"it has {listed(names, 'and')}" if names else "it has no attributes"
        near = hint.removeprefix("did you mean '").removesuffix("'?")
        attribute = known[near]
        same = self.compact(attribute.property) if near == attribute.name and attribute.property else attribute.name
        return hint.removesuffix("?") + (f" (= {same})?" if same != near else "?")


def attribute_column(variable: str, stream: StreamType, attribute: AttributeType, span: Span) -> Column:
    """The column of an attribute, which knows whether a second one has what leaves its integers."""
    wide = any(other.name == f"{attribute.name}{COMPANION}" for other in stream.attributes)
    return Column(variable, attribute.name, attribute.type, span, attribute.unit, wide)


def _all_streams(names: list[str]) -> str:
    return f"the streams are {listed(names, 'and')}" if names else "the project has no streams"


def local_name(iri: str) -> str:
    """The last part of an IRI, by which people call it."""
    found = _LOCAL.search(iri)
    return found[0] if found else iri
