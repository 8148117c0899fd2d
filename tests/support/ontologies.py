"""Small ontologies: a preamble of prefixes, and folders full of modules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kaicep.config import Settings

__all__ = ["PREAMBLE", "X", "project", "write"]

X = "http://example.org/x#"
PREAMBLE = f"""\
@prefix : <{X}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files by their names relative to the folder; Turtle gets the preamble."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PREAMBLE + text if path.suffix == ".ttl" else text, encoding="utf-8")


def project(folder: Path, *modules: str, reasoner: str = "rl", catalog: tuple[str, ...] = ()) -> Settings:
    """Settings of a project in that folder, with the empty prefix of the preamble as `x:`."""
    knowledge = {"modules": list(modules), "reasoner": reasoner, "catalog": list(catalog)}
    return Settings.parse({"prefixes": {"x": X}, "knowledge": knowledge}, root=folder)
