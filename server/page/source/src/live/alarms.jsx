// Alarms that are raised: contexts of the ready patterns. Where the server says how, they are acknowledged here.
import { useState } from "preact/hooks";
import { Icon } from "../parts/icon.jsx";
import { notice } from "../parts/notices.jsx";
import { at, postJson } from "../server/requests.js";
import { clock, shown } from "../server/terms.js";

function Alarm({ alarm, again }) {
  const [busy, setBusy] = useState(false);
  const about = Object.values(alarm.key ?? {}).map(shown).join(", ") || alarm.set;
  const acknowledge = async () => {
    setBusy(true);
    try {
      await postJson(`${at("streams", alarm.acknowledge.stream)}/events`, alarm.acknowledge.event);
      notice(`${about} is acknowledged.`);
    } catch (problem) {
      notice(problem.message, "bad");
    }
    setBusy(false);
    again();
  };
  return (
    <li class="alarm">
      <Icon name="bell" />
      <span>
        <strong>{about}</strong> {alarm.set} {alarm.context}
        {alarm.from && <span class="note"> since {clock(alarm.from)}</span>}
      </span>
      {alarm.acknowledge && (
        <button type="button" disabled={busy} onClick={acknowledge}>
          Acknowledge
        </button>
      )}
    </li>
  );
}

export function Alarms({ answer }) {
  const alarms = answer.value ?? [];
  if (!alarms.length) return null;
  return (
    <section class="alarms" aria-label="Alarms">
      <ul>
        {alarms.map((alarm, n) => (
          <Alarm key={`${alarm.set}${JSON.stringify(alarm.key)}${n}`} alarm={alarm} again={answer.again} />
        ))}
      </ul>
    </section>
  );
}
