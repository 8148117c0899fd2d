"""What passes is told from what does not."""

from __future__ import annotations

import errno
import os

import pytest
from kaicep.errors import ArchiveError
from kaicep.storage import is_transient


def caused_by(cause: BaseException) -> ArchiveError:
    error = ArchiveError("the log cannot be written")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EMFILE, errno.EDQUOT, errno.EACCES])
def test_what_is_wrong_with_the_machine_passes(number: int) -> None:
    error = OSError(number, os.strerror(number), "/state/log")
    assert is_transient(error)
    assert is_transient(caused_by(error))
    assert is_transient(RuntimeError(f"java.io.IOException: /state/offsets/7: {os.strerror(number)}"))


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOENT, "No such file"), ValueError("no"), OSError("no")],
)
def test_what_is_wrong_with_the_project_does_not(error: Exception) -> None:
    assert not is_transient(error)
    assert not is_transient(caused_by(error))
