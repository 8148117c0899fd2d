// The matches of a query: the newest at first, then each as it is found.
import { useEffect, useRef, useState } from "preact/hooks";
import { follow, pause, refused } from "../server/event_stream.js";
import { at, demanded, get } from "../server/requests.js";

const KEPT = 200;
const AT_FIRST = 50;
const TOGETHER_MS = 150;

/** Rows newest first, each once, no more than are kept. */
export function merged(before, arrived) {
  const known = new Set(before.map((row) => row._id));
  const fresh = arrived.filter(({ _id }) => !known.has(_id) && known.add(_id));
  return fresh.length ? [...fresh.reverse(), ...before].slice(0, KEPT) : before;
}

/**
 * @param {string | null} label of the query; null: its rows are not kept
 * @param {boolean} paused rows that come meanwhile are shown afterwards
 * @returns {{rows: object[], columns: string[], fresh: Set<string>, known: boolean, state: string, problem: Error | null}}
 *          `known`: the server has told those that there were
 */
export function useMatches(label, paused) {
  const [shown, setShown] = useState({ rows: [], columns: [], fresh: new Set(), known: false, problem: null });
  const [state, setState] = useState("waiting");
  const [behind, setBehind] = useState(0);
  const waiting = useRef([]);
  const held = useRef(paused);
  held.current = paused;
  const needed = demanded.value;
  useEffect(() => {
    if (label === null || needed) return undefined;
    const stop = new AbortController();
    const path = at("queries", label);
    let unseen = 0;
    const take = () => {
      if (held.current) return setBehind(unseen);
      if (!waiting.current.length) return;
      const arrived = waiting.current.splice(0);
      unseen = 0;
      setShown((before) => ({
        ...before,
        rows: merged(before.rows, arrived),
        fresh: new Set(arrived.map((row) => row._id)),
      }));
    };
    const timer = setInterval(take, TOGETHER_MS);
    const newest = async () => {
      while (!stop.signal.aborted) {
        try {
          const { columns, rows, next } = await get(`${path}/matches?last=${AT_FIRST}`, { signal: stop.signal });
          setShown({ rows: merged([], rows), columns, fresh: new Set(), known: true, problem: null });
          return next ?? "";
        } catch (problem) {
          if (stop.signal.aborted) break;
          setShown((before) => ({ ...before, problem }));
          if (refused(problem)) break;
          await pause(stop.signal);
        }
      }
      return "";
    };
    const begin = async () => {
      const after = await newest();
      await follow(`${path}/rows`, {
        signal: stop.signal,
        after,
        onState: (now, problem) => {
          setState(now);
          if (problem) setShown((before) => ({ ...before, problem: before.problem ?? problem }));
        },
        onEvent: ({ event, data }) => {
          if (event !== "row") return;
          waiting.current.push(JSON.parse(data));
          unseen += 1;
          if (waiting.current.length > KEPT) waiting.current.shift(); // more are never shown at once
        },
      });
    };
    begin();
    return () => (stop.abort(), clearInterval(timer));
  }, [label, needed]);
  return { ...shown, state, held: paused ? behind : 0 };
}
