// The text that somebody is writing: kept as long as the tab, so that a look elsewhere loses nothing.
import { signal } from "@preact/signals";

const KEY = "kaicep.draft";

export const draft = signal(sessionStorage.getItem(KEY) ?? "");

/** Counts the texts that came from elsewhere than the editor. */
export const revision = signal(0);

export function keep(text) {
  draft.value = text;
  sessionStorage.setItem(KEY, text);
}

/** Put another text in its place. */
export function replace(text) {
  keep(text);
  revision.value += 1;
}
