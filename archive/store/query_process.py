"""SPARQL in a process of its own, which can be ended: Oxigraph itself answers until it is done."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from ...errors import ArchiveError, Place, error_of
from ..sparql import Result, SparqlRequest, Timeout, answer_request, evaluate, is_intricate, select
from .oxigraph_folder import damaged

_POLL_S = 0.05


def ask_in_process(
    copy: Path,
    request: SparqlRequest,
    prefixes: Mapping[str, str],
    graphs: Sequence[str] | None,
    timeout: Timeout | None = None,
) -> Result:
    """As `sparql.evaluate`, in another process.

    Args:
        copy: the folder of a store that nobody writes.
        request: what is asked, and how long.
        prefixes: preset.
        graphs: whose union is the default graph; `None`: of all.
        timeout: of the request; `None`: it begins now.

    Raises:
        ArchiveError: the query is wrong, takes too long, or was cancelled.
    """
    asked = (request.text, dict(prefixes), graphs)
    found: Result = _in_process(copy, evaluate, asked, timeout or Timeout(request.timeout, request.cancelled))
    return found


def select_in_process(copy: Path, text: str, default: Sequence[str], named: Sequence[str], timeout: Timeout) -> bytes:
    """As `sparql.select`, in another process.

    Args:
        copy: the folder of a store that nobody writes.
        text: the query.
        default: names of the graphs whose union is the default graph.
        named: names of the graphs that GRAPH finds.
        timeout: when it is given up.

    Raises:
        ArchiveError: the query takes too long or too much, or was cancelled.
    """
    found: bytes = _in_process(copy, select, (text, list(default), list(named)), timeout)
    return found


def _in_process(copy: Path, do: Callable[..., object], asked: tuple[Any, ...], timeout: Timeout) -> Any:
    """What a function gives for a store and what is asked of it, the text first."""
    # The answer comes from a process of this very program, so it can be trusted.
    content = pickle.dumps((copy, do, asked))
    path = os.pathsep.join(folder for folder in sys.path if folder)
    with TemporaryFile() as said:
        said.write(content)
        said.seek(0)
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-c", f"from {answer_request.__module__} import answer_request; answer_request()"],
            stdin=said,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
    with process:
        try:
            answer, complaint = _communicate(process, timeout)
        finally:
            process.kill()
    if process.returncode:
        last = complaint.decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        message, hint = f"the query's process ended without an answer: {last[0]}", "ask for less at once"
        if is_intricate(asked[0]):
            hint = "the query nests too deep, or links too much: write it in fewer brackets and operators"
        raise ArchiveError(message, place=Place("query"), hint=hint)
    result, refused, unopened = pickle.loads(answer)  # noqa: S301 - see above
    if unopened is not None:
        raise damaged(copy, unopened)
    if refused is not None:
        raise error_of(refused)
    return result


def _communicate(process: subprocess.Popen[bytes], timeout: Timeout) -> tuple[bytes, bytes]:
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=_POLL_S)
        timeout.check()
