"""A dataset keeps what updates say, if it takes any."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.server.problem import ProblemError
from kaicep.server.sparql.sparql_answer import SparqlQuestion
from kaicep.server.sparql.sparql_update import SparqlUpdate
from kaicep.server.sparql.uploaded_dataset import UploadedDataset
from kaicep.settings import ServerSettings
from support.stores import count

INSERT = SparqlUpdate("INSERT DATA { <urn:s> <urn:p> 1 }", "http://here/", {})
ASK = SparqlQuestion("ASK { <urn:s> <urn:p> 1 }", "http://here/", {}, results=("text/csv",))


def test_what_was_said_is_there_for_the_next_server(folder: Path) -> None:
    dataset = UploadedDataset(folder, ServerSettings(), updatable=True)
    assert dataset.query(ASK).content == b"false"
    dataset.update(INSERT)
    assert dataset.query(ASK).content == b"true"
    dataset.close()
    again = UploadedDataset(folder, ServerSettings(), updatable=False)
    assert again.query(ASK).content == b"true"
    with pytest.raises(ProblemError, match="this dataset takes no updates: let update be true") as refused:
        again.update(INSERT)
    assert refused.value.status == 403
    assert again.call(count) == 1
    again.close()
