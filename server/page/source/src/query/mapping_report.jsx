// Whether events, annotations and knowledge go together: which ids are known, which attributes nobody declares, what
// each clause of a query leaves.
import { Icon } from "../parts/icon.jsx";
import { number, readable, shortIri } from "../server/terms.js";

const entries = (found) => (Array.isArray(found) ? found : Object.entries(found ?? {}));
const share = (part, whole) => (whole ? Math.round((part / whole) * 100) : 0);

const Fine = ({ children }) => (
  <li class="fine">
    <Icon name="check" /> <span>{children}</span>
  </li>
);
const Amiss = ({ children }) => (
  <li class="amiss">
    <Icon name="warn" /> <span>{children}</span>
  </li>
);

function Unknown({ ids }) {
  const named = (ids.examples ?? []).map((one) => {
    const { name, id, nearest = [], reason } = typeof one === "string" ? { name: one } : one;
    const about = reason || (nearest.length ? `like ${nearest.join(", ")}` : "");
    return `${name ?? id}${about ? ` (${about})` : ""}`;
  });
  return (
    <Amiss>
      <b>{ids.attribute}</b>: {number(ids.unknown)} of {number(ids.known + ids.unknown)} ids name no individual, in{" "}
      {number(ids.events)} events: {named.join(", ")}
      {ids.unknown > named.length ? ", …" : ""}
      {ids.advice && <span class="note"> – {ids.advice}</span>}
    </Amiss>
  );
}

function StreamReport({ stream: told }) {
  if (!told.events && !told.rejected && !told.ids?.length) return null;
  return (
    <section class="report">
      <h3>
        {told.stream} <span class="note">{number(told.events)} events</span>
      </h3>
      <ul>
        {told.rejected > 0 && <Amiss>{number(told.rejected)} records are no events: see the dead letters</Amiss>}
        {(told.ids ?? []).map((ids) =>
          ids.unknown > 0 ? (
            <Unknown key={ids.attribute} ids={ids} />
          ) : (
            <Fine key={ids.attribute}>
              <b>{ids.attribute}</b>: all {number(ids.known)} ids are known
              {entries(ids.classes).length > 0 && `, ${entries(ids.classes).slice(0, 4).map(([iri, count]) => `${number(count)} ${shortIri(iri)}`).join(", ")}`}
            </Fine>
          ),
        )}
        {entries(told.missing).map(([name, instead]) => (
          <Amiss key={name}>
            <b>{name}</b> is declared, and no event has it{instead ? `; is it ${instead}?` : ""}
          </Amiss>
        ))}
        {entries(told.undeclared).map(([name, count]) => (
          <Amiss key={name}>
            <b>{name}</b> is not declared, so no query can speak of it; {number(count)} events have it
          </Amiss>
        ))}
      </ul>
    </section>
  );
}

/** @param {{variable: object, explained: boolean}} props `explained`: the reasons say already what nothing has */
function Clauses({ variable, explained }) {
  const most = variable.clauses[0]?.left || 1;
  return (
    <div class="funnel">
      <h4>?{variable.variable}</h4>
      <ol>
        {variable.clauses.map(({ kind, text, left }, n) => (
          <li key={n}>
            <span class="funnel-bar" style={{ width: `${Math.max(share(left, most), left ? 1 : 0)}%` }} aria-hidden="true" />
            <span class="funnel-text">{text ? readable(text) : `all ${kind}s`}</span>
            <span class="number">{number(left)}</span>
          </li>
        ))}
      </ol>
      {!explained &&
        variable.paths.flatMap((path) => path.unpopulated ?? []).map((text) => (
          <p class="note" key={text}>
            {readable(text)}
          </p>
        ))}
    </div>
  );
}

function QueryReport({ query: told }) {
  return (
    <section class="report">
      <h3>
        {told.query} <span class="note">which events each clause leaves</span>
      </h3>
      {(told.reasons ?? []).length > 0 && (
        <ul>
          {told.reasons.map((text) => (
            <Amiss key={text}>{readable(text)}</Amiss>
          ))}
        </ul>
      )}
      {told.variables.map((variable) => (
        <Clauses key={variable.variable} variable={variable} explained={told.reasons?.length > 0} />
      ))}
    </section>
  );
}

/** @param {{mapping: {streams?: object[], queries?: object[]}}} props as `mapping_dict` has it */
export function MappingReport({ mapping }) {
  const streams = mapping.streams ?? (mapping.stream ? [mapping] : []);
  return (
    <div class="mapping">
      {streams.map((stream) => (
        <StreamReport key={stream.stream} stream={stream} />
      ))}
      {(mapping.queries ?? []).map((query) => (
        <QueryReport key={query.query} query={query} />
      ))}
    </div>
  );
}
