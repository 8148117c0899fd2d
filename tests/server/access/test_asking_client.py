"""Whoever answers knows who asks."""

from __future__ import annotations

from threading import Thread

from kaicep.server.access import AskingClient, asking_client


def test_beyond_any_request_it_is_the_server_itself() -> None:
    found: list[AskingClient] = []
    thread = Thread(target=lambda: found.append(asking_client.get()))
    thread.start()
    thread.join()
    assert found == [AskingClient("", "admin")]
