"""Soda Hall: the Brick model of a real building with 243 VAV boxes, and generated readings of its airflow sensors."""

from .project import prepare

__all__ = ["prepare"]
