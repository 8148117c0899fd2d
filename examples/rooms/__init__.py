"""Rooms that are vacant, occupied, or short of air: ROBOD's readings, judged by the situation of their room."""

from .project import prepare

__all__ = ["prepare"]
