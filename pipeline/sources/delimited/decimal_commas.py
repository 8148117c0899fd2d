"""Numbers with a decimal comma, as most of Europe writes them: `1.234,5` is read as `1234.5`."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["decimal_points", "has_decimal_commas", "with_decimal_points"]

_NUMBER = r"^\s*[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+)?(?:,[0-9]*)?(?:[eE][+-]?[0-9]+)?\s*$"
_WITH_COMMA = r"[0-9],[0-9]|^\s*[+-]?,[0-9]|[0-9],\s*$"
_THOUSANDS = r"^\s*[+-]?[0-9]{1,3}(?:,[0-9]{3})+\s*$"


def has_decimal_commas(values: pa.ChunkedArray, *, separated_by_comma: bool) -> bool:
    """Whether the numbers of a column of texts are written with decimal commas.

    All values have to be numbers that way, and one has to have a comma. Where values are separated by commas, too, a
    number has to show that its comma does not separate thousands.

    Args:
        values: strings.
        separated_by_comma: whether the file's separator is a comma.
    """
    said = values.drop_null()
    if not pc.any(pc.match_substring(said, ","), min_count=0).as_py():
        return False
    if not pc.all(pc.match_substring_regex(said, _NUMBER), min_count=0).as_py():
        return False
    commas = said.filter(pc.match_substring_regex(said, _WITH_COMMA))
    if not separated_by_comma:
        return len(commas) > 0
    return not pc.all(pc.match_substring_regex(commas, _THOUSANDS), min_count=0).as_py()


def with_decimal_points(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The same texts, those that are numbers with a decimal comma with a point; what is no such number stays."""
    numbers = pc.match_substring_regex(values, _NUMBER)
    plain = pc.replace_substring(pc.replace_substring(values, ".", ""), ",", ".")
    return pc.if_else(pc.fill_null(numbers, fill_value=False), plain, values)


def decimal_points(table: pa.Table, separator: str) -> pa.Table:
    """A table of texts of which nobody knows what they are: numbers with decimal commas get points."""
    for place, field in enumerate(table.schema):
        values = table.column(place)
        if pa.types.is_string(field.type) and has_decimal_commas(values, separated_by_comma=separator == ","):
            table = table.set_column(place, field.name, with_decimal_points(values))
    return table
