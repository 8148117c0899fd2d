// What a chart draws, as a table: a row for each part of its time, with the least and the greatest values in it.
import { Table } from "../parts/table.jsx";
import { clock, moment, number, unitSign } from "../server/terms.js";

const MOST_ROWS = 48;

function spread(values) {
  if (!values.length) return "";
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  return low === high ? number(low) : `${number(low)} to ${number(high)}`;
}

/** Equal parts of the time, those left out in which nothing is; each point and each match lies in one of them. */
export function tabled(series, marks) {
  const points = series.map(({ points }) => points.map(([time, value]) => ({ time: moment(time), value })));
  const moments = [...points.flat().map(({ time }) => time), ...marks.map(({ seconds }) => seconds * 1000)];
  const first = moments.reduce((a, b) => Math.min(a, b), Infinity);
  const length = moments.reduce((a, b) => Math.max(a, b), 0) - first || 1;
  const part = (time) => Math.min(Math.floor(((time - first) / length) * MOST_ROWS), MOST_ROWS - 1);
  const rows = Array.from({ length: MOST_ROWS }, (_, n) => ({
    from: first + (n * length) / MOST_ROWS,
    values: series.map(() => []),
    matches: 0,
  }));
  points.forEach((own, n) => {
    for (const { time, value } of own) if (typeof value === "number") rows[part(time)].values[n].push(value);
  });
  for (const { seconds } of marks) rows[part(seconds * 1000)].matches += 1;
  return rows.filter(({ values, matches }) => matches || values.some((own) => own.length));
}

/** @param {{series: object[], marks: {seconds: number}[]}} props as the chart draws them */
export function ChartTable({ series, marks }) {
  const names = series.map(({ name, unit }) => (unit ? `${name} [${unitSign(unit)}]` : name));
  const rows = tabled(series, marks).map(({ from, values, matches }) => ({
    since: clock(from),
    ...Object.fromEntries(names.map((name, n) => [name, spread(values[n])])),
    matches,
  }));
  return <Table caption="The chart as a table" columns={["since", ...names, ...(marks.length ? ["matches"] : [])]} rows={rows} />;
}
