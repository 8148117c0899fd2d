// Long work: begun by a request, heard of until it has ended, also by another page than the one that began it.
import { at, get, passing, Problem, send } from "./requests.js";

const PAUSE_MS = 400;
const AGAIN_MS = 2000;
const OVER = ["done", "failed", "cancelled"];

/** How stages are called; of those that are not measured nobody knows how long they take: their bars only move. */
const STAGES = {
  waiting: "waits for its turn",
  loading: "begins",
  parsing: "is read",
  reasoning: "finding out what follows",
  contradictions: "looking for contradictions",
  keeping: "keeping what follows",
  comparing: "comparing the queries with before",
  writing: "is written",
  answering: "is answered",
};
const MEASURED = ["parsing", "keeping", "answering"];

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** End a job, nothing of which has happened then; or a Problem, when it is too late. */
export const cancelJob = (id) => send(at("jobs", String(id)), { method: "DELETE" });

/**
 * Hear of a job until it has ended; to be heard no more does not end it.
 * @param {string} id
 * @param {{signal: AbortSignal, onJob: (job: object) => void}} options
 * @returns the job: done, failed or cancelled
 */
export async function heard(id, { signal, onJob }) {
  for (;;) {
    let wait = PAUSE_MS;
    try {
      const job = await get(at("jobs", String(id)), { signal });
      onJob(job);
      if (OVER.includes(job.state)) return job;
    } catch (problem) {
      if (!passing(problem)) throw problem;
      wait = AGAIN_MS;
    }
    await pause(wait);
    signal.throwIfAborted();
  }
}

/** What came of a job, or the Problem that it met. */
function outcome(job) {
  if (job.state === "done") return job.result;
  throw new Problem(job.problem?.status ?? 0, job.problem ?? { detail: "the work was cancelled" });
}

/**
 * Wait for a job, which is cancelled when nobody does so any more.
 * @param {string} id
 * @param {{signal: AbortSignal, onJob: (job: object) => void}} options
 * @returns its result
 */
export async function finished(id, { signal, onJob }) {
  const cancel = () => cancelJob(id).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return outcome(await heard(id, { signal, onJob }));
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** What a job is at, and how far that is: `share` is null where nobody knows. */
export function atWork(job) {
  const stage = job?.stage ?? (job?.state === "running" ? "loading" : "waiting");
  const known = job?.progress ?? null;
  const percent = known ? `, ${Math.round(100 * known)} %` : "";
  return { text: `${STAGES[stage] ?? stage}${percent}`, share: MEASURED.includes(stage) ? known : null };
}
