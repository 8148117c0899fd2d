"""Rows on the standard output: tables for people, JSON lines for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ...actions import ActionCall, DeliveryError
from ..row_printing import print_rows

__all__ = ["ConsoleAction"]

_AT_ONCE = 100


class ConsoleAction:
    """Prints rows; see `Action`.

    Args:
        prefixes: by which tables shorten IRIs.
    """

    batch = _AT_ONCE
    needs: frozenset[str] = frozenset()

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes

    def check(self) -> None:
        """See `Action.check`."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        try:
            if sys.stdout.isatty():
                self._show([json.loads(call.arguments) for call in calls])
            else:
                sys.stdout.writelines(f"{call.arguments}\n" for call in calls)
            sys.stdout.flush()
        except OSError as error:
            raise DeliveryError(f"the standard output takes nothing: {error.strerror or error}") from None

    def _show(self, rows: Sequence[Mapping[str, Any]]) -> None:
        names = dict.fromkeys(name for row in rows for name in row)
        print_rows(
            [{name: row.get(name) for name in names} for row in rows], names, "table", sys.stdout, self._prefixes
        )

    def close(self) -> None:
        """See `Action.close`."""
