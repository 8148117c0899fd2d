// What an editor offers: streams, attributes, classes and properties (by label too), functions, keywords, variables.
import { vocabulary } from "../server/vocabulary.js";

const MOST = 60;
const folded = (text) => (text ?? "").toLowerCase();

/** How well a candidate fits what is typed: the smaller the better, -1 not at all. */
function rank({ label, words }, typed) {
  const name = folded(label);
  if (name.startsWith(typed)) return 0;
  const local = name.slice(name.indexOf(":") + 1);
  if (local.startsWith(typed)) return 1;
  if (words.some((word) => word.startsWith(typed))) return 2;
  return name.includes(typed) || words.join(" ").includes(typed) ? 3 : -1;
}

/** The best of them, as CodeMirror takes them; it is told not to filter again. */
export function fitting(candidates, typed) {
  const wanted = folded(typed);
  return candidates
    .map((candidate) => ({ ...candidate, rank: wanted ? rank(candidate, wanted) : 2 }))
    .filter((candidate) => candidate.rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.label.length - b.label.length || (a.label < b.label ? -1 : 1))
    .slice(0, MOST)
    .map(({ words, rank: _, ...option }) => option);
}

const split = (text) => folded(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const term = (type) => ({ iri, prefixed, label, labels }) => ({
  label: prefixed || `<${iri}>`,
  type,
  detail: label && label !== prefixed ? label : undefined,
  words: split((labels ?? [label]).join(" ")),
});
const attribute = (one) => {
  const { name, type, unit, property } = typeof one === "string" ? { name: one } : one;
  const detail = [type, unit].filter(Boolean).join(", ") || undefined;
  return { label: name, type: "property", detail, info: property, words: split(property?.split(/[#/]/).pop()) };
};
const streamsOf = (known) =>
  known.streams.map(({ name, class: kind }) => ({ label: name, type: "interface", detail: kind || "stream", words: [] }));
const functionsOf = (known) =>
  known.functions.map(({ name, signature, doc }) => ({
    label: name,
    apply: `${name}(`,
    type: "function",
    detail: signature === name ? undefined : signature,
    info: doc,
    words: [],
  }));
const keywordsOf = (words) => words.map((label) => ({ label, type: "keyword", words: [] }));

/** The streams that event variables of a text are of: `(?e, reading)`. */
export function variableStreams(text) {
  const found = new Map();
  for (const [, name, stream] of text.matchAll(/\(\s*[?$](\w+)\s*,\s*(\w+)\s*\)/g)) found.set(name, stream);
  return found;
}

const variablesOf = (text, typed) =>
  [...new Set([...text.matchAll(/[?$]\w+/g)].map(([name]) => name))]
    .filter((name) => name !== typed)
    .map((label) => ({ label, type: "variable", words: [] }));

function attributesOf(known, text, name) {
  const stream = variableStreams(text).get(name) ?? (known.streams.length === 1 ? known.streams[0].name : null);
  const chosen = known.streams.filter((one) => stream === null || one.name === stream);
  const own = ["_time", "_id"].map((label) => ({ label, type: "property", words: [] }));
  return [...chosen.flatMap((one) => one.attributes ?? []).map(attribute), ...own];
}

const offer = (from, candidates, typed) => {
  const options = fitting(candidates, typed);
  return options.length ? { from, options, filter: false } : null;
};

/** Completions of χ-CEP. */
export async function completeChi(context) {
  const known = await vocabulary();
  const text = context.state.doc.toString();
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  if (/#(?!\S*>)[^<]*$/.test(before) && !/<[^>]*$/.test(before)) return null;
  const dotted = /[?$](\w+)\.(\w*)$/.exec(before);
  if (dotted) return offer(context.pos - dotted[2].length, attributesOf(known, text, dotted[1]), dotted[2]);
  const variable = /[?$]\w*$/.exec(before);
  if (variable) return offer(context.pos - variable[0].length, variablesOf(text, variable[0]), variable[0]);
  const stream = /\(\s*[?$]\w+\s*,\s*(\w*)$/.exec(before);
  const typed = /[\p{L}_][\p{L}\p{N}_.:-]*$|:$/u.exec(before)?.[0] ?? "";
  if (stream && /FROM[^{]*$/i.test(text.slice(0, context.pos))) {
    return offer(context.pos - stream[1].length, streamsOf(known), stream[1]);
  }
  if (!typed && !context.explicit) return null;
  const terms = [...known.classes.map(term("class")), ...known.properties.map(term("property"))];
  const rest = [...keywordsOf(known.keywords), ...functionsOf(known), ...streamsOf(known)];
  return offer(context.pos - typed.length, typed.includes(":") ? terms : [...rest, ...terms], typed);
}

const SPARQL =
  "SELECT WHERE FILTER OPTIONAL UNION MINUS BIND VALUES GRAPH PREFIX DISTINCT ORDER GROUP LIMIT OFFSET HAVING COUNT SUM AVG MIN MAX SAMPLE CONSTRUCT ASK DESCRIBE EXISTS";

/** Completions of SPARQL. */
export async function completeSparql(context) {
  const known = await vocabulary();
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const variable = /[?$]\w*$/.exec(before);
  if (variable) {
    return offer(context.pos - variable[0].length, variablesOf(context.state.doc.toString(), variable[0]), variable[0]);
  }
  const typed = /[\p{L}_][\p{L}\p{N}_.:-]*$/u.exec(before)?.[0] ?? "";
  if (!typed && !context.explicit) return null;
  const terms = [...known.classes.map(term("class")), ...known.properties.map(term("property"))];
  return offer(context.pos - typed.length, typed.includes(":") ? terms : [...keywordsOf(SPARQL.split(" ")), ...terms], typed);
}
