"""Random expressions of the language, as text, over what an event of the campus has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from .campus import Campus
from .tuples import moment

__all__ = ["Words", "conditions", "items", "numbers", "words_of"]

Words = Mapping[str, Sequence[str]]
"""By type, the texts that have a value of that type: `{"double": ("?e.flowrate", …), …}`."""

_CONSTANTS: Words = {
    "number": ("0", "1", "2", "3", "500", "499.9", "5.1e2", "0.5", "-1", "9223372036854775807"),
    "string": ('"low"', "'High'", '"s0"', '"s1"', '"leak 1"', '""', '"ünder"'),
    "dateTime": tuple(f'"{moment(s).isoformat()}"^^xsd:dateTime' for s in (-1, 0, 2, 4)),
    "iri": ("ee:s0", "ee:s1", "<http://cei.usc.edu/Equipment.owl#s2>"),
}


def words_of(campus: Campus, stream: str, variable: str) -> Words:
    """What may be said of an event of a stream."""
    v = f"?{variable}."
    flow = ["flowrate"]
    if stream == "airflowReport":
        flow += [*campus.spellings, "hvc:airflow"]
        flow += ["hvc:airvolume"] if "airvolume" in campus.spellings else []
    return {
        "number": [v + name for name in (*flow, "level", "level", "seq")],
        "string": [v + "sensorID", v + "sensorID", v + "note"],
        "boolean": [v + "open"],
        "dateTime": [v + name for name in ("since", "timestamp", "_time", "evt:hasTime")],
        "iri": [v + "evt:hasSource"],
    }


@st.composite
def numbers(draw: st.DrawFn, words: Words, depth: int = 1) -> str:
    """A number."""
    form = draw(st.sampled_from(("word", "word", "word", "constant", "sum", "product", "call", "call", "choice")))
    if depth == 0 or form == "word":
        return draw(st.sampled_from(words["number"]))
    if form == "constant":
        return draw(st.sampled_from(_CONSTANTS["number"]))
    one, other = draw(numbers(words, depth - 1)), draw(numbers(words, depth - 1))
    if form == "sum":
        return f"{one} {draw(st.sampled_from('+-'))} {other}"
    if form == "product":
        return f"({one}) {draw(st.sampled_from('*/%'))} ({other})"
    if form == "choice":
        test = draw(conditions(words, 0))
        return draw(st.sampled_from((f"IF({test}, {one}, {other})", f"COALESCE({one}, {other})", f"-({one})")))
    return draw(_number_calls(words, one))


@st.composite
def _number_calls(draw: st.DrawFn, words: Words, number: str) -> str:
    of_number = draw(st.sampled_from(("ABS", "ROUND", "FLOOR", "CEIL")))
    of_moment = draw(st.sampled_from(("YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS")))
    text, at = draw(st.sampled_from(words["string"])), draw(st.sampled_from(words["dateTime"]))
    at = draw(st.sampled_from((at, at, f"LOCAL({at}, 'Europe/Rome')", f"LOCAL({at}, 'Asia/Kathmandu')")))
    return draw(st.sampled_from((f"{of_number}({number})", f"{of_moment}({at})", f"STRLEN({text})")))


@st.composite
def texts(draw: st.DrawFn, words: Words) -> str:
    """A string."""
    text = draw(st.sampled_from((*words["string"], *words["string"], *_CONSTANTS["string"])))
    form = draw(st.sampled_from(("{}", "{}", "{}", "LCASE({})", "UCASE({})", "STR({})", "CONCAT({}, 7, '-')")))
    inner = draw(st.sampled_from((text, *words["boolean"], *words["iri"]))) if form == "STR({})" else text
    return form.format(inner)


@st.composite
def conditions(draw: st.DrawFn, words: Words, depth: int = 1) -> str:
    """A condition that mentions its variable, mostly one that some events satisfy."""
    text = draw(_conditions(words, depth))
    known = any(word in text for some in words.values() for word in some)
    return text if known else f"({text}) OR {draw(st.sampled_from(_often(words)))}"


@st.composite
def _conditions(draw: st.DrawFn, words: Words, depth: int) -> str:
    form = draw(st.sampled_from(("often", "often", "number", "text", "test", "not", "and", "or") if depth else _PLAIN))
    if form == "often":
        return draw(st.sampled_from(_often(words)))
    if form == "number":
        compare = draw(st.sampled_from((">", ">=", "<", "<=", "=", "!=")))
        return f"{draw(numbers(words, depth))} {compare} {draw(numbers(words, depth))}"
    if form == "text":
        return draw(_text_conditions(words))
    if form == "test":
        return draw(_tests(words))
    if form == "not":
        return f"{draw(st.sampled_from(('NOT ', '!')))}({draw(_conditions(words, depth - 1))})"
    left, right = draw(_conditions(words, depth - 1)), draw(_conditions(words, depth - 1))
    return f"({left}) {form.upper()} ({right})"


_PLAIN = ("often", "often", "number", "text", "test")


def _often(words: Words) -> list[str]:
    number = words["number"][0]
    return [f"{number} > 490", f"{number} >= 500", f"{words['number'][-2]} >= 0", f"{words['string'][0]} != 's2'"]


@st.composite
def _text_conditions(draw: st.DrawFn, words: Words) -> str:
    one, other = draw(texts(words)), draw(texts(words))
    compare = draw(st.sampled_from(("=", "!=", "<", ">=")))
    pattern = draw(st.sampled_from(('"^s[01]$"', '"L"', '"l.a"', '"[0-9]"')))
    return draw(
        st.sampled_from(
            (
                f"{one} {compare} {other}",
                f"{one} IN ('s0', 's1', \"low\")",
                f"{one} NOT IN ('s0', 'High')",
                f"CONTAINS({one}, 'e')",
                f"STRSTARTS({one}, 's')",
                f"STRENDS({one}, '1')",
                f"REGEX({one}, {pattern})",
                f'REGEX({one}, {pattern}, "i")',
            )
        )
    )


@st.composite
def _tests(draw: st.DrawFn, words: Words) -> str:
    word = draw(st.sampled_from(words["number"]))
    at, then = draw(st.sampled_from(words["dateTime"])), draw(st.sampled_from(words["dateTime"]))
    compare = draw(st.sampled_from(("=", "<", ">=", "!=")))
    constant, iri = draw(st.sampled_from(_CONSTANTS["dateTime"])), draw(st.sampled_from(_CONSTANTS["iri"]))
    flag = draw(st.sampled_from(words["boolean"]))
    return draw(
        st.sampled_from(
            (
                f"BOUND({word})",
                f"NOT BOUND({flag})",
                flag,
                f"{flag} = true",
                f"{at} {compare} {constant}",
                f"{at} - {then} >= 1s",
                f"{at} + 1.5s > {then}",
                f"{words['iri'][0]} = {iri}",
                f"{words['iri'][0]} IN (ee:s0, ee:s1)",
                f"{word} IN (0, 1, 2, 500, 510.0)",
                f"{word} % 2 = 0",
                f"{word} / 2 > 1",
                f"BOUND({word} / {draw(st.sampled_from(words['number']))})",
                f"NOT BOUND({word} * 2 - 1)",
            )
        )
    )


@st.composite
def items(draw: st.DrawFn, words: Words, name: str) -> str:
    """One item of SELECT that is called `name`."""
    form = draw(st.sampled_from(("plain", "plain", "number", "condition", "text")))
    if form == "plain":
        kinds = draw(st.sampled_from(sorted(words)))
        return f"{draw(st.sampled_from(words[kinds]))} AS {name}"
    strategy = {"number": numbers(words), "condition": conditions(words), "text": texts(words)}[form]
    return f"{draw(strategy)} AS {name}"
