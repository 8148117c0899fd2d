// Answers of SPARQL as rows, and as series where there is a time and a number.

const NUMERIC = /#(?:integer|decimal|double|float|int|long|short|byte|nonNegativeInteger)$/;

/** A term of SPARQL 1.1 Query Results JSON as a value. */
function value(term) {
  if (!term) return null;
  if (term.type === "literal" && NUMERIC.test(term.datatype ?? "")) {
    const found = Number(term.value);
    const whole = Number.isFinite(found) && !(/^[+-]?\d+$/.test(term.value) && !Number.isSafeInteger(found));
    return whole ? found : term.value; // of what is no number here, each digit stays
  }
  if (term.type === "literal" && term.datatype?.endsWith("#boolean")) return term.value === "true";
  return term.value;
}

export function solutions(answer) {
  if (answer.boolean !== undefined) return { columns: ["answer"], rows: [{ answer: answer.boolean }] };
  const columns = answer.head.vars;
  const rows = answer.results.bindings.map((one) => Object.fromEntries(columns.map((name) => [name, value(one[name])])));
  return { columns, rows };
}

const TIME = /^\d{4}-\d\d-\d\d(?:T|$)/;
const kindOf = (rows, name) => {
  const found = rows.map((row) => row[name]).filter((one) => one !== null);
  if (found.length && found.every((one) => typeof one === "number")) return "number";
  return found.length && found.every((one) => typeof one === "string" && TIME.test(one)) ? "time" : "text";
};

/**
 * Series over time: a line for each number, and for each value of the first column that is neither.
 * @returns {{name: string, points: [string, number][]}[]} empty: there is nothing to draw
 */
export function seriesOf({ columns, rows }, shown) {
  const kinds = new Map(columns.map((name) => [name, kindOf(rows, name)]));
  const of = (kind) => columns.filter((name) => kinds.get(name) === kind);
  const [time] = of("time");
  const numbers = of("number");
  const [group] = of("text");
  if (!time || !numbers.length || rows.length < 2) return [];
  const series = new Map();
  for (const row of rows) {
    for (const name of numbers) {
      if (row[time] === null || row[name] === null) continue;
      const key = [group && shown(row[group]), numbers.length > 1 || !group ? name : null].filter(Boolean).join(" ");
      if (!series.has(key)) series.set(key, { name: key, points: [] });
      series.get(key).points.push([row[time], row[name]]);
    }
  }
  for (const one of series.values()) one.points.sort(([a], [b]) => Date.parse(a) - Date.parse(b));
  return [...series.values()];
}
