"""Events as JSON lines for a server: `POST /streams/NAME/events`."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import urllib3

from ...errors import PipelineError
from ...settings import found_secret, names_a_server
from .replay_target import TargetSpec

__all__ = ["HttpTarget"]

_PATIENCE_S = 60.0
_PAUSE_S = 1.0
_BUSY = frozenset({429, 502, 503, 504})


class HttpTarget:
    """A server; one that is behind is waited for, and one that is away for a while; see `ReplayTarget`.

    Args:
        spec: what it is made of.

    Raises:
        ConfigError: a secret is not there.
        PipelineError: the URL is none.
    """

    def __init__(self, spec: TargetSpec) -> None:
        if not names_a_server(spec.url):
            hint = "write http://server:8080/streams/NAME/events"
            raise PipelineError(f"'{spec.url}' is no address of a server", hint=hint)
        self._url = spec.url
        self._headers = {"Content-Type": "application/x-ndjson", "User-Agent": "kaicep"}
        if spec.token is not None:
            token = found_secret("--token", spec.token, Path(), "the command line")
            self._headers["Authorization"] = f"Bearer {token}"
        self._pool = urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(total=30.0), maxsize=1)

    patience = timedelta(seconds=_PATIENCE_S)
    texts = frozenset[str]()

    def send(self, events: Sequence[Mapping[str, Any]]) -> None:
        """See `ReplayTarget.send`: what was not acknowledged is sent again, and known there by its identity."""
        body = "".join(f"{json.dumps(event, ensure_ascii=False)}\n" for event in events).encode()
        away = 0.0
        while True:
            try:
                answer = self._pool.request("POST", self._url, body=body, headers=self._headers, redirect=False)
            except urllib3.exceptions.SSLError as error:
                hint = "see to its certificate, which an authority of this system has to vouch for, or write http://"
                raise PipelineError(f"no encrypted connection to {self._url}: {error}", hint=hint) from error
            except urllib3.exceptions.HTTPError as error:
                if away >= _PATIENCE_S:
                    hint = "see that kaicep serve runs there, and repeat what was not sent"
                    raise PipelineError(f"the server of {self._url} cannot be reached", hint=hint) from error
                pause = _PAUSE_S
                away += pause
            else:
                if 200 <= answer.status < 300:
                    return
                if answer.status not in _BUSY:
                    raise PipelineError(
                        f"the server answers {answer.status}: {_said(answer.data)}",
                        hint="see docs/server.md for what streams take posted events",
                    )
                pause = _seconds(answer.headers.get("Retry-After"))
                away = 0.0
            time.sleep(pause)

    def close(self) -> None:
        """See `ReplayTarget.close`."""
        self._pool.clear()


def _seconds(text: str | None) -> float:
    return float(text) if text is not None and text.strip().isdecimal() else _PAUSE_S


def _said(body: bytes) -> str:
    """What a problem document says, or the first line of something else."""
    try:
        document = json.loads(body)
        said = document.get("detail") or document.get("title")
    except (ValueError, AttributeError):
        said = None
    return str(said) if said else body.decode(errors="replace").strip().partition("\n")[0]
