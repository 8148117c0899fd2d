"""IRI templates: the IRI of an individual from a value, and the value back from the IRI.

`ex:{}` percent-encodes the value, `ex:{+}` takes it as it is (a value that makes no IRI then names nothing), and `{}`
alone is an IRI as a whole. Either way different values have different IRIs.

Source: RFC 6570 (`{var}` and `{+var}`), but for `%`, which `{+}` does not encode; R2RML `rr:template`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote

import polars as pl
from pyoxigraph import NamedNode

ENCODED, AS_IT_IS = "{}", "{+}"
_RESERVED = r"[^A-Za-z0-9_.~-]"


@dataclass(frozen=True, slots=True)
class IriTemplate:
    """A template.

    Attributes:
        before: what stands before the value.
        after: what stands after it.
        encoded: whether the value is percent-encoded, with nothing safe but RFC 3986's unreserved characters.
    """

    before: str
    after: str
    encoded: bool

    @classmethod
    def parse(cls, text: str) -> IriTemplate:
        """Read a template whose prefix is expanded.

        Raises:
            ValueError: it makes no IRI, or has not exactly one place for the value.
        """
        mark = AS_IT_IS if AS_IT_IS in text else ENCODED
        before, found, after = text.partition(mark)
        if not found or ENCODED in before + after or AS_IT_IS in after:
            raise ValueError(text)
        if before or after:
            NamedNode(f"{before}x{after}")
        return cls(before, after, encoded=mark == ENCODED and bool(before or after))

    def __str__(self) -> str:
        return f"{self.before}{ENCODED if self.encoded else AS_IT_IS}{self.after}"

    def iri(self, value: str) -> str | None:
        """The IRI of a value; `None`: it makes none."""
        text = self.before + (quote(value, safe="") if self.encoded else value) + self.after
        return text if self.encoded or is_iri(text) else None

    def iris(self, values: pl.Series) -> pl.Series:
        """The IRIs of distinct values, null where one makes none."""
        if self.encoded:
            return self.before + quote_distinct(values) + self.after
        return pl.Series(values.name, [None if v is None else self.iri(v) for v in values], dtype=pl.String)

    def value(self, iri: str) -> str | None:
        """The value whose IRI this is; `None`: that of no value."""
        start, stop = len(self.before), len(iri) - len(self.after)
        if start > stop or not iri.startswith(self.before) or not iri.endswith(self.after):
            return None
        return unquote(iri[start:stop]) if self.encoded else iri[start:stop]

    def values(self, iris: pl.Series) -> pl.Series:
        """The values whose IRIs these are, once per distinct IRI; an IRI of no value is its own."""
        distinct = iris.drop_nulls().unique()
        values = [iri if (value := self.value(iri)) is None else value for iri in distinct]
        return iris.replace_strict(distinct, pl.Series(values, dtype=pl.String), default=None, return_dtype=pl.String)

    def makes(self, iris: Iterable[str]) -> list[str]:
        """Those of some IRIs that a value has."""
        return [iri for iri in iris if (value := self.value(iri)) is not None and self.iri(value) == iri]


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI."""
    try:
        NamedNode(text)
    except ValueError:
        return False
    return True


def quote_distinct(values: pl.Series) -> pl.Series:
    """Text percent-encoded with nothing safe but RFC 3986's unreserved characters; nulls kept."""
    reserved = values.filter(values.str.contains(_RESERVED)).unique().to_list()
    if not reserved:
        return values
    return values.replace(reserved, [quote(value, safe="") for value in reserved])
