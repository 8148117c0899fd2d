// One query: its values with threshold and matches, its matches as they come, its text and plan, what can be done with it.
import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { Chart } from "../charts/chart.jsx";
import { Card, Choice, Empty, ProblemBox, Tabs } from "../parts/card.jsx";
import { Icon } from "../parts/icon.jsx";
import { Lacking } from "../parts/lacking.jsx";
import { notice } from "../parts/notices.jsx";
import { PlanPicture } from "../parts/plan_picture.jsx";
import { rowColumns, Table } from "../parts/table.jsx";
import { go, href, leadOn, place } from "../router.js";
import { at, send } from "../server/requests.js";
import { lacking } from "../server/role.js";
import { duration, number } from "../server/terms.js";
import { useAnswer } from "../server/use_answer.js";
import { useMatches } from "./match_feed.js";

const RANGES = [
  ["1", "1 h"],
  ["6", "6 h"],
  ["24", "24 h"],
  ["168", "7 days"],
];
const CHART_MS = 15_000;
/** How far back charts go: whoever compares queries, or comes back from a match, chooses it once. */
const chosenHours = signal("24");
const PARKABLE = new Set(["registered", "running", "behind", "waits"]);
/** Only named queries have rows that are kept. */
const hasRows = ({ kind, named }) => kind === "query" && named !== false;

function QueryChart({ query }) {
  const hours = chosenHours.value;
  const from = encodeURIComponent(`now - ${hours}h`); // now is the time of the newest event
  const answer = useAnswer(`${at("queries", query.label)}/chart?from=${from}`, CHART_MS);
  const last = useMemo(() => ({ value: null }), [query.label]);
  if (answer.value) last.value = answer.value;
  const told = last.value;
  const series = told?.series ?? [];
  return (
    <>
      <div class="chart-head">
        <Choice label="How far back" options={RANGES} value={hours} onChoose={(chosen) => (chosenHours.value = chosen)} />
      </div>
      {series.length > 0 ? (
        <Chart
          key={hours}
          series={series}
          threshold={told.threshold}
          matches={told.matches}
          onMatch={(id) => go("match", [query.label, id])}
        />
      ) : (
        <Empty>{answer.problem?.message ?? (told ? "There are no values to draw of this time." : "The chart is being drawn …")}</Empty>
      )}
    </>
  );
}

function Feed({ query, feed, paused, onPause }) {
  const ordered = rowColumns(feed.rows, query.columns);
  const why = (row) => (
    <a href={href("match", [query.label, row._id])} aria-label={`Why ${row._id}`}>
      Why?
    </a>
  );
  return (
    <>
      <div class="feed-head">
        <span class={`live-mark ${feed.state === "open" && !paused ? "on" : ""}`}>
          {paused ? `paused, ${number(feed.held)} new` : feed.state === "open" ? "live" : "waiting for the server"}
        </span>
        <button type="button" class="quiet" aria-pressed={paused} onClick={onPause}>
          <Icon name={paused ? "play" : "pause"} /> {paused ? "Go on" : "Pause"}
        </button>
      </div>
      <ProblemBox problem={feed.problem} />
      {feed.rows.length ? (
        <div class="feed">
          <Table caption={`Matches of ${query.label}, newest first`} columns={ordered} rows={feed.rows} more={why} fresh={feed.fresh} />
        </div>
      ) : (
        !feed.problem && <Empty>{feed.known ? "No match yet. The next one appears here by itself." : "Matches are being looked up …"}</Empty>
      )}
    </>
  );
}

function Plan({ label }) {
  const answer = useAnswer(`${at("queries", label)}/explain?form=json`);
  return (
    <>
      <ProblemBox problem={answer.problem} again={answer.again} />
      {answer.value && <PlanPicture plan={answer.value} />}
    </>
  );
}

function Actions({ query, again }) {
  const act = async (what, path, method, done) => {
    try {
      await send(path, { method });
      notice(done);
    } catch (problem) {
      notice(`${what}: ${problem.message}`, "bad");
      return false;
    } finally {
      again();
    }
    return true;
  };
  const path = at("queries", query.label);
  const withdraw = async () => {
    if (!confirm(`Withdraw ${query.label}? Its matches stay in the archive.`)) return;
    if (!(await act("withdraw", path, "DELETE", `${query.label} is withdrawn.`))) return;
    const { view, parts } = place.value;
    if (view !== "live" || (parts[0] ?? query.label) !== query.label) return; // somebody has gone elsewhere meanwhile
    leadOn("live");
    document.getElementById("main").focus();
  };
  const barred = lacking("submit");
  const parked = query.state === "parked";
  const change = parked
    ? () => act("resume", `${path}/resume`, "POST", `${query.label} goes on.`)
    : () => act("park", `${path}/park`, "POST", `${query.label} is parked.`);
  return (
    <>
      {(parked || PARKABLE.has(query.state)) && (
        <button type="button" class={parked ? "primary" : undefined} disabled={Boolean(barred)} title={barred} onClick={change}>
          {parked ? "Resume" : "Park"}
        </button>
      )}
      <a class="button" href={href("query", [], { of: query.label })}>
        Edit a copy
      </a>
      {query.submitted && (
        <button type="button" disabled={Boolean(barred)} title={barred} onClick={withdraw}>
          Withdraw
        </button>
      )}
    </>
  );
}

export function QueryDetail({ query, again }) {
  const [tab, setTab] = useState("matches");
  const [paused, setPaused] = useState(false);
  const feed = useMatches(hasRows(query) ? query.label : null, paused);
  const told = [
    query.kind,
    query.state,
    query.latency ? `told within ${duration(query.latency)}` : null,
    query.priority ? `priority ${query.priority}` : null,
  ];
  const matches = () => <Feed query={query} feed={feed} paused={paused} onPause={() => setPaused(!paused)} />;
  const tabs = [
    ...(hasRows(query) ? [["matches", "Matches", matches]] : []),
    ["plan", "How it is answered", () => <Plan label={query.label} />],
    [
      "text",
      "Text",
      () => (
        <pre class="text" tabIndex={0}>
          {query.text ?? "Nobody knows its text: the engine was given it by hand."}
        </pre>
      ),
    ],
  ];
  return (
    <Card title={query.label} note={told.filter(Boolean).join(" · ")} actions={<Actions query={query} again={again} />}>
      <Lacking role="submit" of={query.submitted ? "Parking or withdrawing a query" : "Parking a query"} />
      {query.reason && (
        <div class="problem" role="alert">
          <p>
            <strong>{query.state}</strong>: {query.reason}
          </p>
        </div>
      )}
      {hasRows(query) && <QueryChart query={query} />}
      <Tabs label={`About ${query.label}`} tabs={tabs} value={tab} onChoose={setTab} />
    </Card>
  );
}
