"""A job of this process knows who asked, and is never given up half-way."""

from __future__ import annotations

from kaicep.server.access import ClientIdentity, current_client
from kaicep.server.jobs.job_call import JobCall


def test_it_is_done_for_who_asked() -> None:
    before = current_client.set(ClientIdentity("ada", "admin"))
    call = JobCall(lambda: current_client.get().name)
    current_client.reset(before)
    call.cancel()
    assert call.run(0.0, lambda _: None) == "ada"
    assert not call.ends
