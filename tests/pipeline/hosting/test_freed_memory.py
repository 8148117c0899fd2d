"""What a batch gives back is there for the next one, without asking the system for it again."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

ROUNDS = 20
# Columns of 100,000 rows, as many as a batch may have at once: 16 MB.
BATCHES = f"""
import numpy as np, resource, sys
from kaicep.pipeline.hosting.freed_memory import keep_freed_memory
said = keep_freed_memory() if sys.argv[1] == "kept" else None
def batch():
    columns = [np.ones(100_000) for _ in range(20)]
batch()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range({ROUNDS}):
    batch()
print(said, (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // {ROUNDS})
"""
glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told")


def pages_a_batch(how: str, **variables: str) -> tuple[str, int]:
    """What the function says, and how many pages a batch asks the system for."""
    said = subprocess.run(
        [sys.executable, "-c", BATCHES, how], env={**_environment(), **variables}, capture_output=True, check=True
    )
    kept, pages = said.stdout.split()
    return kept.decode(), int(pages)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}


@glibc
@pytest.mark.long
def test_a_batch_takes_the_pages_of_the_one_before() -> None:
    kept, pages = pages_a_batch("kept")
    assert kept == "True"
    assert pages < pages_a_batch("as it comes")[1] / 10


@glibc
def test_who_tunes_glibc_is_left_alone() -> None:
    assert pages_a_batch("kept", MALLOC_TRIM_THRESHOLD_="1000000")[0] == "False"
