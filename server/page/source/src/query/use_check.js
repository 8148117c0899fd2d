// What the server says of a text while it is typed.
import { useEffect, useState } from "preact/hooks";
import { demanded, passing, post } from "../server/requests.js";

const PAUSE_MS = 350;
/** A server that does not answer now is asked again a little later. */
const RETRY_MS = 5000;

/** @returns {{checked: object | null, busy: boolean, problem: Error | null}} `checked` is of `checked.of`, a text */
export function useCheck(text) {
  const [state, setState] = useState({ checked: null, busy: false, problem: null });
  const needed = demanded.value;
  useEffect(() => {
    if (needed) return undefined;
    if (!text.trim()) {
      setState({ checked: { valid: false, problems: [], warnings: [], of: text }, busy: false, problem: null });
      return undefined;
    }
    const stop = new AbortController();
    setState((before) => ({ ...before, busy: true }));
    const ask = async () => {
      try {
        const told = await post("/check", text, { signal: stop.signal });
        setState({ checked: { ...told, of: text }, busy: false, problem: null });
      } catch (problem) {
        if (stop.signal.aborted) return;
        setState({ checked: null, busy: false, problem });
        if (passing(problem)) timer = setTimeout(ask, RETRY_MS);
      }
    };
    let timer = setTimeout(ask, PAUSE_MS);
    return () => (stop.abort(), clearTimeout(timer));
  }, [text, needed]);
  return state;
}
