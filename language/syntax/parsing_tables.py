"""The parser of the grammar, its tables kept beside Python's bytecode: making them takes ten times as long as reading.

What is kept is checked, not trusted to fit: tables of another grammar, another version of lark or of Python, or half a
file are made again. As with bytecode (PEP 3147) nothing is kept where that is not wanted or the folder is read-only.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.util import cache_from_source
from io import BytesIO
from pathlib import Path

import lark
from lark import Lark

from ...storage import write_atomically

__all__ = ["grammar_parser"]

_OPTIONS = {"parser": "lalr", "lexer": "contextual", "propagate_positions": True, "maybe_placeholders": False}
_GRAMMAR = "grammar.lark"


@cache
def grammar_parser() -> Lark:
    """The parser of χ-CEP: from the kept tables if they are those of the grammar, else made, and kept."""
    grammar = files(__package__).joinpath(_GRAMMAR).read_text(encoding="utf-8")
    path = _place()
    return _made(grammar) if path is None else _kept(grammar, path)


def _made(grammar: str) -> Lark:
    return Lark(grammar, **_OPTIONS)


def _kept(grammar: str, path: Path) -> Lark:
    """The parser whose tables are kept at `path`; made, and kept there, if they are not."""
    head, _, tables = _read(path).partition(b"\n")
    if head == _checksum(grammar, tables):
        return Lark.load(BytesIO(tables))
    parser = _made(grammar)
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            _keep(parser, grammar, path)
    return parser


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _keep(parser: Lark, grammar: str, path: Path) -> None:
    tables = BytesIO()
    parser.save(tables)
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path, sync_folder=False) as temporary:
        temporary.write_bytes(_checksum(grammar, tables.getvalue()) + b"\n" + tables.getvalue())


def _checksum(grammar: str, tables: bytes) -> bytes:
    """Of the tables and of all that they depend on."""
    made_of = "\0".join([grammar, repr(_OPTIONS), lark.__version__, sys.version])
    return sha256(made_of.encode() + b"\0" + tables).hexdigest().encode()


def _place() -> Path | None:
    """Where Python would keep the bytecode of a module beside the grammar; `None`: it keeps none."""
    if sys.implementation.cache_tag is None:
        return None
    return Path(cache_from_source(str(Path(__file__).with_name(_GRAMMAR)))).with_suffix(".tables")
