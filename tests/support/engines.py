"""Engine and oracle of a campus, each made once."""

from __future__ import annotations

from functools import cache

from kaicep import Project
from oracle.evaluate import Oracle

from .campus import campus

__all__ = ["oracle_of", "project_of"]


@cache
def project_of(seed: int) -> Project:
    """The engine's project."""
    return Project.parse(campus(seed).settings)


@cache
def oracle_of(seed: int) -> Oracle:
    """The oracle's."""
    return Oracle(campus(seed).settings)
