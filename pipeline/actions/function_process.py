"""The process of a Python function: calls in, nothing or what was raised out. It loads nothing of kaicep."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any


def main(number: int, module: str, name: str) -> None:
    """Call a function until nobody is at the other end of the pipe.

    Args:
        number: of the file that is this end of it.
        module: where the function is.
        name: its own.
    """
    connection = Connection(number)
    function, fault = _found(module, name)
    connection.send_bytes(fault.encode())
    while function is not None:
        try:
            call = connection.recv_bytes()
        except EOFError:
            return
        connection.send_bytes(_called(function, call).encode())


def _found(module: str, name: str) -> tuple[Callable[[dict[str, Any]], object] | None, str]:
    """The function, or why there is none."""
    try:
        function = getattr(import_module(module), name, None)
    except Exception as error:  # noqa: BLE001 - a module raises what it likes
        return None, _told(error)
    return (function, "") if callable(function) else (None, f"{module} has no function {name}")


def _called(function: Callable[[dict[str, Any]], object], call: bytes) -> str:
    """Nothing, or what the function raised."""
    try:
        function(json.loads(call))
    except Exception as error:  # noqa: BLE001 - whoever calls hears of it
        return _told(error)
    return ""


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:500]


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
