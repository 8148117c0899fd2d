"""The process that takes messages, for the one that has begun it: it ends when it is told to, or with that one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection

from ....errors import ConfigError
from ....storage import serve_parent
from .stream_subscriptions import StreamSubscriptions

__all__ = ["main", "words"]

_LOOK_S = 0.1


def words(number: int) -> list[str]:
    """What stands behind `python` to begin it.

    Args:
        number: of the file that is its end of the pipe.
    """
    return ["-c", f"from {__name__} import main; main({number})"]


def main(number: int) -> None:
    """Take messages; what the process runs.

    It is given the settings of the project, and tells lines of the log, and by stream why no messages come, each time
    that this has changed. Whatever it is sent then, it ends: what has come is in the folders that the streams read.

    Args:
        number: of the file that is its end of the pipe.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # all processes of a service may be sent it: the other one decides
    serve_parent(gives_way=False)
    connection = Connection(number)
    tell = _telling(connection)
    try:
        subscriptions = StreamSubscriptions(connection.recv(), tell)
    except ConfigError as error:  # a secret that was there a moment ago
        tell(str(error))
        return
    subscriptions.start()
    told: Mapping[str, str] | None = None
    while not connection.poll(_LOOK_S):  # nobody is there any more: that is something to be read, too
        troubles = subscriptions.troubles
        if troubles != told:
            tell(troubles)
            told = troubles
    subscriptions.stop()


def _telling(connection: Connection) -> Callable[[str | Mapping[str, str]], None]:
    one_at_a_time = threading.Lock()

    def tell(told: str | Mapping[str, str]) -> None:
        with one_at_a_time, suppress(OSError):  # who has begun this was killed: it ends soon
            connection.send(told)

    return tell
