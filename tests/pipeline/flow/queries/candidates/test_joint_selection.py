"""Many variables are told at once which rows they take, and have counted what each counts alone."""

from __future__ import annotations

import polars as pl
import pytest
from kaicep import Project
from kaicep.pipeline.flow.queries.candidates import (
    EventBatch,
    FilterGraph,
    JointSelection,
    joint_candidates,
    shared_batch,
)
from kaicep.pipeline.flow.queries.candidates.candidate_selection import CandidateSelection

from .test_joint_candidates import project as _project
from .test_joint_candidates import selections, tables

project = _project


def graph(asking: list[CandidateSelection]) -> FilterGraph:
    return FilterGraph(one.asked for one in asking if one.asked is not None)


@pytest.mark.parametrize("share", [1, 8])
def test_rows_and_counts_are_those_of_each_alone(project: Project, share: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever takes few, or many, events; who is apart, as events lie outside of WITHIN, is asked by itself."""
    monkeypatch.setattr(joint_candidates, "_SHARE", share)
    asking, alone = selections(project), selections(project)
    for one in asking[:2]:
        one.candidates(EventBatch(tables(project)[0]))
    for one in alone[:2]:
        one.candidates(EventBatch(tables(project)[0]))
    joint, known = JointSelection(asking), graph(asking)
    told = 0
    for table in (*tables(project), tables(project)[1][61:], tables(project)[1][80:200]):
        batch = shared_batch(table, lambda: known)
        taken = joint.taken(batch)
        for place, (one, other) in enumerate(zip(asking, alone, strict=True)):
            expected = other.candidates(EventBatch(table))
            ids = [] if expected is None else pl.DataFrame(expected)["_id"].to_list()
            if place in taken.apart:
                found = one.candidates(batch)
                assert ids == ([] if found is None else pl.DataFrame(found)["_id"].to_list())
            else:
                told += 1
                assert batch.frame(["_id"])[taken.rows([place])]["_id"].to_list() == ids
                assert taken.sizes[place] == len(ids)
    assert told > 5
    assert joint.is_of(asking)
    for one, other in zip(asking, alone, strict=True):
        assert one.clauses == other.clauses
        for own, others in zip(one.semantics.statistics, other.semantics.statistics, strict=True):
            assert (own.events, own.held, own.keys, own.hits, own.distinct, own.holding) == (
                *(others.events, others.held, others.keys, others.hits, others.distinct, others.holding),
            )


def test_who_counts_elsewhere_is_not_selected_for(project: Project) -> None:
    """Nor who asks for something else."""
    asking = selections(project)
    joint = JointSelection(asking)
    mark = asking[0].mark()
    assert joint.is_of(asking)
    assert not joint.is_of(asking[:-1])
    JointSelection(asking[:1])
    assert not joint.is_of(asking)
    batch = shared_batch(tables(project)[1], lambda: graph(asking))
    asking[0].candidates(batch)
    asking[0].rewind(mark)
    assert not any(clause.left for clause in asking[0].clauses)


def test_without_a_graph_all_are_apart(project: Project) -> None:
    asking = selections(project)
    taken = JointSelection(asking).taken(EventBatch(tables(project)[0]))
    assert taken.apart.tolist() == list(range(len(asking)))
    assert not len(taken.rows([]))
