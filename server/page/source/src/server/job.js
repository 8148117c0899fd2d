// Long work: begun by a POST, watched until it has ended, cancelled when nobody waits for it any more.
import { at, get, Problem, send } from "./requests.js";

const PAUSE_MS = 400;

/**
 * Wait for a job.
 * @param {string} id
 * @param {{signal: AbortSignal, onProgress: (share: number | null) => void}} options
 * @returns its result
 */
export async function finished(id, { signal, onProgress }) {
  const path = at("jobs", String(id));
  const cancel = () => send(path, { method: "DELETE" }).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const job = await get(path, { signal });
      onProgress(job.progress ?? null);
      if (job.state === "done") return job.result;
      if (job.state === "failed") throw new Problem(job.problem?.status ?? 0, job.problem ?? {});
      if (job.state === "cancelled") throw new Problem(0, { detail: "the work was cancelled" });
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
