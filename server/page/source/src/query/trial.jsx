// A query over the last hour or day of the archive, before it is submitted.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ProblemBox } from "../parts/card.jsx";
import { rowColumns, Table } from "../parts/table.jsx";
import { atWork, finished } from "../server/job.js";
import { postJson } from "../server/requests.js";
import { number } from "../server/terms.js";
import { MappingReport } from "./mapping_report.jsx";

/** The last trial: what came of it is kept while somebody looks at what its rows name. */
const trial = signal(null);
let running = null;

function leave() {
  running?.abort();
  if (!trial.value?.result) trial.value = null;
}

/** One trial at a time; a new one, or another view, cancels one that is at work. */
export function useTrial() {
  useEffect(() => leave, []);
  const run = async (text, last) => {
    running?.abort();
    const control = (running = new AbortController());
    const told = (more) => {
      if (!control.signal.aborted) trial.value = { last, text, ...more };
    };
    told({ job: null });
    try {
      const { job } = await postJson("/try", { text, last }, { signal: control.signal });
      const onJob = (one) => told({ job: one });
      told({ result: await finished(job, { signal: control.signal, onJob }) });
    } catch (problem) {
      if (problem.name !== "AbortError") told({ problem });
    }
  };
  return { trial: trial.value, run, cancel: leave };
}

function Result({ result, last, text, now }) {
  const { rows, count = rows.length, calls, mapping } = result;
  const called = Object.values(calls ?? {}).reduce((sum, n) => sum + n, 0);
  const columns = rowColumns(rows);
  const warnings = result.warnings ?? [];
  const several = mapping?.queries?.length > 1; // rows are those of the last one
  return (
    <>
      <p class="result-count">
        <b>{number(count)}</b> {count === 1 ? "match" : "matches"}
        {several && ` of ${result.query}`} in {last}
        {called > 0 && `, ${number(called)} calls`}
        {now !== text && <span class="note"> (the text has changed since)</span>}
      </p>
      {rows.length > 0 && <Table caption="Matches of the trial" columns={columns} rows={rows} />}
      {rows.length < count && <p class="note">The first {number(rows.length)} are shown.</p>}
      {warnings.map((text) => (
        <p class="note" key={text}>
          {text}
        </p>
      ))}
      {mapping && (
        <>
          <h3 class="section">How events and knowledge go together</h3>
          <MappingReport mapping={mapping} />
        </>
      )}
    </>
  );
}

const WORDS = { "1h": "the last hour", "1d": "the last day", "7d": "the last 7 days" };

/** What came of a trial, for those who do not see it appear. */
export function inWords(trial) {
  if (!trial?.result) return "";
  const { rows, count = rows.length } = trial.result;
  return `${number(count)} ${count === 1 ? "match" : "matches"} in ${WORDS[trial.last] ?? trial.last}`;
}

export function Trial({ trial, text, onCancel }) {
  if (!trial) {
    return (
      <p class="empty">
        Try the query on what the archive holds: it says how many matches there would have been, which, and whether events and
        knowledge go together. Nothing is registered, and no action is called.
      </p>
    );
  }
  const { job, problem, result, last } = trial;
  if (problem) return <ProblemBox problem={problem} />;
  if (result) return <Result result={result} last={WORDS[last] ?? last} text={trial.text} now={text} />;
  return (
    <div class="progress-box" role="status">
      <label>
        Over {WORDS[last] ?? last} … <progress value={atWork(job).share ?? undefined} max="1" />
      </label>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}
