// Why there is a match: its events on a time line, and what held of each, down to files and axioms.
import { Card, Empty, ProblemBox } from "../parts/card.jsx";
import { rowColumns, Value } from "../parts/table.jsx";
import { href, place } from "../router.js";
import { at } from "../server/requests.js";
import { clock } from "../server/terms.js";
import { useAnswer } from "../server/use_answer.js";
import { Reasons } from "./reasons.jsx";
import { Timeline } from "./timeline.jsx";

function Row({ row }) {
  const extra = ["_window", "_context"].filter((name) => row[name]);
  const names = [...rowColumns([row]), ...extra].filter((name) => row[name] !== null);
  return (
    <dl class="pairs match-row">
      {names.map((name) => (
        <div key={name}>
          <dt>{{ _time: "time", _window: "window", _context: "contexts" }[name] ?? name}</dt>
          <dd>
            <Value value={name === "_window" ? `${clock(row[name].start)} – ${clock(row[name].end)}` : row[name]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Match() {
  const [label, id] = place.value.parts;
  const known = Boolean(label && id);
  const path = known ? `${at("matches", id)}/why?query=${encodeURIComponent(label)}` : null;
  const { value, problem, loading, again } = useAnswer(path);
  return (
    <div class="match">
      <nav class="crumbs" aria-label="Where this is">
        <a href={href("live")}>Live</a> <span aria-hidden="true">/</span>{" "}
        {label && <a href={href("live", [label])}>{label}</a>}
      </nav>
      <h1>Why this match of {label ?? "a query"}</h1>
      <ProblemBox problem={problem} again={again} />
      {!known && (
        <Empty>
          The address names no match. <a href={href("live", label ? [label] : [])}>Choose one by its “Why?”.</a>
        </Empty>
      )}
      {loading && <Empty>Its events are being found …</Empty>}
      {value && (
        <>
          <Card title="The match">
            <Row row={value.match} />
          </Card>
          {value.events?.length > 0 && (
            <Card title="Its events" note={`${value.events.length}`}>
              <Timeline events={value.events} match={value.match} />
            </Card>
          )}
          <Card title="What held, and why">
            <Reasons told={value} />
          </Card>
        </>
      )}
    </div>
  );
}
