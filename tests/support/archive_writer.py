"""A process that archives batches, and what was found in them, in a folder until it is killed.

It says which batches are archived. What the folder has in `archive.json` are keys of `[archive]`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from .archives import STREAM, opened, readings
from .found import ORIGIN, matches

EVENTS, MATCHES = 300, 20


def main() -> None:
    folder = Path(sys.argv[1])
    keys = folder / "archive.json"
    archive = opened(folder, **(json.loads(keys.read_text(encoding="utf-8")) if keys.exists() else {}))
    batch = len(archive.log.positions())
    while True:
        archive.append(batch, {STREAM: readings(EVENTS, first=EVENTS * batch), "other": readings(1, first=batch)})
        archive.append_matches(batch, [(ORIGIN, matches(range(MATCHES * batch, MATCHES * (batch + 1))))])
        print(batch, flush=True)  # noqa: T201  # what the test reads
        batch += 1


if __name__ == "__main__":
    main()
