"""Digests of rows are the same in every process and version."""

from __future__ import annotations

import polars as pl
from kaicep.cep.output.digest import hex_digests, seeds_of


def test_a_digest_is_specified() -> None:
    """128 bits of XXH3 with two seeds: a row's `_id` must not change between versions."""
    seeds = seeds_of("query")
    assert seeds_of("query") == seeds != seeds_of("other")
    (digest,) = hex_digests([pl.Series(["a"]), pl.Series(["b"])], "\x1f", seeds).to_pylist()
    assert digest == hex_digests([pl.Series(["a\x1fb"])], "\x1f", seeds)[0].as_py()
    assert len(digest) == 32
    assert set(digest) <= set("0123456789abcdef")


def test_texts_and_seeds_tell_digests_apart() -> None:
    texts = [pl.Series(["a", "b", "a"])]
    one, other = (hex_digests(texts, "\x1f", seeds).to_pylist() for seeds in ((1, 2), (3, 4)))
    assert one[0] == one[2] != one[1]
    assert set(one).isdisjoint(other)


def test_no_rows_have_no_digests() -> None:
    assert hex_digests([pl.Series([], dtype=pl.String)], "\x1f", (1, 2)).to_pylist() == []
