"""Web orders by step, how long they wait and which are due: H2O's digital shopping, asked while it goes on."""

from .project import prepare

__all__ = ["prepare"]
