"""A batch's events in; out, those that each event variable of the registered queries is given: its candidates."""

from __future__ import annotations

from .candidate_selection import CandidateSelection, Counts, EventPlacement, Selected
from .event_batch import Asked, EventBatch
from .event_placement import ContextPlacing
from .filter_chains import FilterGraph
from .identity_sample import SAMPLED
from .joint_candidates import shared_batch
from .joint_selection import JointSelection, Taken
from .wider_conditions import next_wider

__all__ = [
    "SAMPLED",
    "Asked",
    "CandidateSelection",
    "ContextPlacing",
    "Counts",
    "EventBatch",
    "EventPlacement",
    "FilterGraph",
    "JointSelection",
    "Selected",
    "Taken",
    "next_wider",
    "shared_batch",
]
