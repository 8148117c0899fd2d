// The answer of a document that asks states once.
import { useState } from "preact/hooks";
import { ProblemBox } from "../parts/card.jsx";
import { rowColumns, Table } from "../parts/table.jsx";
import { post } from "../server/requests.js";
import { number } from "../server/terms.js";

export function Answer({ text, valid }) {
  const [state, setState] = useState({});
  const ask = async () => {
    setState({ busy: true });
    try {
      setState({ answer: await post("/ask", text) });
    } catch (problem) {
      setState({ problem });
    }
  };
  const rows = state.answer?.rows ?? [];
  return (
    <>
      <p>
        This asks once, for states at this moment.{" "}
        <button type="button" class="primary" disabled={!valid || state.busy} onClick={ask}>
          Ask
        </button>
      </p>
      <ProblemBox problem={state.problem} />
      {state.answer && (
        <>
          <p class="result-count">
            <b>{number(rows.length)}</b> {rows.length === 1 ? "row" : "rows"}
          </p>
          {rows.length > 0 && <Table caption="The answer" columns={state.answer.columns ?? rowColumns(rows)} rows={rows} />}
        </>
      )}
    </>
  );
}
