"""Which form an answer takes: that of those on offer which the client likes best.

Source: RFC 9110, 12.5.1 (Accept).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pyoxigraph import QueryResultsFormat, RdfFormat

__all__ = ["GRAPH_FORMATS", "GRAPH_TYPES", "RESULT_FORMATS", "RESULT_TYPES", "accepted", "with_charset"]

RESULT_FORMATS: Mapping[str, QueryResultsFormat] = {
    "application/sparql-results+json": QueryResultsFormat.JSON,
    "application/sparql-results+xml": QueryResultsFormat.XML,
    "text/csv": QueryResultsFormat.CSV,
    "text/tab-separated-values": QueryResultsFormat.TSV,
    "application/json": QueryResultsFormat.JSON,
    "application/xml": QueryResultsFormat.XML,
    "text/xml": QueryResultsFormat.XML,
}
"""Of solutions and booleans; the first one is for whoever takes anything."""
GRAPH_FORMATS: Mapping[str, RdfFormat] = {
    "text/turtle": RdfFormat.TURTLE,
    "application/n-triples": RdfFormat.N_TRIPLES,
    "application/rdf+xml": RdfFormat.RDF_XML,
    "application/ld+json": RdfFormat.JSON_LD,
    "application/n-quads": RdfFormat.N_QUADS,
    "application/trig": RdfFormat.TRIG,
    "text/n3": RdfFormat.N3,
    "application/x-turtle": RdfFormat.TURTLE,
    "application/xml": RdfFormat.RDF_XML,
    "text/xml": RdfFormat.RDF_XML,
    "application/json": RdfFormat.JSON_LD,
    "text/plain": RdfFormat.N_TRIPLES,
}
"""Of triples; likewise."""
RESULT_TYPES, GRAPH_TYPES = tuple(RESULT_FORMATS), tuple(GRAPH_FORMATS)


def accepted(header: str | None, offered: Iterable[str]) -> tuple[str, ...]:
    """The media types on offer that a client takes, the one that it likes best first.

    Args:
        header: `Accept`; `None` or empty: it takes anything.
        offered: media types, the one that we like best first.
    """
    ranges = list(_ranges(header or "*/*"))
    weights = [(-_weight(ranges, media), media) for media in offered]
    return tuple(media for weight, media in sorted(weights, key=lambda one: one[0]) if weight)


def with_charset(media: str) -> str:
    """A media type as `Content-Type` has it."""
    return f"{media}; charset=utf-8" if media.startswith("text/") else media


def _ranges(header: str) -> Iterator[tuple[str, float]]:
    for part in header.split(","):
        media, *parameters = (text.strip().lower() for text in part.split(";"))
        weight = next((text[2:] for text in parameters if text.startswith("q=")), "1")
        yield media, _number(weight)


def _number(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 0.0


def _weight(ranges: list[tuple[str, float]], media: str) -> float:
    """What the most specific range says of a media type."""
    for known in (media, f"{media.partition('/')[0]}/*", "*/*"):
        found = [weight for name, weight in ranges if name == known]
        if found:
            return max(found)
    return 0.0
