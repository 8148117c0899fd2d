"""What a request of the SPARQL Protocol asks: by GET, by a form, or by its body itself.

Source: SPARQL 1.1 Protocol, 2.1 and 2.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from email.message import Message
from urllib.parse import parse_qsl

import pyoxigraph as ox

from ..problem import ProblemError

__all__ = ["ProtocolRequest", "content_type_of", "fields_of", "of_body", "of_url"]

_FORM, _QUERY, _UPDATE = "application/x-www-form-urlencoded", "application/sparql-query", "application/sparql-update"
_MOST_FIELDS = 1_000

Fields = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ProtocolRequest:
    """A query or an update, and the dataset that the request names.

    Attributes:
        query: its text; `None`: it is an update, or nothing at all.
        update: likewise.
        default: `default-graph-uri`, of updates `using-graph-uri`, in order.
        named: `named-graph-uri`, of updates `using-named-graph-uri`.
    """

    query: str | None
    update: str | None
    default: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


def fields_of(query_string: str) -> Fields:
    """The fields of the query string of an address.

    Raises:
        ProblemError: they are no UTF-8: nobody would know that another letter is asked for.
    """
    return _fields(query_string, "address")


def of_url(fields: Fields) -> ProtocolRequest:
    """What a GET asks.

    Args:
        fields: of its query string.

    Raises:
        ProblemError: it asks several things, or for an update.
    """
    if any(name == "update" for name, _ in fields):
        raise ProblemError(400, "updates are not for GET", "POST it", Allow="POST")
    return _request(_only("query", fields), None, fields)


def of_body(content_type: str | None, body: bytes, fields: Fields) -> ProtocolRequest:
    """What a POST asks.

    Args:
        content_type: its header.
        body: of the request.
        fields: of its query string.

    Raises:
        ProblemError: 415, it is in no form that is known; 400, it asks nothing, or several things.
    """
    media, charset = content_type_of(content_type)
    if charset not in (None, "utf-8", "utf8"):
        raise ProblemError(415, f"the body is in {charset}", "send UTF-8")
    if media not in (_FORM, _QUERY, _UPDATE):
        said = "the request does not say what its body is" if media is None else f"{media} is no form of a query"
        raise ProblemError(415, said, f"send it as {_QUERY}, {_UPDATE} or {_FORM}", Accept_Post=f"{_QUERY}, {_FORM}")
    text = _text(body)
    if media == _FORM:
        whole = [*fields, *_fields(text, "form")]
        query, update = _only("query", whole), _only("update", whole)
        if (query is None) == (update is None):
            raise ProblemError(400, "the form has neither query nor update, or both", "send one of them")
        return _request(query, update, whole)
    if any(name in ("query", "update") for name, _ in fields):
        raise ProblemError(400, "the request has a query in its address and another one as its body", "send one")
    return _request(text, None, fields) if media == _QUERY else _request(None, text, fields)


def content_type_of(header: str | None) -> tuple[str | None, str | None]:
    """Media type and charset, in lower case, of a header `Content-Type`."""
    if not header:
        return None, None
    message = Message()
    message["Content-Type"] = header
    charset = message.get_content_charset()
    return message.get_content_type(), charset


def _request(query: str | None, update: str | None, fields: Fields) -> ProtocolRequest:
    names = ("default-graph-uri", "named-graph-uri")
    if update is not None:
        names = ("using-graph-uri", "using-named-graph-uri")
    default, named = (tuple(_graphs(name, fields)) for name in names)
    return ProtocolRequest(query, update, default, named)


def _graphs(wanted: str, fields: Fields) -> Iterable[str]:
    for name, value in fields:
        if name == wanted:
            try:
                yield ox.NamedNode(value).value
            except ValueError as error:
                raise ProblemError(400, f"{wanted}: '{value}' is no IRI: {error}", "name an absolute one") from error


def _only(wanted: str, fields: Fields) -> str | None:
    found = [value for name, value in fields if name == wanted]
    if len(found) > 1:
        raise ProblemError(400, f"{wanted} is there {len(found)} times", "send one request for each")
    return found[0] if found else None


def _fields(text: str, what: str) -> Fields:
    try:
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise ProblemError(
            400, f"the {what} cannot be read: {error}", "encode it as UTF-8, in percent signs"
        ) from error


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise ProblemError(400, f"the body is no UTF-8, at byte {error.start}", "send UTF-8") from error
