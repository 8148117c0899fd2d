// Modules on their way into the knowledge: jobs of the server, which go on when the page is closed, and are found again.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../parts/icon.jsx";
import { notice } from "../parts/notices.jsx";
import { atWork, cancelJob, heard } from "../server/job.js";
import { at, demanded, get, Problem, send } from "../server/requests.js";
import { moduleName } from "../server/terms.js";
import { knowledgeChanged } from "../server/vocabulary.js";

const TYPES = {
  ttl: "text/turtle",
  nt: "application/n-triples",
  rdf: "application/rdf+xml",
  owl: "application/rdf+xml",
  xml: "application/rdf+xml",
  jsonld: "application/ld+json",
  json: "application/ld+json",
  owx: "application/owl+xml",
};

const CHANGES = { upload: "is part of the knowledge", removal: "is no part of the knowledge any more" };
const AGAIN = "is part of the knowledge instead of what it said before";

/** The form of a file, by its name; OWL files that begin otherwise than XML are Turtle. */
export function mediaType(name, text) {
  const ending = name.split(".").pop().toLowerCase();
  if (ending === "owl" && !text.trimStart().startsWith("<")) return TYPES.ttl;
  return TYPES[ending] ?? TYPES.ttl;
}

/** The text of a file; `File.text()` would put another letter in place of what is no UTF-8, and nobody would know. */
async function read(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Problem(0, { detail: `${file.name} is not encoded in UTF-8`, hint: "save it as UTF-8, and add it again" });
  }
}

function Refusal({ problem }) {
  const lines = problem.notes ?? [];
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{problem.message}</strong>
        {problem.place?.line > 0 && ` (line ${problem.place.line})`}
      </p>
      {lines.length > 0 && (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {problem.hint && <p>{problem.hint}</p>}
      {problem.status !== 404 && <p class="note">Nothing was changed.</p>}
    </div>
  );
}

/** One of them: what it is at, how far that is, and a way to cancel it. */
function Change({ name, job }) {
  const { text, share } = atWork(job);
  const cancel = () => cancelJob(job.id).catch((problem) => notice(`${name}: ${problem.message}`, "bad"));
  return (
    <div class="progress-box" role="status">
      <label>
        {name}: {text} <progress value={share ?? undefined} max="1" />
      </label>
      <button type="button" onClick={cancel} aria-label={`Cancel ${name}`}>
        Cancel
      </button>
    </div>
  );
}

/** The changes that are at work, also those that another page has begun; `follow` one more. */
function useChanges() {
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
        notice(`${name} ${job.result?.new === false ? AGAIN : CHANGES[kind]}.`);
        knowledgeChanged();
      } else if (job.state === "failed") setProblem(new Problem(job.problem?.status ?? 0, job.problem ?? {}));
      else notice(`${name}: cancelled, nothing was changed.`);
    } catch (error) {
      if (error.name === "AbortError") return;
      setProblem(error);
    }
    setChanges(({ [id]: _, ...others }) => others);
  };
  useEffect(() => () => left.current.abort(), []);
  useEffect(() => {
    const find = (jobs) =>
      jobs
        .filter((job) => job.kind in CHANGES && ["waiting", "running"].includes(job.state))
        .forEach((job) => follow(job.id, moduleName(job.about ?? "a module"), job.kind));
    if (!needed) get("/jobs", { signal: left.current.signal }).then(find, () => {}); // that they are unknown is no problem
  }, [needed]);
  return { changes, problem, setProblem, follow };
}

export function Uploads() {
  const field = useRef(null);
  const { changes, problem, setProblem, follow } = useChanges();
  const [sent, setSent] = useState(null);
  const upload = async () => {
    const [file] = field.current.files;
    if (!file) return;
    setProblem(null);
    setSent(file.name);
    try {
      const text = await read(file);
      const headers = { "Content-Type": mediaType(file.name, text), Prefer: "respond-async" };
      const answer = await send(at("graphs", file.name), { method: "PUT", body: text, headers });
      follow((await answer.json()).job, file.name, "upload");
    } catch (error) {
      setProblem(error);
    }
    setSent(null);
    field.current.value = "";
  };
  const busy = sent !== null || Object.keys(changes).length > 0;
  return (
    <>
      <label class="button file">
        <Icon name="upload" /> {sent ? `${sent} is sent …` : "Add a module"}
        <input ref={field} class="unseen" type="file" accept=".ttl,.nt,.rdf,.owl,.xml,.jsonld,.json,.owx" onChange={upload} disabled={busy} />
      </label>
      {Object.entries(changes).map(([id, change]) => (
        <Change key={id} {...change} />
      ))}
      {problem && <Refusal problem={problem} />}
    </>
  );
}
