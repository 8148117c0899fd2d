// Values as people read them: numbers, moments, IRIs.

const WELL_KNOWN = {
  "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
  "http://www.w3.org/2000/01/rdf-schema#": "rdfs",
  "http://www.w3.org/2002/07/owl#": "owl",
  "http://www.w3.org/2001/XMLSchema#": "xsd",
  "http://www.w3.org/ns/sosa/": "sosa",
  "https://brickschema.org/schema/Brick#": "brick",
};
const IRI = /^(?:https?:\/\/|urn:)\S+$/;
const EVENT = "urn:kaicep:event:";
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

export const isIri = (value) => typeof value === "string" && IRI.test(value);
/** Events stand in the archive: the knowledge has nothing to say of them. */
export const isEvent = (value) => typeof value === "string" && value.startsWith(EVENT);
export const isMoment = (value) => typeof value === "string" && MOMENT.test(value);

/** The last part of an IRI, behind the prefix where that is well known. */
export function shortIri(iri) {
  const cut = Math.max(iri.lastIndexOf("#"), iri.lastIndexOf("/"), iri.startsWith("urn:") ? iri.lastIndexOf(":") : -1);
  const name = iri.slice(cut + 1);
  const prefix = WELL_KNOWN[iri.slice(0, cut + 1)];
  if (!name) return iri;
  return prefix ? `${prefix}:${name}` : name;
}

/** What a module is called: a graph of the server, and a file of another folder, by the last part of its address. */
export function moduleName(name) {
  if (name.startsWith("/")) return name.slice(name.lastIndexOf("/") + 1);
  const local = /^https?:.*\/graphs\/([^/]+)$/.exec(name)?.[1];
  try {
    return local === undefined ? name : decodeURIComponent(local);
  } catch {
    return local;
  }
}

/** A text in which IRIs stand in full, as people read it. */
export const readable = (text) => (text ?? "").replace(/<([^<>\s]+)>/g, (_, iri) => shortIri(iri));

const UNITS = { DEG_C: "°C", DEG_F: "°F", K: "K", PERCENT: "%", PPM: "ppm" };

/** A unit of QUDT by its sign, where that is well known. */
export const unitSign = (unit) => UNITS[unit] ?? unit;

/** A term in N-Triples as people read it. */
export function shortTerm(term) {
  if (term.startsWith(`<${EVENT}`)) return "the event";
  if (term.startsWith("<")) return shortIri(term.slice(1, -1));
  const literal = /^"((?:[^"\\]|\\.)*)"/.exec(term);
  return literal ? literal[1] : term;
}

const whole = new Intl.NumberFormat("en");
const broken = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });
const powers = new Intl.NumberFormat("en", { notation: "scientific", maximumSignificantDigits: 5 });
/** Beyond these nobody counts digits, and a column has no room for them. */
const [LEAST, MOST] = [1e-6, 1e15];

/** A number in a few characters; very great and very small ones by their power of ten. */
export function number(value) {
  const size = Math.abs(value);
  if (size && Number.isFinite(value) && (size < LEAST || size >= MOST)) return powers.format(value).toLowerCase();
  return (Number.isInteger(value) ? whole : broken).format(value);
}

/** Milliseconds since 1970 of what the server calls a time: ISO 8601, or seconds or milliseconds as a number. */
export const moment = (value) => (typeof value === "number" ? (value > 1e11 ? value : value * 1000) : Date.parse(value));

/** The time zone of this machine, in which moments are told. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const two = (n) => String(n).padStart(2, "0");
const sameDay = (a, b) => a.toDateString() === b.toDateString();

/** A moment on this machine's clock; the date is left out where it is today's. */
export function clock(value, { seconds = true, date = null } = {}) {
  const found = new Date(moment(value));
  if (Number.isNaN(found.getTime())) return String(value);
  const time = `${two(found.getHours())}:${two(found.getMinutes())}${seconds ? `:${two(found.getSeconds())}` : ""}`;
  if (date === false || (date === null && sameDay(found, new Date()))) return time;
  return `${found.getFullYear()}-${two(found.getMonth() + 1)}-${two(found.getDate())} ${time}`;
}

/** Seconds in the largest units that say enough. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const s = Math.abs(seconds);
  if (s < 10) return `${Math.round(s * 10) / 10} s`;
  if (s < 120) return `${Math.round(s)} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  if (s < 172800) return `${Math.round(s / 3600)} h`;
  return `${whole.format(Math.round(s / 86400))} days`;
}

export function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = count;
  while (value >= 1000 && units.length > 1) (value /= 1000), units.shift();
  return `${value >= 10 ? Math.round(value) : Math.round(value * 10) / 10} ${units[0]}`;
}

/** A value of a row, in a few characters. */
export function shown(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "object") return JSON.stringify(value);
  if (isMoment(value)) return clock(value);
  if (isEvent(value)) return value.slice(EVENT.length);
  return isIri(value) ? shortIri(value) : value;
}
