// Values over time, with thresholds as dashed lines and matches as marks that can be followed.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { clock, moment, number, unitSign, zone } from "../server/terms.js";
import { colour, isDark } from "../theme.js";
import { ChartTable } from "./chart_table.jsx";

const MOST_SERIES = 12;
/** So many matches are marked by a line down to the values; more would hide these. */
const MOST_LINES = 40;
const DAY_S = 86_400;
/** So many times the usual step between two values is a silence. */
const SILENCE = 12;
/** The colours of three series that follow one another are told apart by everybody; the next three have another line. */
const LINES = [
  { border: "solid", width: 2, dash: [] },
  { border: "dashed", width: 2, dash: [9, 4] },
  { border: "dotted", width: 2, dash: [2, 4] },
  { border: "double", width: 4, dash: [11, 4, 2, 4] },
];
const seriesColour = (n) => colour(`series-${(n % MOST_SERIES) + 1}`);
const seriesLine = (n) => LINES[Math.floor(n / 3) % LINES.length];

/** Series of points as the columns that uPlot draws; times in seconds. */
export function columns(series) {
  const tables = series.map(({ points }) => [
    points.map(([time]) => moment(time) / 1000),
    points.map(([, value]) => (typeof value === "number" ? value : null)),
  ]);
  return tables.length > 1 ? uPlot.join(tables) : (tables[0] ?? [[], []]);
}

/** Thresholds may be numbers, or say what they are. */
export const thresholds = (told) =>
  (told ?? []).map((one) => (typeof one === "number" ? { value: one } : one)).filter(({ value }) => Number.isFinite(value));

function drawThresholds(u, lines) {
  const { ctx } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  ctx.strokeStyle = ctx.fillStyle = colour("bad");
  ctx.lineWidth = 1.5 * ratio;
  ctx.setLineDash([6 * ratio, 4 * ratio]);
  ctx.textAlign = "right";
  for (const { value, name } of lines) {
    const y = u.valToPos(value, "y", true);
    if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) continue;
    ctx.beginPath();
    ctx.moveTo(u.bbox.left, y);
    ctx.lineTo(u.bbox.left + u.bbox.width, y);
    ctx.stroke();
    ctx.fillText(name || number(value), u.bbox.left + u.bbox.width - 6 * ratio, y - 5 * ratio);
  }
  ctx.restore();
}

function drawMatches(u, matches) {
  const { ctx } = u;
  const size = 5 * devicePixelRatio;
  ctx.save();
  ctx.fillStyle = colour("match");
  ctx.strokeStyle = colour("match-line");
  ctx.lineWidth = devicePixelRatio;
  for (const { seconds } of matches) {
    const x = u.valToPos(seconds, "x", true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
    if (matches.length <= MOST_LINES) {
      ctx.beginPath();
      ctx.moveTo(x, u.bbox.top + size * 2);
      ctx.lineTo(x, u.bbox.top + u.bbox.height);
      ctx.stroke();
    }
    ctx.beginPath();
    ctx.moveTo(x - size, u.bbox.top);
    ctx.lineTo(x + size, u.bbox.top);
    ctx.lineTo(x, u.bbox.top + size * 1.8);
    ctx.fill();
  }
  ctx.restore();
}

const axis = (more) => ({
  stroke: colour("muted"),
  grid: { stroke: colour("grid"), width: 1 },
  ticks: { stroke: colour("grid"), width: 1, size: 4 },
  font: "12px system-ui, sans-serif",
  ...more,
});

/** Moments below the chart: the time of day, and the day where one begins. */
function times(u, ticks, axis, space, step) {
  return ticks.map((seconds) => {
    const text = clock(seconds, { seconds: step < 60, date: true });
    const [day, time] = text.split(" ");
    return step >= DAY_S || /^00:00(?::00)?$/.test(time) ? day.slice(5) : time;
  });
}

/** Where a series says nothing for much longer than usual, no line is drawn; times that only others have are none. */
function silences(u, index, from, to) {
  const [times, values] = [u.data[0], u.data[index]];
  const known = [];
  for (let n = from; n <= to; n += 1) if (isKnown(values[n])) known.push(times[n]);
  const steps = known.slice(1).map((time, n) => time - known[n]);
  const usual = [...steps].sort((a, b) => a - b)[steps.length >> 1];
  return steps.flatMap((step, n) =>
    step > usual * SILENCE ? [[u.valToPos(known[n], "x", true), u.valToPos(known[n + 1], "x", true)]] : [],
  );
}

const isKnown = (value) => value !== null && value !== undefined;

/** What the legend says of a series: its value below the pointer, and while nobody points its last one. */
function legendValue(u, value, index, place, text) {
  const told = isKnown(place) ? value : u.data[index].findLast(isKnown);
  return isKnown(told) ? text(told) : "–";
}

/** What somebody has chosen to look at: a part of the time, or fewer series. */
function look(u) {
  const [times] = u.data;
  const { min, max } = u.scales.x;
  const whole = !times.length || (min <= times[0] && max >= times.at(-1));
  return { part: whole ? null : { min, max }, hidden: u.series.filter(({ show }) => !show).map(({ label }) => label) };
}

/** Let a plot of newer values show what was looked at. */
function lookAgain(u, { part, hidden }) {
  u.batch(() => {
    if (part) u.setScale("x", part);
    u.series.forEach(({ label }, n) => n > 0 && hidden.includes(label) && u.setSeries(n, { show: false }));
  });
}

function options(width, height, series, lines, matches, onLook) {
  const units = [...new Set(series.map(({ unit }) => unitSign(unit)).filter(Boolean))];
  const values = (u, ticks) => ticks.map((tick) => number(tick));
  const range = (u, low, high) => {
    const all = [low, high, ...lines.map(({ value }) => value)].filter(Number.isFinite);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const room = (most - least || Math.abs(most) || 1) * 0.1;
    return all.length ? [least - room, most + room * 1.6] : [0, 1];
  };
  return {
    width,
    height,
    cursor: { y: false, points: { size: 7 } },
    legend: {
      live: true,
      isolate: true,
      markers: { dash: (u, index) => seriesLine(index - 1).border, width: (u, index) => seriesLine(index - 1).width },
    },
    scales: { y: { range } },
    axes: [
      axis({ values: times, space: 72, size: 30 }),
      axis({ values, size: 58, label: units.length === 1 ? units[0] : undefined, labelSize: units.length === 1 ? 20 : 0, labelFont: "12px system-ui, sans-serif" }),
    ],
    series: [
      { label: `time (${zone})`, value: (u, seconds, index, place) => legendValue(u, seconds, index, place, clock) },
      ...series.map(({ name, unit }, n) => ({
        label: name,
        stroke: seriesColour(n),
        width: 1.75,
        dash: seriesLine(n).dash.map((length) => length * devicePixelRatio),
        gaps: silences,
        points: { show: series[n].points.length < 40 },
        value: (u, value, index, place) =>
          legendValue(u, value, index, place, (told) => `${number(told)}${unit ? ` ${unitSign(unit)}` : ""}`),
      })),
    ],
    hooks: {
      draw: [(u) => drawMatches(u, matches), (u) => drawThresholds(u, lines)],
      setScale: [(u, scale) => scale === "x" && onLook(look(u))],
    },
  };
}

function spoken(series, lines, matches) {
  const parts = series.map(({ name, unit, points }) => {
    const values = points.map(([, value]) => value).filter((value) => typeof value === "number");
    if (!values.length) return `${name}: no values`;
    const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
    return `${name} from ${number(low)} to ${number(high)}${unit ? ` ${unit}` : ""}`;
  });
  if (lines.length) parts.push(`threshold ${lines.map(({ value }) => number(value)).join(", ")}`);
  return `${parts.join("; ")}; ${matches.length} matches`;
}

/** The match nearest to a place on the chart, if it is near. */
function near(u, matches, x) {
  let best = null;
  for (const match of matches) {
    const distance = Math.abs(u.valToPos(match.seconds, "x") - x);
    if (distance < 9 && (!best || distance < best.distance)) best = { match, distance };
  }
  return best?.match ?? null;
}

/**
 * @param {{series: {name: string, unit?: string, points: [any, number][]}[], threshold?: any[],
 *          matches?: {id: string, time: any}[], onMatch?: (id: string) => void, height?: number}} props
 */
export function Chart({ series, threshold = [], matches = [], onMatch = null, height = 280 }) {
  const host = useRef(null);
  const plot = useRef(null);
  const looked = useRef({ part: null, hidden: [] });
  const [listed, setListed] = useState(false);
  const [part, setPart] = useState(null);
  const dark = isDark.value;
  const drawn = series.slice(0, MOST_SERIES);
  const lines = thresholds(threshold);
  const marks = matches.map(({ id, time }) => ({ id, seconds: moment(time) / 1000 }));
  useEffect(() => {
    const box = host.current;
    const u = new uPlot(options(box.clientWidth, height, drawn, lines, marks, (now) => setPart(now.part)), columns(drawn), box);
    plot.current = u;
    lookAgain(u, looked.current);
    const resized = new ResizeObserver(() => u.setSize({ width: box.clientWidth, height }));
    resized.observe(box);
    const follow = (event) => {
      const match = near(u, marks, event.offsetX);
      if (match && onMatch) onMatch(match.id);
    };
    const point = (event) => (u.over.style.cursor = onMatch && near(u, marks, event.offsetX) ? "pointer" : "");
    u.over.addEventListener("click", follow);
    u.over.addEventListener("mousemove", point);
    return () => ((looked.current = look(u)), resized.disconnect(), u.destroy());
  }, [series, threshold, matches, dark, height]);
  const showAll = () => {
    const [times] = plot.current.data;
    plot.current.setScale("x", { min: times[0], max: times.at(-1) });
    host.current.closest("figure").focus();
  };
  return (
    <figure class="chart" tabIndex={-1}>
      <div ref={host} role="img" aria-label={spoken(drawn, lines, marks)} />
      <figcaption class="note">
        {part && (
          <button type="button" onClick={showAll}>
            Show all of the time
          </button>
        )}
        {marks.length > 0 && (
          <span class="legend-match">
            <span aria-hidden="true">▼</span> a match{onMatch ? ": click it to see why" : ""}
          </span>
        )}
        {lines.length > 0 && (
          <span class="legend-threshold">
            <span aria-hidden="true">╌╌</span> threshold
          </span>
        )}
        {series.length > MOST_SERIES && <span>{series.length - MOST_SERIES} more series are not drawn.</span>}
      </figcaption>
      <details class="as-table" onToggle={(event) => setListed(event.currentTarget.open)}>
        <summary>The chart as a table</summary>
        {listed && <ChartTable series={drawn} marks={marks} />}
      </details>
    </figure>
  );
}
