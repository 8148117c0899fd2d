"""What AFTER MATCH forbids at a moment: by matches before which none can come any more (LANGUAGE-2 §9)."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..match import Partition
from .event_layout import NUMBER
from .free_variable_matches import FreeVariableMatches, SequenceMatch
from .match_queue import MatchPlace, QueuedMatches
from .pending_acceptance import PendingAcceptance
from .runtime import AcceptedMatch, PartialMatch
from .shared_buffer import last_time, paths

__all__ = ["SettledMatches"]


@dataclass(frozen=True, slots=True)
class SettledMatches:
    """Tells runs that wait because they could be prolonged from those that cannot be any more.

    Attributes:
        moment: in microseconds; all is known up to it.
        waiting: says when what has come to its end becomes a match.
        joining: the variables that SEQ does not name.
        ended: the matches of runs that nothing can prolong.
        undecided: by partition, the place in output order of the first match that may still be prolonged.
    """

    moment: int
    waiting: PendingAcceptance
    joining: FreeVariableMatches
    ended: list[QueuedMatches] = field(default_factory=list)
    undecided: dict[Partition, MatchPlace] = field(default_factory=dict)

    def leave_undecided(self, partition: Partition, run: PartialMatch) -> None:
        """A run is a match if it is not prolonged, and may be."""
        _, registers, node = run
        place = last_time(node), node[3][NUMBER], registers[1]
        self.undecided[partition] = min(place, self.undecided.get(partition, place))

    def end(self, accepted: AcceptedMatch) -> None:
        """A run has come to an end from which nothing prolongs it."""
        time = self.waiting.settled_at(accepted, self.moment)
        if time is None:
            return
        if not self.joining:
            self.ended.append((time, accepted.registers, accepted.node))
            return
        sides, doubtful = accepted.rest
        shared = accepted.buffers.key[:-1]
        matches = [SequenceMatch(shared, time, path, sides, doubtful) for path in paths(accepted.node)]
        self.ended.extend(match for match in self.joining.joined(matches) if match[0] <= self.moment)
