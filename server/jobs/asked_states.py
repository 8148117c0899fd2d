"""What registered queries hold, asked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyoxigraph as ox

from ...api.clients import ask_states
from ...config import Settings
from ...errors import KaicepError, QuerySyntaxError, QueryTypeError
from ...pipeline.control import SilentEngineError
from ...storage import masked
from ..plain_json import plain_value
from ..problem import ProblemError

__all__ = ["AskedRows", "ask_once"]


@dataclass(frozen=True, slots=True)
class AskedRows:
    """The answer to a question.

    Attributes:
        columns: of the rows.
        rows: in order.
        notes: what was found damaged.
    """

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()


def ask_once(_: ox.Store, settings: Settings, text: str) -> AskedRows:
    """Ask a question of states.

    Raises:
        ProblemError: 422, the text is wrong; 409, it cannot be answered; 503, the engine does not answer.
    """
    notes: list[str] = []
    try:
        with masked(settings.engine.umask):
            found = ask_states(settings, text, "query", notes.append)
    except (QuerySyntaxError, QueryTypeError) as error:
        raise ProblemError(422, error) from error
    except SilentEngineError as error:
        raise ProblemError(503, error) from error
    except KaicepError as error:
        raise ProblemError(409, error) from error
    rows = tuple({name: plain_value(value) for name, value in row.items()} for row in found)
    return AskedRows(found.columns, rows, tuple(notes))
