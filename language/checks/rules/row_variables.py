"""What IF ASK may ask of the row: its attributes as variables, `?row_x` for `?row.x`."""

from __future__ import annotations

from collections.abc import Mapping

from ...nodes import COMPANION, StreamType, attribute_iri
from ...paths import SparqlToken
from ...source_text import Span

__all__ = ["row_triples"]


def row_triples(variable: str, stream: StreamType, span: Span) -> Mapping[str, tuple[SparqlToken, ...]]:
    """By the name of the variable of each attribute of a row, the triple that binds it, `.` behind it.

    What stands for an individual is bound to that; of an attribute without a value there is no triple, so that an ASK
    that speaks of it does not hold.

    Args:
        variable: that of the row.
        stream: of its rows.
        span: where its variables count as written, for messages.
    """

    def triple(name: str, prop: str) -> tuple[SparqlToken, ...]:
        words = [("variable", f"?{variable}"), ("iri", f"<{prop}>"), ("variable", f"?{name}"), ("mark", ".")]
        return tuple(SparqlToken(kind, text, glued=False, span=span) for kind, text in words)

    shown = (attribute for attribute in stream.attributes if not attribute.name.endswith(COMPANION))
    found = ((f"{variable}_{a.name}", a.property or attribute_iri(stream.name, a.name)) for a in shown)
    return {name: triple(name, prop) for name, prop in found}
