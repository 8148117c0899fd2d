"""Requests between processes: whole files, each taken once."""

from __future__ import annotations

import json
from pathlib import Path

from kaicep.pipeline.control.requests import Requests
from kaicep.storage.atomic_write import write_atomically


def test_a_request_that_is_being_written_is_not_taken(tmp_path: Path) -> None:
    requests = Requests(tmp_path)
    requests.serve()
    request = tmp_path / "requests" / "17-5.request"
    with write_atomically(request) as temporary:
        temporary.touch()
        assert list(requests.waiting()) == []
        temporary.write_text(json.dumps({"remove": "rooms.ttl"}), encoding="utf-8")
    taken = request.with_suffix(".taken")
    assert list(requests.waiting()) == [(taken, {"remove": "rooms.ttl"})]
    assert list(requests.waiting()) == []
