"""Whatever has to survive a power cut is written through `storage/`: everything else that writes is named here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
STAGES = ("archive", "pipeline")
WRITING = {"write_text", "write_bytes", "mkdir", "touch", "rename", "copytree"}
ALLOWED = {
    ("archive/archive_backup.py", "copytree"): "a restored archive, which is synced before it is renamed, and after it",
    ("archive/archive_backup.py", "rename"): "likewise",
    ("archive/log/segment_digest.py", "open"): "a temporary file of `write_atomically`, which is synced behind it",
    ("archive/store/copy_requests.py", "mkdir"): "a request, of use only while both processes live",
    ("archive/store/copy_requests.py", "rename"): "likewise",
    ("archive/store/copy_requests.py", "touch"): "likewise",
    ("archive/store/oxigraph_folder.py", "rename"): "a damaged store, and synced beside it",
    ("archive/sparql/sparql_results.py", "write_bytes"): "an answer, which can be asked for again",
    ("archive/writer_claim.py", "write_bytes"): "an object of a bucket, which is durable when it is put",
    ("pipeline/actions/delivery/call_files.py", "rename"): "a damaged file, which is found damaged again",
    ("pipeline/actions/delivery/failed_calls.py", "rename"): "likewise; what is left of it is only looked at",
    ("pipeline/control/asked_request.py", "rename"): "a request, of use only while both processes live",
    ("pipeline/control/requests.py", "mkdir"): "likewise",
    ("pipeline/control/requests.py", "rename"): "likewise",
    ("pipeline/control/requests.py", "write_bytes"): "a broken request, kept to be looked at",
    ("pipeline/distribution/distributed_flow.py", "replace"): "a query, and no file",
    (
        "pipeline/durability/snapshots/operator_snapshots.py",
        "replace",
    ): "a damaged one, which is found damaged again",
    ("pipeline/flow/dataflow.py", "replace"): "a query, and no file",
    ("pipeline/hosting/spark_java.py", "mkdir"): "a cache",
    ("pipeline/hosting/spark_java.py", "replace"): "a cache",
    ("pipeline/hosting/spark_session.py", "replace"): "a cache",
    ("pipeline/hosting/spark_session.py", "write_text"): "a cache",
    ("pipeline/monitoring/log_output.py", "mkdir"): "logs",
    ("pipeline/monitoring/status_writer.py", "replace"): "likewise",
    ("pipeline/monitoring/status_writer.py", "write_bytes"): "likewise",
    ("pipeline/monitoring/metrics.py", "mkdir"): "what is written anew each second",
    ("pipeline/sinks/file_sink.py", "replace"): "a durable file, whose name is synced by `flush`",
    ("pipeline/sinks/json_lines_sink.py", "open"): "appended to, and synced by `flush`; cut back after a restart",
    ("pipeline/sources/heartbeat.py", "mkdir"): "a beat, of use only to the process that lives",
    ("pipeline/sources/heartbeat.py", "touch"): "likewise",
    ("pipeline/sources/source_union.py", "mkdir"): "where beats are dropped",
    ("pipeline/sources/spark_source.py", "mkdir"): "where others drop files",
}
"""By file and method, why it need not be durable."""


def writes(tree: ast.AST) -> Iterator[str]:
    """The methods that write, but for those of a temporary file of `write_atomically`."""
    atomic = {
        item.optional_vars.id
        for node in ast.walk(tree)
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.optional_vars, ast.Name)
        and isinstance(item.context_expr, ast.Call)
        and getattr(item.context_expr.func, "id", "") == "write_atomically"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = getattr(node.func.value, "id", "")
            if owner not in atomic and _writes(node.func.attr, node):
                yield node.func.attr


def _writes(method: str, call: ast.Call) -> bool:
    texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if method == "open":
        return any(set(text) <= set("rwaxbt+") and set(text) & set("wax+") for text in texts)
    if method == "replace":  # of a path it has one argument, of a text two
        return len(call.args) == 1 and not call.keywords
    return method in WRITING and not (method == "rename" and isinstance(call.args[0], ast.Dict))


def test_what_is_durable_is_written_through_storage() -> None:
    found = {
        (str(path.relative_to(ROOT)), method)
        for stage in STAGES
        for path in (ROOT / stage).rglob("*.py")
        for method in writes(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set(ALLOWED)


def test_a_write_is_found() -> None:
    """Else the other test could not fail."""
    text = """
def f(path, other):
    with write_atomically(path) as temporary:
        temporary.write_text("kept")
    path.write_text("x")
    path.open("ab")
    path.open("rb")
    path.replace(other)
    "text".replace("a", "b")
"""
    assert sorted(writes(ast.parse(text))) == ["open", "replace", "write_text"]
