"""The mapping report for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..mapping import MappingReport

__all__ = ["mapping_dict"]


def mapping_dict(report: MappingReport) -> dict[str, Any]:
    """The report as JSON has it: the fields of `MappingReport` and what it is made of, pairs as objects."""
    streams = []
    for stream in report.streams:
        found = asdict(stream)
        found["missing"] = dict(stream.missing)
        found["undeclared"] = dict(stream.undeclared)
        found["ids"] = [{**asdict(ids), "classes": dict(ids.classes)} for ids in stream.ids]
        streams.append(found)
    queries = [asdict(query) for query in report.queries]
    for query in queries:
        for variable in query["variables"]:
            variable["clauses"] = [{**clause, "kind": clause["kind"].value} for clause in variable["clauses"]]
    return {"streams": streams, "queries": queries}
