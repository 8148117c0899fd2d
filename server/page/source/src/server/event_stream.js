// Server-sent events over fetch: an EventSource cannot show a token but in its address.
import { send } from "./requests.js";

const RETRY_MS = 2000;
/** The server says something every 15 s: who hears nothing for so long has lost it, after a sleep for instance. */
const SILENCE_MS = 45_000;

/** Wait a little before a server is asked again, or until the signal aborts. */
export const pause = (signal) =>
  new Promise((done) => {
    const end = () => (clearTimeout(timer), signal.removeEventListener("abort", end), done());
    const timer = setTimeout(end, RETRY_MS);
    signal.addEventListener("abort", end);
  });

/** Whether a server will not answer however often it is asked. */
export const refused = ({ status }) => status >= 400 && status < 500 && status !== 429;

/**
 * Follow a stream of events until the signal aborts; begin again behind the last event when it breaks off.
 * @param {string} path
 * @param {{signal: AbortSignal, onEvent: (event: {id: string, event: string, data: string}) => void,
 *          onState?: (state: "open" | "waiting" | "refused", problem?: Error) => void, after?: string}} options
 */
export async function follow(path, { signal, onEvent, onState = () => {}, after = "" }) {
  let last = after;
  while (!signal.aborted) {
    try {
      const headers = { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) };
      const answer = await send(path, { signal, headers });
      onState("open");
      for await (const event of events(heard(answer.body))) {
        if (event.id) last = event.id;
        if (event.data) onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (refused(error)) return onState("refused", error);
    }
    if (signal.aborted) return;
    onState("waiting");
    await pause(signal);
  }
}

/** A body that breaks off when nothing comes of it for too long. */
function heard(body) {
  let timer = 0;
  const listen = (control) => {
    clearTimeout(timer);
    timer = setTimeout(() => control.error(new Error("the server is silent")), SILENCE_MS);
  };
  return body.pipeThrough(
    new TransformStream({
      start: listen,
      transform: (chunk, control) => (listen(control), control.enqueue(chunk)),
      flush: () => clearTimeout(timer),
    }),
  );
}

/** The events of a body (WHATWG HTML, 9.2.6, without `retry`). */
export async function* events(body) {
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    let end;
    while ((end = /\r?\n\r?\n/.exec(rest))) {
      const event = parsed(rest.slice(0, end.index));
      rest = rest.slice(end.index + end[0].length);
      if (event.data || event.id) yield event;
    }
  }
}

function parsed(block) {
  const event = { id: "", event: "message", data: "" };
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith(":")) continue;
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    else if (name in event) event[name] = value;
  }
  return { ...event, data: data.join("\n") };
}
