// Alarms: who sees one says so here; then those that somebody has seen, and those that are over.
import { useState } from "preact/hooks";
import { Icon } from "../parts/icon.jsx";
import { Lacking } from "../parts/lacking.jsx";
import { notice } from "../parts/notices.jsx";
import { href } from "../router.js";
import { at, hasToken, postJson } from "../server/requests.js";
import { lacking } from "../server/role.js";
import { browser } from "../server/shelf.js";
import { clock, shown } from "../server/terms.js";

const NAME = "kaicep.name";
/** Whatever was said is in force by then, or came too late. */
const PATIENCE_MS = 30_000;
const SHOWN_OVER = 8;
/** More are counted, too: they are not seen all at once. */
const FEW = 6;

export const about = ({ key, set }) => Object.values(key ?? {}).map(shown).join(", ") || set;

/** What became of an alarm, in words. */
export function fate({ raised, acknowledged, who, cleared }) {
  const seen = acknowledged && `seen${who ? ` by ${who}` : ""} ${clock(acknowledged)}`;
  return [raised && `since ${clock(raised)}`, seen, cleared && `over ${clock(cleared)}`].filter(Boolean).join(" · ");
}

function Alarm({ alarm, name }) {
  const [busy, setBusy] = useState(false);
  const what = about(alarm);
  const see = async () => {
    setBusy(true);
    setTimeout(() => setBusy(false), PATIENCE_MS);
    try {
      await postJson(`${at("alarms", alarm.id)}/acknowledge`, { who: name || null });
      notice(`${what}: acknowledged. It is in force as soon as the engine has read that.`);
    } catch (problem) {
      notice(`${what}: ${problem.message}`, "bad");
      setBusy(false);
    }
  };
  return (
    <li class={`alarm ${alarm.state}`}>
      <Icon name="bell" />
      <span>
        <a href={href("live", [alarm.query])}>
          <strong>{what}</strong> {alarm.set} {alarm.state}
        </a>
        <span class="note"> {fate(alarm)}</span>
      </span>
      {alarm.by && (
        <button type="button" disabled={busy || Boolean(lacking("submit"))} title={lacking("submit")} onClick={see} aria-label={`Acknowledge the alarm of ${what}`}>
          {busy ? "Acknowledged …" : "Acknowledge"}
        </button>
      )}
    </li>
  );
}

/** Where no token says who one is. */
function Name({ value, change }) {
  return (
    <label class="alarm-name">
      Your name
      <input type="text" value={value} onInput={(event) => change(event.target.value)} autoComplete="name" spellcheck={false} />
    </label>
  );
}

/** @param {{answer: object}} props that of /alarms */
export function Alarms({ answer }) {
  const [name, setName] = useState(() => browser.get(NAME) ?? "");
  const alarms = answer.value ?? [];
  const open = alarms.filter(({ state }) => state !== "cleared");
  const over = alarms.filter(({ state }) => state === "cleared").slice(0, SHOWN_OVER);
  if (!alarms.length) return null;
  const change = (typed) => {
    browser.put(NAME, typed);
    setName(typed);
  };
  return (
    <section class="alarms" aria-label="Alarms">
      {open.length > FEW && (
        <p class="note">
          {open.length} alarms, {open.filter(({ state }) => state === "raised").length} of which nobody has seen
        </p>
      )}
      <ul>
        {open.map((alarm) => (
          <Alarm key={alarm.id} alarm={alarm} name={name} />
        ))}
      </ul>
      <div class="alarms-foot">
        {over.length > 0 && (
          <details>
            <summary>{open.length ? "Alarms that are over" : "No alarm; those that are over"}</summary>
            <ul>
              {over.map((alarm) => (
                <Alarm key={alarm.id} alarm={alarm} name={name} />
              ))}
            </ul>
          </details>
        )}
        <Lacking role="submit" needed={open.some(({ by }) => by)} of="Acknowledging" />
        {!hasToken() && open.some(({ by }) => by) && <Name value={name} change={change} />}
      </div>
    </section>
  );
}
