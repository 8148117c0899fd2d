"""A process that archives batches until it is killed, and says which are archived: `python writing.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from support.archives import STREAM, opened, readings

EVENTS = 300


def main() -> None:
    archive = opened(Path(sys.argv[1]))
    batch = len(archive.log.positions())
    while True:
        archive.append(batch, {STREAM: readings(EVENTS, first=EVENTS * batch), "other": readings(1, first=batch)})
        print(batch, flush=True)  # noqa: T201  # what the test reads
        batch += 1


if __name__ == "__main__":
    main()
