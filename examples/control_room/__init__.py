"""A building's control room: readings that come live, and somebody who sees to alarms."""

from .project import BEGIN, DESK, READING, past, prepare, readings

__all__ = ["BEGIN", "DESK", "READING", "past", "prepare", "readings"]
