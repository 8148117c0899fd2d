// What has just been done, said for a few seconds, and to screen readers.
import { signal } from "@preact/signals";

const SHOWN_MS = 6000;
const notices = signal([]);
let counter = 0;

/** @param {"good" | "bad"} kind */
export function notice(text, kind = "good") {
  counter += 1;
  const id = counter;
  notices.value = [...notices.value, { id, text, kind }];
  setTimeout(() => (notices.value = notices.value.filter((one) => one.id !== id)), SHOWN_MS);
}

export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, text, kind }) => (
      <p key={id} class={kind}>
        {text}
      </p>
    ))}
  </div>
);
