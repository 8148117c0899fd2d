"""Problem documents are the errors that they describe; a server that is none is told as such."""

from __future__ import annotations

import json
import socket
from unittest.mock import patch

import pytest
from kaicep import ConfigError, QueryTypeError
from kaicep.api.remote.remote_connection import Connection, RemoteError, error_of_problem

PLACE = {"source": "query", "line": 1, "column": 5, "length": 2, "text": "SELECT x"}


def test_a_problem_is_the_error_that_it_describes() -> None:
    told = {
        "type": "urn:kaicep:error:QueryTypeError",
        "detail": "no x",
        "hint": "write y",
        "place": PLACE,
        "notes": ["n"],
    }
    found = error_of_problem(422, "application/problem+json", json.dumps(told).encode())
    assert isinstance(found, QueryTypeError)
    assert str(found) == "query:1:5: no x\n  1 | SELECT x\n    |     ^^ write y"
    assert found.__notes__ == ["n"]


def test_one_without_a_kind_keeps_its_status() -> None:
    told = {"type": "urn:kaicep:error:KaicepError", "detail": "a token is needed"}
    found = error_of_problem(401, "application/problem+json", json.dumps(told).encode())
    assert isinstance(found, RemoteError)
    assert (found.status, found.message) == (401, "a token is needed")


@pytest.mark.parametrize("body", [b"<html>", b"{", b"[]"])
def test_what_is_no_problem_is_told_by_its_status(body: bytes) -> None:
    for kind in ("text/html", "application/problem+json"):
        found = error_of_problem(502, kind, body)
        assert str(found) == "the server answers with status 502: see that it is one of kaicep"


def test_where_no_server_is() -> None:
    with pytest.raises(ConfigError, match="'ops:8080' is no address of a server: write http://HOST:PORT"):
        Connection("ops:8080", None, 1.0)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(RemoteError, match="does not answer") as error:
        Connection(f"http://127.0.0.1:{port}", None, 5.0).json("GET", "/queries")
    assert error.value.status == 0


@pytest.mark.parametrize(
    ("url", "token", "why"),
    [
        ("http://ops:8080", "hush-hush-hush-hush\n", "the token has a space, a line break, or a letter"),
        ("http://ops:8080", "hush-hush-hush-hush\r", "the token has a space, a line break, or a letter"),
        ("http://ops:8080", "hush-hush hush-hush", "the token has a space, a line break, or a letter"),
        ("http://ops:8080", "hush-hush-hush-hüsh€", "the token has a space, a line break, or a letter"),
        ("http://ops:8080", "", "the token has a space, a line break, or a letter"),
        ("http://me:hush-hush-hush-hush@ops:8080/", None, "has a password in it, which is sent to nobody"),
        ("me:hush-hush-hush-hush@ops:8080", None, "has a password in it, which is sent to nobody"),
        ("ftp://me:hush-hush-hush-hush@ops", None, "has a password in it, which is sent to nobody"),
    ],
)
def test_what_is_secret_is_refused_and_not_repeated(url: str, token: str | None, why: str) -> None:
    """Of a token that is read from a file, the line break would be found by what writes headers, which shows all."""
    with pytest.raises(ConfigError, match=why) as error:
        Connection(url, token, 1.0)
    assert "hush" not in str(error.value)


def test_a_value_of_another_kind_is_no_answer() -> None:
    connection = Connection("http://ops", None, 1.0)
    with patch.object(connection, "json", return_value=["a", "b"]):
        assert connection.value(tuple[str, ...], "/streams") == ("a", "b")
        with pytest.raises(RemoteError, match="answers /streams otherwise than this version of kaicep reads"):
            connection.value(tuple[int, ...], "/streams")
