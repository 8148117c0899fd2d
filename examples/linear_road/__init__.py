"""Linear Road: tolls and accident alerts for the vehicles of an expressway, by contexts."""

from .project import prepare

__all__ = ["prepare"]
