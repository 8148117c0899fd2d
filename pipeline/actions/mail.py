"""A mail for each call. Its Message-ID is made of the key of idempotency: a mail that is sent twice is one mail."""

from __future__ import annotations

import re
import smtplib
import ssl
from collections.abc import Sequence
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import getaddresses

from ...settings import MailSettings
from .action import ActionSpec, DeliveryError
from .call import ActionCall
from .call_template import CallTemplate

__all__ = ["MailAction"]

_POLICY = SMTP.clone(cte_type="7bit")
"""Not every server takes bytes of 8 bits."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""What no mail may hold as it is: it goes as base64, and in a subject it is a space."""
_PORTS = {"none": 25, "starttls": 587, "ssl": 465}


class MailAction:
    """Sends mails; see `Action`.

    Args:
        spec: what it is made of.
        mail: its settings.
    """

    def __init__(self, spec: ActionSpec, mail: MailSettings) -> None:
        self.batch = 1
        self._mail, self._timeout = mail, spec.settings.timeout.total_seconds()
        self._subject = CallTemplate.parse(spec, "mail.subject", mail.subject)
        self._body = None if mail.body is None else CallTemplate.parse(spec, "mail.body", mail.body)
        self.needs = self._subject.names | (frozenset() if self._body is None else self._body.names)
        self._password = "" if mail.password is None else spec.resolved("mail.password", mail.password)
        self._server: smtplib.SMTP | None = None
        self._to = [address for _, address in getaddresses(mail.to)]
        self._taken: dict[str, tuple[str, frozenset[str]]] = {}

    def check(self) -> None:
        """See `Action.check`: whether the server takes mails is seen when there is a call."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        for number, call in enumerate(calls):
            try:
                self._send(call)
            except DeliveryError as error:
                error.delivered = number
                raise
            except (smtplib.SMTPException, OSError) as error:
                self.close()
                raise DeliveryError(_told(error), delivered=number) from None

    def close(self) -> None:
        """See `Action.close`."""
        if self._server is not None:
            with suppress(smtplib.SMTPException, OSError):
                self._server.quit()
        self._server = None

    def _send(self, call: ActionCall) -> None:
        """Send a mail. Whoever of its recipients has it already is not sent it again because of the others."""
        key, taken = self._taken.get(call.rule, ("", frozenset()))
        left = [address for address in self._to if key != call.key or address not in taken]
        message = self._message(call)
        refused = self._connected().send_message(message, to_addrs=left)
        if refused:
            self._taken[call.rule] = call.key, frozenset(self._to) - refused.keys()
            raise smtplib.SMTPRecipientsRefused(refused)
        self._taken.pop(call.rule, None)

    def _connected(self) -> smtplib.SMTP:
        """A session with the server: the one before, if it is still there."""
        if self._server is not None:
            with suppress(smtplib.SMTPException, OSError):
                if self._server.noop()[0] == 250:
                    return self._server
            self.close()
        host, _, port = self._mail.smtp.partition(":")
        address = host, int(port or _PORTS[self._mail.tls])
        if self._mail.tls == "ssl":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                *address, timeout=self._timeout, context=ssl.create_default_context()
            )
        else:
            server = smtplib.SMTP(*address, timeout=self._timeout)
        self._server = server
        if self._mail.tls == "starttls":
            server.starttls(context=ssl.create_default_context())
        if self._mail.user is not None:
            server.login(self._mail.user, self._password)
        return server

    def _message(self, call: ActionCall) -> EmailMessage:
        message = EmailMessage(_POLICY)
        message["From"], message["To"] = self._mail.sender, ", ".join(self._mail.to)
        message["Subject"] = self._subject.filled(call, lambda value: " ".join(_CONTROL.sub(" ", value).split()))
        message["Message-ID"] = f"<{call.key}@kaicep>"
        message["X-Idempotency-Key"] = call.key
        lines = [f"{name}: {value}" for name, value in call.values().items()]
        body = "\n".join(lines) if self._body is None else self._body.filled(call)
        message.set_content(body, cte="base64" if _CONTROL.search(body) else None)
        return message


def _told(error: Exception) -> str:
    """Why a mail was not sent; what a server says may hold who asks, so only its code is told."""
    match error:
        case smtplib.SMTPAuthenticationError():
            return f"the mail server refuses user and password ({error.smtp_code})"
        case smtplib.SMTPRecipientsRefused():
            return f"the mail server refuses the recipients ({', '.join(str(c) for c, _ in error.recipients.values())})"
        case smtplib.SMTPResponseException():
            return f"the mail server answers {error.smtp_code}"
        case TimeoutError():
            return "the mail server does not answer in time"
        case smtplib.SMTPException():
            return "the mail server breaks off"
        case _:
            return "the mail server cannot be reached"
