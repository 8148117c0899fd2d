// Contexts: which one holds when, a band for each partition.
import { Bands } from "../charts/bands.jsx";
import { Card } from "../parts/card.jsx";
import { moment, shown } from "../server/terms.js";

const MOST_ROWS = 30;

const keyText = (key) => {
  const values = Object.values(key ?? {});
  return values.length ? values.map(shown).join(", ") : "everywhere";
};

/** The rows of a set: partitions in the order of their names, each with its windows. */
export function partitions(set, kinds) {
  const rows = new Map();
  for (const window of set.windows) {
    const name = keyText(window.key);
    if (!rows.has(name)) rows.set(name, []);
    rows.get(name).push({ from: window.from ?? null, to: window.to ?? null, text: window.context, kind: kinds.get(window.context) });
  }
  return [...rows].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true })).map(([name, bands]) => ({ name, bands }));
}

/** The default is grey, the others have a colour each. */
export function bandKinds(contexts) {
  let n = 0;
  return new Map(contexts.map(({ name, default: is }) => [name, is ? "default" : `kind-${(n++ % 6) + 1}`]));
}

/** @param {{set: object}} props its time is that which was asked for: nobody knows yet what holds behind its end */
function ContextSet({ set }) {
  const kinds = bandKinds(set.contexts);
  const rows = partitions(set, kinds);
  return (
    <Card title={`Contexts: ${set.set}`} note={set.key?.length ? `by ${[].concat(set.key).join(", ")}` : null}>
      {rows.length ? (
        <Bands label={`Contexts of ${set.set}`} rows={rows.slice(0, MOST_ROWS)} from={moment(set.from)} to={moment(set.to)} legend={[...kinds].map(([name, kind]) => [kind, name])} />
      ) : (
        <p class="empty">The default holds everywhere: no other context has begun.</p>
      )}
      {rows.length > MOST_ROWS && <p class="note">{rows.length - MOST_ROWS} more partitions are not shown.</p>}
    </Card>
  );
}

export const Contexts = ({ answer }) => (answer.value ?? []).map((set) => <ContextSet key={set.set} set={set} />);
