"""The process of a function, without a process."""

from __future__ import annotations

import os
import threading
from multiprocessing.connection import Pipe

import pytest
from kaicep.pipeline.actions.function_process import main


@pytest.mark.parametrize(("function", "said"), [("dumps", ""), ("no_such", "json has no function no_such")])
def test_it_says_first_whether_it_has_the_function(function: str, said: str) -> None:
    own, theirs = Pipe()
    number = os.dup(theirs.fileno())
    theirs.close()
    thread = threading.Thread(target=main, args=(number, "json", function))
    thread.start()
    assert own.recv_bytes().decode() == said
    if not said:
        own.send_bytes(b'{"_id": "r-1"}')
        assert own.recv_bytes() == b""
    own.close()
    thread.join(10)
    assert not thread.is_alive()
