// What the project speaks of: asked once, and again when the knowledge may have changed.
import { signal } from "@preact/signals";
import { get } from "./requests.js";

const NOTHING = { streams: [], classes: [], properties: [], functions: [], keywords: [], prefixes: {} };
let known = null;

/** Another text whenever this page has changed the knowledge, for what is told of it. */
export const knowledge = signal("0");

export function vocabulary() {
  known ??= get("/vocabulary").then(
    (found) => ({ ...NOTHING, ...found }),
    () => ((known = null), NOTHING),
  );
  return known;
}

export const forgetVocabulary = () => (known = null);

/** Somebody has added to the knowledge, or taken from it. */
export function knowledgeChanged() {
  forgetVocabulary();
  knowledge.value = String(Number(knowledge.value) + 1);
}
