"""The columns of event tables in the store: which triples hold them, and how they are read back.

The same reading as in `annotator/triples.py`, for many events at once: an attribute whose property other attributes
have too, or whose raw value its individual does not tell, stands in a triple of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from ...annotator import (
    COLUMN_TYPES,
    AttributeShape,
    EventShape,
    IriTemplate,
    ambiguous_properties,
    attribute_iri,
    cast_column,
)
from ...expressions import RefusedError
from ...language.nodes import XSD, ValueType
from .solutions import iri_of, lexical_of
from .sparql_terms import iri

Form = Literal["value", "raw", "individual"]


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column of the events of a stream, as the store has it.

    Attributes:
        name: the column's name.
        type: its type.
        datatype: of the literals that hold its values.
        form: `value`: literals only; `raw`: the raw value of what may be an individual; `individual`: its IRI.
        properties: of the triples that hold it, the first that is there counts.
        template: the IRI template of the individuals from which raw values are read back.
    """

    name: str
    type: ValueType
    datatype: str
    form: Form
    properties: tuple[str, ...]
    template: IriTemplate | None = None

    @property
    def comparable(self) -> bool:
        """Whether SPARQL has the value itself: the raw value of an individual by template is in its IRI only."""
        return self.template is None

    def variables(self, stem: str) -> list[str]:
        """The variables that hold the objects of its triples, without `?`."""
        return [f"{stem}_{i}" for i in range(len(self.properties))]

    def sure(self, *, required: bool) -> bool:
        """Whether `patterns` keeps the events with a value only."""
        return required and len(self.properties) == 1

    def patterns(self, event: str, stem: str, *, required: bool = False, graph: str | None = None) -> str:
        """SPARQL that binds the variables.

        Args:
            event: the event's variable, with `?`.
            stem: the variables' names begin with it.
            required: an event without the value is none that is looked for.
            graph: of the events, for what events may lack; `None`: this stands in it.
        """
        texts = []
        for prop, variable in zip(self.properties, self.variables(stem), strict=True):
            kind = {"value": "isLiteral", "raw": "", "individual": "isIRI"}[self.form]
            test = f" FILTER ({kind}(?{variable}))" if kind and len(self.properties) == 1 and self._mixed else ""
            triple = f"{event} {iri(prop)} ?{variable} .{test}"
            inner = triple if graph is None else f"GRAPH {graph} {{ {triple} }}"
            texts.append(triple if self.sure(required=required) else f"OPTIONAL {{ {inner} }}")
        return " ".join(texts)

    @property
    def _mixed(self) -> bool:
        """Whether the triples may hold something else beside."""
        return self.form == "individual" or self.properties[0].startswith("urn:kaicep:attribute:")

    def value(self, stem: str) -> str:
        """SPARQL text of its value, an error where there is none.

        Raises:
            RefusedError: SPARQL has no expression for it.
        """
        if not self.comparable:
            raise RefusedError(f"the value of {self.name} is a part of an IRI in the archive")
        names = [f"?{v}" for v in self.variables(stem)]
        if self.form == "individual":
            return names[0]
        found = names[0] if len(names) == 1 else f"COALESCE({', '.join(names)})"
        if self.type is ValueType.DOUBLE and self.datatype != XSD + "double":
            return f"<{XSD}double>({found})"
        if self.type is ValueType.STRING and (self.datatype != XSD + "string" or self.form == "raw"):
            return f"STR({found})"
        return found

    def read(self, terms: pl.DataFrame, stem: str) -> pl.Series:
        """The typed column from the columns of a SPARQL result.

        Args:
            terms: its columns are the variables', as terms.
            stem: as in `patterns`.
        """
        columns = [terms[name] for name in self.variables(stem)]
        if self.form == "individual":
            return iri_of(columns[0])
        texts = [self._text(column) for column in columns]
        text = texts[0] if len(texts) == 1 else pl.select(pl.coalesce(*map(pl.lit, texts))).to_series()
        if self.type is ValueType.STRING or self.type not in COLUMN_TYPES:
            return text
        return cast_column(text, self.datatype).values

    def _text(self, terms: pl.Series) -> pl.Series:
        text = lexical_of(terms)
        if self.form != "raw":
            return text
        named = iri_of(terms)
        if self.template is None:
            return pl.select(pl.when(pl.lit(named).is_null()).then(pl.lit(text))).to_series()
        raw = self.template.values(named)
        return pl.select(pl.coalesce(pl.lit(raw), pl.when(pl.lit(named).is_null()).then(pl.lit(text)))).to_series()


def stored_columns(shape: EventShape) -> Mapping[str, StoredColumn]:
    """The columns of a stream's event table by name, `_time` among them; `_id` is the event itself."""
    shared = ambiguous_properties(shape)
    found: dict[str, StoredColumn] = {}
    for a in shape.attributes:
        found[a.name] = _raw(shape, a, shared)
        if a.individual is not None and a.individual not in found:
            prop = attribute_iri(shape.stream, a.name) if a.property in shared else a.property
            found[a.individual] = StoredColumn(a.individual, ValueType.IRI, XSD + "string", "individual", (prop,))
    own = StoredColumn("_time", ValueType.DATETIME, XSD + "dateTime", "value", (attribute_iri(shape.stream, "_time"),))
    found["_time"] = found.get(shape.time, own)
    return found


def _raw(shape: EventShape, a: AttributeShape, shared: frozenset[str]) -> StoredColumn:
    own = attribute_iri(shape.stream, a.name)
    if a.individual is None:
        return StoredColumn(a.name, a.type, a.datatype, "value", (own if a.property in shared else a.property,))
    if a.property in shared:
        return StoredColumn(a.name, a.type, a.datatype, "value", (own,))
    if a.template is not None:
        return StoredColumn(a.name, a.type, a.datatype, "raw", (a.property,), a.template)
    return StoredColumn(a.name, a.type, a.datatype, "raw", (own, a.property))
