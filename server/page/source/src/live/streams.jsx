// The streams: how much comes, how far behind, what was not taken; one of them in full.
import { useState } from "preact/hooks";
import { Card, Empty, ProblemBox } from "../parts/card.jsx";
import { useFilter } from "../parts/filter.jsx";
import { MappingReport } from "../query/mapping_report.jsx";
import { rowColumns, Table } from "../parts/table.jsx";
import { at } from "../server/requests.js";
import { clock, duration, number, shortIri } from "../server/terms.js";
import { useAnswer } from "../server/use_answer.js";

const LAGGING_S = 60;
/** Who is further behind was recorded: then it is told of when its events are. */
const RECORDED_S = 365 * 86_400;
const perSecond = (rate) => number(rate >= 10 ? Math.round(rate) : Math.round((rate ?? 0) * 100) / 100);

/** Records that are no part of the stream, in words. */
export function losses({ late = 0, duplicates = 0, dead = 0 }) {
  const told = [
    [late, "late"],
    [duplicates, "repeated"],
    [dead, "dead letters"],
  ];
  return told.filter(([count]) => count > 0).map(([count, what]) => `${number(count)} ${what}`);
}

function Stream({ stream, open, onOpen }) {
  const { name, rate, lag_s: lag, records } = stream;
  const told = losses(stream);
  return (
    <li class="stream">
      <button type="button" class="row-button" aria-expanded={open} onClick={onOpen}>
        <span class="name">{name}</span>
        <span class="figures">
          <span class="figure">
            <b>{perSecond(rate)}</b> /s
          </span>
          <Lag seconds={lag} newest={stream.newest} />
        </span>
        <span class="note">
          {number(records)} events{told.length ? ` · ${told.join(", ")}` : ""}
        </span>
      </button>
      {open && <StreamDetail stream={stream} />}
    </li>
  );
}

function Lag({ seconds, newest }) {
  if (seconds > RECORDED_S) return <span class="figure">{clock(newest)}</span>;
  return (
    <span class={`figure ${seconds > LAGGING_S ? "warn" : ""}`}>
      <b>{duration(seconds)}</b> lag
    </span>
  );
}

function StreamDetail({ stream }) {
  const schema = useAnswer(at("streams", stream.name));
  const events = useAnswer(`${at("streams", stream.name)}/events?last=8`, 5000);
  const told = schema.value;
  const rows = [...(events.value ?? [])].reverse();
  const columns = rowColumns(rows).filter((name) => name !== told?.time); // it is `_time`
  return (
    <div class="stream-detail">
      <ProblemBox problem={schema.problem} />
      <dl class="pairs">
        <dt>events are</dt>
        <dd>{stream.class}</dd>
        <dt>come from</dt>
        <dd>{stream.source}</dd>
        {stream.newest && (
          <>
            <dt>newest</dt>
            <dd>{clock(stream.newest)}</dd>
          </>
        )}
        {told?.identity && (
          <>
            <dt>identity</dt>
            <dd>{[].concat(told.identity).join(", ")}</dd>
          </>
        )}
        {told?.lateness !== undefined && told?.lateness !== null && (
          <>
            <dt>lateness</dt>
            <dd>{typeof told.lateness === "number" ? duration(told.lateness) : told.lateness}</dd>
          </>
        )}
      </dl>
      {told?.attributes && (
        <Table
          caption={`Attributes of ${stream.name}`}
          columns={["name", "type", "unit", "property"]}
          rows={told.attributes.map((one) => ({ ...one, unit: one.unit ? shortIri(one.unit) : null }))}
        />
      )}
      {told?.mapping && <MappingReport mapping={told.mapping} />}
      {rows.length > 0 && (
        <>
          <h3>Newest events</h3>
          <Table caption={`Newest events of ${stream.name}`} columns={columns} rows={rows} />
        </>
      )}
    </div>
  );
}

export function Streams({ answer }) {
  const [open, setOpen] = useState(null);
  const streams = answer.value ?? [];
  const { shown, field, many, wanted } = useFilter(streams, ({ name }) => name, "Find a stream");
  return (
    <Card title="Streams" note={streams.length ? `${perSecond(streams.reduce((sum, { rate }) => sum + (rate ?? 0), 0))} /s` : null}>
      <ProblemBox problem={answer.problem} again={answer.again} />
      {answer.value && streams.length === 0 && <Empty>The project has no streams: add [streams.NAME] to kaicep.toml.</Empty>}
      {field}
      <ul key={wanted} class={`streams ${many ? "many" : ""}`}>
        {shown.map((stream) => (
          <Stream
            key={stream.name}
            stream={stream}
            open={open === stream.name}
            onOpen={() => setOpen(open === stream.name ? null : stream.name)}
          />
        ))}
      </ul>
    </Card>
  );
}
