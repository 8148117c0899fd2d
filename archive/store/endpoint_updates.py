"""SPARQL updates for an endpoint, written from terms: nothing else becomes part of their text."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
import pyoxigraph as ox


def in_one(updates: Iterable[str]) -> str:
    """One request that makes these updates in this order; blank nodes are shared within it."""
    return " ;\n".join(updates)


def insert_quads(quads: bytes) -> str:
    """Add quads.

    Args:
        quads: N-Quads as written from terms, all in named graphs.
    """
    parts = "\n".join(f"GRAPH {graph} {{\n{triples}\n}}" for graph, triples in _by_graph(quads))
    return f"INSERT DATA {{\n{parts}\n}}"


def insert_triples(graph: ox.NamedNode, triples: bytes) -> str:
    """Add triples to a graph.

    Args:
        graph: which.
        triples: N-Triples as written from terms.
    """
    return f"INSERT DATA {{ GRAPH {graph} {{\n{triples.decode()}}} }}"


def drop(graph: ox.NamedNode) -> str:
    """Drop a graph, if it is there."""
    return f"DROP SILENT GRAPH {graph}"


def set_value(graph: ox.NamedNode, subject: ox.NamedNode, predicate: ox.NamedNode, value: ox.Literal) -> str:
    """Let a graph have this value of a subject's property, and no other."""
    old, new = (f"GRAPH {graph} {{ {subject} {predicate} {which} }}" for which in (ox.Variable("old"), value))
    return f"DELETE {{ {old} }} INSERT {{ {new} }} WHERE {{ OPTIONAL {{ {old} }} }}"


def _by_graph(quads: bytes) -> list[tuple[str, str]]:
    """N-Quads as graphs with their N-Triples."""
    lines = pl.DataFrame({"line": quads.decode().split("\n")}).filter(pl.col("line") != "")
    parts = pl.col("line").str.extract_groups(r"^(?<triple>.*) (?<graph><[^<>]*>) \.$").struct
    split = lines.select(parts.field("triple") + " .", graph=parts.field("graph"))
    together = split.group_by("graph", maintain_order=True).agg(pl.col("triple").str.join("\n"))
    return list(together.iter_rows())
