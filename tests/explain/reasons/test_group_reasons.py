"""Why the group of a PATH has a solution, or has none."""

from __future__ import annotations

from kaicep.explain.reasons import Reason, failures
from kaicep.explain.reasons.group_reasons import GroupExplainer
from support.reasons import EVENT, PREFIXES, view
from support.subqueries import subquery

SOURCE = f"?e <{PREFIXES['evt']}hasSource> ?s ."
AT = f"{SOURCE} ?s <{PREFIXES['bd']}hasLocation> ?r ."


def reasons(body: str) -> tuple[Reason, ...]:
    """Of a PATH for the event of ee:s1 in bd:r1."""
    with view() as one:
        group = GroupExplainer(one, subquery(body), EVENT, lambda _: "")
        conjuncts = group.conjuncts()
        solutions = group.solutions(conjuncts, {})
        return group.holding(conjuncts, solutions[0]) if solutions else group.failing(conjuncts, {})


def verdicts(body: str) -> list[bool]:
    return [reason.holds for reason in reasons(body)]


def test_each_part_that_holds_has_its_proofs() -> None:
    source, located = reasons(AT)
    assert (source.holds, located.holds) == (True, True)
    assert [len(reason.proofs) for reason in (source, located)] == [1, 1]


def test_what_comes_after_the_first_failure_is_not_told() -> None:
    assert verdicts(f"{AT} ?r a <{PREFIXES['bd']}Lab> . ?r <{PREFIXES['bd']}belongsTo> ?o") == [True, True, False]


def test_the_first_branch_that_holds_is_told_else_all() -> None:
    lab, room = (f"{{ ?r a <{PREFIXES['bd']}{kind}> }}" for kind in ("Lab", "Room"))
    assert reasons(f"{AT} {lab} UNION {room}")[-1].text == "branch 2 of UNION"
    failed = reasons(f"{AT} {lab} UNION {lab}")[-1]
    assert (failed.text, failed.holds, len(failed.parts)) == ("no branch of UNION", False, 2)


def test_an_optional_part_never_fails() -> None:
    optional = f"OPTIONAL {{ ?r <{PREFIXES['hvc']}limit> ?l }}"
    assert reasons(f"{AT} {optional}")[-1].note == "not there, and need not be"
    assert verdicts(f"{AT} {optional}") == [True, True, True]


def test_exists_and_not_exists_are_looked_into() -> None:
    inside = f"EXISTS {{ ?r a <{PREFIXES['bd']}Lab> }}"
    (failed,) = [r for r in reasons(f"{AT} FILTER {inside}") if not r.holds]
    assert [inner.holds for inner in failures(failed)] == [False]
    assert all(verdicts(f"{AT} FILTER NOT {inside}"))


def test_a_filter_that_fails_tells_the_nearest_solution() -> None:
    rate = f"?e <{PREFIXES['hvc']}airflow> ?rate ."
    assert reasons(f"{rate} FILTER (?rate > 500)")[-1].note == "?rate is 430, 70 below"
