"""Calls are posted as JSON, signed, each with the key of its idempotency.

Source: Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`); The Idempotency-Key HTTP Header
Field (draft-ietf-httpapi-idempotency-key-header); RFC 9110 §10.2.3 (Retry-After).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import urllib3

from ...errors import ConfigError, Place
from ...settings import WebhookSettings
from .action import ActionSpec, DeliveryError
from .call import ActionCall

__all__ = ["WebhookAction", "signature"]

_PREFIX = "whsec_"
_BUSY = frozenset({408, 425, 429})
"""Refusals that mean the moment, and not what was sent."""
_READ = 65_536
"""So many bytes of an answer are read: nobody asks what it says, but a connection is used again behind it."""


class WebhookAction:
    """Posts calls; see `Action`.

    Args:
        spec: what it is made of.
        webhook: its settings.
    """

    def __init__(self, spec: ActionSpec, webhook: WebhookSettings) -> None:
        self.batch = webhook.batch
        self.needs = frozenset[str]()
        self._url = spec.resolved("webhook.url", webhook.url)
        own = {name: spec.resolved(f"webhook.headers.{name}", text) for name, text in webhook.headers.items()}
        self._headers = {"Content-Type": "application/json", "User-Agent": "kaicep", **own}
        secret = None if webhook.secret is None else spec.resolved("webhook.secret", webhook.secret)
        self._secret = None if secret is None else _key(spec, secret)
        self._seconds = spec.settings.timeout.total_seconds()
        self._pool = urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(total=self._seconds), maxsize=1)
        if not self._url.startswith(("http://", "https://")):
            raise ConfigError(
                f"{spec.place}.webhook.url: what it names is no address of a webhook",
                place=Place(spec.file),
                hint="it begins with https:// or http://",
            )

    def check(self) -> None:
        """See `Action.check`: whether somebody listens is seen when there is a call."""

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        texts = [call.to_json() for call in calls]
        body = (texts[0] if self.batch == 1 else f"[{','.join(texts)}]").encode()
        key = calls[0].key if len(calls) == 1 else _digest(calls)
        until = time.monotonic() + self._seconds
        try:
            answer = self._pool.request(
                "POST", self._url, body=body, headers=self._signed(key, body), redirect=False, preload_content=False
            )
        except urllib3.exceptions.HTTPError as error:  # what it says may hold the address, which may be a secret
            raise DeliveryError(_unreachable(error)) from None
        _finish(answer, until)
        if not 200 <= answer.status < 300:
            busy = answer.status in _BUSY or answer.status >= 500
            raise DeliveryError(
                f"the receiver answers {answer.status}",
                refused=not busy,
                after=_retry_after(answer.headers.get("Retry-After")),
            )

    def close(self) -> None:
        """See `Action.close`."""
        self._pool.clear()

    def _signed(self, key: str, body: bytes) -> Mapping[str, str]:
        headers = {**self._headers, "Idempotency-Key": key}
        if self._secret is None:
            return headers
        moment = str(int(time.time()))
        signed = {"webhook-id": key, "webhook-timestamp": moment}
        return {**headers, **signed, "webhook-signature": signature(self._secret, key, moment, body)}


def signature(secret: bytes, key: str, moment: str, body: bytes) -> str:
    """What `webhook-signature` says of a request."""
    digest = hmac.digest(secret, b".".join((key.encode(), moment.encode(), body)), "sha256")
    return f"v1,{base64.b64encode(digest).decode()}"


def _finish(answer: urllib3.BaseHTTPResponse, until: float) -> None:
    """Let the connection be used again where the answer ends soon; else close it, for its status says all."""
    left = _READ
    try:
        while left > 0 and time.monotonic() < until:
            piece = answer.read1(left, decode_content=False)
            if not piece:
                answer.release_conn()
                return
            left -= len(piece)
    except urllib3.exceptions.HTTPError:  # it breaks off behind its status
        pass
    answer.close()


def _key(spec: ActionSpec, secret: str) -> bytes:
    """The bytes of a secret: `whsec_…` is base64, anything else is itself."""
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX)) if secret.startswith(_PREFIX) else secret.encode()
    except binascii.Error:
        key = b""
    if not key:
        raise ConfigError(
            f"{spec.place}.webhook.secret: what it names is empty, or no base64 behind {_PREFIX}",
            place=Place(spec.file),
            hint="take 24 random bytes or more",
        )
    return key


def _digest(calls: Iterable[ActionCall]) -> str:
    return hashlib.sha256("\n".join(text for call in calls for text in (call.rule, call.id)).encode()).hexdigest()


def _unreachable(error: urllib3.exceptions.HTTPError) -> str:
    match error:
        case urllib3.exceptions.NameResolutionError():
            return "nobody knows the receiver's name"
        case urllib3.exceptions.NewConnectionError():
            return "the receiver cannot be reached"
        case urllib3.exceptions.ConnectTimeoutError():
            return "nobody takes the connection in time"
        case urllib3.exceptions.TimeoutError():
            return "the receiver does not answer in time"
        case urllib3.exceptions.SSLError():
            return "the receiver's certificate is not accepted"
        case _:
            return "the connection broke before the receiver answered"


def _retry_after(text: str | None) -> float | None:
    """Seconds of a Retry-After header, which has seconds or a date."""
    if text is None:
        return None
    if text.strip().isdecimal():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
