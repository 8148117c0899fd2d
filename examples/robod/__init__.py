"""ROBOD: 29 days of readings from three rooms of a real building, and a Brick model of the rooms."""

from .project import prepare

__all__ = ["prepare"]
