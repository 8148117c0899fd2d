"""IRIs within a text, written as prefixed names."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["with_prefixes"]

_IRI = re.compile(r"<([^<>\s]*[#/:])([A-Za-z_][\w-]*)>")


def with_prefixes(text: str, prefixes: Mapping[str, str]) -> str:
    """The text with IRIs written as prefixed names where a prefix fits."""
    names = {namespace: prefix for prefix, namespace in prefixes.items()}

    def shorten(found: re.Match[str]) -> str:
        prefix = names.get(found[1])
        return found[0] if prefix is None else f"{prefix}:{found[2]}"

    return _IRI.sub(shorten, text)
