"""Templates of texts in languages with terms, SPARQL and χ-CEP: `$room` becomes an argument's value, as a literal.

Inside of an IRI, `{room}` becomes the value percent-encoded, and `<{room}>` the IRI that the value is. So a value is
one term, whatever is written in it; in strings and comments nothing is replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ...language import quote as quoted
from .action import DeliveryError
from .call import ActionCall

__all__ = ["TermTemplate", "filled_name", "names_of"]

_TOKEN = re.compile(
    r'"""(?:(?:"|"")?(?:[^"\\]|\\.))*"""|'
    r"'''(?:(?:'|'')?(?:[^'\\]|\\.))*'''|"
    r'"(?:[^"\\\n\r]|\\.)*"|'
    r"'(?:[^'\\\n\r]|\\.)*'|"
    r'<(?P<iri>[^\x00-\x20<>"|^`\\]*)>|'
    r"\$(?P<name>[A-Za-z_]\w*)|"
    r"\#[^\n]*",
    re.DOTALL,
)
_IN_IRI = re.compile(r"\{([A-Za-z_]\w*)\}")
_DATE_TIME = "http://www.w3.org/2001/XMLSchema#dateTime"


@dataclass(frozen=True, slots=True)
class TermTemplate:
    """A template.

    Attributes:
        text: with the names of arguments in it.
    """

    text: str

    def filled(self, call: ActionCall) -> str:
        """The text for a call.

        Raises:
            DeliveryError: the call lacks a value, or one is a list.
        """
        values = call.values()
        return self._filled(lambda name: _literal(name, _value(values, name)), lambda name: str(_value(values, name)))

    @property
    def names(self) -> frozenset[str]:
        """The values that a call has to have."""
        found = set[str]()

        def noted(name: str) -> str:
            found.add(name)
            return name

        self._filled(noted, noted)
        return frozenset(found)

    def sample(self) -> str:
        """The text with values that fit everywhere."""
        return self._filled(quoted, lambda name: f"urn:{name}")

    def _filled(self, literal: Callable[[str], str], text: Callable[[str], str]) -> str:
        def replaced(token: re.Match[str]) -> str:
            if token["name"] is not None:
                return literal(token["name"])
            if token["iri"] is None:
                return token[0]
            whole = _IN_IRI.fullmatch(token["iri"])
            if whole is not None:
                return f"<{_iri(text(whole[1]))}>"
            return f"<{_IN_IRI.sub(lambda part: quote(text(part[1]), safe=''), token['iri'])}>"

        return _TOKEN.sub(replaced, self.text)


def filled_name(text: str, call: ActionCall) -> str:
    """A name in which `{room}` is an argument; what is no letter, digit or `_` of it becomes `_` and its number.

    Raises:
        DeliveryError: the call lacks a value.
    """
    values = call.values()
    return _IN_IRI.sub(lambda part: _named(str(_value(values, part[1]))), text)


def names_of(text: str) -> frozenset[str]:
    """The values that a call has to have to fill a name."""
    return frozenset(_IN_IRI.findall(text))


def _named(value: str) -> str:
    return re.sub(r"\W", lambda found: f"_{ord(found[0]):x}", value)


def _value(values: Mapping[str, Any], name: str) -> Any:
    value = values.get(name)
    if value is None or isinstance(value, list | dict):
        why = "is no single value" if value is not None else "has no value" if name in values else "is no argument"
        raise DeliveryError(f"the template needs ${name}, which {why}", hopeless=True)
    return value


def _literal(name: str, value: Any) -> str:
    if isinstance(value, str):
        return quoted(value) + (f"^^<{_DATE_TIME}>" if name == "_time" else "")
    text = json.dumps(value)
    return f"{text}e0" if isinstance(value, float) and "e" not in text else text


def _iri(text: str) -> str:
    if re.search(r'[\x00-\x20<>"{}|^`\\]', text):
        raise DeliveryError(f"the value {text[:200]!r} is no IRI", hopeless=True)
    return text
