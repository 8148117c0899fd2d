"""A Python function is called with each call, a dictionary, in a process of its own, with a time limit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import ConfigError, Place
from ...storage import ChildProcess
from .action import ActionSpec, DeliveryError
from .call import ActionCall

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["PythonAction"]

_CHILD = Path(__file__).with_name("function_process.py")
_STARTING_S = 60.0


class PythonAction:
    """Calls a function; see `Action`. Its process begins with the first call, and anew after one that failed.

    Args:
        spec: what it is made of.
        function: `module:function`; the module is looked for in the project's folder first.
    """

    def __init__(self, spec: ActionSpec, function: str) -> None:
        self.batch = 1
        self.needs = frozenset[str]()
        self._spec, self._function = spec, function
        self._child: ChildProcess | None = None

    def check(self) -> None:
        """See `Action.check`."""
        try:
            self._connected()
        except DeliveryError as error:
            raise ConfigError(
                f"{self._spec.place}.python: {error.reason}",
                place=Place(self._spec.file),
                hint="write module:function of a module in the project's folder, or of an installed one",
            ) from error
        finally:
            self.close()

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        for number, call in enumerate(calls):
            try:
                self._call(call)
            except DeliveryError as error:
                error.delivered = number
                raise

    def close(self) -> None:
        """See `Action.close`."""
        if self._child is not None:
            self._child.close()
        self._child = None

    def _call(self, call: ActionCall) -> None:
        connection = self._connected()
        try:
            connection.send_bytes(call.to_json().encode())
            answered = connection.poll(self._spec.settings.timeout.total_seconds())
            said = connection.recv_bytes().decode() if answered else None
        except (EOFError, OSError):
            self.close()
            raise DeliveryError("the process of the function ended") from None
        if said is None:
            self.close()
            raise DeliveryError("the function takes too long")
        if said:
            raise DeliveryError(f"the function raised {said}")

    def _connected(self) -> Connection:
        if self._child is not None and self._child.runs:
            return self._child.connection
        self.close()
        self._child = ChildProcess(self._words, self._spec.root)
        own = self._child.connection
        try:
            said = own.recv_bytes().decode() if own.poll(_STARTING_S) else "its process does not start"
        except (EOFError, OSError):
            said = "its process ended at once"
        if said:
            self.close()
            raise DeliveryError(f"{self._function} cannot be loaded: {said}")
        return own

    def _words(self, number: int) -> list[str]:
        return [str(_CHILD), str(number), *self._function.split(":")]
