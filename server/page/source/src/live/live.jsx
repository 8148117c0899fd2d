// What happens now: streams, queries, the chosen query's values and matches, contexts, alarms.
import { useEffect } from "preact/hooks";
import { useAnswer } from "../server/use_answer.js";
import { notice } from "../parts/notices.jsx";
import { reveal } from "../parts/reveal.js";
import { leadOn, place } from "../router.js";
import { Alarms } from "./alarms.jsx";
import { Contexts } from "./contexts.jsx";
import { QueryDetail } from "./query_detail.jsx";
import { Queries } from "./queries.jsx";
import { Streams } from "./streams.jsx";

const OFTEN_MS = 2000;
const SELDOM_MS = 10_000;

/** The one that is shown where none was chosen: a query that runs, of the most matches. */
export function foremost(queries) {
  const order = (one) => (one.kind === "query" ? 0 : 2) + (one.state === "running" ? 0 : 1);
  return [...queries].sort((a, b) => order(a) - order(b) || b.matches - a.matches)[0]?.label ?? null;
}

/** Another text whenever something may have begun or ended a context. */
export const changes = (queries) => queries?.filter(({ kind }) => kind !== "query").map((one) => `${one.label} ${one.matches}`).join("\n") ?? null;

export function Live() {
  const streams = useAnswer("/streams", OFTEN_MS);
  const queries = useAnswer("/queries", OFTEN_MS);
  const contexts = useAnswer("/contexts", SELDOM_MS, changes(queries.value));
  const alarms = useAnswer("/alarms", OFTEN_MS);
  const [asked] = place.value.parts;
  const label = asked ?? foremost(queries.value ?? []);
  const query = queries.value?.find((one) => one.label === label) ?? null;
  useEffect(() => {
    // On a phone the chosen query lies below all the others; on a laptop above the last of many.
    if (asked && query) reveal(document.getElementById("detail"));
  }, [asked, Boolean(query)]);
  useEffect(() => {
    if (!asked || !queries.value || query) return;
    notice(`${asked} is not registered.`, "bad");
    leadOn("live");
  }, [asked, queries.value, query]);
  return (
    <div class="live">
      <h1 class="unseen">Live</h1>
      <Alarms answer={alarms} />
      <div class="live-grid">
        <div class="column">
          <Streams answer={streams} />
          <Queries answer={queries} chosen={label} />
        </div>
        <div class="column wide" id="detail">
          {query && <QueryDetail key={query.label} query={query} again={queries.again} />}
          <Contexts answer={contexts} />
        </div>
      </div>
    </div>
  );
}
