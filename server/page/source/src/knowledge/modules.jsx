// The ontology modules: what each brings; one more, of which contradictions are listed before it is taken.
import { useRef, useState } from "preact/hooks";
import { Card, ProblemBox } from "../parts/card.jsx";
import { Icon } from "../parts/icon.jsx";
import { notice } from "../parts/notices.jsx";
import { post } from "../server/requests.js";
import { number, shortIri } from "../server/terms.js";
import { useAnswer } from "../server/use_answer.js";
import { forgetVocabulary } from "../server/vocabulary.js";

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

function Refusal({ problem }) {
  const lines = problem.notes ?? [];
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{problem.message}</strong>
        {problem.place?.line && ` (line ${problem.place.line})`}
      </p>
      {lines.length > 0 && (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      {problem.hint && <p>{problem.hint}</p>}
      <p class="note">Nothing was changed.</p>
    </div>
  );
}

function Upload({ again }) {
  const field = useRef(null);
  const [state, setState] = useState({});
  const upload = async () => {
    const [file] = field.current.files;
    if (!file) return;
    setState({ busy: file.name });
    try {
      const text = await file.text();
      await post("/graphs", text, { type: mediaType(file.name, text) });
      setState({});
      notice(`${file.name} is part of the knowledge.`);
      forgetVocabulary();
      again();
    } catch (problem) {
      setState({ problem });
    }
    field.current.value = "";
  };
  return (
    <>
      <label class="button file">
        <Icon name="upload" /> {state.busy ? `${state.busy} is being judged …` : "Add a module"}
        <input ref={field} class="unseen" type="file" accept=".ttl,.nt,.rdf,.owl,.xml,.jsonld,.json,.owx" onChange={upload} disabled={Boolean(state.busy)} />
      </label>
      {state.problem && <Refusal problem={state.problem} />}
    </>
  );
}

function Module({ module: told }) {
  const name = told.name ?? told.label ?? told.iri ?? told.source;
  const about = [
    told.triples !== undefined && `${number(told.triples)} triples`,
    told.classes !== undefined && `${number(told.classes)} classes`,
    told.individuals !== undefined && `${number(told.individuals)} individuals`,
    told.imports?.length && `imports ${told.imports.map(shortIri).join(", ")}`,
  ];
  return (
    <li>
      <span class="name">{name}</span>
      <span class="note">{about.filter(Boolean).join(" · ")}</span>
    </li>
  );
}

export function Modules() {
  const { value, problem, again } = useAnswer("/ontologies");
  const modules = Array.isArray(value) ? value : (value?.modules ?? []);
  const contradictions = value?.contradictions ?? [];
  return (
    <Card title="Modules">
      <ProblemBox problem={problem} again={again} />
      {contradictions.length > 0 && (
        <div class="problem" role="alert">
          <p>
            <strong>The knowledge contradicts itself:</strong>
          </p>
          <ul>
            {contradictions.map((one, n) => (
              <li key={n}>{typeof one === "string" ? one : (one.text ?? one.message ?? JSON.stringify(one))}</li>
            ))}
          </ul>
        </div>
      )}
      <ul class="modules">
        {modules.map((one, n) => (
          <Module key={one.iri ?? one.name ?? n} module={one} />
        ))}
      </ul>
      <Upload again={again} />
    </Card>
  );
}
