"""The grammar as railroad diagrams, made of what lark reads of it: a page of the documentation site (mkdocs hook)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import railroad
from lark import Token, Tree
from lark.grammar import NonTerminal, Terminal
from lark.load_grammar import GrammarBuilder
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

GRAMMAR = Path(__file__).resolve().parents[2] / "language" / "syntax" / "grammar.lark"
PAGE = "railroad.md"
_TWICE = re.compile(r"(<text[^>]*>[^<]*</text>)\1")  # as the library writes what is a link
_LONG = 6  # parts of a rule that stand on one line
# A keyword ends where no letter follows; `events?` is written in two ways.
_KEYWORD = re.compile(r"/([A-Za-z]+\??)(?:\\b|\(\?!\[[^]]*\]\))/i?")
_SIGN = re.compile(r'"(.+)"|/\\?([^\w\s\\])(?:\(.*)?/')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page to those of the site."""
    files.append(File.generated(config, PAGE, content=page()))
    return files


def page(grammar: Path = GRAMMAR) -> str:
    """Return the page: a diagram for each rule that stands for itself, in the grammar's order."""
    rules = Rules(grammar.read_text(encoding="utf-8"))
    parts = [f'## {name}\n\n<div class="railroad">{rules.svg(name)}</div>\n' for name in rules.drawn]
    signs = [f"| `{name}` | `{pattern}` |" for name, pattern in rules.patterns()]
    head = (
        "# The grammar in pictures\n\n"
        "What the parser reads, rule by rule ([the language](language.md) says what it means). Boxes are rules, "
        "rounded ones words and signs of a query; words may be written in small letters as well.\n"
    )
    table = ["## Signs\n", "What is no word, as a regular expression.\n", "| sign | pattern |", "|---|---|", *signs]
    return "\n".join([head, *parts, *table, ""])


class Rules:
    """The rules of a grammar of lark, before it makes alternatives of what is optional."""

    def __init__(self, text: str) -> None:
        builder = GrammarBuilder()
        builder.load_grammar(text, "grammar")
        self._definitions = {str(name): definition for name, definition in builder._definitions.items()}  # noqa: SLF001 - lark has no other way

    @property
    def drawn(self) -> list[str]:
        """The rules with a diagram of their own; those that begin with `_` stand where they are used."""
        return [name for name, d in self._definitions.items() if not d.is_term and not name.startswith("_")]

    def svg(self, name: str) -> str:
        """The diagram of a rule."""
        text = io.StringIO()
        railroad.Diagram(self._rule(self._definitions[name].tree), type="complex").writeSvg(text.write)
        return _TWICE.sub(r"\1", text.getvalue())

    def _rule(self, tree: Any) -> Any:
        """The drawing of a rule; a long one goes on in the next line."""
        match tree:
            case Tree(data="expansions", children=[Tree(data="expansion", children=parts)]) if len(parts) > _LONG:
                drawn = self._sequence(parts, None)
                lines = [railroad.Sequence(*drawn[i : i + _LONG - 1]) for i in range(0, len(drawn), _LONG - 1)]
                return railroad.Stack(*lines)
            case _:
                return self._drawing(tree)

    def patterns(self) -> Iterator[tuple[str, str]]:
        """The terminals that diagrams name, and what they match."""
        for name, definition in self._definitions.items():
            if definition.is_term and not name.startswith("_") and self._said(name) == name and not self._word(name):
                yield name, self._pattern(name).replace("|", "\\|")

    def _pattern(self, name: str) -> str:
        tokens = self._definitions[name].tree.scan_values(lambda value: isinstance(value, Token))
        return " or ".join(str(token) for token in tokens if token.type in ("REGEXP", "STRING"))

    def _word(self, name: str) -> str:
        """The word that a terminal is; empty: it is none."""
        word = _KEYWORD.fullmatch(self._pattern(name))
        return word[1] if word is not None else ""

    def _said(self, name: str) -> str:
        """What a terminal is written as: its word, its sign, else its name."""
        pattern = self._pattern(name)
        if name == "PATH_BODY":  # masked before the grammar sees it
            return "{ SPARQL }"
        if word := self._word(name):
            return word
        if (sign := _SIGN.fullmatch(pattern)) is not None:
            return sign[1] or sign[2]
        return name

    def _drawing(self, part: Any, bound: Any = None) -> Any:
        """A part of a rule; `bound` is what the parameter of a template stands for."""
        match part:
            case Tree(data="expansions", children=ways):
                return self._ways(ways, bound)
            case Tree(data="expansion", children=[]):
                return railroad.Skip()
            case Tree(data="expansion", children=parts):
                return railroad.Sequence(*self._sequence(parts, bound))
            case Tree(data="alias" | "value", children=[one, *_]):
                return self._drawing(one, bound)
            case Tree(data="expr", children=[one, Token(value="?")]) | Tree(data="maybe", children=[one]):
                return railroad.Optional(self._drawing(one, bound))
            case Tree(data="expr", children=[one, Token(value="*")]):
                return railroad.ZeroOrMore(self._drawing(one, bound))
            case Tree(data="expr", children=[one, Token(value="+")]):
                return railroad.OneOrMore(self._drawing(one, bound))
            case Tree(data="template_usage", children=[NonTerminal(name=name), argument]):
                return self._drawing(self._definitions[str(name)].tree, argument)
            case NonTerminal(name="part") if bound is not None:
                return self._drawing(bound)
            case _:
                return self._symbol(part)

    def _symbol(self, part: Any) -> Any:
        match part:
            case Tree(data="literal", children=[Token() as literal]):
                return railroad.Terminal(str(literal).strip('"'))
            case NonTerminal(name=name) if str(name).startswith("_"):
                return self._drawing(self._definitions[str(name)].tree)
            case NonTerminal(name=name):
                return railroad.NonTerminal(str(name), href=f"#{name}")
            case Terminal(name=name):
                return railroad.Terminal(self._said(str(name)))
            case _:
                raise TypeError(f"the grammar has a {part!r}, which nobody has drawn yet")

    def _sequence(self, parts: Sequence[Any], bound: Any) -> list[Any]:
        """Parts one after the other; `x (sign x)*` is one loop with the sign on its way back."""
        drawn: list[Any] = []
        for part, after in zip(parts, [*parts[1:], None], strict=True):
            if drawn and drawn[-1] is None:  # the loop that the part before has drawn
                drawn.pop()
                continue
            match after:
                case Tree(data="expr", children=[Tree(children=[Tree(children=[sign, again])]), Token(value="*")]) if (
                    again == part
                ):
                    drawn += [railroad.OneOrMore(self._drawing(part, bound), self._drawing(sign, bound)), None]
                case _:
                    drawn.append(self._drawing(part, bound))
        return [one for one in drawn if one is not None]

    def _ways(self, ways: Sequence[Any], bound: Any) -> Any:
        """Alternatives; an empty one makes the others optional."""
        written = [way for way in ways if getattr(way, "children", True)]
        drawn = [self._drawing(way, bound) for way in written]
        choice = drawn[0] if len(drawn) == 1 else railroad.Choice(0, *drawn)
        return choice if len(written) == len(ways) else railroad.Optional(choice)
