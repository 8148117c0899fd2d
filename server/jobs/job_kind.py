"""What jobs there are, and how their stages make up the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["CHART", "QUESTION", "TRIAL", "JobKind"]


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job.

    Attributes:
        name: that clients see.
        stages: in order, each with its share of the time, as it was measured; together 1, or none. Others may come
            between: of them nobody knows how long they take.
    """

    name: str
    stages: Mapping[str, float]

    def progress(self, stage: str, share: float) -> float | None:
        """How far a job is, from 0 to 1, which is at a stage, and has done a share of that; `None`: nobody knows."""
        before = 0.0
        for name, part in self.stages.items():
            if name == stage:
                return before + part * share
            before += part
        return None


TRIAL = JobKind("try", {"loading": 0.0, "answering": 1.0})
CHART = JobKind("chart", {"loading": 0.0, "reading": 0.55, "drawing": 0.45})
"""Measured over three million events."""
QUESTION = JobKind("sparql", {})
