"""Every reasoner, by the name that the project file gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import get_args

from ...settings import ReasonerName
from ...storage import Telling, untold
from ..modules import Module
from .hermit import HERMIT
from .hierarchy import ClosureLimits
from .none import NoReasoner
from .pellet import PELLET
from .reasoner import Closure, Reasoner
from .rl import RL

_ALL: tuple[Reasoner, ...] = (NoReasoner(), RL, HERMIT, PELLET)
REASONERS: Mapping[ReasonerName, Reasoner] = MappingProxyType({reasoner.name: reasoner for reasoner in _ALL})

if REASONERS.keys() != set(get_args(ReasonerName)):
    message = f"the reasoners are {sorted(REASONERS)}, and the project file takes {sorted(get_args(ReasonerName))}"
    raise TypeError(message)

Closing = Callable[[Sequence[Module], ReasonerName, Mapping[str, str], ClosureLimits], Closure]
"""What closes modules: `close`, or the same in another process."""


def close(
    modules: Sequence[Module],
    reasoner: ReasonerName,
    prefixes: Mapping[str, str],
    limits: ClosureLimits,
    told: Telling = untold,
) -> Closure:
    """The closure of some modules under the named reasoner; see `Reasoner.close`.

    Raises:
        OntologyError: the modules contradict themselves in a way that no rule shows, more would follow than the limits
            allow, or the reasoner cannot run.
    """
    told("reasoning", 0.0)
    return REASONERS[reasoner].close(modules, prefixes, limits, told)
