// Files that are uploaded as modules, and what becomes of the changes that are at work.
import { useRef, useState } from "preact/hooks";
import { Icon } from "../parts/icon.jsx";
import { Lacking } from "../parts/lacking.jsx";
import { notice } from "../parts/notices.jsx";
import { atWork, cancelJob } from "../server/job.js";
import { at, Problem } from "../server/requests.js";
import { lacking } from "../server/role.js";

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

/** @param {{changes: object}} props as `useChanges` gives them */
export function Uploads({ changes: { changes, problem, setProblem, begin, busy } }) {
  const field = useRef(null);
  const [sent, setSent] = useState(null);
  const upload = async () => {
    const [file] = field.current.files;
    if (!file) return;
    setSent(file.name);
    try {
      const text = await read(file);
      const headers = { "Content-Type": mediaType(file.name, text) };
      await begin("upload", file.name, at("graphs", file.name), { method: "PUT", body: text, headers });
    } catch (error) {
      setProblem(error);
    }
    setSent(null);
    field.current.value = "";
  };
  const barred = lacking("admin");
  return (
    <>
      <label class="button file" title={barred}>
        <Icon name="upload" /> {sent ? `${sent} is sent …` : "Add a module"}
        <input ref={field} class="unseen" type="file" accept=".ttl,.nt,.rdf,.owl,.xml,.jsonld,.json,.owx" onChange={upload} disabled={sent !== null || busy || Boolean(barred)} />
      </label>
      <Lacking role="admin" of="Adding or removing modules" />
      {Object.entries(changes).map(([id, change]) => (
        <Change key={id} {...change} />
      ))}
      {problem && <Refusal problem={problem} />}
    </>
  );
}
