"""A standalone Spark cluster on this machine, whose executors answer the paper's seven queries."""

from .project import prepare
from .standalone import cluster

__all__ = ["cluster", "prepare"]
