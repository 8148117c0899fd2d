// The matches of a query: the newest at first, then each as it is found.
import { useEffect, useRef, useState } from "preact/hooks";
import { follow } from "../server/event_stream.js";
import { at, get } from "../server/requests.js";

const KEPT = 200;
const AT_FIRST = 50;
const TOGETHER_MS = 150;

/** Rows newest first, each once, no more than are kept. */
export function merged(before, arrived) {
  const known = new Set(before.map((row) => row._id));
  const fresh = arrived.filter((row, n) => !known.has(row._id) && arrived.findIndex((one) => one._id === row._id) === n);
  return fresh.length ? [...fresh.reverse(), ...before].slice(0, KEPT) : before;
}

/**
 * @param {string | null} label of the query; null: its rows are not kept
 * @param {boolean} paused rows that come meanwhile are shown afterwards
 * @returns {{rows: object[], columns: string[], fresh: Set<string>, state: string, problem: Error | null}}
 */
export function useMatches(label, paused) {
  const [shown, setShown] = useState({ rows: [], columns: [], fresh: new Set(), problem: null });
  const [state, setState] = useState("waiting");
  const waiting = useRef([]);
  const held = useRef(paused);
  held.current = paused;
  useEffect(() => {
    if (label === null) return undefined;
    const stop = new AbortController();
    const path = at("queries", label);
    const take = () => {
      if (held.current || !waiting.current.length) return;
      const arrived = waiting.current.splice(0);
      setShown((before) => ({
        ...before,
        rows: merged(before.rows, arrived),
        fresh: new Set(arrived.map((row) => row._id)),
      }));
    };
    const timer = setInterval(take, TOGETHER_MS);
    const begin = async () => {
      let after = "";
      try {
        const { columns, rows, next } = await get(`${path}/matches?last=${AT_FIRST}`, { signal: stop.signal });
        setShown({ rows: merged([], rows), columns, fresh: new Set(), problem: null });
        after = next ?? "";
      } catch (problem) {
        if (stop.signal.aborted) return;
        setShown((before) => ({ ...before, problem }));
      }
      await follow(`${path}/rows`, {
        signal: stop.signal,
        after,
        onState: (now, problem) => {
          setState(now);
          if (problem) setShown((before) => ({ ...before, problem: before.problem ?? problem }));
        },
        onEvent: ({ event, data }) => event === "row" && waiting.current.push(JSON.parse(data)),
      });
    };
    begin();
    return () => (stop.abort(), clearInterval(timer));
  }, [label]);
  return { ...shown, state, held: paused ? waiting.current.length : 0 };
}
