"""Hostile variants of what is well formed: edits anywhere, long and deep repetitions, values that trip readers up."""

# ruff: noqa: E501 - tables of words

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

__all__ = ["VALUES", "hostile", "respelled"]

VALUES = (
    b"9999-12-31T23:59:59.999999Z", b"0001-01-01", b"-0001-01-01T00:00:00Z", b"2026-02-30", b"1e999", b"-1e-999", b"NaN",
    b"Infinity", b"9223372036854775808", b"-9223372036854775809", b"9" * 400, b"9" * 5_000, b"0x10", b"1_000", b"-0",
    b"", b" ", b"\t", b"\r", b"\n", b"\r\n", b"\x00", b"\x1b[2J", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xef\xbb\xbf",
    "\u202e\u2028\u0085".encode(), "e\u0301\U0001f600".encode(), b"\\ud800", b"\\u0000", b"..", b"../../etc/passwd",
    b"'", b'"', b'"""', b"\\", b"`", b"%", b"%s", b"{}", b"{0}", b"$", b"<", b">", b"&", b";", b",", b"=", b"#", b"@", b"null",
    b"true", b"x" * 300, b"x" * 100_000,
)  # fmt: skip
"""Of any format: ends of calendars and number ranges, broken text, what means something to some reader."""
_TIMES = (2, 10, 70, 300, 1_100, 8_000, 100_000)
_LARGEST = 300_000


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a text: where, how much of it, and what becomes of that.

    Attributes:
        kind: `delete`, `repeat`, `replace`, `insert`, `wrap` or `cut`.
        at: from 0 to 1, where it begins.
        length: of what is changed.
        token: what is put there, before and behind it.
        times: how often it is repeated.
    """

    kind: str
    at: float
    length: int
    token: tuple[bytes, bytes]
    times: int

    def of(self, text: bytes) -> bytes:
        """The changed text."""
        start = int(self.at * len(text))
        part = text[start : start + self.length]
        rest = text[start + self.length :]
        opening, closing = self.token
        match self.kind:
            case "delete":
                new = b""
            case "repeat":
                new = _repeated(part, self.times)
            case "replace":
                new = opening
            case "insert":
                new = opening + part
            case "wrap":
                new = _repeated(opening, self.times) + part + _repeated(closing, self.times)
            case _:
                new, rest = b"", b""
        return (text[:start] + new + rest)[:_LARGEST]


def _repeated(part: bytes, times: int) -> bytes:
    """A part repeated, but not so often that it becomes much larger than a variant may be."""
    return part * min(times, _LARGEST // max(len(part), 1) + 1)


def hostile(
    seeds: Sequence[bytes],
    tokens: Sequence[bytes] = (),
    brackets: Sequence[tuple[bytes, bytes]] = (),
    largest: int = _LARGEST,
) -> st.SearchStrategy[bytes]:
    """Variants of texts.

    Args:
        seeds: well-formed ones.
        tokens: words of their language.
        brackets: what can be nested in it.
        largest: bytes that a variant has.
    """
    words = st.sampled_from([*((token, b"") for token in (*tokens, *VALUES)), *brackets])
    places = st.floats(0, 1, exclude_max=True)
    edits = st.one_of(
        st.builds(
            Edit, st.sampled_from(["delete", "replace", "insert"]), places, st.integers(0, 20), words, st.just(1)
        ),
        st.builds(Edit, st.just("repeat"), places, st.integers(1, 200), words, st.sampled_from(_TIMES)),
        st.builds(
            Edit, st.just("wrap"), places, st.integers(0, 40), st.sampled_from(list(brackets)), st.sampled_from(_TIMES)
        )
        if brackets
        else st.nothing(),
        st.builds(Edit, st.just("cut"), places, st.just(0), words, st.just(1)),
    )
    changed = st.tuples(st.sampled_from(list(seeds)), st.lists(edits, min_size=1, max_size=3))
    return st.one_of(changed.map(lambda drawn: _edited(drawn)[:largest]), st.binary(max_size=300))


def respelled(seeds: Sequence[bytes], classes: Mapping[bytes, Sequence[bytes]]) -> st.SearchStrategy[bytes]:
    """Texts in which some words stand for others of their kind, so that most of them mean something.

    Args:
        seeds: well-formed ones.
        classes: by regular expression, what may stand in the place of a word that it matches.
    """
    pattern = re.compile(b"|".join(b"(" + word + b")" for word in classes), re.IGNORECASE)
    choices = list(classes.values())

    @st.composite
    def texts(draw: st.DrawFn) -> bytes:
        text = draw(st.sampled_from(list(seeds)))
        for _ in range(draw(st.integers(1, 2))):
            words = list(pattern.finditer(text))
            if words:
                word = draw(st.sampled_from(words))
                other = draw(st.sampled_from(choices[(word.lastindex or 1) - 1]))
                text = text[: word.start()] + other + text[word.end() :]
        return text

    return texts()


def _edited(drawn: tuple[bytes, Sequence[Edit]]) -> bytes:
    text, edits = drawn
    for edit in edits:
        text = edit.of(text)
    return text
