"""A real mail server, which keeps what it is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from email.policy import default
from typing import Any

from aiosmtpd.controller import Controller

from .brokers import free_port

__all__ = ["Mailbox", "mail_server"]


class Mailbox:
    """What the server was given; `refusal` is what it answers instead of taking it."""

    def __init__(self) -> None:
        self.mails: list[Message] = []
        self.contents: list[bytes] = []
        self.refusal: str | None = None
        self.unknown: set[str] = set()
        self.recipients: list[list[str]] = []

    async def handle_RCPT(  # noqa: N802 - as aiosmtpd calls it
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if address in self.unknown:
            return "450 come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - as aiosmtpd calls it
        if self.refusal is not None:
            return self.refusal
        self.contents.append(envelope.content)
        self.recipients.append(envelope.rcpt_tos)
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"


@contextmanager
def mail_server(port: int | None = None) -> Iterator[tuple[Mailbox, str]]:
    """What it keeps, and its address."""
    box, port = Mailbox(), free_port() if port is None else port
    server = Controller(box, hostname="127.0.0.1", port=port)
    server.start()
    yield box, f"127.0.0.1:{port}"
    server.stop()
