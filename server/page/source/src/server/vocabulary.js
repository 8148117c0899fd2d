// What the project speaks of: asked once, and again when the knowledge may have changed.
import { get } from "./requests.js";

const NOTHING = { streams: [], classes: [], properties: [], functions: [], keywords: [], prefixes: {} };
let known = null;

export function vocabulary() {
  known ??= get("/vocabulary").then(
    (found) => ({ ...NOTHING, ...found }),
    () => ((known = null), NOTHING),
  );
  return known;
}

export const forgetVocabulary = () => (known = null);
