"""What Spark complains of is told in one line."""

from __future__ import annotations

import pytest
from kaicep.pipeline.sources.spark_source import first_line
from py4j.protocol import Py4JError

IN_PYTHON = """[STREAM_FAILED] Query ended: [X] Failed when Python streaming data source perform planPartitions: \
Traceback (most recent call last):
  File 'a', line 1, in main
    raise ValueError(
ValueError: streams.air: offsets 1 to 2 are gone.
 SQLSTATE: 38000"""
CALL = "An error occurred while calling o42.load."


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (f"{CALL}\n: java.io.IOException: Cannot read the footer.\n\tat org.apache", "Cannot read the footer"),
        (f"{CALL}\n: org.apache.X: [PATH_NOT_FOUND] No path in. SQLSTATE: 42K03", "No path in"),
        (f"{CALL}\n: a.B: Exception thrown in awaitResult: \n\tat a\nCaused by: a.C: [CODE] No footer. ", "No footer"),
        ("gone", "gone"),
        (IN_PYTHON, "streams.air: offsets 1 to 2 are gone"),
    ],
)
def test_neither_codes_nor_traces_are_told(message: str, line: str) -> None:
    assert first_line(Py4JError(message)) == line
