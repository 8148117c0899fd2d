"""Mails, against a real SMTP server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kaicep.pipeline.actions import DeliveryError
from support.mailbox import Mailbox, mail_server
from support.receivers import action, call


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, str]]:
    with mail_server() as server:
        yield server


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


def test_who_has_a_mail_is_not_sent_it_again_because_of_another(mailbox: tuple[Mailbox, str], tmp_path: Path) -> None:
    box, server = mailbox
    box.unknown = {"b@ops.example"}
    mail = action(tmp_path, mail=settings(server, to=["a@ops.example", "The B <b@ops.example>"]))
    for _ in range(2):
        with pytest.raises(DeliveryError, match=r"refuses the recipients \(450\)"):
            mail.send([call(1, room="B1")])
    box.unknown = set()
    for number in (1, 2):
        mail.send([call(number, room="B1")])
    mail.close()
    assert box.recipients == [["a@ops.example"], ["b@ops.example"], ["a@ops.example", "b@ops.example"]]


def test_what_no_mail_may_hold_is_encoded(mailbox: tuple[Mailbox, str], tmp_path: Path) -> None:
    box, server = mailbox
    mail = action(tmp_path, mail=settings(server, body="{room}"))
    for text in ("a\0b\x07", "Büro €"):
        mail.send([call(1, room=text)])
        assert box.contents[-1].isascii()
        assert b"\0" not in box.contents[-1]
        assert box.mails[-1].get_payload(decode=True) == f"{text}\r\n".encode()
    mail.close()
    assert [one["Subject"] for one in box.mails] == ["a b is hot", "Büro € is hot"]


def test_what_the_server_refuses(mailbox: tuple[Mailbox, str], tmp_path: Path) -> None:
    box, server = mailbox
    box.refusal = "452 the disk of user hush is full"
    with pytest.raises(DeliveryError, match="the mail server answers 452"):
        action(tmp_path, mail=settings(server)).send([call(room="B1")])


def test_no_server(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="the mail server cannot be reached"):
        action(tmp_path, mail=settings("127.0.0.1:9")).send([call(room="B1")])
