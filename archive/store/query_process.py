"""SPARQL in a process of its own, which can be ended: Oxigraph itself answers until it is done."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from ...errors import ArchiveError, Place
from ..sparql import Result, SparqlRequest, Timeout, evaluate, is_intricate
from .oxigraph_folder import open_read_only

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
    # The answer comes from a process of this very program, so it can be trusted.
    content = pickle.dumps((copy, request.text, dict(prefixes), graphs))
    path = os.pathsep.join(folder for folder in sys.path if folder)
    with TemporaryFile() as said:
        said.write(content)
        said.seek(0)
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            stdin=said,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
    with process:
        try:
            answer, complaint = _communicate(process, timeout or Timeout(request))
        finally:
            process.kill()
    if process.returncode:
        last = complaint.decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        message, hint = f"the query's process ended without an answer: {last[0]}", "ask for less at once"
        if is_intricate(request.text):
            hint = "the query nests too deep, or links too much: write it in fewer brackets and operators"
        raise ArchiveError(message, place=Place("query"), hint=hint)
    result, error = pickle.loads(answer)  # noqa: S301 - see above
    if error is not None:
        message, place, hint = error
        raise ArchiveError(message, place=place, hint=hint)
    found: Result = result
    return found


def main() -> None:
    """Answer the request on the standard input of this process."""
    copy, text, prefixes, graphs = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - written by `ask_in_process`
    answer: tuple[Result | None, tuple[str, Place | None, str | None] | None]
    try:
        answer = (evaluate(open_read_only(copy), text, prefixes, graphs), None)
    except ArchiveError as error:
        answer = (None, (error.message, error.place, error.hint))
    sys.stdout.buffer.write(pickle.dumps(answer))


def _communicate(process: subprocess.Popen[bytes], timeout: Timeout) -> tuple[bytes, bytes]:
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=_POLL_S)
        timeout.check()
