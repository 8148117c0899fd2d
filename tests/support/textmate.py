"""A TextMate tokeniser, as much of one as our grammar needs, on Oniguruma, the expressions' own engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import onigurumacffi

__all__ = ["Token", "patterns", "tokenise"]

Rule = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of text and its scopes, the innermost last."""

    text: str
    scopes: tuple[str, ...]


@cache
def _compiled(pattern: str) -> Any:
    return onigurumacffi.compile(pattern)


def patterns(grammar: Rule) -> Iterator[str]:
    """Every regular expression of a grammar."""
    for key, value in grammar.items():
        if key in {"match", "begin", "end"}:
            yield str(value)
        for inner in [value] if isinstance(value, dict) else value if isinstance(value, list) else []:
            if isinstance(inner, dict):
                yield from patterns(inner)


def tokenise(grammar: Rule, text: str) -> list[Token]:
    """Tokens of a text, line by line; blank ones are left out."""
    tokens: list[Token] = []
    stack: list[Rule] = [grammar]
    for line in text.split("\n"):
        place = 0
        while place <= len(line):
            found = _next(grammar, stack, line, place)
            if found is None:
                _add(tokens, line[place:], stack)
                break
            match, rule, kind = found
            _add(tokens, line[place : match.start()], stack)
            if kind == "end":
                _captured(tokens, match, rule.get("endCaptures", {}), stack)
                stack.pop()
            elif kind == "begin":
                stack.append(rule)
                _captured(tokens, match, rule.get("beginCaptures", {}), stack)
            else:
                _captured(tokens, match, rule.get("captures", {}), [*stack, rule])
            place = match.end() if match.end() > place or kind != "match" else place + 1
            if kind == "end" and match.end() == len(line):
                break
    return tokens


def _next(grammar: Rule, stack: list[Rule], line: str, place: int) -> tuple[Any, Rule, str] | None:
    """The first match from a place on; of several there, the first rule's."""
    top = stack[-1]
    candidates = [(top["end"], top, "end")] if "end" in top else []
    for rule in _flat(grammar, top.get("patterns", [])):
        kind = "begin" if "begin" in rule else "match"
        candidates.append((rule[kind], rule, kind))
    best = None
    for pattern, rule, kind in candidates:
        match = _compiled(pattern).search(line, place)
        if match is not None and (best is None or match.start() < best[0].start()):
            best = (match, rule, kind)
    return best


def _flat(grammar: Rule, rules: list[Rule]) -> Iterator[Rule]:
    for rule in rules:
        if "include" in rule:
            target = grammar["repository"][rule["include"].removeprefix("#")]
            yield from _flat(grammar, [target] if {"match", "begin"} & set(target) else target["patterns"])
        else:
            yield rule


def _scopes(stack: list[Rule]) -> tuple[str, ...]:
    names = [rule.get(key) for rule in stack[1:] for key in ("name", "contentName")]
    return tuple(name for name in names if name)


def _add(tokens: list[Token], text: str, stack: list[Rule]) -> None:
    if text.strip():
        tokens.append(Token(text, _scopes(stack)))


def _captured(tokens: list[Token], match: Any, captures: Mapping[str, Rule], stack: list[Rule]) -> None:
    """The matched text, its captures with their own scopes."""
    if not captures:
        _add(tokens, match.group(0), stack)
    for number, capture in captures.items():
        if match.group(int(number)):
            tokens.append(Token(match.group(int(number)), (*_scopes(stack), capture["name"])))
