"""Whoever answers knows who asks."""

from __future__ import annotations

from threading import Thread

from kaicep.server.access import ClientIdentity, current_client


def test_beyond_any_request_it_is_the_server_itself() -> None:
    found: list[ClientIdentity] = []
    thread = Thread(target=lambda: found.append(current_client.get()))
    thread.start()
    thread.join()
    assert found == [ClientIdentity("", "admin")]
