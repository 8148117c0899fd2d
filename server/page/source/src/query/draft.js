// The text that somebody is writing: kept as long as the tab, so that a look elsewhere loses nothing.
import { signal } from "@preact/signals";
import { tab } from "../server/shelf.js";

const KEY = "kaicep.draft";

export const draft = signal(tab.get(KEY) ?? "");

/** Counts the texts that came from elsewhere than the editor. */
export const revision = signal(0);

export function keep(text) {
  draft.value = text;
  tab.put(KEY, text);
}

/** What somebody had typed when another text came in its place; null: nothing that would be missed. */
export const displaced = signal(null);
let given = draft.value;

/** Put another text in its place. */
export function replace(text) {
  if (draft.value.trim() && draft.value !== given) displaced.value = draft.value;
  given = text;
  keep(text);
  revision.value += 1;
}

/** Put back what was displaced; what had taken its place can be had again from where it came. */
export function bringBack() {
  const text = displaced.value;
  displaced.value = null;
  keep(text);
  revision.value += 1;
}
