// What the server says of a text while it is typed.
import { useEffect, useState } from "preact/hooks";
import { post } from "../server/requests.js";

const PAUSE_MS = 350;

/** @returns {{checked: object | null, busy: boolean, problem: Error | null}} `checked` is of `checked.of`, a text */
export function useCheck(text) {
  const [state, setState] = useState({ checked: null, busy: false, problem: null });
  useEffect(() => {
    if (!text.trim()) {
      setState({ checked: { valid: false, problems: [], warnings: [], of: text }, busy: false, problem: null });
      return undefined;
    }
    const stop = new AbortController();
    setState((before) => ({ ...before, busy: true }));
    const timer = setTimeout(async () => {
      try {
        const told = await post("/check", text, { signal: stop.signal });
        setState({ checked: { ...told, of: text }, busy: false, problem: null });
      } catch (problem) {
        if (!stop.signal.aborted) setState({ checked: null, busy: false, problem });
      }
    }, PAUSE_MS);
    return () => (stop.abort(), clearTimeout(timer));
  }, [text]);
  return state;
}
