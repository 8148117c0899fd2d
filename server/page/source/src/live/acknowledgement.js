// How an alarm is acknowledged: by the event that leads from `raised` to `seen`, as docs/alarms.md has it.
import { at, get, postJson } from "../server/requests.js";

const SEEN = /SWITCH\s+CONTEXT\s+seen\b[^;]*?FROM\s*\(\s*\?(\w+)\s*,\s*(\w+)\s*\)\s*IN\s+CONTEXT\s+raised\b([^;]*)/i;
const EQUAL = /FILTER\s*\(\s*\?(\w+)\.(\w+)\s*=\s*'([^']*)'\s*\)/gi;

/** Alarms that nobody has seen: open windows of contexts that are called `raised`. */
export function raisedAlarms(sets) {
  return (sets ?? []).flatMap(({ set, windows }) =>
    windows.filter(({ context, to }) => context === "raised" && !to).map((window) => ({ set, ...window })),
  );
}

/**
 * What somebody who has seen an alarm says.
 * @param {string[]} texts of the queries that change contexts
 * @returns {{stream: string, said: object} | null} null: no query asks for it in that form
 */
export function seenBy(texts) {
  for (const text of texts) {
    const found = SEEN.exec(text ?? "");
    if (!found) continue;
    const [, variable, stream, rest] = found;
    const said = [...rest.matchAll(EQUAL)].filter(([, name]) => name === variable);
    if (said.length) return { stream, said: Object.fromEntries(said.map(([, , name, value]) => [name, value])) };
  }
  return null;
}

const local = (value) => String(value).split(/[#/]/).pop();

/** Send that event, at this moment. */
export async function acknowledge({ stream, said }, key) {
  const schema = await get(at("streams", stream));
  const named = new Map(schema.attributes.map((one) => [one.name, one]));
  const about = Object.entries(key).map(([name, value]) => [name, named.get(name)?.individual ? local(value) : value]);
  const event = { ...said, ...Object.fromEntries(about), [schema.time]: new Date().toISOString() };
  await postJson(`${at("streams", stream)}/events`, event);
}
