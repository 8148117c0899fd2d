// Alarms that nobody has seen yet; who sees one says so here.
import { useState } from "preact/hooks";
import { Icon } from "../parts/icon.jsx";
import { notice } from "../parts/notices.jsx";
import { clock, shown } from "../server/terms.js";
import { acknowledge, raisedAlarms, seenBy } from "./acknowledgement.js";

/** The engine reads what was said with one of its next batches. */
const LOOKED_AGAIN_MS = [2000, 6000, 15_000];

function Alarm({ alarm, by, again }) {
  const [busy, setBusy] = useState(false);
  const about = Object.values(alarm.key ?? {}).map(shown).join(", ") || alarm.set;
  const see = async () => {
    setBusy(true);
    try {
      await acknowledge(by, alarm.key ?? {});
      notice(`${about}: acknowledged. It is gone from here as soon as the engine has read that.`);
      for (const ms of LOOKED_AGAIN_MS) setTimeout(again, ms);
    } catch (problem) {
      notice(`${about}: ${problem.message}`, "bad");
      setBusy(false);
    }
  };
  return (
    <li class="alarm">
      <Icon name="bell" />
      <span>
        <strong>{about}</strong> {alarm.set} {alarm.context}
        <span class="note"> since {clock(alarm.from)}</span>
      </span>
      {by && (
        <button type="button" disabled={busy} onClick={see} aria-label={`Acknowledge the alarm of ${about}`}>
          Acknowledge
        </button>
      )}
    </li>
  );
}

/** @param {{contexts: object, queries: object[]}} props the answer of /contexts, and the queries with their texts */
export function Alarms({ contexts, queries }) {
  const alarms = raisedAlarms(contexts.value);
  const by = seenBy(queries.map(({ text }) => text));
  if (!alarms.length) return null;
  return (
    <section class="alarms" aria-label="Alarms">
      <ul>
        {alarms.map((alarm) => (
          <Alarm key={`${alarm.set}${JSON.stringify(alarm.key)}${alarm.from}`} alarm={alarm} by={by} again={contexts.again} />
        ))}
      </ul>
    </section>
  );
}
