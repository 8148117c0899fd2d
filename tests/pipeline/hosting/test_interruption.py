"""What the streams wait for is said once, however often they are tried."""

from __future__ import annotations

import errno
import os

from kaicep.pipeline.hosting.interruption import Interruption
from py4j.protocol import Py4JError

WAITING = "the streams wait: [Errno 28] No space left on device; they are read on as soon as that has passed"


def test_each_interruption_is_said_once_and_so_is_its_end() -> None:
    said: list[str] = []
    interruption = Interruption(said.append)
    interruption.end()
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    for _ in range(2):
        interruption.begin(full)
        assert interruption.trouble == str(full)
        interruption.begin(OSError(errno.EIO, "another"))
        assert interruption.trouble == "[Errno 5] another"
        interruption.end()
        assert interruption.trouble is None
        interruption.end()
    assert said == [WAITING, "the streams are read on"] * 2


def test_of_what_java_says_the_trace_is_left_out() -> None:
    said: list[str] = []
    trace = "An error occurred while calling o1.start.\n: java.io.IOException: Input/output error\n\tat java.base/Read"
    Interruption(said.append).begin(Py4JError(trace))
    (line,) = said
    assert line == "the streams wait: Input/output error; they are read on as soon as that has passed"
