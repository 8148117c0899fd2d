"""A bucket that does not answer is asked again for a while; one that refuses is not."""

from __future__ import annotations

import sys
import threading
import time

import pytest
from kaicep.errors import PipelineError, error_fields, error_of
from kaicep.storage import BucketFolder, S3Options, is_transient
from kaicep.storage.shared import bucket_client
from kaicep.storage.shared.bucket_client import asked, object_library
from support.buckets import KEYS, ObjectStorage


def test_a_bucket_that_comes_back_has_lost_nothing(object_storage: ObjectStorage) -> None:
    folder = object_storage.folder("job")
    folder.write("a", [b"1"])
    object_storage.stop()
    back = threading.Timer(1.0, object_storage.start)
    back.start()
    began = time.monotonic()
    assert bytes(folder.read("a")) == b"1"
    assert folder.create("b", b"2")
    assert time.monotonic() - began > 0.5
    back.join()


def test_one_that_stays_away_is_told(
    object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As what passes, here and in another process; and nobody learns of keys."""
    monkeypatch.setattr(bucket_client, "PATIENCE_S", 0.5)
    folder = object_storage.folder("job")
    object_storage.stop()
    for ask in (lambda: folder.write("a", [b"1"]), lambda: folder.create("a", b"1"), lambda: folder.read("a")):
        with pytest.raises(
            PipelineError, match=r"s3://bucket-\w+/job/a does not answer: .*\(no connection\).*begin again"
        ) as e:
            ask()
        assert is_transient(e.value)
        assert is_transient(error_of(error_fields(e.value)))
        assert e.value.__cause__ is not None
    assert f"{folder}/a does not answer (no connection); it is asked again" in caplog.text
    assert not any(secret in caplog.text + str(e.value) for secret in KEYS.values())


def test_what_refuses_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = object_library().exceptions
    questions = 0

    def answers(error: Exception) -> str:
        nonlocal questions
        questions = 0

        def question() -> None:
            nonlocal questions
            questions += 1
            raise error

        with pytest.raises(PipelineError) as told:
            asked("s3://b", question)
        assert questions == 1
        assert not is_transient(told.value)
        return str(told.value)

    body = "status code: 403 Forbidden: <Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>AKIA</AWSAccessKeyId>"
    assert answers(errors.PermissionDeniedError(body)).startswith(
        "s3://b refuses (403, SignatureDoesNotMatch): see whether"
    )
    assert "AKIA" not in answers(errors.PermissionDeniedError(body))
    assert answers(errors.UnauthenticatedError("?")).startswith("s3://b refuses")
    assert "endpoint, region and bucket" in answers(errors.GenericError("status code: 301 Moved"))
    assert "endpoint, region and bucket" in answers(errors.GenericError("status code: 400 <Code>BadRequest</Code>"))
    assert "cannot be used (NotSupportedError)" in answers(errors.NotSupportedError("no"))
    assert "there are no credentials for s3://b" in answers(errors.GenericError("PUT http://169.254.169.254/latest"))


def test_what_a_busy_server_says_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = object_library().exceptions
    waiting = [errors.GenericError(f"status code: {status}") for status in ("503 Slow Down", "429", "500", "409")]

    def question() -> int:
        if waiting:
            raise waiting.pop()
        return 7

    assert asked("s3://b", question) == 7


def test_a_connection_without_tls_is_allowed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    folder = BucketFolder("lake", "", S3Options("http://127.0.0.1:9", "us-east-1"))
    with pytest.raises(PipelineError, match=r"s3://lake is reached without TLS: .*allow_http"):
        folder.names()


def test_without_the_library_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(PipelineError, match=r"the client of S3 is not installed: .*pip install 'kaicep\[s3\]'"):
        BucketFolder("lake", "", S3Options()).names()
