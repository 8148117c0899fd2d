// Whether the server is reached, and its engine ready.
import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import { reachable } from "./server/requests.js";

const OFTEN_MS = 5000;
const waitsFor = signal("");

async function look() {
  try {
    const answer = await fetch("/ready");
    const { ready, reason } = await answer.json();
    waitsFor.value = ready ? "" : reason || "the engine is not ready";
    reachable.value = true;
  } catch {
    reachable.value = false;
  }
}

export function Connection() {
  useEffect(() => {
    look();
    const timer = setInterval(() => document.hidden || look(), OFTEN_MS);
    return () => clearInterval(timer);
  }, []);
  const [kind, said] = !reachable.value
    ? ["bad", "the server cannot be reached"]
    : waitsFor.value
      ? ["warn", waitsFor.value]
      : ["good", "connected"];
  return (
    <span class={`connection ${kind}`} role="status">
      <span class={`dot ${kind}`} aria-hidden="true" />
      <span>{said}</span>
    </span>
  );
}
