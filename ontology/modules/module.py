"""Ontology modules: which files they are, what each declares and imports."""

from __future__ import annotations

import hashlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from pyoxigraph import BlankNode, NamedNode, Quad, RdfFormat, Triple, parse, serialize

from ...errors import OntologyError, Place
from ...storage import COMPRESSIONS, UNPACKING_ERRORS, uncompressed_name, unpack
from ..terms import IMPORTS, ONTOLOGY, TYPE, VERSION_IRI
from .document_heads import DocumentHead, DocumentHeads
from .ontology_names import find_named
from .shipped_ontologies import SHIPPED
from .syntaxes import SUFFIXES, RdfSyntax, Reading, syntax_of
from .unread_triples import UnreadTriples

_GLOB = frozenset("*?[")
# Python's interpreter lock is given up between two steps.
_STEP = 5_000
RULES = "rules"
"""The module of what rules state."""
_RULE_GRAPH = "urn:kaicep:rule:"


@dataclass(frozen=True, slots=True)
class Module:
    """One ontology document.

    Attributes:
        source: its file, as the project names it, for messages.
        triples: what it says; its blank nodes are its own.
        digest: SHA-256 of its text, in hex.
        declares: ontology and version IRIs that it is known by.
        imports: ontology IRIs that it asks for, in order.
        imported: whether it is here only because another module imports it.
        base: IRI that its relative IRIs are resolved against; `None`: it has none, and says the same wherever it lies.
        origins: of triples that rules have stated, the rules.
    """

    source: str
    triples: Sequence[Triple] = field(repr=False, compare=False)
    digest: str
    declares: frozenset[str]
    imports: tuple[str, ...]
    imported: bool = False
    base: str | None = None
    origins: Mapping[Triple, str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def parse(
        cls,
        source: str,
        content: bytes,
        syntax: RdfSyntax | None = None,
        base: str | None = None,
        reading: Reading | None = None,
    ) -> Module:
        """Read a document.

        Args:
            source: file name for messages.
            content: the document, UTF-8 (XML: as its declaration says).
            syntax: by default that of the file name.
            base: IRI that relative ones are resolved against.
            reading: hears how much of it is read.

        Raises:
            OntologyError: the document is not of that syntax, with line and column.
        """
        digest = hashlib.sha256(content).hexdigest()
        content = content.removeprefix(BOM_UTF8)  # editors of Windows write it, and grammars lack it
        syntax = syntax or syntax_of(source, content.decode(errors="replace"))
        triples = tuple(_standardised_apart(syntax.read(source, content, base, reading), digest[:12]))
        own = base if base is not None and _names_files(triples) else None
        return cls(source, triples, digest, _declared(triples), _imported(triples), base=own)

    @classmethod
    def load(cls, path: Path, root: Path, heads: DocumentHeads | None = None) -> Module:
        """Read a file.

        Args:
            path: the file.
            root: the folder that its name in messages is relative to.
            heads: what is known of documents that were read before: then its triples are read when they are needed.

        Raises:
            OntologyError: an unreadable file, or not of the syntax that its name says.
        """
        source = _source(path, root)
        content, suffix = _content(path, source), Path(uncompressed_name(path.name)).suffix.lower()
        base = path.resolve().as_uri()
        if heads is None:
            return cls.parse(source, content, base=base)
        digest = hashlib.sha256(content).hexdigest()
        head = heads.find(digest, suffix, base)
        if head is None:
            module = cls.parse(source, content, base=base)
            said = DocumentHead(tuple(sorted(module.declares)), module.imports, len(module.triples), module.base)
            heads.keep(digest, suffix, said)
            return module
        unread = UnreadTriples(head.triples, lambda: cls.parse(source, content, base=base).triples)
        return cls(source, unread, digest, frozenset(head.declares), head.imports, base=head.base)

    def stater(self, triple: Triple) -> str:
        """Who states a triple of it, for messages: its file, and the rule if one has."""
        rule = self.origins.get(triple)
        return self.source if rule is None else f"{self.source} (rule {rule})"


def nquads(module: Module) -> bytes:
    """What a module says, as N-Quads, whose graphs are the rules that say it; blank nodes keep their names."""
    if not module.origins:
        return ntriples(module)
    graphs = {rule: NamedNode(_RULE_GRAPH + quote(rule, safe="")) for rule in module.origins.values()}
    quads = (Quad(t.subject, t.predicate, t.object, graphs[module.origins[t]]) for t in module.triples)
    return serialize(quads, format=RdfFormat.N_QUADS) or b""


def parse_nquads(text: bytes) -> tuple[tuple[Triple, ...], Mapping[Triple, str]]:
    """The triples of N-Quads, blank nodes by their names, and of those that rules have stated the rules.

    Raises:
        SyntaxError: no N-Quads.
    """
    if _RULE_GRAPH.encode() not in text:
        return parse_ntriples(text), {}
    quads = tuple(parse(text, format=RdfFormat.N_QUADS))
    names = {quad.triple: quad.graph_name for quad in quads}
    rules = {
        triple: unquote(graph.value.removeprefix(_RULE_GRAPH))
        for triple, graph in names.items()
        if isinstance(graph, NamedNode)
    }
    return tuple(names), rules


def ntriples(module: Module) -> bytes:
    """What a module says, as N-Triples; blank nodes keep their names."""
    steps = (module.triples[i : i + _STEP] for i in range(0, len(module.triples), _STEP))
    return b"".join(serialize(step, format=RdfFormat.N_TRIPLES) or b"" for step in steps)


def parse_ntriples(text: bytes) -> tuple[Triple, ...]:
    """The triples of N-Triples, blank nodes by their names.

    Raises:
        SyntaxError: no N-Triples.
    """
    return tuple(quad.triple for quad in parse(text, format=RdfFormat.N_TRIPLES))


def find_modules(patterns: Sequence[str], root: Path) -> tuple[Path, ...]:
    """The files that the patterns and names of ontologies stand for: in their order, of one pattern by name, each once.

    Raises:
        OntologyError: a pattern that names no file, or a name of no ontology.
    """
    found: dict[Path, None] = {}
    for pattern in patterns:
        paths = find_named(pattern, root) or _matching(pattern, root)
        if not paths:
            raise OntologyError(
                f"no ontology module '{pattern}' in {root}",
                hint=f'knowledge.modules takes files and patterns such as "ontologies/*.ttl" ({", ".join(SUFFIXES)}; '
                f'{", ".join(COMPRESSIONS)} of them), and names such as "brick:1.5"',
            )
        found.update(dict.fromkeys(paths))
    return tuple(found)


def _content(path: Path, source: str) -> bytes:
    """What a file holds, unpacked."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise OntologyError(f"cannot read the module: {error.strerror}", place=Place(source)) from error
    try:
        return unpack(path.name, content)
    except UNPACKING_ERRORS as error:
        hint = f"is it a whole {path.suffix} file? else drop that suffix"
        raise OntologyError(f"cannot unpack the module: {error}", place=Place(source), hint=hint) from error


def _source(path: Path, root: Path) -> str:
    """How messages call a file: from the folder of the project, or from that of what is shipped."""
    if path.is_relative_to(root):
        return str(path.relative_to(root))
    return f"ontologies/{path.relative_to(SHIPPED)}" if path.is_relative_to(SHIPPED) else str(path)


def _matching(pattern: str, root: Path) -> list[Path]:
    path = root / pattern
    if not _GLOB & set(pattern) or path.exists():
        return [path] if path.is_file() else []
    anchor = Path(path.anchor)
    base, relative = (anchor, str(path.relative_to(anchor))) if Path(pattern).is_absolute() else (root, pattern)
    return sorted(found for found in base.glob(relative) if found.is_file())


def _standardised_apart(triples: Sequence[Triple], digest: str) -> Iterator[Triple]:
    """The triples with blank nodes that clash with those of no other document.

    Their names depend on the content only: the same document gives the same names on every machine.
    """
    names: dict[BlankNode, BlankNode] = {}

    def renamed(node: BlankNode) -> BlankNode:
        return names.setdefault(node, BlankNode(f"b{digest}n{len(names)}"))

    for triple in triples:
        subject, value = triple.subject, triple.object
        own_subject = renamed(subject) if isinstance(subject, BlankNode) else subject
        own_value = renamed(value) if isinstance(value, BlankNode) else value
        own = own_subject is subject and own_value is value
        yield triple if own else Triple(own_subject, triple.predicate, own_value)


def _names_files(triples: Sequence[Triple]) -> bool:
    """Whether an IRI is of a file, as a relative one becomes."""
    terms = (term for triple in triples for term in triple)
    return any(isinstance(term, NamedNode) and term.value.startswith("file:") for term in terms)


def _declared(triples: Sequence[Triple]) -> frozenset[str]:
    ontologies = {t.subject for t in triples if t.predicate == TYPE and t.object == ONTOLOGY}
    importing = {t.subject for t in triples if t.predicate == IMPORTS}
    versions = {t.object for t in triples if t.predicate == VERSION_IRI}
    return frozenset(node.value for node in ontologies | importing | versions if isinstance(node, NamedNode))


def _imported(triples: Sequence[Triple]) -> tuple[str, ...]:
    wanted = [t.object.value for t in triples if t.predicate == IMPORTS and isinstance(t.object, NamedNode)]
    return tuple(dict.fromkeys(wanted))
