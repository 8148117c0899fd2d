"""How far the rows of an engine are: what it needs to go on, besides the archive, when its snapshots are lost.

`queries/position.json` in the engine's state: the last batch whose rows the sinks have, where the sinks are, and the
queries that are answered over their past still. It is replaced after each batch; should a crash of the machine lose the
last of it, the snapshots have the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from ...errors import PipelineError, Place

__all__ = ["DeliveryPosition"]

_BATCH = "batch"


class DeliveryPosition:
    """The file of one engine.

    Args:
        path: its folder is made by `write`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, batch: int, parts: Mapping[str, bytes]) -> None:
        """Note the parts of a snapshot that no replay of the log gives, each a JSON value."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        content = {_BATCH: batch, "parts": {name: json.loads(part) for name, part in parts.items()}}
        temporary = self._path.with_name(f".tmp-{os.getpid()}-{self._path.name}")
        temporary.write_text(json.dumps(content), encoding="utf-8")
        temporary.replace(self._path)

    def read(self) -> tuple[int, dict[str, bytes]] | None:
        """The last batch that was noted, and its parts; `None`: none was.

        Raises:
            PipelineError: the file cannot be read.
        """
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
            return int(content[_BATCH]), {name: json.dumps(part).encode() for name, part in content["parts"].items()}
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise PipelineError(
                "the engine's position cannot be read",
                place=Place(str(self._path)),
                hint="restore it from a copy, or remove it: rows of the last batch may then come again",
            ) from error
