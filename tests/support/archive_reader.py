"""Another process that asks the archive of a folder: queries come line by line on its input."""

from __future__ import annotations

import sys
from pathlib import Path

from kaicep.archive import open_read_view
from kaicep.archive.sparql import Solutions

from .archives import project


def main() -> None:
    for line in sys.stdin:
        with open_read_view(project(Path(sys.argv[1]))) as reader:
            found = reader.query(line)
        print(found.rows if isinstance(found, Solutions) else found, flush=True)  # noqa: T201  # what the test reads


if __name__ == "__main__":
    main()
