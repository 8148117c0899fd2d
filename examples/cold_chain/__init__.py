"""Freight that must stay cold: readings from a topic of Kafka, alarms to another."""

from .project import CONTAINERS, prepare, readings

__all__ = ["CONTAINERS", "prepare", "readings"]
