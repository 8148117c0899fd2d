// The registered queries, rules and contexts, with what they have found.
import { useEffect, useRef } from "preact/hooks";
import { Card, Empty, ProblemBox } from "../parts/card.jsx";
import { useFilter } from "../parts/filter.jsx";
import { href } from "../router.js";
import { number } from "../server/terms.js";

const STATES = { running: "good", parked: "bad", behind: "warn" };

/** A count that is marked for a moment when it has grown. */
function Count({ value }) {
  const cell = useRef(null);
  const before = useRef(value);
  useEffect(() => {
    if (value !== before.current) cell.current.animate?.([{ color: "var(--accent)" }, {}], { duration: 1500 });
    before.current = value;
  }, [value]);
  return <b ref={cell}>{number(value ?? 0)}</b>;
}

function counted(query) {
  if (query.kind === "rule") return [query.matches ?? 0, "calls"];
  if (query.kind === "contexts") return [query.matches ?? 0, "changes"];
  return [query.matches ?? 0, "matches"];
}

/** Queries first, then what acts on their rows, then what makes the contexts. */
export function inOrder(queries) {
  const kinds = ["query", "rule", "contexts"];
  return [...queries].sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
}

function Item({ query, chosen }) {
  const [count, what] = counted(query);
  return (
    <li>
      <a class="row-button" href={href("live", [query.label])} aria-current={chosen ? "true" : undefined}>
        <span class="name">
          <span class={`dot ${STATES[query.state] ?? "idle"}`} aria-hidden="true" />
          {query.label}
          {query.kind !== "query" && <span class="tag">{query.kind}</span>}
        </span>
        <span class="figures">
          <span class="figure">
            <Count value={count} /> {what}
          </span>
        </span>
        {query.state !== "running" && (
          <span class="note">
            {query.state}
            {query.reason ? `: ${query.reason}` : ""}
          </span>
        )}
      </a>
    </li>
  );
}

/** Scroll a list, and nothing around it, to the query that is chosen. */
function within(list) {
  const item = list.querySelector("[aria-current]");
  if (!item) return;
  const [box, own] = [list.getBoundingClientRect(), item.getBoundingClientRect()];
  if (own.top < box.top || own.bottom > box.bottom) list.scrollTop += own.top - box.top - box.height / 3;
}

export function Queries({ answer, chosen }) {
  const queries = answer.value ?? [];
  const { shown, field, many, wanted } = useFilter(inOrder(queries), ({ label }) => label, "Find a query");
  const list = useRef(null);
  useEffect(() => {
    if (many && !wanted) within(list.current);
  }, [many, chosen, wanted]);
  const add = (
    <a class="button" href={href("query")}>
      New query
    </a>
  );
  return (
    <Card title="Queries" actions={add}>
      <ProblemBox problem={answer.problem} again={answer.again} />
      {answer.loading && <Empty>The engine is asked for them …</Empty>}
      {answer.value && queries.length === 0 && (
        <Empty>
          No query is registered. <a href={href("query")}>Write one, or start from an example.</a>
        </Empty>
      )}
      {field}
      <ul key={wanted} class={`queries ${many ? "many" : ""}`} ref={list}>
        {shown.map((query) => (
          <Item key={query.label} query={query} chosen={query.label === chosen} />
        ))}
      </ul>
    </Card>
  );
}
