"""The archive over HTTP."""

from __future__ import annotations

from pathlib import Path

from support.explained_match import explained_match
from support.servers import ask, finished, serving


def test_archive(plain_url: str) -> None:
    assert ask(f"{plain_url}/archive?gap=1h").json["events"] == 0
    wrong = ask(f"{plain_url}/archive?gap=soon")
    assert (wrong.status, wrong.json["detail"]) == (400, "gap: 'soon' is no duration")
    assert ask(f"{plain_url}/archive?gap=-1h").json["detail"] == "gap: '-1h' is less than nothing"
    assert ask(f"{plain_url}/archive?gap=0s").json["detail"] == "gap: '0s' is no time at all"
    assert ask(f"{plain_url}/queries/hihg/chart").status == 404


def test_who_does_not_want_to_wait_for_a_chart_has_a_job(tmp_path: Path) -> None:
    """Its result is what had been answered at once."""
    with serving(explained_match(tmp_path), stores=False) as url:
        at_once = ask(f"{url}/queries/high/chart")
        begun = ask(f"{url}/queries/high/chart", Prefer="respond-async")
        job = finished(url, begun)
        assert (job["kind"], job["about"], job["state"], job["progress"]) == ("chart", "high", "done", 1.0), job
        assert job["result"] == at_once.json
        assert ask(f"{url}{begun.headers['location']}/result").json == at_once.json
        assert ask(f"{url}/queries/hihg/chart", Prefer="respond-async").status == 404
        wrong = ask(f"{url}/queries/high/chart?from=soon", Prefer="respond-async")
        assert finished(url, wrong)["problem"]["status"] == 400
        told = ask(f"{url}{wrong.headers['location']}/result")
        assert (told.status, told.media_type) == (400, "application/problem+json")
