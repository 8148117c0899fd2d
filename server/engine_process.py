"""The engine of a project as a child process: begun, watched, begun again when it ends, and stopped.

It goes on when the server is killed, and the next server finds it; see docs/decisions/339.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Sequence

__all__ = ["EngineProcess"]

_LOOK_S = 2.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S, _STEADY_S = 1.0, 60.0, 60.0
"""After an end it is begun again; after each further one later, until it has run for a minute."""
_PATIENCE_S = 60.0
"""It ends itself by then, whatever it does; see `pipeline.hosting.Signals`."""


class EngineProcess:
    """Keeps an engine running from `start` to `stop`, unless another process does.

    Args:
        command: the words that run it.
        elsewhere: whether another process runs the engine of the project now.
        say: takes a line of the log.
        first_pause: seconds before it is begun again.

    Attributes:
        ended: why it does not run; empty: it does, or is not there yet.
    """

    def __init__(
        self,
        command: Sequence[str],
        elsewhere: Callable[[], bool],
        say: Callable[[str], None],
        first_pause: float = _FIRST_PAUSE_S,
    ) -> None:
        self._command, self._elsewhere, self._say = list(command), elsewhere, say
        self._first_pause = first_pause
        self._child: subprocess.Popen[bytes] | None = None
        self._beginning = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="kaicep-engine", daemon=True)
        self.ended = ""

    @property
    def process(self) -> int | None:
        """Its process number; `None`: this server runs none."""
        child = self._child
        return None if child is None else child.pid

    def start(self) -> None:
        """Begin it, and watch it from now on."""
        self._thread.start()

    def stop(self, patience: float = _PATIENCE_S) -> None:
        """Ask it to end, and wait until it has: the batch at work is done first.

        Args:
            patience: seconds; one that has not ended then is killed, and loses nothing by that.
        """
        with self._beginning:
            self._stopping.set()
            child = self._child
        if child is not None:
            child.terminate()
            try:
                child.wait(patience)
            except subprocess.TimeoutExpired:
                self._say("the engine does not end; it is killed")
                child.kill()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        pause = self._first_pause
        told = False
        while not self._stopping.is_set():
            if self._elsewhere():
                if not told:
                    self._say("an engine of the project runs already: it goes on when this server ends")
                told = True
                self._stopping.wait(_LOOK_S)
                continue
            told = False
            began = time.monotonic()
            code = self._run()
            if code is None or self._stopping.is_set():
                return
            pause = self._first_pause if time.monotonic() - began > _STEADY_S else pause
            self.ended = f"the engine has ended, exit code {code}; it is begun again"
            self._say(f"{self.ended} in {pause:g} s")
            self._stopping.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def _run(self) -> int | None:
        """Run it to its end; give its exit code, or `None` if it is not to begin any more."""
        with self._beginning:
            if self._stopping.is_set():
                return None
            # A session of its own: Ctrl-C goes to the server, which stops it.
            self._child = subprocess.Popen(  # noqa: S603 - our own command
                self._command, stdin=subprocess.DEVNULL, start_new_session=True
            )
        self.ended = ""
        self._say(f"the engine is process {self._child.pid}")
        code = self._child.wait()
        self._child = None
        return code
