// Writing a query: with completion and errors as one types, its plan, a trial on the past, and then its registration.
import { useEffect, useRef, useState } from "preact/hooks";
import { LazyEditor } from "../editor/lazy.jsx";
import { Card, ProblemBox, Tabs } from "../parts/card.jsx";
import { Icon } from "../parts/icon.jsx";
import { Lacking } from "../parts/lacking.jsx";
import { notice } from "../parts/notices.jsx";
import { reveal } from "../parts/reveal.js";
import { go, leadOn, place } from "../router.js";
import { at, demanded, get, post, postJson } from "../server/requests.js";
import { lacking } from "../server/role.js";
import { forgetVocabulary } from "../server/vocabulary.js";
import { useAnswer } from "../server/use_answer.js";
import { warning } from "../server/warning.js";
import { bringBack, displaced, draft, keep, replace, revision } from "./draft.js";
import { Answer } from "./answer.jsx";
import { Explanation } from "./explanation.jsx";
import { inWords, Trial, useTrial } from "./trial.jsx";
import { useCheck } from "./use_check.js";

const HINT = "CREATE QUERY high AS SELECT ?e.value FROM (?e, reading) FILTER (?e.value > 900)";

function Verdict({ check, text }) {
  const { checked, busy, problem } = check;
  if (problem) return <span class="verdict bad">{problem.message}</span>;
  if (!text.trim()) return <span class="verdict">Write a query, or start from an example.</span>;
  if (!checked || !checked.of.trim()) return <span class="verdict">Being checked …</span>;
  const first = checked.problems[0];
  if (first) {
    return (
      <span class="verdict bad">
        <Icon name="cross" />
        <span>
          Line {first.line}: {first.message}
          {first.hint && <span class="way-out"> – {first.hint}</span>}
        </span>
      </span>
    );
  }
  const doubts = (checked.warnings ?? []).map(warning);
  return (
    <span class={`verdict ${doubts.length ? "warn" : "good"}`}>
      <Icon name={doubts.length ? "warn" : "check"} /> {busy ? "Being checked …" : doubts.length ? <Doubt of={doubts} /> : "No errors"}
    </span>
  );
}

/** The first warning, and how many others there are. */
function Doubt({ of: [{ line, message, hint }, ...others] }) {
  return (
    <span>
      {line && `Line ${line}: `}
      {message}
      {hint && <span class="way-out"> – {hint}</span>}
      {others.length > 0 && ` (and ${others.length} more)`}
    </span>
  );
}

function Examples({ onChoose }) {
  const { value } = useAnswer("/examples");
  const examples = value ?? [];
  const choose = (event) => {
    const example = examples[Number(event.target.value)];
    event.target.value = "";
    if (example) onChoose(example.text);
  };
  if (!examples.length) return null;
  return (
    <label class="select">
      <span class="unseen">Start from an example</span>
      <select onChange={choose} value="">
        <option value="">Examples …</option>
        {examples.map(({ label }, n) => (
          <option key={label} value={n}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What becomes of a text that is registered; a problem is told as long as that is the text. */
function useSubmission(text) {
  const [state, setState] = useState({ busy: false, problem: null });
  const submit = async (backfill) => {
    setState({ busy: true, problem: null });
    try {
      const told = backfill ? await postJson("/queries", { text, backfill: true }) : await post("/queries", text);
      const labels = told?.labels ?? [];
      setState({ busy: false, problem: null });
      notice(`${labels.join(", ") || "The document"} is registered.`);
      for (const shown of told?.warnings ?? []) notice(warning(shown).message, "bad");
      forgetVocabulary();
      if (place.value.view === "query") go("live", labels.slice(-1)); // who has gone elsewhere meanwhile stays there
    } catch (problem) {
      setState({ busy: false, problem, of: text });
    }
  };
  return { busy: state.busy, problem: state.of === text ? state.problem : null, submit };
}

/** A query that is to be edited is asked for in the address. */
function useCopy() {
  const of = place.value.search.get("of");
  const needed = demanded.value;
  useEffect(() => {
    if (!of || needed) return undefined;
    const stop = new AbortController();
    get(at("queries", of), { signal: stop.signal }).then(
      ({ text }) => {
        if (text) replace(text);
        leadOn("query");
      },
      (problem) => stop.signal.aborted || demanded.value || notice(`${of}: ${problem.message}`, "bad"),
    );
    return () => stop.abort();
  }, [of, needed]);
}

export function Query() {
  const text = draft.value;
  const check = useCheck(text);
  const { trial, run, cancel } = useTrial();
  const [tab, setTab] = useState("trial");
  const [backfill, setBackfill] = useState(false);
  const submission = useSubmission(text);
  useCopy();
  const current = check.checked?.of === text ? check.checked : null;
  const valid = Boolean(current?.valid);
  const asked = Boolean(current?.asked);
  const result = useRef(null);
  const tryOn = (last) => (setTab("trial"), run(text, last), reveal(result.current));
  const warnings = current?.warnings ?? [];
  const tabs = [
    ["trial", asked ? "Answer" : "Trial", () => (asked ? <Answer text={text} valid={valid} /> : <Trial trial={trial} text={text} onCancel={cancel} />)],
    ["plan", "How it is answered", () => <Explanation text={text} valid={valid} />],
    ...(warnings.length ? [["warnings", "Warnings", () => <Warnings warnings={warnings} />, warnings.length]] : []),
  ];
  return (
    <div class="query-view">
      <h1 class="unseen">Query</h1>
      <Card title="Query" class="editor-card" actions={<Examples onChoose={replace} />}>
        <LazyEditor text={text} revision={revision.value} language="chi" label="χ-CEP query" hint={HINT} checked={current} onChange={keep} onRun={() => valid && tryOn("1h")} />
        <div class="verdict-line" role="status">
          <Verdict check={check} text={text} />
        </div>
        {displaced.value !== null && (
          <p class="note">
            What you were writing is kept.{" "}
            <button type="button" onClick={bringBack}>
              Bring it back
            </button>
          </p>
        )}
        <ProblemBox problem={submission.problem} />
        <div class="editor-foot">
          {!asked && (
            <div class="button-row">
              <span class="note">Try on</span>
              <button type="button" disabled={!valid} onClick={() => tryOn("1h")}>
                the last hour
              </button>
              <button type="button" disabled={!valid} onClick={() => tryOn("1d")}>
                the last day
              </button>
            </div>
          )}
          {!asked && (
            <div class="button-row end">
              <label class="check-box">
                <input type="checkbox" checked={backfill} onChange={(event) => setBackfill(event.target.checked)} /> with its past
              </label>
              <button type="button" class="primary" disabled={!valid || submission.busy || Boolean(lacking("submit"))} title={lacking("submit")} onClick={() => submission.submit(backfill)}>
                {submission.busy ? "Being registered …" : "Register"}
              </button>
            </div>
          )}
        </div>
        {!asked && <Lacking role="submit" of="Registering" />}
      </Card>
      <div class="result" ref={result}>
        <Card title="What it would do" class="result-card">
          <p class="unseen" role="status">
            {inWords(trial)}
          </p>
          <Tabs label="What the query would do" tabs={tabs} value={tab} onChoose={setTab} />
        </Card>
      </div>
    </div>
  );
}

const Warnings = ({ warnings }) => (
  <ul class="warnings">
    {warnings.map(warning).map((one, n) => (
      <li key={n}>{[one.message, one.hint].filter(Boolean).join(": ")}</li>
    ))}
  </ul>
);
