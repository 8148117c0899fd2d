"""Car accidents, and whom they are told to: position reports of Linear Road, by EStreams' events and rules."""

from .project import prepare

__all__ = ["prepare"]
