"""A program is run for each call: without a shell, values as arguments, the whole call as JSON on standard input."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from ...errors import ConfigError, Place
from .action import ActionSpec, DeliveryError
from .call import ActionCall
from .call_template import CallTemplate

__all__ = ["CommandAction"]

_SHOWN = 200


class CommandAction:
    """Runs a program; see `Action`.

    Args:
        spec: what it is made of.
        words: the program, and templates of its arguments.
    """

    def __init__(self, spec: ActionSpec, words: Sequence[str]) -> None:
        self.batch = 1
        self._spec, self._program = spec, words[0]
        self._arguments = [
            CallTemplate.parse(spec, f"command.{place}", word) for place, word in enumerate(words[1:], 1)
        ]
        self.needs = frozenset[str]().union(*(template.names for template in self._arguments))

    def check(self) -> None:
        """See `Action.check`."""
        if self._found() is None:
            raise ConfigError(
                f"{self._spec.place}.command: there is no program '{self._program}'",
                place=Place(self._spec.file),
                hint="name one that may be run, by its path or as PATH has it",
            )

    def send(self, calls: Sequence[ActionCall]) -> None:
        """See `Action.send`."""
        for number, call in enumerate(calls):
            try:
                self._run(call)
            except DeliveryError as error:
                error.delivered = number
                raise

    def close(self) -> None:
        """See `Action.close`."""

    def _found(self) -> str | None:
        return shutil.which(self._program if os.sep not in self._program else self._spec.root / self._program)

    def _run(self, call: ActionCall) -> None:
        words = [self._found() or self._program, *self._words(call)]
        try:
            process = subprocess.Popen(  # noqa: S603 - the project file names the program, and no shell reads a value
                words,
                cwd=self._spec.root,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise DeliveryError(f"the program cannot be run: {error.strerror}") from error
        with process:
            try:
                _, said = process.communicate(call.to_json().encode(), self._spec.settings.timeout.total_seconds())
            except subprocess.TimeoutExpired:
                raise DeliveryError("the program takes too long") from None
            finally:
                with suppress(ProcessLookupError):  # what it has begun ends with it
                    os.killpg(process.pid, signal.SIGKILL)
        if process.returncode:
            last = said.decode(errors="replace").strip().rpartition("\n")[2][:_SHOWN]
            raise DeliveryError(f"the program ends with {process.returncode}{': ' if last else ''}{last}")

    def _words(self, call: ActionCall) -> list[str]:
        words: list[str] = []
        for template in self._arguments:
            word = template.filled(call)
            if "\0" in word:
                raise DeliveryError("an argument of a program cannot hold a zero byte", hopeless=True)
            if word.startswith("-") and template.begins_with_value and "--" not in words and not _is_number(word):
                raise DeliveryError(
                    f'the value {word[:_SHOWN]!r} would be an option of the program; write "--" before it',
                    hopeless=True,
                )
            words.append(word)
        return words


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
