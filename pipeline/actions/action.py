"""What an action does: it hands calls on, and says of those that it cannot hand on whether to try them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from ...ontology.modules import RuleStatement
from ...settings import ActionSettings, found_secret
from .call import ActionCall

__all__ = ["Action", "ActionSpec", "DeliveryError", "EngineHost", "made_of", "place_of"]

T = TypeVar("T")


class DeliveryError(Exception):
    """Calls that were not handed on.

    Args:
        reason: for people; nothing of it is secret.
        delivered: so many of the calls were, the first ones.
        refused: the receiver is there and did not take what it was given: fewer calls at once may go.
        hopeless: the first call that was not delivered never can be.
        after: seconds that the receiver asks to be left alone; `None`: it does not say.
    """

    def __init__(
        self,
        reason: str,
        *,
        delivered: int = 0,
        refused: bool = False,
        hopeless: bool = False,
        after: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason, self.delivered = reason, delivered
        self.refused, self.hopeless, self.after = refused, hopeless, after


class EngineHost(Protocol):
    """What rules may ask of the engine that answers them. Each is done once, also if it is asked for twice in a row.

    Raises:
        PipelineError: it cannot be done now.
        KaicepError: it is refused.
    """

    def state(self, statements: Sequence[RuleStatement]) -> None:
        """Update the module of what rules state."""

    def submit(self, name: str, text: str) -> None:
        """Register a query."""

    def withdraw(self, name: str) -> None:
        """Answer a query no more."""


def place_of(name: str) -> str:
    """The key of an action's table in the project file: that of a sink is its name."""
    return name if "." in name else f"actions.{name}"


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """What an action is made of.

    Attributes:
        name: as CALL names it.
        settings: of the project file.
        root: folder of the project file.
        file: its name, for messages.
        engine: that the action may ask; `None`: none runs.
    """

    name: str
    settings: ActionSettings
    root: Path
    file: str
    engine: EngineHost | None = None

    @property
    def place(self) -> str:
        """The key of its table in the project file."""
        return place_of(self.name)

    def resolved(self, key: str, text: str) -> str:
        """A value as it is, or as the environment variable or the file has it that it names.

        Args:
            key: of the value, below the action's.
            text: `env:NAME`, `file:PATH`, or the value itself.

        Raises:
            ConfigError: there is no such variable, or the file cannot be read.
        """
        return found_secret(f"{self.place}.{key}", text, self.root, self.file)


class Action(Protocol):
    """One receiver of calls. Each thread that hands calls on has one of its own.

    Making one resolves secrets and reads templates, and raises a `ConfigError` with the key that is wrong.

    Attributes:
        batch: so many calls it takes at once.
        needs: the values without which it can hand on no call, for its templates name them.
    """

    batch: int
    needs: frozenset[str]

    def check(self) -> None:
        """See whether it could be begun, without a call.

        Raises:
            ConfigError: something that the settings name is not there.
        """

    def send(self, calls: Sequence[ActionCall]) -> None:
        """Hand calls on, in order; when this returns, the receiver has them.

        Raises:
            DeliveryError: some or all were not handed on.
        """

    def close(self) -> None:
        """Give connections and processes back."""


def made_of(calls: Sequence[ActionCall], make: Callable[[ActionCall], T]) -> tuple[list[T], DeliveryError | None]:
    """What is made of calls that go together, up to the first one of which nothing can be.

    Args:
        calls: in order.
        make: of one; raises a `DeliveryError` where it cannot.

    Returns:
        What was made, to be handed on; and then the error to raise, `delivered` being how much that is, or `None`.
    """
    made: list[T] = []
    for call in calls:
        try:
            made.append(make(call))
        except DeliveryError as error:
            error.delivered = len(made)
            return made, error
    return made, None
