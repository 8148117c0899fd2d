"""A bucket that may be away for a while: what is asked of it is asked again, and in the end told with what to do.

What it answers is told by its codes alone: bodies of refusals repeat requests, with the names of keys.
"""

from __future__ import annotations

import errno
import logging
import os
import re
import time
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...errors import PipelineError

if TYPE_CHECKING:
    from obstore.store import S3Store

__all__ = ["PATIENCE_S", "S3Options", "asked", "bucket_store", "object_library"]

T = TypeVar("T")

PATIENCE_S = 60.0
"""For so many seconds a bucket that does not answer is asked again."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
_LOG = logging.getLogger("kaicep")
_STATUS = re.compile(r"status code: (\d{3})")
_CODE = re.compile(r"<Code>(\w+)</Code>")
_NO_BUCKET = "NoSuchBucket"
_PASSING = {"408", "409", "425", "429"}
_FULL = re.compile(
    r"status code: 507|<Code>\w*(?:Quota|StorageFull|InsufficientStorage|InsufficientCapacity)\w*</Code>"
)
"""Who takes no more: 507; Ceph's QuotaExceeded; MinIO's XMinioStorageFull and XMinioAdminBucketQuotaExceeded."""
_NO_CREDENTIALS = re.compile(
    r"http://169\.254\.\d+\.\d+/|missing credential|no credential|credential provider", re.IGNORECASE
)
"""What is asked for a role, where there are no keys; a bucket may have such a word in its name."""


class S3Options(NamedTuple):
    """How a bucket is reached; credentials, and what is left out here, are in the environment (`AWS_…`).

    Attributes:
        endpoint: URL of the service; `None`: that of the environment, else Amazon's.
        region: of the bucket.
        allow_http: whether the endpoint may be without TLS.
    """

    endpoint: str | None = None
    region: str | None = None
    allow_http: bool = False


def object_library() -> Any:
    """The client of object stores.

    Raises:
        PipelineError: it is not installed.
    """
    try:
        import obstore  # noqa: PLC0415 - an extra, which other projects need not have
    except ImportError as error:
        raise PipelineError(
            "the client of S3 is not installed", hint="on every machine of the job: pip install 'kaicep[s3]'"
        ) from error
    return obstore


@lru_cache(16)
def bucket_store(bucket: str, options: S3Options) -> S3Store:
    """A client, kept by this process for all that is asked of a bucket."""
    object_library()
    from obstore.store import S3Store  # noqa: PLC0415 - see `object_library`

    given = {"endpoint": options.endpoint, "region": options.region}
    return S3Store(
        bucket,
        config={  # type: ignore[arg-type] # both are
            **{key: value for key, value in given.items() if value is not None},
            "copy_if_not_exists": "multipart",  # a copy has no condition; what puts the parts of one together has
        },
        client_options={
            **({"allow_http": True} if options.allow_http else {}),
            "connect_timeout": timedelta(seconds=5),
            "read_timeout": timedelta(seconds=20),
            "timeout": timedelta(minutes=5),
        },
        retry_config={"max_retries": 0},  # `asked` does it, and can be interrupted
    )


def asked(what: str, question: Callable[[], T], *, patience: float | None = None) -> T:
    """The answer of a bucket.

    Args:
        what: is asked, for messages: `s3://bucket/prefix`.
        question: may be asked more than once.
        patience: seconds; by default `PATIENCE_S`.

    Raises:
        FileNotFoundError: there is no such object.
        PipelineError: it does not answer, or refuses; of the former `is_transient` knows that it passes.
    """
    exceptions = object_library().exceptions
    deadline = time.monotonic() + (PATIENCE_S if patience is None else patience)
    pause = _FIRST_PAUSE_S
    while True:
        try:
            return question()
        except FileNotFoundError as error:
            raise _missing(what, error) from None
        except exceptions.BaseError as error:
            refusal = _refusal(what, error)
            if refusal is not None:
                raise refusal from refusal.__cause__  # what the library says has more in it than anybody should read
            if time.monotonic() + pause > deadline:
                raise _away(what, error) from TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
            if pause == _FIRST_PAUSE_S:
                _LOG.warning("%s does not answer (%s); it is asked again", what, _reason(error))
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)


def _missing(what: str, error: FileNotFoundError) -> PipelineError | FileNotFoundError:
    return _no_bucket(what) if _NO_BUCKET in str(error) else FileNotFoundError(errno.ENOENT, "there is no object", what)


def _full(what: str, error: Exception) -> PipelineError:
    """Asked again it would be full for as long as nobody makes room: whoever waits for that says so."""
    full = PipelineError(f"{what} takes no more ({_reason(error)})", hint="make room, or raise its quota")
    full.__cause__ = OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))
    return full


def _no_bucket(what: str) -> PipelineError:
    return PipelineError(f"there is no bucket for {what}", hint="make it, or name another one")


def _refusal(what: str, error: Exception) -> PipelineError | None:
    """The error of what asking again will not change; `None`: it may."""
    text, kind = str(error), type(error).__name__
    if _NO_BUCKET in text:
        return _no_bucket(what)
    if _FULL.search(text):
        return _full(what, error)
    if "BadScheme" in text:
        hint = "give an endpoint with https, or allow this one: [s3] allow_http = true, or AWS_ALLOW_HTTP=true"
        return PipelineError(f"{what} is reached without TLS", hint=hint)
    if _NO_CREDENTIALS.search(text.split("\n", 1)[0]):
        hint = "let the driver and all executors have AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role"
        return PipelineError(f"there are no credentials for {what}", hint=hint)
    status = _STATUS.search(text)
    if kind in ("PermissionDeniedError", "UnauthenticatedError") or (status and status[1] in ("401", "403")):
        hint = "see whether the credentials are right, and may list, read, write and delete there"
        return PipelineError(f"{what} refuses ({_reason(error)})", hint=hint)
    if status and status[1].startswith(("3", "4")) and status[1] not in _PASSING:
        hint = "see whether endpoint, region and bucket are right: [s3] in the project file, or AWS_…"
        return PipelineError(f"{what} refuses ({_reason(error)})", hint=hint)
    if kind not in ("GenericError", "JoinError", "PreconditionError"):
        return PipelineError(f"{what} cannot be used ({kind})", hint="write s3://bucket/prefix")
    return None


def _away(what: str, error: Exception) -> PipelineError:
    return PipelineError(
        f"{what} does not answer: {os.strerror(errno.ETIMEDOUT)} ({_reason(error)})",
        hint="see to the storage and begin again: what counted until now is there, and nothing else counts",
    )


def _reason(error: Exception) -> str:
    """What has gone wrong, without addresses, keys and bodies."""
    text = str(error)
    found = [match[1] for match in (_STATUS.search(text), _CODE.search(text)) if match]
    if found:
        return ", ".join(found)
    kind = re.search(r"kind: (Connect|Timeout|Request|Decode|Interrupted)", text)
    return {"Connect": "no connection", "Timeout": "no answer in time"}.get(kind[1] if kind else "", "it breaks off")
