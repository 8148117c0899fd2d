"""The prefixes of the paper's campus and of the standards, and how Turtle declares them."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CAMPUS", "STANDARD", "turtle_head"]

CAMPUS = {
    "bd": "http://cei.usc.edu/Building.owl#",
    "ee": "http://cei.usc.edu/Equipment.owl#",
    "hvc": "http://cei.usc.edu/HVAC.owl#",
    "org": "http://cei.usc.edu/Organization.owl#",
    "evt": "http://cei.usc.edu/Event.owl#",
}
STANDARD = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def turtle_head(prefixes: Mapping[str, str]) -> str:
    """The declarations of prefixes."""
    return "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in prefixes.items())
