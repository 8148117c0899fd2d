// SPARQL over events, matches and knowledge: as a table, as a chart, as a file.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Chart } from "../charts/chart.jsx";
import { LazyEditor } from "../editor/lazy.jsx";
import { Card, Choice, Empty, ProblemBox } from "../parts/card.jsx";
import { Icon } from "../parts/icon.jsx";
import { reveal } from "../parts/reveal.js";
import { Table } from "../parts/table.jsx";
import { send } from "../server/requests.js";
import { tab } from "../server/shelf.js";
import { number, shown } from "../server/terms.js";
import { Examples } from "./examples.jsx";
import { seriesOf, solutions } from "./solutions.js";

const KEY = "kaicep.sparql";
const FIRST = `# Of which classes there is how much
SELECT ?class (COUNT(*) AS ?individuals)
WHERE { ?one a ?class }
GROUP BY ?class
ORDER BY DESC(?individuals)
LIMIT 20
`;
const FORMS = [
  ["text/csv", "csv", "CSV"],
  ["application/sparql-results+json", "json", "JSON"],
  ["text/turtle", "ttl", "Turtle"],
];
/** What asks for triples. No text before its first word is read in two ways, which takes for ever where there are many. */
const GRAPH = /^(?:\s|#[^\n]*\n|PREFIX\s+[^\s<]*\s*<[^>]*>|BASE\s*<[^>]*>)*(?:CONSTRUCT|DESCRIBE)\b/i;
const JSON_TYPE = "application/sparql-results+json";

const ask = (query, accept, signal) =>
  send("/sparql", {
    method: "POST",
    signal,
    body: new URLSearchParams({ query }),
    headers: { Accept: accept, "Content-Type": "application/x-www-form-urlencoded" },
  });

async function download(query, [type, ending]) {
  const blob = await (await ask(query, type)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `answer.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The last question and what came of it; it outlives a look at what a row names, and whoever comes back finds it. */
const asked = signal({});
let running = null;

async function run(query) {
  running?.abort();
  const control = (running = new AbortController());
  asked.value = { busy: true };
  const began = performance.now();
  try {
    const graph = GRAPH.test(query);
    const answer = await ask(query, graph ? "text/turtle" : JSON_TYPE, control.signal);
    const found = graph ? { turtle: await answer.text() } : { table: solutions(await answer.json()) };
    asked.value = { ...found, query, seconds: (performance.now() - began) / 1000 };
  } catch (problem) {
    if (problem.name !== "AbortError") asked.value = { problem, query };
  }
}

function stop() {
  running?.abort();
  asked.value = {};
}

/** What is wrong with a query that was asked, as the editor underlines it; nothing is while it is asked anew. */
function checkedBy({ query, problem }) {
  if (query === undefined) return null;
  const { line, column, length } = problem?.place ?? {};
  const { message, hint } = problem ?? {};
  return { of: query, problems: line ? [{ message, hint, line, column, end_line: line, end_column: column + length }] : [] };
}

function Downloads({ query, graph }) {
  const [problem, setProblem] = useState(null);
  return (
    <>
      {FORMS.filter(([type]) => (type === "text/turtle") === graph).map((form) => (
        <button key={form[1]} type="button" onClick={() => download(query, form).then(() => setProblem(null), setProblem)}>
          <Icon name="download" /> {form[2]}
        </button>
      ))}
      {problem && <span class="note bad">{problem.message}</span>}
    </>
  );
}

const sizeOf = ({ table, turtle }) =>
  table ? `${number(table.rows.length)} ${table.rows.length === 1 ? "row" : "rows"}` : `${number(turtle.split("\n").length)} lines`;

function Solutions({ asking }) {
  const { table, turtle, query, seconds } = asking;
  const [form, setForm] = useState("table");
  const series = useMemo(() => (table ? seriesOf(table, shown) : []), [table]);
  const drawn = form === "chart" && series.length > 0;
  const forms = [
    ["table", "Table"],
    ["chart", "Chart"],
  ];
  return (
    <Card title="Answer" note={`${sizeOf(asking)} in ${number(Math.round(seconds * 100) / 100)} s`} actions={<Downloads query={query} graph={!table} />}>
      {series.length > 0 && <Choice label="Shown as" options={forms} value={drawn ? "chart" : "table"} onChoose={setForm} />}
      {turtle !== undefined && (
        <pre class="text" tabIndex={0}>
          {turtle}
        </pre>
      )}
      {drawn && <Chart series={series} height={340} />}
      {table && !drawn && (table.rows.length ? <Table caption="Answer" columns={table.columns} rows={table.rows} /> : <Empty>No solution.</Empty>)}
    </Card>
  );
}

export function Sparql() {
  const [query, setQuery] = useState(() => tab.get(KEY) ?? FIRST);
  const asking = asked.value;
  const checked = useMemo(() => checkedBy(asking), [asking.query, asking.problem]);
  const answered = Boolean(asking.table || asking.turtle !== undefined);
  const below = useRef(null);
  useEffect(() => {
    if (answered || asking.problem) reveal(below.current);
  }, [answered, asking.problem]);
  const [revision, setRevision] = useState(0);
  const begin = (text) => (change(text), setRevision(revision + 1));
  const change = (text) => (setQuery(text), tab.put(KEY, text));
  return (
    <>
      <Card title="SPARQL" class="editor-card" note="over events, matches and knowledge" actions={<Examples first={FIRST} onChoose={begin} />}>
        <LazyEditor text={query} revision={revision} language="sparql" label="SPARQL query" checked={checked} onChange={change} onRun={() => run(query)} />
        <div class="editor-foot">
          <span class="note">Ctrl-Enter asks, too.</span>
          <span class="unseen" role="status">
            {asking.busy ? "Asking …" : answered ? `Answered below: ${sizeOf(asking)}` : ""}
          </span>
          <div class="button-row end">
            {asking.busy && (
              <button type="button" onClick={stop}>
                <Icon name="stop" /> Stop
              </button>
            )}
            <button type="button" class="primary" disabled={asking.busy} onClick={() => run(query)}>
              {asking.busy ? "Asking …" : "Ask"}
            </button>
          </div>
        </div>
      </Card>
      <div class="result" ref={below}>
        <ProblemBox problem={asking.problem} />
        {answered && <Solutions asking={asking} />}
      </div>
    </>
  );
}
