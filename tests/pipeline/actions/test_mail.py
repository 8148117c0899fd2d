"""Mails, against a real SMTP server."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from kaicep.pipeline.actions import DeliveryError
from support.receivers import action, call


class Mailbox:
    """What the server was given; `refusal` is what it answers instead of taking it."""

    def __init__(self) -> None:
        self.mails: list[Message] = []
        self.refusal: str | None = None

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - as aiosmtpd calls it
        if self.refusal is not None:
            return self.refusal
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, str]]:
    box = Mailbox()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Controller(box, hostname="127.0.0.1", port=port)
    server.start()
    yield box, f"127.0.0.1:{port}"
    server.stop()


def settings(server: str, **more: Any) -> dict[str, Any]:
    return {"smtp": server, "sender": "kaicep@ops.example", "to": ["a@ops.example"], "subject": "{room} is hot", **more}


def test_a_mail_for_each_call(mailbox: tuple[Mailbox, str], tmp_path: Path) -> None:
    box, server = mailbox
    mail = action(tmp_path, mail=settings(server))
    mail.send([call(1, room="Büro")])
    mail.send([call(2, room="B2")])
    mail.close()
    assert [one["Subject"] for one in box.mails] == ["Büro is hot", "B2 is hot"]
    assert box.mails[0]["Message-ID"] == "<r/r-1@kaicep>"
    assert "room: Büro" in box.mails[0].get_payload(decode=True).decode()  # type: ignore[union-attr]  # it is one part


def test_no_value_becomes_a_header(mailbox: tuple[Mailbox, str], tmp_path: Path) -> None:
    box, server = mailbox
    mail = action(tmp_path, mail=settings(server, body="{room}"))
    mail.send([call(1, room="x\nBcc: everybody@ops.example")])
    mail.close()
    assert box.mails[0]["Bcc"] is None
    assert box.mails[0]["Subject"] == "x Bcc: everybody@ops.example is hot"


def test_what_the_server_refuses(mailbox: tuple[Mailbox, str], tmp_path: Path) -> None:
    box, server = mailbox
    box.refusal = "452 the disk of user hush is full"
    with pytest.raises(DeliveryError, match="the mail server answers 452"):
        action(tmp_path, mail=settings(server)).send([call(room="B1")])


def test_no_server(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="the mail server cannot be reached"):
        action(tmp_path, mail=settings("127.0.0.1:9")).send([call(room="B1")])
