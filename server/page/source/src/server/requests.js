// Requests to the server. Its answers are JSON; its refusals are problem documents (RFC 9457).
import { signal } from "@preact/signals";
import { tab } from "./shelf.js";

const KEY = "kaicep.token";

/** Whether the server has asked for a token, or refused the one that we have: why, or null. */
export const demanded = signal(null);
/** Whether the last request reached the server. */
export const reachable = signal(true);

/** The token of this tab; it is never part of an address. */
export function takeToken(token) {
  if (token) tab.put(KEY, token);
  else tab.drop(KEY);
  demanded.value = null;
}

export const hasToken = () => tab.get(KEY) !== null;

/** What the server refuses, with the way out. */
export class Problem extends Error {
  constructor(status, told) {
    super(told.detail || told.title || `the server answers ${status}`);
    this.status = status;
    this.hint = told.hint || "";
    this.notes = told.notes || [];
    this.place = told.place || null;
    this.text = told.text || "";
  }
}

/** Whether a server that is busy, begins anew, or is away (0), may answer a little later. */
export const passing = ({ status }) => [0, 429, 503].includes(status);

async function refusal(answer) {
  const told = await answer.json().catch(() => ({}));
  if (answer.status === 401) demanded.value = told.detail || "a token is needed";
  const detail = Array.isArray(told.detail) ? told.detail.map((one) => one.msg).join("; ") : told.detail;
  return new Problem(answer.status, { ...told, detail });
}

/** Send a request; give the answer, whatever it holds, or throw a Problem. */
export async function send(path, { headers = {}, ...options } = {}) {
  const token = tab.get(KEY);
  const shown = token ? { Authorization: `Bearer ${token}` } : {};
  const { Accept = "application/json", ...others } = headers;
  const sent = { ...shown, ...others, Accept: `${Accept}, application/problem+json` };
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: sent });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    reachable.value = false;
    throw new Problem(0, { detail: "the server cannot be reached", hint: "is `kaicep serve` running?" });
  }
  reachable.value = true;
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

/** What a GET gives, as JSON. */
export async function get(path, options) {
  return (await send(path, options)).json();
}

/** What a POST of a text gives, as JSON. */
export async function post(path, text, { type = "text/plain; charset=utf-8", ...options } = {}) {
  const answer = await send(path, { method: "POST", body: text, headers: { "Content-Type": type }, ...options });
  const body = await answer.text();
  return body ? JSON.parse(body) : null;
}

export const postJson = (path, value, options) =>
  post(path, JSON.stringify(value), { type: "application/json", ...options });

/** The address of something whose name may hold anything. */
export const at = (...parts) => `/${parts.map(encodeURIComponent).join("/")}`;
