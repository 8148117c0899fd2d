"""By what ids name individuals of a model: their IRIs, a part of these, or any literal that they have.

The best way is the one by which most ids name an individual, and each only one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from ...ontology import KnowledgeBase, select

__all__ = ["IdMatch", "match_ids"]

_LITERAL_PROPERTIES = "SELECT DISTINCT ?p { ?x ?p ?v FILTER (ISLITERAL(?v)) } ORDER BY ?p"
_ENDS = "#/:"
_TIMESERIES = ("timeseriesId", "hasTimeseriesId")
_LABELS = ("label", "prefLabel", "name")


@dataclass(frozen=True, slots=True)
class IdMatch:
    """A way from ids to individuals, and how far it goes.

    Attributes:
        template: IRI template with `{}` for the id percent-encoded or `{+}` as it is; `None`: they are found by `key`.
        key: IRI of the property whose value is the id; `None`: they are found by `template`.
        ignore_case: whether ids fit but for their case.
        named: id → IRI of the individual.
        unknown: the ids that name nobody, in order.
        of_class: IRI of the class whose individuals are meant, where ids are keys of others as well; `None`: any.
    """

    template: str | None
    key: str | None
    ignore_case: bool
    named: Mapping[str, str]
    unknown: tuple[str, ...]
    of_class: str | None = None

    @property
    def share(self) -> float:
        """How many of the ids name an individual, from 0 to 1."""
        return len(self.named) / max(len(self.named) + len(self.unknown), 1)


def match_ids(ids: Sequence[str], model: KnowledgeBase) -> tuple[IdMatch, ...]:
    """Find the ways by which ids name individuals, the best first; of equally good ones IRIs, series ids, labels.

    Args:
        ids: different ones.
        model: of what there is; what follows from it is not needed.
    """
    found = [match for match in _ways(ids, model) if match.named]
    return tuple(sorted(found, key=lambda match: (-len(match.named), match.ignore_case, _rank(match))))


def _ways(ids: Sequence[str], model: KnowledgeBase) -> Iterator[IdMatch]:
    individuals = sorted(model.individuals_below("", typed=True))
    for ignore_case in (False, True):
        yield from _by_iri(ids, individuals, ignore_case=ignore_case)
    for (prop,) in select(model.store, _LITERAL_PROPERTIES):
        known = model.keys(prop.value).individuals
        for ignore_case in (False, True):
            yield _by_text(ids, known, key=prop.value, ignore_case=ignore_case)


def _by_iri(ids: Sequence[str], individuals: Sequence[str], *, ignore_case: bool) -> Iterator[IdMatch]:
    """The whole IRI, and what stands behind each `#`, `/` and `:`, of the namespace that has most ids."""
    yield _by_text(ids, {iri: iri for iri in individuals}, template="{}", ignore_case=ignore_case)
    behind: dict[str, list[str]] = defaultdict(list)
    for iri in individuals:
        for place, letter in enumerate(iri):
            if letter in _ENDS and place + 1 < len(iri):
                behind[_folded(iri[place + 1 :], ignore_case)].append(iri)
    for mark, written in (("{}", lambda text: quote(text, safe="")), ("{+}", str)):
        spaces: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for text in ids:
            made = written(text)
            for iri in behind.get(_folded(made, ignore_case), ()):
                spaces[iri[: len(iri) - len(made)]][text].append(iri)
        counted = Counter({space: sum(len(iris) == 1 for iris in named.values()) for space, named in spaces.items()})
        for space, _ in counted.most_common(1):
            named = {text: iris[0] for text, iris in spaces[space].items() if len(iris) == 1}
            yield IdMatch(space + mark, None, ignore_case, named, _without(ids, named))


def _by_text(
    ids: Sequence[str],
    known: Mapping[str, str],
    *,
    template: str | None = None,
    key: str | None = None,
    ignore_case: bool,
) -> IdMatch:
    fitting: dict[str, set[str]] = defaultdict(set)
    for text, iri in known.items():
        fitting[_folded(text, ignore_case)].add(iri)
    named = {text: next(iter(iris)) for text in ids if len(iris := fitting.get(_folded(text, ignore_case), set())) == 1}
    return IdMatch(template, key, ignore_case, named, _without(ids, named))


def _without(ids: Iterable[str], named: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(text for text in ids if text not in named)


def _folded(text: str, ignore_case: bool) -> str:  # noqa: FBT001  # passed on
    return text.casefold() if ignore_case else text


def _rank(match: IdMatch) -> tuple[int, str]:
    if match.template is not None:
        return 0 if match.template == "{}" else 1 if match.template.endswith("{}") else 2, match.template
    local = (match.key or "").rpartition("#")[2].rpartition("/")[2]
    return 3 if local in _TIMESERIES else 4 if local in _LABELS else 5, match.key or ""
