// The events of a match on a line of time, a row for each variable.
import { timeScale } from "../charts/time_scale.js";
import { clock, duration, moment, shown } from "../server/terms.js";

const rows = (events) => {
  const found = new Map();
  for (const event of events) {
    const name = event.variable ? `?${event.variable}` : event.stream;
    if (!found.has(name)) found.set(name, []);
    found.get(name).push(event);
  }
  return [...found];
};

const about = ({ attributes }) =>
  Object.entries(attributes ?? {})
    .filter(([name, value]) => !name.startsWith("_") && value !== null && typeof value !== "object")
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(", ");

/** What stands below the line: where it begins, how long it is, where it ends; a moment stands in its middle. */
const ends = (first, last) =>
  first === last ? ["", clock(first), ""] : [clock(first), duration((last - first) / 1000), clock(last)];

export function Timeline({ events, match }) {
  const times = events.map(({ time }) => moment(time)).filter(Number.isFinite);
  const all = [...times, ...(match?._time ? [moment(match._time)] : [])];
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const room = Math.max((last - first) * 0.06, 500);
  const scale = timeScale(first - room, last + room);
  return (
    <div class="timeline">
      <div aria-hidden="true">
        {rows(events).map(([name, own]) => (
          <div class="band-row" key={name}>
            <div class="band-name mono">{name}</div>
            <div class="track line">
              {own.map((event) => (
                <span key={event.id} class="event" style={{ left: `${scale(moment(event.time))}%` }} title={`${clock(event.time)}\n${about(event)}`} />
              ))}
              {match?._time && <span class="match-mark" style={{ left: `${scale(moment(match._time))}%` }} />}
            </div>
          </div>
        ))}
        <div class="band-row">
          <div class="band-name" />
          <div class="track axis ends">
            {ends(first, last).map((text, n) => (
              <span key={n}>{text}</span>
            ))}
          </div>
        </div>
      </div>
      <ul class="events">
        {events.map((event) => (
          <li key={event.id}>
            <span class="mono">{event.variable ? `?${event.variable}` : ""}</span> <span class="tag">{event.stream}</span>{" "}
            <time dateTime={String(event.time)}>{clock(event.time)}</time> <span class="note">{about(event)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
