// Answers as state of components: asked at once, and again every so often while the page is seen.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { demanded, get, passing } from "./requests.js";

/** A server that does not answer now is asked again a little later; what is shown stays. */
const RETRY_MS = 5000;
/** However often something changes, no answer is asked for sooner again. */
const SOONEST_MS = 2000;

/**
 * What a GET gives; `null` as path asks nothing.
 * @param {string | null} path
 * @param {number} everyMs 0: once
 * @param {string | null} version another one: it is asked again soon, without regard to the pause; null: nobody knows yet
 * @returns {{value: any, problem: Error | null, loading: boolean, again: () => void}}
 */
export function useAnswer(path, everyMs = 0, version = null) {
  const [state, setState] = useState({ path: null, value: null, problem: null });
  const [turn, setTurn] = useState(0);
  const last = useRef("");
  const hurry = useRef(() => {});
  const seen = useRef(version);
  const needed = demanded.value;
  useEffect(() => {
    if (path === null || needed) return undefined;
    const stop = new AbortController();
    let timer = 0;
    let asked = 0;
    let asking = false;
    let missed = false;
    let due = true; // also of a page that nobody sees: it is asked but once
    const ask = async () => {
      let later = 0;
      const needed = due || !document.hidden || !last.current;
      [asked, asking, missed, due] = [Date.now(), true, false, false];
      if (needed) {
        try {
          const value = await get(path, { signal: stop.signal });
          const text = `${path}\n${JSON.stringify(value)}`;
          if (text !== last.current) setState({ path, value, problem: null });
          last.current = text;
        } catch (problem) {
          // Who is asked for a token is told so by the dialog, and nothing else until there is another answer.
          if (stop.signal.aborted || problem.status === 401) return;
          last.current = "";
          later = passing(problem) ? RETRY_MS : 0;
          const keep = (before) => ({ path, value: before.path === path ? before.value : null, problem });
          setState((before) => (later && before.value ? before : keep(before)));
        }
      }
      asking = false;
      if (missed && !later && !stop.signal.aborted) return soon();
      const pause = later || everyMs;
      if (pause && !stop.signal.aborted) timer = setTimeout(ask, pause);
    };
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(ask, Math.max(0, asked + SOONEST_MS - Date.now()));
    };
    hurry.current = () => ((due = true), asking ? (missed = true) : soon());
    ask();
    return () => (stop.abort(), clearTimeout(timer), (hurry.current = () => {}));
  }, [path, everyMs, turn, needed]);
  useEffect(() => {
    if (seen.current !== null && version !== null) hurry.current();
    seen.current = version;
  }, [version]);
  const again = useCallback(() => setTurn((n) => n + 1), []);
  const fresh = state.path === path;
  return {
    value: fresh ? state.value : null,
    problem: fresh ? state.problem : null,
    loading: path !== null && !fresh,
    again,
  };
}
