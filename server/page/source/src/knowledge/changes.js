// Modules on their way into the knowledge, or out of it: jobs of the server, which go on when the page is closed.
import { useEffect, useRef, useState } from "preact/hooks";
import { notice } from "../parts/notices.jsx";
import { heard } from "../server/job.js";
import { demanded, get, Problem, send } from "../server/requests.js";
import { moduleName } from "../server/terms.js";
import { knowledgeChanged } from "../server/vocabulary.js";

const SAID = { upload: "is part of the knowledge", removal: "is no part of the knowledge any more" };
const AGAIN = "is part of the knowledge instead of what it said before";

/**
 * The changes that are at work, also those that another page has begun.
 * @returns {{changes: object, problem: Error | null, begin: (kind: "upload" | "removal", name: string, path: string,
 *           options: object) => Promise<void>, setProblem: (problem: Error | null) => void, busy: boolean}}
 *          `begin` sends a request that begins one more; it ends when the server has begun
 */
export function useChanges() {
  const [changes, setChanges] = useState({});
  const [problem, setProblem] = useState(null);
  const left = useRef(new AbortController());
  const followed = useRef(new Set());
  const needed = demanded.value;
  const follow = async (id, name, kind) => {
    if (followed.current.has(id)) return;
    followed.current.add(id);
    const note = (job) => setChanges((now) => ({ ...now, [id]: { name, job } }));
    note({ id, state: "waiting" });
    try {
      const job = await heard(id, { signal: left.current.signal, onJob: note });
      if (job.state === "done") {
        notice(`${name} ${job.result?.new === false ? AGAIN : SAID[kind]}.`);
        knowledgeChanged();
      } else if (job.state === "failed") setProblem(new Problem(job.problem?.status ?? 0, job.problem ?? {}));
      else notice(`${name}: cancelled, nothing was changed.`);
    } catch (error) {
      if (error.name === "AbortError") return;
      setProblem(error);
    }
    setChanges(({ [id]: _, ...others }) => others);
  };
  const begin = async (kind, name, path, { headers = {}, ...options }) => {
    setProblem(null);
    try {
      const answer = await send(path, { ...options, headers: { ...headers, Prefer: "respond-async" } });
      follow((await answer.json()).job, name, kind);
    } catch (error) {
      setProblem(error);
    }
  };
  useEffect(() => () => left.current.abort(), []);
  useEffect(() => {
    const find = (jobs) =>
      jobs
        .filter((job) => job.kind in SAID && ["waiting", "running"].includes(job.state))
        .forEach((job) => follow(job.id, moduleName(job.about ?? "a module"), job.kind));
    if (!needed) get("/jobs", { signal: left.current.signal }).then(find, () => {}); // that they are unknown is no problem
  }, [needed]);
  return { changes, problem, setProblem, begin, busy: Object.keys(changes).length > 0 };
}
