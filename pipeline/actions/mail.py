"""A mail for each call. Its Message-ID is made of the key of idempotency: a mail that is sent twice is one mail."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Sequence
from contextlib import suppress
from email.message import EmailMessage

from ...settings import MailSettings
from .action import ActionSpec, DeliveryError
from .call import ActionCall
from .call_template import CallTemplate
from .secret import resolved

__all__ = ["MailAction"]

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
        self._password = "" if mail.password is None else resolved(spec, "mail.password", mail.password)
        self._server: smtplib.SMTP | None = None

    def check(self) -> None:
        """See `Action.check`: whether the server takes mails is seen when there is a call."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        for number, call in enumerate(calls):
            message = self._message(call)
            try:
                self._connected().send_message(message)
            except (smtplib.SMTPException, OSError) as error:
                self.close()
                raise DeliveryError(_told(error), delivered=number) from None

    def close(self) -> None:
        """See `Action.close`."""
        if self._server is not None:
            with suppress(smtplib.SMTPException, OSError):
                self._server.quit()
        self._server = None

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
        message = EmailMessage()
        message["From"], message["To"] = self._mail.sender, ", ".join(self._mail.to)
        message["Subject"] = self._subject.filled(call, lambda value: " ".join(value.split()))
        message["Message-ID"] = f"<{call.key}@kaicep>"
        message["X-Idempotency-Key"] = call.key
        lines = [f"{name}: {value}" for name, value in call.values().items()]
        message.set_content("\n".join(lines) if self._body is None else self._body.filled(call))
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
