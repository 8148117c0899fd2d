"""Errors of the machine that pass, or that somebody mends while a process waits: a full disk, a missing permission."""

from __future__ import annotations

import errno
import os
import re

__all__ = ["is_transient"]

_PASSING = (
    errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE,
    errno.ETIMEDOUT, errno.EAGAIN, errno.EACCES, errno.EPERM,
)  # fmt: skip
_AS_TOLD = re.compile("|".join(re.escape(os.strerror(number)) for number in _PASSING))


def is_transient(error: BaseException) -> bool:
    """Whether an error, or its cause, is one that passes; of other programs' errors, such as Java's, by their words."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno is not None:
            return cause.errno in _PASSING
        cause = cause.__cause__
    return _AS_TOLD.search(str(error)) is not None
